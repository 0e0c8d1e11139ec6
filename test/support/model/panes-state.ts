import type { Cut, PaneHead, PanesKnown } from '../../../src/stream/panes/fold.js';
import type { PanesPosition, TopicRole } from '../../../src/stream/ports.js';

export const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];
/** How far behind the newest event one may be that is not late, in panes. */
export const LATENESS = 1;

/** An event of a partition: the time of one is its pane. */
export interface ModelEvent {
  readonly id: number;
  readonly pane: number;
}

/** A record of the panes topic. */
export interface ModelRecord extends PaneHead {
  /** The pane's events; those that were late are negative. */
  readonly rows: readonly number[];
  readonly isEmpty: boolean;
  /** What lists, levels and all else that goes on came to when the pane closed. */
  readonly lists: number;
  /** Events that were read since the record before. */
  readonly outcomes: readonly number[];
}

/** Mixes numbers into one of 32 bits. */
export function mixed(...numbers: readonly number[]): number {
  let sum = 17;
  for (const number of numbers) {
    sum = Math.imul(sum ^ number, 0x9e3779b1);
    sum ^= sum >>> 15;
  }
  return sum;
}

/** One partition's events and open panes: a function of the log and of the cuts so far. */
export class ModelState {
  closed = Number.NEGATIVE_INFINITY;
  lists = 0;
  readonly read: Record<TopicRole, number> = { exposures: 0, interactions: 0 };
  readonly newest: Record<TopicRole, number>;
  readonly #open: Map<number, number[]>;

  constructor(from?: ModelState) {
    const never = Number.NEGATIVE_INFINITY;
    this.newest = { exposures: never, interactions: never, ...from?.newest };
    this.#open = new Map(
      from === undefined ? [] : [...from.#open].map(([pane, ids]) => [pane, [...ids]]),
    );
    if (from === undefined) return;
    this.closed = from.closed;
    this.lists = from.lists;
    Object.assign(this.read, from.read);
  }

  get cut(): Cut {
    return { ...this.read };
  }

  get oldestOpen(): number {
    return Math.min(...this.#open.keys());
  }

  /** Events that wait in open panes. */
  get waiting(): readonly number[] {
    return [...this.#open.values()].flat();
  }

  take(role: TopicRole, { id, pane }: ModelEvent): void {
    this.read[role]++;
    const newest = this.newest[role];
    const isLate = pane <= this.closed || pane < newest - LATENESS;
    const counts = isLate ? Math.max(newest, this.closed + 1) : pane;
    this.newest[role] = Math.max(newest, pane);
    const ids = this.#open.get(counts) ?? [];
    this.#open.set(counts, ids);
    ids.push(isLate ? -id : id);
  }

  close(pane: number): Pick<ModelRecord, 'rows' | 'lists'> {
    const rows = (this.#open.get(pane) ?? []).sort((a, b) => a - b);
    this.#open.delete(pane);
    this.closed = Math.max(this.closed, pane);
    this.lists = mixed(this.lists, pane, ...rows);
    return { rows, lists: this.lists };
  }

  pass(through: number): void {
    this.closed = Math.max(this.closed, through);
  }
}

/** Where reading the panes topic goes on, and what is known of it there. */
export interface ModelPlace {
  readonly known: PanesKnown;
  readonly position?: PanesPosition | undefined;
}

export interface LoggedRecord {
  readonly record: ModelRecord;
  readonly next: PanesPosition;
}

/** One partition of the panes topic. */
export class ModelPanesLog {
  #first = 0;
  #records: { readonly record: ModelRecord; readonly name: string }[] = [];
  #appended = 0;
  #wasEmptied = false;

  get first(): PanesPosition {
    return { offset: this.#first, mark: '' };
  }

  get end(): number {
    return this.#first + this.#records.length;
  }

  get newestPane(): number {
    return this.#records.at(-1)?.record.through ?? Number.NEGATIVE_INFINITY;
  }

  /** Whether all that it held was lost at some time: who begins without a state cannot know that. */
  get wasEmptied(): boolean {
    return this.#wasEmptied;
  }

  append(record: ModelRecord): void {
    this.#records.push({ record, name: `${this.#appended++}` });
  }

  /** @param looks whether what lies before the position is looked at */
  read({ offset, mark }: PanesPosition, looks: boolean): readonly LoggedRecord[] | 'gone' {
    if (offset < this.#first || offset > this.end) return 'gone';
    const before = this.#records[offset - 1 - this.#first];
    if (looks && mark !== '' && before !== undefined && before.name !== mark) return 'gone';
    return this.#records.slice(offset - this.#first).map(({ record, name }, n) => ({
      record,
      next: { offset: offset + n + 1, mark: name },
    }));
  }

  /** Loses its oldest records. */
  trim(count: number): void {
    this.#first += this.#records.splice(0, count).length;
    this.#wasEmptied ||= this.#records.length === 0;
  }

  /** Loses its newest records, which another leader does not have. */
  lose(count: number): void {
    this.#records.splice(-count);
    this.#wasEmptied ||= this.#records.length === 0;
  }

  /** Is deleted and made again. */
  recreate(): void {
    this.#records = [];
    this.#first = 0;
    this.#wasEmptied = true;
  }
}
