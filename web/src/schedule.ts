// When to check: at once while checks are quick, after a pause in typing where they are not. One check
// runs at a time; what changes meanwhile is checked next.
const QUICK_MS = 40;
const TYPING_PAUSE_MS = 120;

export class Schedule {
  #running = false;
  #again = false;
  #timer = 0;
  #cost = 0;

  /** `run` does one check and render; it must not throw. */
  constructor(readonly run: () => Promise<void>) {}

  request(now = false): void {
    document.body.dataset.state = "busy";
    clearTimeout(this.#timer);
    if (now || this.#cost <= QUICK_MS) void this.#go();
    else this.#timer = window.setTimeout(() => void this.#go(), TYPING_PAUSE_MS);
  }

  async #go(): Promise<void> {
    if (this.#running) {
      this.#again = true;
      return;
    }
    this.#running = true;
    const started = performance.now();
    await this.run();
    this.#cost = performance.now() - started;
    this.#running = false;
    if (this.#again) {
      this.#again = false;
      this.request();
    } else {
      document.body.dataset.state = "idle";
    }
  }
}
