import { type SourceMark, type SourceProgress, SourceTimes } from '../panes/source-times.js';
import { type Cut, OpenLists, type Piece } from './open-lists.js';
import { type AssembledList, listsOf, type Part } from './part.js';

/** Options of assembling lists from impressions of single items. */
export interface AssemblyOptions {
  /** Maximum time between two consecutive parts of a list, ms. */
  readonly gapMs: number;
  /** Upper bound (exclusive) of the time between the first part of a list and any other, ms. */
  readonly withinMs: number;
  /**
   * How much older than the newest event of its source a part may be, ms; older parts are dropped.
   */
  readonly latenessMs: number;
  /** Maximum number of parts in memory. */
  readonly maxParts: number;
  /** Position number that the mapping gives to the first item of a page, such as 0 or 1. */
  readonly firstPlace: number;
  /**
   * Number of records between two offsets at which the progress of the sources is noted, for a
   * restart.
   */
  readonly noteEvery: number;
}

/**
 * State from which another assembler can continue. Valid once the lists completed so far are
 * written.
 */
export interface AssemblyMark {
  /** Offset of the first record to read again. Every list with an earlier part is written. */
  readonly from: number;
  /** Offset that separates written lists: a list whose parts all come before it is written. */
  readonly unwritten: number;
  /** Offset after the last record read. */
  readonly next: number;
  /** Progress of the sources before the record at `from`. */
  readonly times: SourceProgress;
  /**
   * Times up to which the parts of keys are written, by hash of the key. Only keys whose parts may
   * be read again have one.
   */
  readonly cuts: readonly (readonly [string, Cut])[];
}

/**
 * Outcome of a part. `held`: the part belongs to an incomplete list. Any other outcome is the
 * reason why the part is dropped.
 */
export type PartOutcome = 'held' | 'repeated_part' | 'late_part' | 'over_limit' | 'written_before';

const NOTHING_KNOWN: SourceProgress = {
  partitions: {},
  newest: {},
  emptyAt: {},
};

/**
 * Assembles lists from impressions of single items (parts) in one partition of a log. The sources
 * of the parts may have been read at different speeds. A part counts if it is not too late compared
 * with its own source,
 *
 *   ts ≥ newest(source) − lateness.
 *
 * A list is complete once the slowest source is so far that no such part can still belong to the
 * list. So the lists depend on the sources alone, not on the order in which the records of the
 * sources are interleaved. For an idle source the wall clock is used instead; a part that the
 * source delivers later may be too late (`late_part`).
 *
 * The log itself is the only state: `mark` returns the offset from which the log must be read again
 * to complete all unwritten lists. Lists that were written already are then created again under the
 * same ids, or not at all.
 */
export class Assembler {
  readonly #options: AssemblyOptions;
  readonly #open: OpenLists;
  readonly #times: SourceTimes;
  /**
   * Offset that separates written lists: an earlier process has written each list whose parts all
   * come before it.
   */
  readonly #writtenBefore: number;
  /** Offset up to which an earlier process read. */
  readonly #readBefore: number;
  /**
   * Smallest offset of any part of the written lists. The lists are grouped by the offset of their
   * last part divided by `noteEvery` (rounded down).
   */
  readonly #written = new Map<number, number>();
  /** Progress of the sources at some offsets, ascending. */
  readonly #notes: {
    readonly offset: number;
    readonly times: SourceProgress;
  }[];
  /** Complete lists that are not confirmed as written. */
  #due: AssembledList[] = [];
  #next: number;
  /** Progress last reported for this partition as a source of lists, event time, ms. */
  #said = Number.NEGATIVE_INFINITY;

  constructor(options: AssemblyOptions, resume?: AssemblyMark) {
    this.#options = options;
    this.#open = new OpenLists(options.gapMs, options.withinMs, resume?.cuts);
    this.#times = SourceTimes.read(resume?.times ?? NOTHING_KNOWN);
    this.#writtenBefore = resume?.unwritten ?? 0;
    this.#readBefore = resume?.next ?? 0;
    this.#next = resume?.from ?? 0;
    this.#notes =
      resume === undefined
        ? []
        : [
            {
              offset: resume.from,
              times: resume.times,
            },
          ];
  }

  /** Offset of the next record to read. */
  get next(): number {
    return this.#next;
  }

  /** Add a part. Records must be added in the order of the log. */
  part(offset: number, part: Part, { source, newest }: SourceMark): PartOutcome {
    this.pass(offset);
    const { latenessMs, maxParts } = this.#options;
    const horizon = this.#horizon;
    this.#times.note(source, newest);
    const { ts } = part.event;
    if (ts < newest - latenessMs || ts < horizon) return 'late_part';
    if (offset < this.#readBefore && this.#open.isBeforeCut(part)) return 'written_before';
    if (this.#open.parts >= maxParts) return 'over_limit';
    return this.#open.add(part, offset) ? 'held' : 'repeated_part';
  }

  /** Note a record in which the intake reports the progress of its sources. */
  progressed(offset: number, progress: SourceProgress): void {
    this.pass(offset);
    this.#times.progressed(progress);
  }

  /** Advance past a record, including records without a part. */
  pass(offset: number): void {
    if (offset < this.#next) throw new RangeError(`record ${offset} was read before`);
    const last = this.#notes.at(-1);
    if (last === undefined || offset - last.offset >= this.#options.noteEvery) {
      this.#notes.push({
        offset,
        times: this.#times.stored,
      });
    }
    this.#next = offset + 1;
  }

  /**
   * The complete lists that are not confirmed as written yet. They are returned again until
   * `written` is called.
   */
  complete(): readonly AssembledList[] {
    for (const piece of this.#open.take(this.#horizon)) {
      if (piece.lastOffset < this.#writtenBefore) continue;
      this.#noteWritten(piece);
      const parts = piece.parts.map(({ part }) => part);
      this.#due.push(...listsOf(parts, this.#options.firstPlace));
    }
    return this.#due;
  }

  /** Confirm that the lists from `complete` are written. */
  written(): void {
    this.#due = [];
    // All lists that begin more than the lateness before this time are written. While sources are
    // silent, the wall clock replaces their progress, but only in `emptySince`.
    const { latenessMs } = this.#options;
    const stand = Math.min(this.#times.stand, this.#times.newest);
    this.#said = Math.max(this.#said, Math.min(stand, this.#open.earliest + latenessMs));
  }

  /**
   * Event time up to which this partition, as a source of lists, has progressed, ms; −Infinity if
   * unknown.
   */
  get newest(): number {
    return this.#said;
  }

  /**
   * Wall-clock time since which all sources are at their end and no list is pending, ms; undefined
   * otherwise.
   */
  get emptySince(): number | undefined {
    return this.#open.parts === 0 && this.#due.length === 0 ? this.#times.emptySince : undefined;
  }

  /**
   * State from which another assembler can continue; valid once the lists from `complete` are
   * written.
   */
  mark(): AssemblyMark {
    const open = this.#open.firstOffset ?? this.#next;
    const unwritten = Math.max(this.#writtenBefore, open);
    let from = open;
    for (const [span, first] of this.#written) {
      if ((span + 1) * this.#options.noteEvery <= unwritten) {
        this.#written.delete(span);
      } else {
        from = Math.min(from, first);
      }
    }
    const notes = this.#notes;
    while (notes.length > 1 && notes[1]!.offset <= from) {
      notes.shift();
    }
    const [
      { offset, times } = {
        offset: from,
        times: this.#times.stored,
      },
    ] = notes;
    const cuts = this.#open.cutsFrom(offset);
    const next = Math.max(this.#readBefore, this.#next);
    return {
      from: offset,
      unwritten,
      next,
      times,
      cuts,
    };
  }

  /** Event time before which no part can arrive any more, ms. */
  get #horizon(): number {
    return this.#times.stand - this.#options.latenessMs;
  }

  #noteWritten({ firstOffset, lastOffset }: Piece): void {
    const span = Math.floor(lastOffset / this.#options.noteEvery);
    this.#written.set(span, Math.min(firstOffset, this.#written.get(span) ?? firstOffset));
  }
}
