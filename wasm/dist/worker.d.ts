import type { Checker } from "./checker.js";
export type { Checker };
