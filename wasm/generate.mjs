// Writes src/types.ts, the TypeScript form of schema.json. `--check` only says whether it is up to date.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

// Of these the build writes the unions (src/names.ts), from the rules and argument tables.
const NAMED_ELSEWHERE = ["RuleId", "FieldName"];

export function typesOf(schema) {
  const out = [
    "// Written by generate.mjs from schema.json. Do not edit.",
    `import type { ${NAMED_ELSEWHERE.join(", ")} } from "./names.js";\n`,
    `export type { ${NAMED_ELSEWHERE.join(", ")} } from "./names.js";`,
  ];
  for (const [name, def] of Object.entries(schema.$defs)) {
    if (NAMED_ELSEWHERE.includes(name)) continue;
    const shape = typeOf(def, "");
    out.push(`\n${comment(def, "")}export ${def.properties ? `interface ${name} ${shape}` : `type ${name} = ${shape};`}`);
  }
  return out.join("\n") + "\n";
}

function typeOf(s, indent) {
  if (s.$ref) return s.$ref.replace("#/$defs/", "").replace(/\/properties\/(\w+)$/, '["$1"]');
  if ("const" in s) return JSON.stringify(s.const);
  if (s.enum) return s.enum.map((v) => JSON.stringify(v)).join(" | ");
  if (s.properties) return members(s, indent);
  if (s.anyOf) return s.anyOf.map((v) => typeOf(v, indent)).join(" | ");
  if (Array.isArray(s.type)) return s.type.map((type) => typeOf({ ...s, type }, indent)).join(" | ");
  switch (s.type) {
    case "array":
      if (s.prefixItems) return `[${s.prefixItems.map((v) => `${v.title}: ${typeOf(v, indent)}`).join(", ")}]`;
      return /^[A-Za-z]+$/.test(typeOf(s.items, indent)) ? `${typeOf(s.items, indent)}[]` : `(${typeOf(s.items, indent)})[]`;
    case "object": {
      const value = s.additionalProperties === true ? "unknown" : typeOf(s.additionalProperties, indent);
      return s.propertyNames ? `Partial<Record<${typeOf(s.propertyNames, indent)}, ${value}>>` : `Record<string, ${value}>`;
    }
    case "integer":
      return "number";
    case undefined:
      return "unknown";
    default:
      return s.type;
  }
}

function members(s, indent) {
  const inner = `${indent}  `;
  const lines = Object.entries(s.properties).map(
    ([key, value]) => `${comment(value, inner)}${inner}${key}${s.required?.includes(key) ? "" : "?"}: ${typeOf(value, inner)};`,
  );
  if (s.additionalProperties === true) lines.push(`${inner}[name: string]: unknown;`);
  return `{\n${lines.join("\n")}\n${indent}}`;
}

function comment(s, indent) {
  return s.description ? `${indent}/** ${s.description} */\n` : "";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const written = typesOf(JSON.parse(readFileSync(new URL("schema.json", import.meta.url), "utf8")));
  const file = new URL("src/types.ts", import.meta.url);
  if (process.argv.includes("--check")) {
    if (readFileSync(file, "utf8") !== written) {
      console.error("wasm/src/types.ts is not what wasm/generate.mjs writes: run node wasm/generate.mjs");
      process.exit(1);
    }
  } else {
    writeFileSync(file, written);
  }
}
