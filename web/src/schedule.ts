// When to check: at once while checks are quick, after a pause in typing where they are not. One check
// runs at a time; what changes meanwhile is checked next. A check is slow when two in a row were: a single
// one may be the first, for which the browser compiles the checker.
const QUICK_MS = 60;
const TYPING_PAUSE_MS = 120;

export class Schedule {
  #current: Promise<void> | null = null;
  #again = false;
  #timer = 0;
  #costs = [0, 0];

  /** `run` does one check and render and says how many milliseconds both took; it must not throw. */
  constructor(readonly run: () => Promise<number>) {}

  request(): void {
    if (Math.min(...this.#costs) <= QUICK_MS) return void this.now();
    document.body.dataset.state = "busy";
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void this.now(), TYPING_PAUSE_MS);
  }

  /** Resolves when the check that is under way is shown. */
  now(): Promise<void> {
    document.body.dataset.state = "busy";
    clearTimeout(this.#timer);
    if (this.#current) this.#again = true;
    else this.#current = this.#go();
    return this.#current;
  }

  async #go(): Promise<void> {
    this.#costs = [this.#costs[1], await this.run()];
    this.#current = null;
    if (this.#again) {
      this.#again = false;
      this.request();
    } else {
      document.body.dataset.state = "idle";
    }
  }
}
