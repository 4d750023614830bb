// Light colouring that fits every form a launch is written in: flags, comments, variables.
import { Decoration, type DecorationSet, type EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from "@codemirror/view";

const kinds = { flag: Decoration.mark({ class: "tok-flag" }), comment: Decoration.mark({ class: "tok-comment" }), variable: Decoration.mark({ class: "tok-variable" }) };

const matcher = new MatchDecorator({
  regexp: /((?:^|\s)#.*$)|(?<![\w-])(--?[a-zA-Z][\w-]*)|(\$\{?\w+\}?|\b[A-Z][A-Z0-9_]+(?==))/gm,
  decoration: (match) => (match[1] ? kinds.comment : match[2] ? kinds.flag : kinds.variable),
});

class Colours {
  decorations: DecorationSet;
  constructor(view: EditorView) {
    this.decorations = matcher.createDeco(view);
  }
  update(update: ViewUpdate): void {
    this.decorations = matcher.updateDeco(update, this.decorations);
  }
}

export const colours = ViewPlugin.fromClass(Colours, { decorations: (plugin) => plugin.decorations });
