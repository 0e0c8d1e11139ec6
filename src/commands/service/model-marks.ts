import type { Mark } from '../../outputs/history/marks.js';
import type { MonitorOptions } from '../../stream/options.js';

type ModelMark = ReturnType<NonNullable<MonitorOptions['modelMarks']>>[number];

/** As soon as ticks can follow each other. */
const EVERY_MS = 1000;

/**
 * Marks that name a model, as verdicts begin again by them. Ticks do not wait for a store: they go by
 * what was read last, which is what was there when the service started, or something newer.
 */
export class ModelMarks {
  readonly #marks: { all(): Promise<readonly Mark[]> };
  #known: readonly ModelMark[] = [];

  constructor(marks: { all(): Promise<readonly Mark[]> }) {
    this.#marks = marks;
  }

  get known(): readonly ModelMark[] {
    return this.#known;
  }

  /** @returns what ends it */
  async start(): Promise<() => Promise<void>> {
    await this.#read();
    let isReading = false;
    const timer = setInterval(async () => {
      // One that does not answer is not asked again meanwhile.
      if (isReading) return;
      isReading = true;
      await this.#read();
      isReading = false;
    }, EVERY_MS);
    // What is under way is not waited for: nothing comes of it any more.
    return async () => clearInterval(timer);
  }

  async #read(): Promise<void> {
    try {
      const marks = await this.#marks.all();
      this.#known = marks.flatMap(({ model, time }) =>
        model === undefined ? [] : { model, time },
      );
    } catch {
      // That the store is away is a state of the service; what was known before stays.
    }
  }
}
