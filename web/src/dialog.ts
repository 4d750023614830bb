// A modal dialog with a title, a body and buttons; Escape closes it.
import { button, element } from "./dom.js";

export interface Choice {
  label: string;
  /** Returning false keeps the dialog open. */
  act?: () => void | boolean | Promise<void | boolean>;
  main?: boolean;
}

let titles = 0;

export function openDialog(title: string, body: (Node | string)[], choices: Choice[]): HTMLDialogElement {
  const id = `dialog-title-${++titles}`;
  const dialog = element("dialog", { "aria-labelledby": id });
  const buttons = choices.map((choice) =>
    button(choice.label, () => void run(choice), choice.main ? { class: "main" } : {}),
  );
  async function run(choice: Choice): Promise<void> {
    if ((await choice.act?.()) !== false) dialog.close();
  }
  dialog.append(element("h2", { id }, title), ...body, element("div", { class: "choices" }, ...buttons));
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
