import {
  byTime,
  type KeptMark,
  type Mark,
  type MarkOutcome,
  type MarkStore,
  withMark,
} from '../../history/marks.js';

/** Marks that live as long as the process. */
export class MemoryMarkStore implements MarkStore {
  readonly #cell: { marks: readonly KeptMark[] };

  /** @param cell what several stores of one process share */
  constructor(cell: { marks: readonly KeptMark[] } = { marks: [] }) {
    this.#cell = cell;
  }

  async all(): Promise<readonly Mark[]> {
    return byTime(this.#cell.marks);
  }

  async add(mark: Mark, about?: string): Promise<MarkOutcome> {
    const { marks, outcome } = withMark(this.#cell.marks, mark, about);
    this.#cell.marks = marks;
    return outcome;
  }

  async close(): Promise<void> {}
}
