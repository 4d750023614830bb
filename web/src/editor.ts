// The editor: plain text with squiggles, gutter marks and quick fixes from the findings.
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { type Diagnostic as Mark, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import type { Diagnostic, Edit } from "sglint";

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
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": "Launch command", spellcheck: "false" }),
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
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

  replace(text: string): void {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  apply(edits: Edit[]): void {
    this.view.dispatch({ changes: edits.map((e) => ({ from: e.span[0], to: e.span[1], insert: e.text })) });
    this.view.focus();
  }

  select(begin: number, end: number): void {
    this.view.dispatch({ selection: { anchor: begin, head: end }, scrollIntoView: true });
    this.view.focus();
  }

  mark(findings: Diagnostic[]): void {
    const size = this.view.state.doc.length;
    const marks: Mark[] = findings.flatMap((finding) =>
      finding.spans.map(([from, to]) => ({
        from: Math.min(from, size),
        to: Math.min(to, size),
        severity: finding.severity,
        source: finding.rule,
        message: finding.message,
        actions: finding.fixes.slice(0, 2).filter((fix) => fix.edits.length > 0).map((fix) => ({ name: fix.title, apply: () => this.apply(fix.edits) })),
      })),
    );
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }
}
