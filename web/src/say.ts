// Short messages: a line that goes away by itself, and what screen readers hear.
import { byId } from "./dom.js";

const SHOWN_MS = 4000;
const QUIET_MS = 500;
const toast = byId("toast");
const live = byId("live");
let toastTimer = 0;
let liveTimer = 0;

/** Seen and heard. */
export function say(sentence: string): void {
  toast.textContent = sentence;
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = window.setTimeout(() => (toast.hidden = true), SHOWN_MS);
}

/** Heard only, once typing has stopped. */
export function announce(sentence: string): void {
  clearTimeout(liveTimer);
  liveTimer = window.setTimeout(() => {
    if (live.textContent !== sentence) live.textContent = sentence;
  }, QUIET_MS);
}
