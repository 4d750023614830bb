import { createHash } from "node:crypto";

// The one script inside the page, before all its files: the checker loads while the page is laid out.
export const startScript = `worker = new Worker("worker.js", { type: "module" }); worker.onerror = () => (worker = null);`;
const startHash = createHash("sha256").update(startScript).digest("base64");

// What the page may do. Scripts and styles of its own; one host besides its own, for the model look-up.
export const pagePolicy = `default-src 'none'; script-src 'self' 'wasm-unsafe-eval' 'sha256-${startHash}'; style-src 'self' 'unsafe-inline'; connect-src 'self' https://huggingface.co; worker-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'`;
// Workers have a policy of their own, which only a header can set: they reach nothing but this site.
export const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";
export const rulePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'";
