/** What to check. `text` may be a shell line, a docker command, a compose or Kubernetes file… */
export interface Request {
    text?: string;
    /** The arguments themselves, instead of `text`. */
    argv?: string[];
    /** SGLang release such as "0.5.18". */
    release?: string;
    /** Catalogue name such as "h200" or "h100x4", or facts. */
    machine?: string | Record<string, unknown>;
    /** Hub id, where the text does not say it. */
    model?: string;
    /** The model's config.json: its content or the parsed object. */
    model_config?: string | Record<string, unknown>;
    model_files?: Record<string, unknown>;
    extra_models?: Record<string, unknown>;
    env?: Record<string, string>;
    /** File name → content, for `--config`. */
    files?: Record<string, string>;
}
/** Half-open range of UTF-16 offsets in the request's text. */
export type Span = [begin: number, end: number];
export interface Edit {
    span: Span;
    text: string;
}
/** A way out that was checked by running the edited command through the resolver again. */
export interface Fix {
    title: string;
    /** What it costs, in words; "" if nothing. */
    price: string;
    /** True: the launch is accepted after this fix alone. False: only this finding goes away. */
    accepted: boolean;
    edits: Edit[];
    command: string;
    argv: string[];
}
export type Severity = "error" | "warning" | "info";
export type Stage = "read" | "arguments" | "resolve" | "check" | "load";
export interface Diagnostic {
    rule: string;
    severity: Severity;
    stage: Stage;
    /** SGLang's own text where it has one, letter for letter. */
    message: string;
    /** The reason in plain words. */
    why: string;
    /** True if it shows only once the findings before it are fixed. */
    behind: boolean;
    spans: Span[];
    fixes: Fix[];
}
export interface ResolvedValue {
    value: unknown;
    source: "typed" | "config" | "default" | "rule";
    because: string;
    /** Whether it differs from the release's parser default. */
    changed: boolean;
    span: Span;
    earlier: {
        value: unknown;
        because: string;
    }[];
}
export interface LaunchReport {
    name: string;
    release: string;
    machine: string;
    model: string;
    span: Span;
    outcome: "ok" | "error" | "usage_error";
    error: {
        type: string;
        message: string;
    } | null;
    diagnostics: Diagnostic[];
    resolved: Record<string, ResolvedValue>;
    effective: Record<string, {
        value: string;
        because: string;
    }>;
    logs: [level: string, line: string][];
    assumptions: string[];
    argv: string[];
    env: Record<string, string>;
    fixed_command: string;
    fixed_argv: string[];
    fixed_edits: Edit[];
}
export interface Report {
    schema: 1;
    version: string;
    /** Why the request could not be carried out; then `launches` is empty. */
    error: string | null;
    diagnostics: Diagnostic[];
    launches: LaunchReport[];
}
export interface Catalogue {
    version: string;
    releases: string[];
    machines: string[];
    models: string[];
}
/** Thrown when a call cannot be carried out. */
export declare class SglintError extends Error {
    readonly code: "bad-request" | "wasm-unavailable";
    constructor(code: "bad-request" | "wasm-unavailable", message: string);
}
