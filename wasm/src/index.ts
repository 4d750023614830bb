// The public types, and the entry that TypeScript sees; at run time the "node" and "default" conditions
// of package.json pick node.ts or browser.ts, which export the same names.
export * from "./types.js";
export { Checker } from "./checker.js";
export { load } from "./browser.js";
