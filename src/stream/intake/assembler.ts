import { type SourceMark, type SourceProgress, SourceTimes } from '../panes/source-times.js';
import { type Cut, OpenLists, type Piece } from './open-lists.js';
import { type AssembledList, listsOf, type Part } from './part.js';

export interface AssemblyOptions {
  /** Maximum time between two consecutive parts of a list, ms. */
  readonly gapMs: number;
  /** Maximum time between the first part of a list and any other, ms. */
  readonly withinMs: number;
  /** How much older than the newest event of its source a part may be, ms. */
  readonly latenessMs: number;
  /** Maximum number of parts in memory. */
  readonly maxParts: number;
  /** Number of a page's first position. */
  readonly firstPlace: number;
  /** Resolution of restart offsets, in records. */
  readonly noteEvery: number;
}

/** State from which an assembler can continue another's work, after its lists are written. */
export interface AssemblyMark {
  /** First record to read: no unwritten list has an earlier part. */
  readonly from: number;
  /** Lists without a part at or after this offset are written. */
  readonly unwritten: number;
  /** Offset after the last record read. */
  readonly next: number;
  /** Progress of the sources before `from`. */
  readonly times: SourceProgress;
  readonly cuts: readonly (readonly [string, Cut])[];
}

/** Outcome of a part: pending (`held`), or the reason why it is dropped. */
export type PartOutcome = 'held' | 'repeated_part' | 'late_part' | 'over_limit' | 'written_before';

const NOTHING_KNOWN: SourceProgress = {
  partitions: {},
  newest: {},
  emptyAt: {},
};

/**
 * Assembles lists from the parts in one partition of a log, whose sources were read at different
 * speeds. A part counts if it is on time at its own source,
 *
 *   ts ≥ newest(source) − lateness,
 *
 * and a list is complete once no such part can belong to it any more, when the slowest source is
 * far enough. So the lists depend on the sources alone, not on the interleaving of their records.
 * For an idle source the wall clock is used instead, and parts that it then delivers may be too
 * late (`late_part`).
 *
 * The only state is the log. `mark` returns the offset from which to read it again so that all
 * unwritten lists are complete; written lists are created again under the same ids, or not at all.
 */
export class Assembler {
  readonly #options: AssemblyOptions;
  readonly #open: OpenLists;
  readonly #times: SourceTimes;
  /** Lists without a part from this offset on are written. */
  readonly #writtenBefore: number;
  /** Offset up to which records were read before. */
  readonly #readBefore: number;
  /** Smallest first offset of written lists, by their last offset divided by `noteEvery`. */
  readonly #written = new Map<number, number>();
  readonly #notes: {
    readonly offset: number;
    readonly times: SourceProgress;
  }[];
  #due: AssembledList[] = [];
  #next: number;
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

  /** Next offset. */
  get next(): number {
    return this.#next;
  }

  /** Add a part. Records must be in the order of the log. */
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

  /** Complete lists that are not yet confirmed as written; they are returned again until `written`. */
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
    // A list that begins before it has come, as an event that is older by the lateness has. The wall
    // clock, by which silent sources stand, is in `emptySince` alone: it holds only while they are silent.
    const { latenessMs } = this.#options;
    const stand = Math.min(this.#times.stand, this.#times.newest);
    this.#said = Math.max(this.#said, Math.min(stand, this.#open.earliest + latenessMs));
  }

  /** Progress of this partition as a source of lists, ms; −Infinity if unknown. */
  get newest(): number {
    return this.#said;
  }

  /** Wall clock, ms, since which all sources are at their end and no list is pending. */
  get emptySince(): number | undefined {
    return this.#open.parts === 0 && this.#due.length === 0 ? this.#times.emptySince : undefined;
  }

  /** State for continuing, if the lists from `complete` are written. */
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

  get #horizon(): number {
    return this.#times.stand - this.#options.latenessMs;
  }

  #noteWritten({ firstOffset, lastOffset }: Piece): void {
    const span = Math.floor(lastOffset / this.#options.noteEvery);
    this.#written.set(span, Math.min(firstOffset, this.#written.get(span) ?? firstOffset));
  }
}
