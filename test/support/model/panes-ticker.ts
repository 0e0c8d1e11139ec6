import type { IdTables } from '../../../src/stream/id-tables.js';
import { NO_PANES, NOTHING_READ, type PaneFold } from '../../../src/stream/panes/fold.js';
import type { Monitor } from '../../../src/stream/panes/monitor.js';
import type { PaneRecord } from '../../../src/stream/panes/pane-record.js';
import { runAtOnce } from '../../../src/stream/sliced.js';
import { Ticker } from '../../../src/stream/ticker.js';
import { foldWith } from './panes-faults.js';
import { ModelFollower, type Noted } from './panes-reader.js';
import { type ModelPlace, type ModelRecord, mixed } from './panes-state.js';
import type { PanesWorld } from './panes-world.js';

/** Panes of a window. */
export const WINDOW = 3;
/** Records of a partition that wait to be taken in, at most. */
const MOST_WAITING = 4;

type Rows = Pick<ModelRecord, 'rows' | 'lists'>;

/** What is closed of a partition. */
export class ClosedRows {
  closedThrough = Number.NEGATIVE_INFINITY;
  /** Sum over all events that were ever counted. */
  counted = 0;
  readonly panes: Map<number, Rows>;
  readonly state = { closed: this };

  constructor(from?: Pick<ClosedRows, 'closedThrough' | 'counted' | 'panes'>) {
    this.panes = new Map(from?.panes);
    if (from === undefined) return;
    this.closedThrough = from.closedThrough;
    this.counted = from.counted;
  }

  get isInWindow(): boolean {
    return this.panes.size > 0;
  }

  add({ pane, rows, lists, outcomes }: ModelRecord): void {
    if (rows.length > 0) this.panes.set(pane, { rows, lists });
    for (const id of outcomes) this.counted += id;
    this.advance(pane);
  }

  advance(pane: number): void {
    for (const old of this.panes.keys()) if (old <= pane - WINDOW) this.panes.delete(old);
  }

  /** All that a tick reads of it. */
  get seen(): number {
    const panes = [...this.panes].flatMap(([pane, { rows, lists }]) => [pane, lists, ...rows]);
    return mixed(this.counted, ...panes);
  }
}

/** What goes on from tick to tick. */
interface Learnt {
  readonly ticked: number;
  /** Before that tick, and after it. */
  readonly before: number;
  readonly after: number;
}

export interface TickerState {
  readonly rows: ClosedRows;
  readonly learnt: Learnt;
  readonly place: ModelPlace;
}

/** Takes closed panes in and ticks as `Monitor` does, over sums in place of numbers. */
export class ModelMonitor {
  learnt: Learnt = { ticked: Number.NEGATIVE_INFINITY, before: 0, after: 0 };
  readonly all = new Map<number, ClosedRows>();
  readonly partitions;
  readonly #ticked: (pane: number, value: number) => void;

  constructor(ticked: (pane: number, value: number) => void) {
    this.#ticked = ticked;
    const { all } = this;
    this.partitions = {
      closedThrough: Number.NEGATIVE_INFINITY,
      isTickDue: false,
      learned: { rows: new Map() },
      of: (number: number) => all.get(number)!,
      entries: () => all.entries(),
      get isCatchingUp() {
        return [...all.values()].some((each) => each.closedThrough < this.closedThrough);
      },
    };
  }

  restore(number: number, kept: TickerState | undefined): void {
    const rows = new ClosedRows(kept?.rows);
    this.all.set(number, rows);
    if (kept === undefined || rows.closedThrough <= this.partitions.closedThrough) return;
    rows.advance(rows.closedThrough);
    this.partitions.closedThrough = rows.closedThrough;
    this.learnt = kept.learnt;
    const { ticked } = kept.learnt;
    this.partitions.isTickDue =
      ticked === rows.closedThrough || (ticked > rows.closedThrough && rows.isInWindow);
  }

  *takeClosed(number: number, content: ModelRecord): Generator<void, void> {
    this.all.get(number)!.add(content);
    yield;
  }

  pass(number: number, pane: number): void {
    const rows = this.all.get(number)!;
    rows.closedThrough = Math.max(rows.closedThrough, pane);
    this.partitions.closedThrough = Math.max(this.partitions.closedThrough, pane);
    rows.advance(pane);
  }

  tickTaken(pane: number): void {
    const { ticked, before, after } = this.learnt;
    const from = pane === ticked ? before : after;
    const seen = [...this.all].sort(([a], [b]) => a - b).map(([, rows]) => rows.seen);
    const value = mixed(pane, from, ...seen);
    this.learnt = { ticked: pane, before: from, after: mixed(from, value) };
    this.#ticked(pane, value);
  }
}

interface Followed {
  readonly follower: ModelFollower;
  readonly fold: PaneFold<Noted>;
  readonly ahead: Noted[];
  place: ModelPlace;
}

/** A process that ticks: the rules of `TickFlow` around the real `Ticker`. */
export class ModelTicker {
  /** What it came to, by pane. */
  readonly values = new Map<number, number>();
  readonly #world: PanesWorld;
  readonly #monitor: ModelMonitor;
  readonly #ticker: Ticker;
  readonly #followed = new Map<number, Followed>();

  constructor(world: PanesWorld) {
    this.#world = world;
    this.#monitor = new ModelMonitor((pane, value) => {
      this.values.set(pane, value);
      world.ticked(pane, value);
    });
    this.#ticker = new Ticker(this.#monitor as unknown as Monitor, NO_IDS as unknown as IdTables);
    for (let number = 0; number < world.count; number++) {
      const kept = world.keptByTickers.get(number);
      this.#monitor.restore(number, kept);
      const place = world.fault === 'place-of-a-passed-pane' ? passedPlace(kept) : kept?.place;
      const fold = foldWith(world.fault, place?.known);
      const follower = new ModelFollower(place?.position);
      const followed = { follower, fold, ahead: [], place: place ?? { known: NO_PANES } };
      this.#followed.set(number, followed);
      this.#ticker.follow(number, fold.known.through);
    }
  }

  get closedThrough(): number {
    const { closedThrough, isCatchingUp } = this.#monitor.partitions;
    return isCatchingUp ? Number.NEGATIVE_INFINITY : closedThrough;
  }

  follow(partition: number): void {
    const { follower, fold, ahead } = this.#followed.get(partition)!;
    const isFull = () => this.#ticker.waiting(partition) > MOST_WAITING;
    if (isFull()) return;
    follower.follow(this.#world, partition, (record, next) => {
      const noted = { ...record, position: next, heardAt: this.#world.step };
      const { counted, isLost } = fold.take(noted);
      if (isLost) this.#world.tell(partition, 'records are lost for a ticker');
      for (const each of counted) {
        this.#add(partition, each);
        ahead.push(each);
      }
      return isFull();
    });
  }

  /** Takes in and ticks what can be. */
  advance(): void {
    while (runAtOnce(this.#ticker.next()).kind !== 'wait') this.#settlePlaces();
    this.#settlePlaces();
    if (this.#world.fault === 'ticks-without-a-silent-one' && this.#world.chance(0.1)) this.#fill();
  }

  save(number: number): void {
    const rows = this.#monitor.all.get(number)!;
    if (this.#monitor.partitions.isCatchingUp) return;
    const { follower, fold, place: behind } = this.#followed.get(number)!;
    const ofRead = { known: fold.known, position: follower.position };
    const place = this.#world.fault === 'keeps-what-it-has-read' ? ofRead : behind;
    const { learnt } = this.#monitor;
    this.#world.keepTicked(number, { rows: new ClosedRows(rows), learnt, place });
  }

  /** Says of partitions that are silent that nothing is in their next pane. */
  #fill(): void {
    const pane = this.#monitor.partitions.closedThrough + 1;
    const nothing = { pane, through: pane, isEmpty: true, rows: [], outcomes: [] };
    for (const number of this.#followed.keys()) {
      if (this.#ticker.waiting(number) > 0 || !Number.isFinite(pane)) continue;
      this.#add(number, nothing);
    }
  }

  #add(number: number, record: Pick<ModelRecord, 'pane' | 'through' | 'rows' | 'outcomes'>): void {
    const content = function* () {
      yield;
      return { ...record, counts: {} };
    };
    const whole = { ...record, partitions: this.#world.count, content };
    this.#ticker.add(number, whole as unknown as PaneRecord);
  }

  #settlePlaces(): void {
    for (const [partition, followed] of this.#followed) {
      const { ahead } = followed;
      const taken = ahead.length - this.#ticker.waiting(partition);
      const last = ahead.splice(0, taken).at(-1);
      if (last === undefined) continue;
      const { through, to, position } = last;
      followed.place = { known: { through, to }, position };
    }
  }
}

/** Where no record was taken in, the place that the newest pane would have. */
function passedPlace(kept: TickerState | undefined): ModelPlace | undefined {
  if (kept === undefined || kept.place.position !== undefined) return kept?.place;
  return { known: { through: kept.rows.closedThrough, to: NOTHING_READ } };
}

const NO_IDS = { items: undefined, models: undefined, users: () => undefined };
