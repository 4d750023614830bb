// Where two values differ: of objects only the members that do, by their path.
type Leaf = [path: string, from: string, to: string];

const MOST = 90;
const isObject = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v);

export function differences(path: string, from: unknown, to: unknown): Leaf[] {
  if (isObject(from) && isObject(to)) {
    const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
    return [...keys].flatMap((key) => (JSON.stringify(from[key]) === JSON.stringify(to[key]) ? [] : differences(`${path}.${key}`, from[key], to[key])));
  }
  return [[path, words(from), words(to)]];
}

function words(value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MOST ? `${text.slice(0, MOST)}…` : text;
}
