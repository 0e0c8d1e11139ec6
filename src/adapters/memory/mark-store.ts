import {
  byTime,
  type KeptMark,
  type Mark,
  type MarkOutcome,
  type MarkStore,
  type StatedSettings,
  withMark,
} from '../../outputs/history/marks.js';

interface Cell {
  marks: readonly KeptMark[];
  settings?: StatedSettings;
}

/** Stores marks (annotations of a point in time) in memory, as long as the process runs. */
export class MemoryMarkStore implements MarkStore {
  /** @param cell state shared by several stores of one process */
  constructor(private readonly cell: Cell = { marks: [] }) {}

  async all(): Promise<readonly Mark[]> {
    return byTime(this.cell.marks);
  }

  async add(mark: Mark, about?: string): Promise<MarkOutcome> {
    const { marks, outcome } = withMark(this.cell.marks, mark, about);
    this.cell.marks = marks;
    return outcome;
  }

  async settings(): Promise<StatedSettings | undefined> {
    return this.cell.settings;
  }

  async keepSettings(settings: StatedSettings): Promise<void> {
    this.cell.settings = settings;
  }

  async close(): Promise<void> {}
}
