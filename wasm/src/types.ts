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
export type Stage = "read" | "arguments" | "resolve" | "check" | "load" | "deployment";

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
  earlier: { value: unknown; because: string }[];
}

export interface LaunchReport {
  name: string;
  release: string;
  machine: string;
  model: string;
  span: Span;
  outcome: "ok" | "error" | "usage_error";
  error: { type: string; message: string } | null;
  diagnostics: Diagnostic[];
  resolved: Record<string, ResolvedValue>;
  effective: Record<string, { value: string; because: string }>;
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
  /** Findings across the launches. */
  deployment: Diagnostic[];
  /** Where API keys, tokens and passwords stand in the text. No output holds their values. */
  secrets: { span: Span }[];
}

export interface Catalogue {
  version: string;
  releases: string[];
  machines: string[];
  models: string[];
  /** What is known of each machine, by its name. */
  machine_facts: Record<string, MachineFacts>;
}

/** Facts of a machine; others than these may stand there too. */
export interface MachineFacts {
  platform: string;
  gpu_name: string;
  num_gpus: number;
  gpu_mem_mib: number;
  [fact: string]: unknown;
}

export interface MatrixRequest extends Request {
  /** Default: fifteen of the catalogue. */
  machines?: Request["machine"][];
  /** Default: all. */
  releases?: string[];
  fixes?: boolean;
}

export interface MatrixCell {
  machine: string;
  release: string;
  outcome: "ok" | "error" | "usage_error";
  /** What rejects it. */
  rule: string | null;
  error: { type: string; message: string } | null;
  /** The rule of the first error that shows after the weights are loaded. */
  load: string | null;
  effective: Record<string, string>;
  /** The title of the first verified fix, if fixes were asked for. */
  fix: string | null;
}

export interface Matrix {
  schema: 1;
  version: string;
  error: string | null;
  machines: string[];
  releases: string[];
  /** Cells machine by machine, each over all releases. */
  launches: { name: string; cells: MatrixCell[] }[];
}

export interface UpgradeRequest extends Request {
  from: string;
  to: string;
}

export interface ValueChange {
  field: string;
  /** null where that release has no such field. */
  from: unknown;
  to: unknown;
  because_from: string;
  because: string;
}

export interface LaunchUpgrade {
  name: string;
  from: MatrixCell;
  to: MatrixCell;
  flags: { flag: string; change: "renamed" | "removed" | "deprecated" | "ignored" | "ambiguous" | "added"; instead: string | null; span: Span }[];
  /** Parser defaults that this launch relies on; `keep` is what to add to keep the old value. */
  defaults: { field: string; flag: string | null; from: unknown; to: unknown; keep: string | null }[];
  resolved: ValueChange[];
  effective: ValueChange[];
  appeared: Diagnostic[];
  gone: Diagnostic[];
  /** Whether `command` is accepted by the newer release. */
  accepted: boolean;
  command: string;
  argv: string[];
  edits: Edit[];
}

export interface Upgrade {
  schema: 1;
  version: string;
  error: string | null;
  from: string;
  to: string;
  launches: LaunchUpgrade[];
}

/** The record of a rule. */
export interface RuleRecord {
  id: string;
  stage: Stage;
  severity: Severity;
  /** The exception SGLang raises; "" where it exits with a usage line or only speaks. */
  exception: string;
  /** SGLang's message with {} where values go. */
  message: string;
  why: string;
  source: string;
  since: string;
  until: string;
  bad: RuleExample | null;
  good: RuleExample | null;
}

export interface RuleExample {
  source: string;
  machine: string;
  release: string;
}

/** Thrown when a call cannot be carried out. */
export class SglintError extends Error {
  constructor(
    readonly code: "bad-request" | "wasm-unavailable",
    message: string,
  ) {
    super(message);
    this.name = "SglintError";
  }
}
