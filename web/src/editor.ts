// The editor: at first the page's text box, then CodeMirror, which takes over what was typed.
import type { Diagnostic, Edit, Span } from "sglint";
import { byId } from "./dom.js";
import { PlainText } from "./plaintext.js";

export type OnChange = (pasted: boolean) => void;

/** What holds the text. Offsets count UTF-16 units; line ends are \n. */
export interface Surface {
  readonly element: HTMLElement;
  readonly text: string;
  /** From where to where; the cursor is at the second. */
  readonly selection: Span;
  readonly focused: boolean;
  focus(): void;
  replace(text: string): void;
  apply(edits: Edit[]): void;
  select(span: Span): void;
  /** Shows where the findings are; `apply` is for their quick fixes. */
  mark(findings: Diagnostic[], apply: (edits: Edit[]) => void): void;
}

export class Editor {
  #surface: Surface;
  #marked: Diagnostic[] | null = null;  // of the text as it stands

  /** What was typed before the script came stays; else `text` is shown. */
  constructor(text: string, readonly onChange: OnChange) {
    const box = byId<HTMLTextAreaElement>("plain");
    this.#surface = new PlainText(box, (pasted) => this.#changed(pasted));
    if (box.value === "") box.value = text;
  }

  /** Fetches CodeMirror and goes on with it. Where that fails the text box stays. */
  async enhance(): Promise<void> {
    const { CodeMirror } = await import("./codemirror.js");
    this.#surface = new CodeMirror(this.#surface, (pasted) => this.#changed(pasted));
    if (this.#marked) this.mark(this.#marked);
  }

  get text(): string {
    return this.#surface.text;
  }

  get cursor(): number {
    return this.#surface.selection[1];
  }

  focus(): void {
    this.#surface.focus();
  }

  replace(text: string): void {
    this.#surface.replace(text);
  }

  apply(edits: Edit[]): void {
    this.#surface.apply(edits);
    this.focus();
  }

  /** Selects the span; without `focus` the keyboard stays where it is. */
  select(span: Span, focus = true): void {
    this.#surface.select(span);
    if (focus) this.focus();
  }

  mark(findings: Diagnostic[]): void {
    this.#marked = findings;
    this.#surface.mark(findings, (edits) => this.apply(edits));
  }

  #changed(pasted: boolean): void {
    this.#marked = null;
    this.onChange(pasted);
  }
}
