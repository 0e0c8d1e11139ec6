import { isSameCut, PaneFold, type PanesKnown } from '../../../src/stream/panes/fold.js';
import { PartitionPanes, type PartitionStand } from '../../../src/stream/read/partition-panes.js';
import type { Noted } from './panes-reader.js';

/** Faults that are planted in the model, or around what it drives; each has to be found. */
export const FAULTS = {
  'any-may-follow': 'the first record of a pane counts, whatever it follows',
  'closes-where-it-is':
    'a reader closes a pane at its read position, not at the position in the record',
  'end-was-seen': 'a log that was once read to its end is taken to hold nothing more',
  'keeps-its-state': 'a reader whose record did not count goes on with its state',
  'keeps-before-it-counts': 'a state is saved before its newest pane counts',
  'keeps-what-is-read': 'a state is saved as of when its pane counts, not when it closed',
  'place-is-ahead': 'a state is saved with the read position, not the position of its newest pane',
  'counts-again': 'events of a pane that another reader closed count again in the next pane',
  'writes-ahead': 'a reader writes the next pane before it knows that its own counts',
  'passes-events': 'a record skips panes that have events',
  'passes-nothing': 'a reader does not skip the empty panes that a record skips',
  'waits-for-the-lost': 'a reader of the topic never stops waiting for lost records',
  'never-gives-up':
    'a reader never stops waiting for a record of its own that follows lost records',
  'end-is-asked-once': 'a reader waits for an end of the topic that has been lost',
  'ticks-without-a-silent-one': 'a ticker does not wait for a silent partition',
  'keeps-what-it-has-read':
    'a ticker saves the positions that it has read, not those that it has ticked',
  'place-of-a-passed-pane': 'a ticker that skipped panes looks for records that follow them',
};
export type FaultName = keyof typeof FAULTS;

/** Changes a record before it is taken, by what is known. */
type Bend = (record: Noted, known: PanesKnown) => Noted;

const BENDS: { readonly [name in FaultName]?: Bend } = {
  'any-may-follow': (record, { through, to }) =>
    record.pane > through ? { ...record, after: through, from: to } : record,
  'waits-for-the-lost': (record, { through, to }) => {
    const isFirst = record.after === Number.NEGATIVE_INFINITY;
    const follows = record.after === through && (isFirst || isSameCut(record.from, to));
    return follows ? record : { ...record, pane: Number.NEGATIVE_INFINITY };
  },
};

class BentFold extends PaneFold<Noted> {
  readonly #bend: Bend;

  constructor(known: PanesKnown | undefined, bend: Bend) {
    super(known);
    this.#bend = bend;
  }

  override take(record: Noted) {
    return super.take(this.#bend(record, this.known));
  }
}

class BentPanes extends PartitionPanes<Noted> {
  readonly #bend: Bend;
  readonly #fold: PaneFold<Noted>;

  constructor(known: PanesKnown | undefined, bend: Bend) {
    super(known);
    this.#bend = bend;
    this.#fold = new PaneFold(known);
  }

  override take(record: Noted): boolean {
    const bent = this.#bend(record, this.#fold.known);
    this.#fold.take(bent);
    return super.take(bent);
  }
}

class WritesAhead extends PartitionPanes<Noted> {
  override wrote(head: Noted): void {
    super.wrote(head);
    this.giveUp();
  }
}

class PassesEvents extends PartitionPanes<Noted> {
  override throughOf(pane: number, { closable }: PartitionStand): number {
    return Math.max(pane, closable);
  }
}

class PassesNothing extends PartitionPanes<Noted> {
  override followed(head: Noted): void {
    super.followed({ ...head, through: head.pane });
  }
}

/** The fold of who ticks. */
export function foldWith(fault: FaultName | undefined, known?: PanesKnown): PaneFold<Noted> {
  const bend = fault && BENDS[fault];
  return bend === undefined ? new PaneFold(known) : new BentFold(known, bend);
}

/** The panes of who reads. */
export function panesWith(fault: FaultName | undefined, known?: PanesKnown): PartitionPanes<Noted> {
  const bend = fault && BENDS[fault];
  if (bend !== undefined) return new BentPanes(known, bend);
  if (fault === 'writes-ahead') return new WritesAhead(known);
  if (fault === 'passes-events') return new PassesEvents(known);
  if (fault === 'passes-nothing') return new PassesNothing(known);
  return new PartitionPanes(known);
}
