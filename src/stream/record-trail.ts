import type { RecordMark } from './record-mark.js';

/**
 * Marks of records that were read of one log: of the newest, of the first, and between them the
 * sparser the older, so that wherever a log was cut there is a mark not far below.
 */
export class RecordTrail {
  #marks: readonly RecordMark[];

  /** @param marks newest first */
  constructor(marks: readonly RecordMark[] = []) {
    this.#marks = marks;
  }

  /** Newest first. The array itself does not change. */
  get marks(): readonly RecordMark[] {
    return this.#marks;
  }

  /** Adds one that is newer than all others. */
  add(mark: RecordMark): void {
    this.#marks = thinned([mark, ...this.#marks]);
  }

  /** Forgets those at an offset and after it. @param kept the last record before it, if it is known. */
  cut(offset: number, kept?: RecordMark): void {
    this.#marks = this.#marks.filter((mark) => mark.offset < offset);
    if (kept !== undefined && kept.offset > (this.#marks[0]?.offset ?? -1)) this.add(kept);
  }
}

/** Of any two neighbours the older is at most about twice as far from the newest. */
function thinned(marks: readonly RecordMark[]): readonly RecordMark[] {
  const [newest] = marks;
  const kept: RecordMark[] = [];
  for (let m = 0; m < marks.length; m++) {
    const older = marks[m + 1];
    const last = kept.at(-1);
    const distance = (mark: RecordMark) => newest!.offset - mark.offset;
    if (older && last && distance(older) <= 2 * distance(last)) continue;
    kept.push(marks[m]!);
  }
  return kept;
}
