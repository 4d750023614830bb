// The editor's full form: squiggles, gutter marks, hover texts, quick fixes and undo, by CodeMirror. A file
// of its own, ten times the size of the page's other code, which editor.ts fetches behind the first check.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { type Diagnostic as Mark, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import type { Diagnostic, Edit, Span } from "sglint";
import { colours } from "./colours.js";
import type { OnChange, Surface } from "./editor.js";

const MAX_MARKS = 200;

export class CodeMirror implements Surface {
  readonly #view: EditorView;

  /** Takes the place of `before` in the page, with its text, selection and focus. */
  constructor(before: Surface, onChange: OnChange) {
    const [anchor, head] = before.selection;
    const focused = before.focused;
    this.#view = new EditorView({
      state: EditorState.create({
        doc: before.text,
        selection: { anchor, head },
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          highlightActiveLine(),
          lintGutter(),
          colours,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "Launch command", spellcheck: "false", autocapitalize: "off", autocorrect: "off" }),
          // F8 belongs to the page: it goes through the findings, also those without a place in the text.
          keymap.of([...defaultKeymap.filter((k) => k.key !== "Mod-Enter"), ...historyKeymap, ...lintKeymap.filter((k) => k.key !== "F8")]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) onChange(update.transactions.some((t) => t.isUserEvent("input.paste")));
          }),
        ],
      }),
    });
    before.element.replaceWith(this.element);
    if (focused) this.focus();
  }

  get element(): HTMLElement {
    return this.#view.dom;
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  get selection(): Span {
    const { anchor, head } = this.#view.state.selection.main;
    return [anchor, head];
  }

  get focused(): boolean {
    return this.#view.hasFocus;
  }

  focus(): void {
    this.#view.focus();
  }

  replace(text: string): void {
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  }

  apply(edits: Edit[]): void {
    this.#view.dispatch({ changes: edits.map((e) => ({ from: e.span[0], to: e.span[1], insert: e.text })) });
  }

  select([begin, end]: Span): void {
    const size = this.#view.state.doc.length;
    this.#view.dispatch({ selection: { anchor: Math.min(begin, size), head: Math.min(end, size) }, scrollIntoView: true });
  }

  mark(findings: Diagnostic[], apply: (edits: Edit[]) => void): void {
    const size = this.#view.state.doc.length;
    const marks: Mark[] = findings.flatMap((finding) =>
      finding.spans.map(([from, to]) => ({
        from: Math.min(from, size),
        to: Math.min(to, size),
        severity: finding.severity,
        source: finding.rule,
        message: finding.message || finding.why,
        actions: finding.fixes.slice(0, 2).filter((fix) => fix.edits.length > 0).map((fix) => ({ name: fix.title, apply: () => apply(fix.edits) })),
      })),
    );
    this.#view.dispatch(setDiagnostics(this.#view.state, marks.slice(0, MAX_MARKS)));
  }
}
