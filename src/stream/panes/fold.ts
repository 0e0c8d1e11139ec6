import type { PanesPosition } from '../ports.js';

/** Next offsets to read in the two topics of a partition, as they were when a pane closed. */
export interface Cut {
  readonly exposures: number;
  readonly interactions: number;
}

/**
 * Which panes a record of the panes topic closes, and at which offsets. Reading processes pass
 * closed panes to ticking processes through this topic. The content of a pane is not part of the
 * head.
 */
export interface PaneHead {
  /** The last pane covered by the previous record; −Infinity before the first. */
  readonly after: number;
  /** The closed pane. All panes between `after` and this one are empty. */
  readonly pane: number;
  /** The last pane that the record covers: panes after `pane` through this one are empty too. */
  readonly through: number;
  /** Next offsets when the previous record was written; `to`: when this record was written. */
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

/** Whether two records close the same panes at the same offsets, after the same pane. */
export function isSameHead(one: PaneHead, other: PaneHead): boolean {
  return (
    one.after === other.after &&
    one.pane === other.pane &&
    one.through === other.through &&
    isSameCut(one.from, other.from) &&
    isSameCut(one.to, other.to)
  );
}

/** Last pane of a partition that is known to have closed, with the next offsets at its close. */
export interface PanesKnown {
  readonly through: number;
  readonly to: Cut;
}

export const NO_PANES: PanesKnown = {
  through: Number.NEGATIVE_INFINITY,
  to: NOTHING_READ,
};

/** Position in the panes topic, as stored in a checkpoint. */
export interface PanesPlace {
  readonly known: PanesKnown;
  /** Position from which to read on; undefined means the beginning of the topic. */
  readonly position?: PanesPosition | undefined;
}

/** A pane of a partition whose record is missing. */
export interface LostPane {
  readonly partition: number;
  readonly pane: number;
}

/** Result of `PaneFold.take`. */
export interface Folded<Record> {
  /** Records that count since this call, oldest first. */
  readonly counted: readonly Record[];
  /** Whether records that precede the counted ones are missing. */
  readonly isLost: boolean;
}

const VOID: Folded<never> = {
  counted: [],
  isLost: false,
};
/** Maximum number of records that are remembered while their predecessor is unknown. */
const MOST_LOOSE = 64;

/**
 * Determines which records of a partition in the panes topic count. All readers agree, because
 * Kafka orders the topic.
 *
 *   a record counts if it is the first that begins where the last counted one ended
 *
 * Other records are ignored. They are copies, or come from a reader that did not know that another
 * reader had taken over. If two records adjoin each other but not the last counted record, records
 * before them are missing, since a reader writes only the successor of a counted record.
 */
export class PaneFold<Record extends PaneHead> {
  #known: PanesKnown;
  #loose: Record[] = [];

  /** @param known last known pane at the start of reading */
  constructor(known: PanesKnown = NO_PANES) {
    this.#known = known;
  }

  get known(): PanesKnown {
    return this.#known;
  }

  take(record: Record): Folded<Record> {
    if (this.#follows(record, this.#known)) {
      // If records precede the first one, the topic was written again.
      const isFirst = record.after === Number.NEGATIVE_INFINITY;
      return this.#count([record], isFirst && this.#loose.length > 0);
    }
    // This pane is already known, so the record is a copy or invalid.
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
