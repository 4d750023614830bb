// Files dropped anywhere on the page.
import { say } from "./say.js";

const MAX_FILE = 4 << 20;

export function startDrop(take: (text: string, name: string) => void): void {
  const files = (event: DragEvent) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", (event) => files(event) && event.preventDefault(), true);
  addEventListener(
    "drop",
    async (event) => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      event.stopPropagation();
      if (file.size > MAX_FILE) return say(`${file.name} is over 4 MiB: a launch command or a config.json has some kilobytes. Nothing was changed.`);
      take(await file.text(), file.name);
    },
    true,
  );
}
