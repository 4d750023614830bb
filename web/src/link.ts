// What a share link holds: text and settings as JSON, deflated, base64url, in the fragment only.
// web/rules.mjs writes the same form.
import type { Settings } from "./settings.js";

export interface Shared {
  t: string;
  r?: string;
  m?: string;
  n?: number;
  f?: string;
  c?: string;
  cn?: string;
}

const MARK = "#v1=";
export const MAX_LINK = 30000;
const MAX_TEXT = 4 << 20;

async function piped(bytes: Uint8Array, through: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(through as ReadableWritablePair<Uint8Array, Uint8Array>).getReader();
  const parts: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const { value, done } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MAX_TEXT) throw new Error("too long");  // a small link can hold a very long text
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts as BlobPart[]).arrayBuffer());
}

export async function toFragment(shared: Shared): Promise<string> {
  const packed = await piped(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream("deflate-raw"));
  let binary = "";
  for (const byte of packed) binary += String.fromCharCode(byte);
  return MARK + btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** null: no link of ours. Throws where the link is damaged. */
export async function fromFragment(fragment: string): Promise<Shared | null> {
  if (fragment === "" || fragment === "#") return null;
  if (!fragment.startsWith(MARK)) throw new Error("This link is not of this page's form.");
  try {
    const binary = atob(fragment.slice(MARK.length).replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(binary, (c) => c.charCodeAt(0));
    const shared = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await piped(bytes, new DecompressionStream("deflate-raw")))) as Shared;
    if (typeof shared?.t !== "string") throw new Error("no text");
    return shared;
  } catch {
    throw new Error("This link is damaged or was cut off, so it could not be opened. Your text stays as it is.");
  }
}

export function settingsOf(shared: Shared, into: Settings): void {
  const text = (value: unknown): string => (typeof value === "string" ? value : "");
  into.release = text(shared.r);
  into.machine = text(shared.m) || "h100";
  into.count = typeof shared.n === "number" ? shared.n : 0;
  into.machineText = text(shared.f);
  into.config = text(shared.c);
  into.configName = text(shared.cn);
  into.files = {};
}
