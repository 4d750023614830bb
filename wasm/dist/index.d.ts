export * from "./types.js";
export { Checker } from "./checker.js";
export { load } from "./browser.js";
