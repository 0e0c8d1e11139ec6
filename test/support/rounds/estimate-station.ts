import type { Rounds } from '../../../src/estimators/partitions/rounds.js';
import { ESTIMATORS } from '../../../src/estimators/registry/registry.js';
import type { WindowEstimates } from '../../../src/estimators/results/window-estimates.js';
import { GUARANTEES } from '../../../src/estimators/uncertainty/guarantees.js';
import { estimateWindow } from '../../../src/estimators/window/estimate-window.js';
import type { ItemCounts, WindowPart } from '../../../src/state/panes/window-part.js';
import type { Cut, LedgerNote } from '../../../src/stream/rounds/round-record.js';
import type {
  KeptPartition,
  StationPartition,
  StationWork,
} from '../../../src/stream/workers/round-station.js';
import { finish } from '../../oracle/finish.js';
import { DEFAULTS, type PlainUser, toPart } from '../../oracle/window.js';

const NEVER = Number.NEGATIVE_INFINITY;
/** Panes of the window. */
const WINDOW = 3;
const MODELS = ['a', 'b'];

/** A user with rows, all in one pane. */
export interface PaneUser {
  readonly pane: number;
  readonly user: PlainUser;
}

/** By partition what its log says, in the order of panes. */
export type PartitionLogs = readonly (readonly PaneUser[])[];

export const ESTIMATES = {
  ...DEFAULTS,
  metrics: ['recall', 'dcg', 'ndcg'] as const,
  ks: [2],
  estimators: ESTIMATORS.filter((name) => name !== 'wtd_ipf'),
  guarantees: GUARANTEES,
};

interface Saved {
  readonly read: number;
  readonly closed: number;
  readonly cuts: readonly (readonly [number, number])[];
}

/** Checkpoints, which outlive their workers. */
export class KeptStations {
  readonly partitions: (KeptPartition | undefined)[];
  readonly states = new Map<number, Saved>();

  constructor(partitions: number) {
    this.partitions = Array.from({ length: partitions }, () => undefined);
  }
}

/** A partition that closes a pane when a later one has begun, or when its log is at its end. */
export class EstimatePartition implements StationPartition {
  readonly #log: readonly PaneUser[];
  readonly #last: number;
  #read: number;
  #closed: number;
  readonly #cuts: Map<number, number>;

  constructor(log: readonly PaneUser[], last: number, saved: Saved | undefined) {
    this.#log = log;
    this.#last = last;
    this.#read = saved?.read ?? 0;
    this.#closed = saved?.closed ?? NEVER;
    this.#cuts = new Map(saved?.cuts);
  }

  get closed(): number {
    return this.#closed;
  }

  get knowsNext(): boolean {
    return this.#open.length > 0;
  }

  /** What was read and is in no pane that is closed. */
  get #open(): readonly PaneUser[] {
    return this.#log.slice(0, this.#read).filter(({ pane }) => pane > this.#closed);
  }

  feed(events: number): void {
    this.#read = Math.min(this.#log.length, this.#read + events);
  }

  cutOf(pane: number): Cut | undefined {
    const interactions = this.#cuts.get(pane);
    return interactions === undefined ? undefined : cutAt(interactions);
  }

  nextAfter(pane: number): number | null {
    if (this.#closed > pane) return this.#closed;
    const [first] = this.#open;
    return first === undefined ? null : Math.max(pane + 1, first.pane);
  }

  close(pane: number, cut: Cut | undefined): boolean {
    const end = this.#log.filter((each) => each.pane <= pane).length;
    if (cut !== undefined) this.#read = Math.max(this.#read, cut.interactions);
    const isDue = this.#read > end || (this.#read === this.#log.length && pane <= this.#last);
    if (cut === undefined && !isDue) return false;
    this.#closed = pane;
    this.#cuts.set(pane, cut?.interactions ?? end);
    return true;
  }

  closing(pane: number) {
    const users = this.usersIn(pane, pane);
    return { payload: bytesOf(countsOf(users)), isEmpty: users.length === 0 };
  }

  base(pane: number): Uint8Array {
    return bytesOf(countsOf(this.usersIn(NEVER, pane)));
  }

  usersIn(from: number, to: number): PlainUser[] {
    const own = this.#log.filter(({ pane }) => pane >= from && pane <= to);
    return own.map(({ user }) => user);
  }

  saved(): Saved {
    return { read: this.#read, closed: this.#closed, cuts: [...this.#cuts] };
  }
}

/** What a worker works on. It numbers items as it hears of them, each in its own way. */
export class EstimateWork implements StationWork<EstimatePartition, WindowEstimates> {
  /** By pane, as this worker came to it. */
  readonly found = new Map<number, WindowEstimates>();
  readonly partitions = new Map<number, EstimatePartition>();
  assigned = new Set<number>();
  readonly #logs: PartitionLogs;
  readonly #kept: KeptStations;
  readonly #isTurned: boolean;
  readonly #numbers = new Map<string, number>();
  #totals = new Map<string, number>();

  constructor(logs: PartitionLogs, kept: KeptStations, isTurned: boolean) {
    this.#logs = logs;
    this.#kept = kept;
    this.#isTurned = isTurned;
  }

  readonly names = {
    textOf: (item: number) => [...this.#numbers.keys()][item],
    itemOf: (text: string) => this.#numbers.get(text),
  };

  async kept() {
    return this.#kept.partitions;
  }

  async load(partition: number) {
    const state = new EstimatePartition(
      this.#logs[partition],
      lastPaneOf(this.#logs),
      this.#kept.states.get(partition),
    );
    this.partitions.set(partition, state);
    return state;
  }

  async save(partition: number, state: EstimatePartition, note: LedgerNote) {
    this.#kept.states.set(partition, state.saved());
    const { closed } = state;
    this.#kept.partitions[partition] = { pane: closed, base: state.base(closed), note };
  }

  async isAssigned(partition: number) {
    return this.assigned.has(partition);
  }

  begin(bases: readonly (Uint8Array | undefined)[]) {
    this.#totals = new Map();
    for (const base of bases) if (base) addTo(this.#totals, base);
  }

  add(_partition: number, _pane: number, closing: Uint8Array) {
    addTo(this.#totals, closing);
  }

  *tick(
    pane: number,
    closings: readonly Uint8Array[],
    own: ReadonlyMap<number, EstimatePartition>,
    rounds: Rounds,
  ): Generator<void, WindowEstimates> {
    const totals = new Map(this.#totals);
    for (const closing of closings) addTo(totals, closing);
    const heard = [...totals.keys()];
    for (const name of this.#isTurned ? heard.reverse() : heard) {
      if (!this.#numbers.has(name)) this.#numbers.set(name, this.#numbers.size);
    }
    const parts = [...own.values()].map((each) =>
      partOf(each.usersIn(pane - WINDOW + 1, pane), this.#numbers),
    );
    yield;
    const counts = itemCounts(totals, this.#numbers);
    return yield* estimateWindow(parts, counts, MODELS, ESTIMATES, 3, undefined, rounds);
  }

  concluded(pane: number, end: { readonly result: WindowEstimates } | undefined) {
    if (end !== undefined) this.found.set(pane, end.result);
  }
}

/** What one worker with all partitions comes to, by pane that anybody has anything in. */
export function undisturbed(logs: PartitionLogs): Map<number, WindowEstimates> {
  const last = lastPaneOf(logs);
  const all = logs.map((log) => new EstimatePartition(log, last, undefined));
  const found = new Map<number, WindowEstimates>();
  for (const pane of [...new Set(logs.flat().map((each) => each.pane))]) {
    const totals = new Map<string, number>();
    for (const each of all) addTo(totals, each.base(pane));
    const numbers = new Map([...totals.keys()].map((name, n) => [name, n]));
    const parts = all.map((each) => partOf(each.usersIn(pane - WINDOW + 1, pane), numbers));
    const counts = itemCounts(totals, numbers);
    found.set(pane, finish(estimateWindow(parts, counts, MODELS, ESTIMATES)));
  }
  return found;
}

export function lastPaneOf(logs: PartitionLogs): number {
  return Math.max(NEVER, ...logs.flat().map(({ pane }) => pane));
}

function partOf(users: readonly PlainUser[], numbers: ReadonlyMap<string, number>): WindowPart {
  const part = toPart(users, MODELS.length);
  return { ...part, item: part.item.map((item) => numbers.get(nameOf(item))!) };
}

function itemCounts(
  totals: ReadonlyMap<string, number>,
  numbers: ReadonlyMap<string, number>,
): ItemCounts {
  const names = [...numbers.keys()];
  const counts = Float64Array.from(names, (name) => totals.get(name) ?? 0);
  return {
    items: names.length,
    ...{ popularity: counts, interactions: counts, randomized: new Float64Array(names.length) },
    itemKey: (item) => Math.imul(itemOf(names[item]) + 1, 0x9e3779b1),
    compareIds: (a, b) => (names[a] < names[b] ? -1 : 1),
  };
}

const nameOf = (item: number) => `item ${item}`;
const itemOf = (name: string) => Number(name.slice('item '.length));

/** By item, one for each row. */
function countsOf(users: readonly PlainUser[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { rows } of users) {
    for (const { item } of rows) counts.set(nameOf(item), (counts.get(nameOf(item)) ?? 0) + 1);
  }
  return counts;
}

function bytesOf(counts: ReadonlyMap<string, number>): Uint8Array {
  return new TextEncoder().encode(JSON.stringify([...counts]));
}

function addTo(totals: Map<string, number>, bytes: Uint8Array): void {
  const counts = JSON.parse(new TextDecoder().decode(bytes)) as [string, number][];
  for (const [name, count] of counts) totals.set(name, (totals.get(name) ?? 0) + count);
}

function cutAt(interactions: number): Cut {
  return { exposures: 0, interactions, level: 0, models: [] };
}
