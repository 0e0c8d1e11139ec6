import type { DecisionOptions } from './decision-options.js';
import type { Mark } from './running-sums.js';

/**
 * Stored sums at times of looks: those of the day after each start, so that whole days can be
 * subtracted, and those of the last day.
 */
export class DecisionMarks {
  /** Ascending. */
  marks: Mark[];
  readonly #dayMs: number;

  constructor({ dayMs }: Pick<DecisionOptions, 'dayMs'>, marks: readonly Mark[] = []) {
    this.#dayMs = dayMs;
    this.marks = [...marks];
  }

  at(time: number): Mark | undefined {
    return this.marks.find(({ at }) => at === time);
  }

  /** Adds one, and drops what no start needs any more. */
  add(mark: Mark, starts: readonly number[]): void {
    this.marks = [...this.marks, mark].filter(
      ({ at }) =>
        at >= mark.at - this.#dayMs ||
        starts.some((start) => at >= start && at < start + this.#dayMs),
    );
  }

  /** The start of the whole days that end now. */
  wholeDaysFrom(since: number, now: number): number | undefined {
    const days = Math.floor((now - since) / this.#dayMs);
    return days < 1 ? undefined : now - days * this.#dayMs;
  }

  /** Without a model that left. */
  forget(place: number): void {
    this.marks = this.marks.map(({ at, columns }) => ({
      at,
      columns: columns.map((column, p) => (p === place ? undefined : column)),
    }));
  }
}
