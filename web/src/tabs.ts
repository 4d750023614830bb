// Tabs by the ARIA pattern: arrow keys move, the panel of the chosen one is shown.
export function startTabs(list: HTMLElement, chosen: (name: string) => void): (name: string) => void {
  const tabs = [...list.querySelectorAll<HTMLButtonElement>('[role="tab"]')];
  const choose = (tab: HTMLButtonElement, focus = false) => {
    for (const t of tabs) {
      const on = t === tab;
      t.setAttribute("aria-selected", String(on));
      t.tabIndex = on ? 0 : -1;
      document.getElementById(t.getAttribute("aria-controls")!)!.hidden = !on;
    }
    if (focus) tab.focus();
    chosen(tab.dataset.view!);
  };
  list.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(document.activeElement as HTMLButtonElement);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    choose(tabs[(to + tabs.length) % tabs.length], true);
  });
  for (const tab of tabs) tab.addEventListener("click", () => choose(tab));
  return (name) => choose(tabs.find((t) => t.dataset.view === name)!);
}
