// Every golden case and every text gives the same bytes natively and in Node: the batch's result and the
// whole report.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "sglint";
import { counted, lines, native } from "./lines.mjs";

const all = lines();
const checker = await load();

test("Node gives what the native command line gives", async () => {
  assert.ok(all.cases > 10_000 && all.texts > 100, "the recordings are there");
  const started = performance.now();
  for (const [format, call] of [["results", "batchLine"], ["json", "reportLine"]]) {
    let i = 0;
    for await (const expected of native(format, all.lines)) {
      const got = checker[call](all.lines[i]);
      if (got !== expected) assert.equal(got, expected, `${format} of ${all.lines[i]}`);
      i += 1;
    }
    assert.equal(i, all.lines.length, "one line out for each line in");
  }
  counted("Node", started, all);
});
