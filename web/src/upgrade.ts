// What changes for this command from one release to another.
import { element } from "./dom.js";

export type Upgrade = Record<string, unknown>;

export function renderUpgrade(into: HTMLElement, upgrade: Upgrade): void {
  into.replaceChildren(element("pre", {}, JSON.stringify(upgrade, null, 2)));
}
