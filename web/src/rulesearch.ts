// The rule pages: the theme, and the search of their index.
import { startTheme } from "./theme.js";

startTheme();

const search = document.getElementById("search") as HTMLInputElement | null;
if (search) {
  const found = document.getElementById("found")!;
  const domains = [...document.querySelectorAll<HTMLElement>(".domain")].map((node) => ({
    node,
    rules: [...node.querySelectorAll<HTMLElement>("li")].map((item) => ({ node: item, text: `${node.dataset.domain}/${item.textContent} ${item.dataset.why}`.toLowerCase() })),
  }));
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const domain of domains) {
      let any = false;
      for (const rule of domain.rules) {
        const fits = matches(rule.text, words);
        rule.node.hidden = !fits;
        any ||= fits;
        count += Number(fits);
      }
      domain.node.hidden = !any;
    }
    found.textContent = count === 1 ? "1 rule" : `${count} rules`;
  };
  // A pasted message holds values that the template does not: most of its words are enough then.
  const matches = (text: string, words: string[]): boolean => {
    const hits = words.filter((word) => text.includes(word)).length;
    return words.length < 6 ? hits === words.length : hits >= words.length * 0.8;
  };
  search.addEventListener("input", show);
  if (search.value) show();
}
