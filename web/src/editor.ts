// The editor: plain text with squiggles, gutter marks, hover texts and quick fixes from the findings.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { type Diagnostic as Mark, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import type { Diagnostic, Edit, Span } from "sglint";
import { colours } from "./colours.js";

const MAX_MARKS = 200;

export class Editor {
  readonly view: EditorView;

  constructor(parent: HTMLElement, text: string, onChange: (pasted: boolean) => void) {
    this.view = new EditorView({
      parent,
      state: EditorState.create({
        doc: text,
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
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  get cursor(): number {
    return this.view.state.selection.main.head;
  }

  line(offset: number): number {
    return this.view.state.doc.lineAt(Math.min(offset, this.view.state.doc.length)).number;
  }

  replace(text: string): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text }, selection: { anchor: 0 }, scrollIntoView: true });
  }

  apply(edits: Edit[]): void {
    this.view.dispatch({ changes: edits.map((e) => ({ from: e.span[0], to: e.span[1], insert: e.text })) });
    this.view.focus();
  }

  /** Selects the span; without `focus` the keyboard stays where it is. */
  select([begin, end]: Span, focus = true): void {
    const size = this.view.state.doc.length;
    this.view.dispatch({ selection: { anchor: Math.min(begin, size), head: Math.min(end, size) }, scrollIntoView: true });
    if (focus) this.view.focus();
  }

  mark(findings: Diagnostic[]): void {
    const size = this.view.state.doc.length;
    const marks: Mark[] = findings.flatMap((finding) =>
      finding.spans.map(([from, to]) => ({
        from: Math.min(from, size),
        to: Math.min(to, size),
        severity: finding.severity,
        source: finding.rule,
        message: finding.message || finding.why,
        actions: finding.fixes.slice(0, 2).filter((fix) => fix.edits.length > 0).map((fix) => ({ name: fix.title, apply: () => this.apply(fix.edits) })),
      })),
    );
    this.view.dispatch(setDiagnostics(this.view.state, marks.slice(0, MAX_MARKS)));
  }
}
