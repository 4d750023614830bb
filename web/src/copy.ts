// To the clipboard, with a word about it; where the browser refuses, the text is shown to copy by hand.
import { openDialog } from "./dialog.js";
import { element } from "./dom.js";
import { say } from "./say.js";

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    const box = element("textarea", { rows: "6", readonly: "", "aria-label": what });
    box.value = text;
    openDialog("Copy by hand", [element("p", {}, "This browser does not let the page copy. The text is selected:"), box], [{ label: "Close", main: true }]);
    box.select();
  }
}
