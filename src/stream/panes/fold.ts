import type { PanesPosition } from '../ports.js';

/** Offsets of a partition's two topics, next to read, when a pane closed. */
export interface Cut {
  readonly exposures: number;
  readonly interactions: number;
}

/** What a record of the panes topic says of itself; its content is beside it. */
export interface PaneHead {
  /** The last pane that the record before covers; −Infinity before the first record. */
  readonly after: number;
  /** The pane that closed. All panes between `after` and this one are empty. */
  readonly pane: number;
  /** Panes behind it are empty as well, through this one. */
  readonly through: number;
  /** How far was read when the record before was written, and when this one was. */
  readonly from: Cut;
  readonly to: Cut;
}

export const NOTHING_READ: Cut = {
  exposures: 0,
  interactions: 0,
};

export function isSameCut(one: Cut, other: Cut): boolean {
  return one.exposures === other.exposures && one.interactions === other.interactions;
}

/** Whether two records close the same panes at the same place, and come after the same. */
export function isSameHead(one: PaneHead, other: PaneHead): boolean {
  return (
    one.after === other.after &&
    one.pane === other.pane &&
    one.through === other.through &&
    isSameCut(one.from, other.from) &&
    isSameCut(one.to, other.to)
  );
}

/** Up to where a partition's panes are known. */
export interface PanesKnown {
  readonly through: number;
  readonly to: Cut;
}

export const NO_PANES: PanesKnown = {
  through: Number.NEGATIVE_INFINITY,
  to: NOTHING_READ,
};

/** Where the panes topic is read on, as a checkpoint has it. */
export interface PanesPlace {
  readonly known: PanesKnown;
  /** Undefined: at the beginning of what the topic holds. */
  readonly position?: PanesPosition | undefined;
}

/** A pane of a partition whose record is gone before anybody could read it. */
export interface LostPane {
  readonly partition: number;
  readonly pane: number;
}

export interface Folded<Record> {
  /** The records that count now, oldest first. */
  readonly counted: readonly Record[];
  /** Whether records before them are lost. */
  readonly isLost: boolean;
}

const VOID: Folded<never> = {
  counted: [],
  isLost: false,
};
/** Records that hang on nothing are kept for the one that hangs on them. */
const MOST_LOOSE = 64;

/**
 * Decides which records of a partition in the panes topic count. All readers of the topic agree,
 * because Kafka orders it.
 *
 *   a record counts if it is the first that begins where the last one that counted ended
 *
 * All other records are void: copies, and those of a reader that did not know that another one had
 * gone on. Two records of which one begins where the other ends prove that records before them are
 * lost: a reader writes only what follows a record that counts.
 */
export class PaneFold<Record extends PaneHead> {
  #known: PanesKnown;
  #loose: Record[] = [];

  /** @param known where reading begins */
  constructor(known: PanesKnown = NO_PANES) {
    this.#known = known;
  }

  get known(): PanesKnown {
    return this.#known;
  }

  take(record: Record): Folded<Record> {
    if (this.#follows(record, this.#known)) {
      // Where others were seen before the first one, it was written again.
      const isFirst = record.after === Number.NEGATIVE_INFINITY;
      return this.#count([record], isFirst && this.#loose.length > 0);
    }
    // What is known already comes again: a copy, or void.
    if (record.pane <= this.#known.through) return VOID;
    const before = this.#loose.find((loose) => this.#follows(record, { ...loose }));
    if (before === undefined) {
      this.#loose = [...this.#loose, record].slice(-MOST_LOOSE);
      return VOID;
    }
    return this.#count([before, record], true);
  }

  #follows(record: Record, { through, to }: PanesKnown): boolean {
    if (record.after !== through) return false;
    return through === Number.NEGATIVE_INFINITY || isSameCut(record.from, to);
  }

  #count(counted: readonly Record[], isLost: boolean): Folded<Record> {
    const last = counted[counted.length - 1];
    this.#known = {
      through: last.through,
      to: last.to,
    };
    this.#loose = [];
    return { counted, isLost };
  }
}
