import type { OwnPartition } from '../../../src/stream/rounds/next-step.js';
import type { Cut } from '../../../src/stream/rounds/round-record.js';

/** One event of a partition's log: what it adds, in which pane of event time, and when it is there. */
export interface ModelEvent {
  readonly pane: number;
  readonly value: number;
  readonly atMs: number;
}

const NEVER = Number.NEGATIVE_INFINITY;
/** Panes behind the newest event that are still open. */
const LATENESS = 1;
export const WINDOW = 3;

export interface PartitionNote {
  readonly read: number;
  readonly newest: number;
  readonly closed: number;
  readonly cut: number;
  readonly rows: readonly (readonly [number, number])[];
  readonly total: number;
  readonly open: readonly (readonly [number, ModelEvent])[];
}

/** A partition as a worker has it: what was read of its log, and the panes that are closed. */
export class ModelPartition implements OwnPartition {
  readonly partition: number;
  nonce: string;
  wasClaimed = false;
  closed = NEVER;
  read = 0;
  newest = NEVER;
  total = 0;
  readonly #cuts = new Map<number, Cut>();
  /** Sum of each closed pane's rows. */
  readonly rows = new Map<number, number>();
  readonly #totals = new Map<number, number>([[NEVER, 0]]);
  #open: (readonly [number, ModelEvent])[] = [];

  constructor(partition: number, nonce: string, note: PartitionNote | undefined) {
    this.partition = partition;
    this.nonce = nonce;
    if (note === undefined) return;
    this.read = note.read;
    this.newest = note.newest;
    this.closed = note.closed;
    this.total = note.total;
    for (const [pane, sum] of note.rows) this.rows.set(pane, sum);
    this.#open = [...note.open];
    this.#cuts.set(note.closed, cutAt(note.cut));
    this.#totals.set(note.closed, note.total);
  }

  cutOf = (pane: number): Cut | undefined => this.#cuts.get(pane);

  get openPanes(): number {
    return new Set(this.#open.map(([, { pane }]) => pane)).size;
  }

  get knowsNext(): boolean {
    return this.#open.length > 0;
  }

  /** Of what is closed and was not concluded, that pane itself comes next. */
  nextAfter(pane: number): number | null {
    if (this.closed > pane) return this.closed;
    if (this.#open.length === 0) return null;
    return Math.max(pane + 1, Math.min(...this.#open.map(([, event]) => event.pane)));
  }

  take(event: ModelEvent): void {
    const offset = this.read++;
    this.newest = Math.max(this.newest, event.pane);
    if (event.pane > this.closed) this.#open.push([offset, event]);
  }

  isDue(pane: number): boolean {
    return this.newest - LATENESS > pane;
  }

  /** @param to where it is in fact closed: at the cut, if the protocol is followed */
  close(pane: number, cut: number, to = cut): void {
    let sum = 0;
    const left: (readonly [number, ModelEvent])[] = [];
    for (const each of this.#open) {
      const [offset, event] = each;
      if (event.pane > pane) left.push(each);
      else if (offset < to) sum += event.value;
    }
    this.#open = left;
    this.closed = pane;
    this.total += sum;
    this.rows.set(pane, sum);
    this.#cuts.set(pane, cutAt(cut));
    this.#totals.set(pane, this.total);
  }

  /** All that it has through a pane, which is the newest that it closed, or the one before. */
  totalAt(pane: number): number {
    const panes = [...this.#totals.keys()].filter((at) => at <= pane);
    return this.#totals.get(Math.max(NEVER, ...panes))!;
  }

  windowSum(pane: number, weight: number): number {
    let sum = 0;
    for (const [at, row] of this.rows) {
      if (at > pane - WINDOW && at <= pane) sum += row * (1 + ((weight + at) % 97));
    }
    return sum;
  }

  note(): PartitionNote {
    const { read, newest, closed, total } = this;
    const rows = [...this.rows].filter(([pane]) => pane > closed - WINDOW - 1);
    const cut = this.#cuts.get(closed)!.interactions;
    return { read, newest, closed, cut, rows, total, open: [...this.#open] };
  }
}

export function cutAt(interactions: number): Cut {
  return { exposures: 0, interactions, level: 0, models: [] };
}
