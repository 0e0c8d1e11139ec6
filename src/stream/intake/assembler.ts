import { type SourceMark, type SourceProgress, SourceTimes } from '../panes/source-times.js';
import { type Cut, OpenLists, type Piece } from './open-lists.js';
import { type AssembledList, listsOf, type Part } from './part.js';

export interface AssemblyOptions {
  /** Longest time between two parts of the same list, ms. */
  readonly gapMs: number;
  /** How long a list may go on from its first part, ms. */
  readonly withinMs: number;
  /** How much older than the newest event of its source a part may be, ms. */
  readonly latenessMs: number;
  /** How many parts are held at a time. */
  readonly maxParts: number;
  /** The number of a page's first place. */
  readonly firstPlace: number;
  /** How finely it is noted from where to read again, in records. */
  readonly noteEvery: number;
}

/** What an assembler needs to go on where another one was, once its lists are written. */
export interface AssemblyMark {
  /** The record to read first: no list that is not written has a part before it. */
  readonly from: number;
  /** Lists that have no part at or behind it are written. */
  readonly unwritten: number;
  /** Offset after what was read. */
  readonly next: number;
  /** How far the sources were before `from`. */
  readonly times: SourceProgress;
  readonly cuts: readonly (readonly [string, Cut])[];
}

/** Outcome of a part: it waits for its list, or it is left out. */
export type PartOutcome = 'held' | 'repeated_part' | 'late_part' | 'over_limit' | 'written_before';

const NOTHING_KNOWN: SourceProgress = {
  partitions: {},
  newest: {},
  emptyAt: {},
};

/**
 * Assembles lists of the parts in one partition of a log, which came from sources that were read at
 * different speeds. A part counts if it is on time at its own source,
 *
 *   ts ≥ newest(source) − lateness,
 *
 * and a list is complete once no such part can belong to it any more: when the slowest source is far
 * enough. So which lists there are is a function of the sources alone, not of how their records stand
 * between each other. Where nothing comes of a source the wall clock stands for it, and what it then
 * delivers may be too late (`late_part`).
 *
 * Nothing is kept but the log. `mark` says from where on it has to be read again, so that all lists
 * that were not written by then come out whole; those that were come out under the same ids, or not
 * at all.
 */
export class Assembler {
  readonly #options: AssemblyOptions;
  readonly #open: OpenLists;
  readonly #times: SourceTimes;
  /** Lists without a part from here on are written. */
  readonly #writtenBefore: number;
  /** What is read again up to here was read before. */
  readonly #readBefore: number;
  /** Least first offset of lists that are written, by their last offsets divided by `noteEvery`. */
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

  /** Offset of the record that is to come. */
  get next(): number {
    return this.#next;
  }

  /** Records must come in the order of the log. */
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

  /** A record comes; one that says nothing is passed to this alone. */
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

  /** Lists that are complete and not known to be written: they are given again until `written`. */
  complete(): readonly AssembledList[] {
    for (const piece of this.#open.take(this.#horizon)) {
      if (piece.lastOffset < this.#writtenBefore) continue;
      this.#noteWritten(piece);
      const parts = piece.parts.map(({ part }) => part);
      this.#due.push(...listsOf(parts, this.#options.firstPlace));
    }
    return this.#due;
  }

  /** What `complete` gave is written. */
  written(): void {
    this.#due = [];
    // A list that begins before it has come, as an event that is older by the lateness has. The wall
    // clock, by which silent sources stand, is in `emptySince` alone: it holds only while they are silent.
    const { latenessMs } = this.#options;
    const stand = Math.min(this.#times.stand, this.#times.newest);
    this.#said = Math.max(this.#said, Math.min(stand, this.#open.earliest + latenessMs));
  }

  /** How far this partition is as a source of lists, ms; −Infinity while that is not known. */
  get newest(): number {
    return this.#said;
  }

  /** Since when no source holds anything more, and no list waits; wall clock, ms. */
  get emptySince(): number | undefined {
    return this.#open.parts === 0 && this.#due.length === 0 ? this.#times.emptySince : undefined;
  }

  /** From where on to go on, if what `complete` gave is written. */
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
