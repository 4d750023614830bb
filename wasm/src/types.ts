// Written by generate.mjs from schema.json. Do not edit.
import type { RuleId, FieldName } from "./names.js";

export type { RuleId, FieldName } from "./names.js";

/** What SGLang would do: accept, raise, or print its usage. */
export type Outcome = "ok" | "error" | "usage_error";

export type Severity = "error" | "warning" | "info";

/** Where it shows, in this order; `load` only after the weights are loaded, `deployment` only between launches. */
export type Stage = "read" | "arguments" | "resolve" | "check" | "load" | "deployment";

/** Half-open range in the request's text: UTF-16 units in JavaScript objects, bytes of UTF-8 in the JSON that the command line and checkJson() write. */
export type Span = [begin: number, end: number];

export type JsonObject = Record<string, unknown>;

/** What to check: `text` or `argv`, and what is known of where it will run. */
export interface Request {
  /** A shell line, a docker command, a compose or Kubernetes file, PowerShell, Python… */
  text?: string;
  /** The arguments themselves, instead of `text`. */
  argv?: string[];
  /** SGLang release such as "0.5.18"; default: from the text's image tag, else the newest known. */
  release?: string;
  /** Catalogue name such as "h200" or "h100x4", facts, or the output of nvidia-smi; default: h100. */
  machine?: string | JsonObject;
  /** Hub id, where the text does not say it. */
  model?: string;
  /** The model's config.json: its content or the parsed object. */
  model_config?: string | JsonObject;
  /** Other files of the model by name, such as hf_quant_config.json. */
  model_files?: Record<string, string | JsonObject>;
  /** Other paths in the command: a catalogue name, a config.json, or {file: content}. */
  extra_models?: Record<string, string | JsonObject>;
  /** Environment variables besides those that the text sets. */
  env?: Record<string, string>;
  /** File name → content, for `--config`. What `text` names besides is unknown, and no verdict rests on it; with `argv` these are all files that there are. */
  files?: Record<string, string>;
  /** Rules whose findings do not count, as `# sglint: ignore RULE reason` does in the text. */
  ignore?: string[];
}

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
  /** The launch after the edit, as one shell line. */
  command: string;
  argv: string[];
}

export interface Diagnostic {
  rule: RuleId;
  severity: Severity;
  stage: Stage;
  /** SGLang's own text where it has one, letter for letter. */
  message: string;
  /** The reason in plain words. */
  why: string;
  /** True if it shows only once the findings before it are fixed. */
  behind: boolean;
  /** Why it does not count ("" if no reason is given), null if it does. What SGLang raises stays in `outcome` all the same. */
  suppressed: string | null;
  spans: Span[];
  fixes: Fix[];
}

export interface EarlierValue {
  value: unknown;
  because: string;
}

export interface ResolvedValue {
  value: unknown;
  source: "typed" | "config" | "default" | "rule";
  because: string;
  /** Whether it differs from the release's parser default. */
  changed: boolean;
  span: Span;
  /** The values before it, oldest first. */
  earlier: EarlierValue[];
}

export interface EffectiveValue {
  value: string;
  because: string;
}

/** The exception that SGLang raises; for a usage error the type is "" and the message argparse's last line. */
export interface ErrorText {
  type: string;
  message: string;
}

export type LogLine = [level: string, line: string];

/** One launch command of the text. */
export interface LaunchReport {
  /** Of the compose service or container; "" if it has none. */
  name: string;
  release: string;
  machine: string;
  model: string;
  span: Span;
  outcome: Outcome;
  error: ErrorText | null;
  /** In SGLang's order. */
  diagnostics: Diagnostic[];
  /** What was given or differs from the parser's defaults; empty where the launch is not accepted. */
  resolved: Partial<Record<FieldName, ResolvedValue>>;
  /** What really runs, such as "linear_attn.decode_kernel". */
  effective: Record<string, EffectiveValue>;
  /** The lines that SGLang prints. */
  logs: LogLine[];
  /** What was not known and is taken as so. */
  assumptions: string[];
  /** How many arguments are placeholders or unresolved variables: the verdict holds as far as known. */
  unknown_values: number;
  argv: string[];
  env: Record<string, string>;
  /** All preferred fixes applied; "" if none is needed or none helps. */
  fixed_command: string;
  fixed_argv: string[];
  fixed_edits: Edit[];
}

export interface SecretPlace {
  span: Span;
}

export interface Report {
  schema: 1;
  version: string;
  /** Why the request could not be carried out; then `launches` is empty. */
  error: string | null;
  /** Of the text as a whole. */
  diagnostics: Diagnostic[];
  launches: LaunchReport[];
  /** Findings across the launches. */
  deployment: Diagnostic[];
  /** Where API keys, tokens and passwords stand in the text. No output holds their values. */
  secrets: SecretPlace[];
}

/** A request, over machines and releases. */
export interface MatrixRequest {
  text?: Request["text"];
  argv?: Request["argv"];
  release?: Request["release"];
  machine?: Request["machine"];
  model?: Request["model"];
  model_config?: Request["model_config"];
  model_files?: Request["model_files"];
  extra_models?: Request["extra_models"];
  env?: Request["env"];
  files?: Request["files"];
  /** Default: fifteen of the catalogue. */
  machines?: (Request["machine"])[];
  /** Default: all. */
  releases?: string[];
  /** Whether each rejected cell gets a way out. */
  fixes?: boolean;
}

export interface MatrixCell {
  machine: string;
  release: string;
  outcome: Outcome;
  /** What rejects it. */
  rule: string | null;
  error: ErrorText | null;
  /** The rule of the first error that shows after the weights are loaded. */
  load: string | null;
  effective: Record<string, string>;
  /** The title of the first verified fix, if fixes were asked for. */
  fix: string | null;
}

export interface MatrixLaunch {
  name: string;
  /** Machine by machine, each over all releases. */
  cells: MatrixCell[];
}

export interface Matrix {
  schema: 1;
  version: string;
  error: string | null;
  machines: string[];
  releases: string[];
  launches: MatrixLaunch[];
}

/** A request, from one release to another. */
export interface UpgradeRequest {
  text?: Request["text"];
  argv?: Request["argv"];
  release?: Request["release"];
  machine?: Request["machine"];
  model?: Request["model"];
  model_config?: Request["model_config"];
  model_files?: Request["model_files"];
  extra_models?: Request["extra_models"];
  env?: Request["env"];
  files?: Request["files"];
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

export interface FlagChange {
  flag: string;
  change: "renamed" | "removed" | "deprecated" | "ignored" | "ambiguous" | "added";
  instead: string | null;
  span: Span;
}

/** A parser default that the launch relies on. */
export interface DefaultChange {
  field: string;
  flag: string | null;
  from: unknown;
  to: unknown;
  /** What to add to keep the old value. */
  keep: string | null;
}

export interface LaunchUpgrade {
  name: string;
  from: MatrixCell;
  to: MatrixCell;
  flags: FlagChange[];
  defaults: DefaultChange[];
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

export interface BatchLaunch {
  argv: string[];
  env: Record<string, string>;
}

/** A line out of a batch; a line in is a Request with an `id`, and its other members are ignored. */
export interface BatchResult {
  id: unknown;
  outcome: "ok" | "error" | "usage_error" | "invalid_request";
  /** Of an invalid request, which has no other members. */
  message?: string;
  error?: ErrorText | null;
  usage_message?: string | null;
  /** Fields that differ from the parser's defaults. */
  resolved?: Partial<Record<FieldName, unknown>>;
  logs?: LogLine[];
  /** Of what stopped it, in order. */
  rules?: RuleId[];
  /** What was found in a `text`; the rest of the line is of the first. */
  launches?: BatchLaunch[];
}

export interface RuleExample {
  source: string;
  machine: string;
  release: string;
}

/** The record of a rule. */
export interface RuleRecord {
  id: RuleId;
  stage: Stage;
  severity: Severity;
  /** That SGLang raises; "" where it exits with a usage line or only speaks. */
  exception: string;
  /** SGLang's message with {} where values go. */
  message: string;
  why: string;
  /** Where in SGLang. */
  source: string;
  since: string;
  until: string;
  bad: RuleExample | null;
  good: RuleExample | null;
}

export type Rules = RuleRecord[];

/** What is known by name. */
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
  [name: string]: unknown;
}
