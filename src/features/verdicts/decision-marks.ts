import type { DecisionOptions } from './decision-options.js';
import type { Mark } from './running-sums.js';

/**
 * Copies of the running sums at times of looks (marks). The sums since a mark are the current sums
 * minus the mark. Stored are the marks of the last day, and those of the first day after each
 * start. Whole days are counted from a mark of that first day.
 */
export class DecisionMarks {
  /** By time, ascending. */
  marks: Mark[];
  readonly #dayMs: number;

  constructor({ dayMs }: Pick<DecisionOptions, 'dayMs'>, marks: readonly Mark[] = []) {
    this.#dayMs = dayMs;
    this.marks = [...marks];
  }

  at(time: number): Mark | undefined {
    return this.marks.find(({ at }) => at === time);
  }

  /** Add a mark, and drop marks that no start needs. */
  add(mark: Mark, starts: readonly number[]): void {
    this.marks = [...this.marks, mark].filter(
      ({ at }) =>
        at >= mark.at - this.#dayMs ||
        starts.some((start) => at >= start && at < start + this.#dayMs),
    );
  }

  /**
   * Start of the longest period of whole days that ends now and begins no earlier than `since`;
   * undefined within the first day.
   */
  wholeDaysFrom(since: number, now: number): number | undefined {
    const days = Math.floor((now - since) / this.#dayMs);
    return days < 1 ? undefined : now - days * this.#dayMs;
  }

  /** Drop the sums of a removed model. */
  forget(place: number): void {
    this.marks = this.marks.map(({ at, columns }) => ({
      at,
      columns: columns.map((column, p) => (p === place ? undefined : column)),
    }));
  }
}
