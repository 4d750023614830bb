// The editor's first form: the text box of index.html. It takes text before any script has come, and stays
// where CodeMirror cannot be fetched. Findings are marked in their list alone.
import type { Edit, Span } from "sglint";
import { applied } from "./edits.js";
import type { OnChange, Surface } from "./editor.js";

export class PlainText implements Surface {
  constructor(
    readonly element: HTMLTextAreaElement,
    onChange: OnChange,
  ) {
    element.addEventListener("input", (event) => onChange((event as InputEvent).inputType === "insertFromPaste"));
  }

  get text(): string {
    return this.element.value;
  }

  get selection(): Span {
    return [this.element.selectionStart, this.element.selectionEnd];
  }

  get focused(): boolean {
    return document.activeElement === this.element;
  }

  focus(): void {
    this.element.focus();
  }

  replace(text: string): void {
    this.element.value = text;
    this.#changed([0, 0]);
  }

  apply(edits: Edit[]): void {
    const selection = this.selection;
    this.element.value = applied(this.text, edits);
    this.#changed(selection);
  }

  select(span: Span): void {
    this.element.setSelectionRange(...span);
  }

  mark(): void {}

  #changed(selection: Span): void {
    this.select(selection);
    this.element.dispatchEvent(new InputEvent("input"));
  }
}
