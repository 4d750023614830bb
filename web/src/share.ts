// The share dialog: makes the link when asked, and says what was left out of it.
import type { Report } from "sglint";
import { copy } from "./copy.js";
import { openDialog } from "./dialog.js";
import { element } from "./dom.js";
import { MAX_LINK, toFragment } from "./link.js";
import { PLACEHOLDER, withoutSecrets } from "./secrets.js";
import type { Settings } from "./settings.js";
import { say } from "./say.js";

const MAX_SHARED = 300000;

export async function share(text: string, settings: Settings, report: Report | null): Promise<void> {
  if (text.length > MAX_SHARED) return say(`The text is too long for a link: it has ${Math.ceil(text.length / 1000)} KB.`);
  const cleaned = withoutSecrets(text, report);
  const machine = withoutSecrets(settings.machineText, null).text;
  const config = withoutSecrets(settings.config, null).text;
  const fragment = await toFragment({
    t: cleaned.text,
    r: settings.release,
    m: settings.machine,
    n: settings.count,
    ...(machine && { f: machine }),
    ...(config && { c: config, cn: settings.configName }),
  });
  const link = location.href.split("#")[0] + fragment;
  if (link.length > MAX_LINK) return say(`The text is too long for a link: ${Math.ceil(link.length / 1000)} KB, where ${MAX_LINK / 1000} KB can be passed on.`);
  const box = element("textarea", { rows: "4", readonly: "", "aria-label": "Link" });
  box.value = link;
  const holds = ["your text", "the release", "the machine", ...(machine ? ["the pasted description of the machine"] : []), ...(config ? ["the config.json"] : [])];
  openDialog(
    "Share link",
    [
      element("p", {}, `The link itself holds ${holds.join(", ")}. Nothing is uploaded: whoever has the link has the text.`),
      box,
      cleaned.removed.length
        ? element("div", { class: "removed" }, element("p", {}, `Replaced by ${PLACEHOLDER}:`), element("ul", {}, ...cleaned.removed.map((r) => element("li", {}, r))))
        : element("p", { class: "quiet" }, "No secret was found in the text. Look yourself before you pass it on."),
    ],
    [{ label: "Copy link", main: true, act: () => void copy(link, "Link") }, { label: "Close" }],
  );
  box.select();
}
