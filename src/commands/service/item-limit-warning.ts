import type { Logger } from '../cli/io.js';

const EVERY_MS = 60_000;

/** Says that events name more items than may be known: once a minute at most, with how many. */
export class ItemLimitWarning {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #limit: number;
  readonly #now: () => number;
  #untold = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(log: Pick<Logger, 'warn'>, limit: number, now: () => number) {
    this.#log = log;
    this.#limit = limit;
    this.#now = now;
  }

  add(events: number): void {
    this.#untold += events;
    const now = this.#now();
    if (this.#untold === 0 || now - this.#toldAt < EVERY_MS) return;
    const why = 'events name more items than limits.items allows, and are left out';
    this.#log.warn({ events: this.#untold, limit: this.#limit }, why);
    this.#untold = 0;
    this.#toldAt = now;
  }
}
