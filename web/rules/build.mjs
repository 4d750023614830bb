// A page for every rule and an index of them, from the rules' records and what the checker says of
// their examples.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { load } from "sglint";
import { indexPage } from "./indexpage.mjs";
import { rulePage } from "./rulepage.mjs";

export async function writeRules(folder) {
  const checker = await load();
  const rules = checker.rules();
  for (const rule of rules) {
    const file = `${folder}${rule.id}.html`;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, rulePage(rule, checker));
  }
  writeFileSync(`${folder}index.html`, indexPage(rules));
}
