// What is remembered on this device, where the browser allows it; else for as long as the page is open.
function attempt<T>(act: () => T): T | null {
  try {
    return act();
  } catch {
    return null;  // storage is blocked or full
  }
}

/** The choice of theme, kept. */
export const kept = {
  get: (key: string): string | null => attempt(() => localStorage.getItem(key)),
  set: (key: string, value: string): void => void attempt(() => localStorage.setItem(key, value)),
};

/** The text in the editor, kept until the tab is closed. */
export const tab = {
  get: (key: string): string | null => attempt(() => sessionStorage.getItem(key)),
  set: (key: string, value: string): void => void attempt(() => sessionStorage.setItem(key, value)),
};
