import { createHash } from 'node:crypto';
import { Random } from '../../../src/estimators/mathematics/random.js';
import { Fold, type Place, type Turn } from '../../../src/stream/sums/fold.js';
import {
  type Cut,
  decodeSums,
  encodeSums,
  type SumsRecord,
} from '../../../src/stream/sums/record.js';

/**
 * Workers that bring their sums together over one log, under an adversarial scheduler. Workers die,
 * freeze, wake and hear late of a generation; records are delayed, doubled, lost, and land after
 * their writer has died; the log is trimmed, loses its end or all of itself. The fold and the bytes
 * of records are those of the program; workers here keep only what the protocol is about.
 */
export const FAULTS = [
  'older generations count',
  'successors close by their own time',
  'panes of an older generation are concluded',
  'the place in a checkpoint is behind the cuts of later panes',
  'the first pane of a generation adds changes',
  'checkpoints hold panes that are not concluded',
  'panes are concluded when their sums are written',
  'the store does not refuse older generations',
  'a state is kept though another had its partition since',
] as const;
const KEPT = 'a state is kept though another had its partition since';
export type PlantedFault = (typeof FAULTS)[number];

/**
 * `small`: two workers of one partition, which freeze before what they said is heard. `forgetful`:
 * the same, and the log loses its end when one of them has all sums of a pane, which freezes then.
 * As long as the log keeps what it has taken, all that a conclusion says follows from the rounds
 * before it, which come again with the same cuts: so only there it shows who concludes too early.
 */
export type WorldKind = 'any' | 'small' | 'forgetful';

/** In panes: how long a window is, how long counts are kept, how late events may be. */
const WINDOW = 3;
const HORIZON = 4;
const LATENESS = 1;
/** Rounds after which nobody has anything to say any more. */
const LAST_ROUND = 3;
const ITEMS = 4;

export class Violation extends Error {}

function digest(...values: readonly unknown[]): string {
  return createHash('md5').update(JSON.stringify(values)).digest('base64url').slice(0, 12);
}

const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const readFrom = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));
const summed = (rows: readonly (readonly number[])[]) =>
  Array.from({ length: ITEMS }, (_, item) => rows.reduce((sum, row) => sum + row[item], 0));

class SumsTopic {
  start = 0;
  records: Uint8Array[] = [];

  get end(): number {
    return this.start + this.records.length;
  }

  /** What tells the record before a place (at the beginning: after it) from another. */
  mark(offset: number): [boolean, Uint8Array] | undefined {
    const isBefore = offset > this.start;
    const record = this.records[(isBefore ? offset - 1 : offset) - this.start];
    return record && [isBefore, record];
  }

  holds(offset: number, mark: [boolean, Uint8Array] | undefined): boolean {
    if (offset < this.start || offset > this.end) return false;
    const now = this.mark(offset);
    return !mark || !now || mark[0] !== now[0] || mark[1] === now[1];
  }
}

type Topics = readonly [readonly [number, number][], readonly [number, number][]];

/** One partition, as its owner has it: which events are in which pane, and what was counted. */
class PartitionModel {
  closed = -1;
  next = [0, 0];
  newest = [-1, -1];
  cut = [0, 0];
  open = new Map<number, number[]>();
  rows = new Map<number, readonly number[]>();
  counted = new Map<number, number[]>();

  copy(): PartitionModel {
    const copy = new PartitionModel();
    copy.closed = this.closed;
    copy.next = [...this.next];
    copy.newest = [...this.newest];
    copy.cut = [...this.cut];
    copy.open = new Map([...this.open].map(([pane, ids]) => [pane, [...ids]]));
    copy.rows = new Map(this.rows);
    copy.counted = new Map([...this.counted].map(([pane, ids]) => [pane, [...ids]]));
    return copy;
  }

  read(topics: Topics, topic: number): void {
    const [id, pane] = topics[topic][this.next[topic]++];
    const isLate = pane <= this.closed || pane < this.newest[topic] - LATENESS;
    this.newest[topic] = Math.max(this.newest[topic], pane);
    const at = isLate ? Math.max(this.newest[topic], this.closed + 1) : pane;
    this.counted.set(at, [...(this.counted.get(at) ?? []), id]);
    if (!isLate) this.open.set(pane, [...(this.open.get(pane) ?? []), id]);
  }

  close(pane: number): void {
    if (pane !== this.closed + 1) throw new Violation('panes close in their order');
    this.rows.set(
      pane,
      (this.open.get(pane) ?? []).sort((a, b) => a - b),
    );
    this.open.delete(pane);
    this.closed = pane;
    this.cut = [...this.next];
  }

  share(pane: number): number[] {
    const counts = new Array<number>(ITEMS).fill(0);
    for (let p = pane - HORIZON + 1; p <= pane; p++) {
      for (const id of this.counted.get(p) ?? []) counts[id % ITEMS]++;
    }
    return counts;
  }

  window(pane: number): unknown {
    return Array.from({ length: WINDOW }, (_, n) => this.rows.get(pane - WINDOW + 1 + n) ?? []);
  }
}

interface Kept {
  readonly state: PartitionModel;
  readonly concluded: number;
  readonly learned: string;
  readonly place: Place;
  readonly mark: [boolean, Uint8Array] | undefined;
}

class WorkerModel {
  isAlive = true;
  isFrozen = false;
  concluded = -1;
  generation = 0;
  own: readonly number[] = [];
  states = new Map<number, PartitionModel>();
  readonly name: number;
  readonly #world: SumsWorld;
  #fold: Fold;
  #offset: number;
  #mark: [boolean, Uint8Array] | undefined;
  #learned = '';
  #totals: number[] | undefined;
  #nextTotals: number[] = [];
  #isFirst = false;
  #place: Place | undefined;
  #opened = 0;
  /** By partition: under which generation it was taken here last. */
  readonly #taken = new Map<number, number>();
  /** Payloads of the rounds of the pane under way. */
  #rounds: (readonly Uint8Array[])[] = [];
  readonly #saidGaps = new Set<string>();
  #sent = new Map<string, number>();

  constructor(world: SumsWorld, name: number) {
    this.#world = world;
    this.name = name;
    const { topic, store, partitions } = world;
    const kept = Array.from({ length: partitions }, (_, p) => store.get(p));
    const least = kept.includes(undefined)
      ? undefined
      : kept.reduce((a, b) => (b!.place.offset < a!.place.offset ? b : a));
    let place: Place = least?.place ?? {
      offset: topic.start,
      generation: 0,
      phase: 'none',
      pane: 0,
    };
    if (!topic.holds(place.offset, least?.mark)) {
      place = { offset: topic.end, generation: 0, phase: 'none', pane: 0 };
      world.gap('the log begins later');
    } else if (least === undefined && topic.start > 0) world.gap('the log begins later');
    this.#fold = new Fold(partitions, place);
    this.#offset = place.offset;
    this.#mark = topic.mark(this.#offset);
  }

  /** Hears of the newest generation. */
  sync(): void {
    const { generation, assigned } = this.#world;
    const own = assigned.get(this.name);
    if (own === undefined) {
      this.#world.join(this);
      return;
    }
    if (generation === this.generation) return;
    this.generation = generation;
    this.own = own;
    this.#sent = new Map();
    for (const p of [...this.states.keys()]) if (!own.includes(p)) this.states.delete(p);
    const { epochs, fault } = this.#world;
    for (const p of own) {
      // What another may have read and closed meanwhile is in its checkpoint, if anywhere.
      const isAnothers = epochs.get(p) !== this.#taken.get(p);
      epochs.set(p, Math.max(epochs.get(p) ?? 0, generation));
      this.#taken.set(p, generation);
      const isKept = this.states.has(p) && (!isAnothers || fault === KEPT);
      if (!isKept) this.#load(p, true);
    }
  }

  /** Reads a record of the log; @returns whether there was one. */
  read(): boolean {
    const { topic } = this.#world;
    if (!topic.holds(this.#offset, this.#mark)) {
      this.#offset = topic.start;
      this.#mark = undefined;
      this.#world.gap('records are gone');
      this.#world.rejoin(this);
      return true;
    }
    if (this.#offset === topic.end) return false;
    const bytes = topic.records[this.#offset - topic.start];
    let record: SumsRecord = decodeSums(bytes)!;
    const isPlanted = this.#world.fault === 'older generations count';
    if (isPlanted && record.kind === 'part' && this.#fold.phase === 'rounds') {
      record = { ...record, generation: this.#fold.generation };
    }
    const turn = this.#fold.take(record, this.#offset++);
    this.#mark = topic.mark(this.#offset);
    if (turn) this.#heed(turn);
    return true;
  }

  #heed(turn: Turn): void {
    const fold = this.#fold;
    const { fault } = this.#world;
    const isOlder = fold.generation !== this.generation;
    const goesOn = fault === 'panes of an older generation are concluded';
    if (isOlder && fault !== 'older generations count') {
      if (!goesOn || turn.kind === 'opened' || this.#opened !== fold.generation) return;
    }
    if (turn.kind === 'opened') {
      this.#open(turn);
      return;
    }
    if (this.#opened !== this.generation && !goesOn) return;
    if (turn.kind === 'round') {
      this.#rounds[turn.round] = turn.payloads;
      if (turn.round > 0) return;
      const isFirst = this.#addsAll;
      const shares = turn.payloads.map((payload) => readFrom(payload) as number[]);
      this.#nextTotals = summed(isFirst ? shares : [...shares, this.#totals!]);
    }
    if (turn.kind === 'concluded') this.#conclude(turn.pane);
  }

  get #addsAll(): boolean {
    const isPlanted = this.#world.fault === 'the first pane of a generation adds changes';
    return (this.#isFirst && !isPlanted) || this.#totals === undefined;
  }

  #open({ base }: Turn & { kind: 'opened' }): void {
    const learned = readFrom(base.payload) as string;
    if (this.concluded > base.pane && this.own.length > 0) {
      throw new Violation(`opened before a pane that worker ${this.name} knows`);
    }
    if (this.concluded === base.pane && this.#learned !== learned && !this.#world.hasToldLoss) {
      throw new Violation('what was learned differs');
    }
    this.concluded = base.pane;
    this.#learned = learned;
    this.#opened = this.generation;
    this.#isFirst = true;
    this.#rounds = [];
    this.#place = this.#here(this.#fold.pane);
  }

  #here(pane: number): Place {
    return { offset: this.#offset, generation: this.#fold.generation, phase: 'rounds', pane };
  }

  /** The pane under way. */
  get pane(): number {
    return this.#fold.pane;
  }

  /** How far the log is read. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * Where the pane under way begins in the log, once only the word that nobody has more to say is
   * missing of it; undefined unless silence closed it, since what comes after that may still be in it.
   */
  get endangered(): number | undefined {
    const { pane, round } = this.#fold;
    const newest = this.states.get(0)?.newest.some((each) => each - LATENESS <= pane);
    const isDue = this.mayRead && round === LAST_ROUND && this.concluded < pane;
    return isDue && newest ? this.#place?.offset : undefined;
  }

  #valueOf(pane: number): string {
    const [, one, two] = this.#rounds;
    return digest(pane, one.map(readFrom), two?.map(readFrom), this.#learned);
  }

  #conclude(pane: number): void {
    if (this.concluded >= pane) return;
    this.#totals = this.#nextTotals;
    const value = this.#valueOf(pane);
    const cuts = Array.from({ length: this.#world.partitions }, (_, p) =>
      this.#fold.cutOf(pane, p),
    );
    this.#world.conclude(this.generation, pane, value, cuts as Cut[], this.#totals);
    this.concluded = pane;
    this.#learned = digest(this.#learned, value);
    this.#isFirst = false;
    this.#place = this.#here(pane + 1);
  }

  /** Says what is to be said now. */
  act(): void {
    const fold = this.#fold;
    if (fold.generation > this.generation || this.own.length === 0) return;
    if (fold.generation < this.generation || fold.phase === 'hello') {
      for (const partition of this.own) {
        if (fold.generation === this.generation && !fold.lacks(partition)) continue;
        const payload = bytesOf(this.#learned);
        this.#say({ kind: 'hello', ...this.#sender(partition), pane: this.concluded, payload });
      }
      return;
    }
    if (this.#opened !== this.generation) return;
    for (const partition of this.own) this.#advance(partition);
  }

  /** Whether data may be read: what successors have to know of cuts is known by then. */
  get mayRead(): boolean {
    return this.#opened === this.generation && this.#fold.generation === this.generation;
  }

  /** Reads an event of a partition, if it may. */
  take(partition: number, topic: number): boolean {
    const state = this.states.get(partition);
    if (!state || !this.mayRead || state.closed + 1 > this.#fold.pane + 2) return false;
    const cut = this.#cutOf(state.closed + 1, partition);
    const end = cut ? cut[topic] : this.#world.data[partition][topic].length;
    if (state.next[topic] >= end) return false;
    state.read(this.#world.data[partition], topic);
    return true;
  }

  save(partition: number): void {
    const state = this.states.get(partition);
    const { fault } = this.#world;
    if (state === undefined || this.#place === undefined) return;
    if (this.#opened !== this.generation) return;
    const learned = this.#learned;
    if (fault === 'checkpoints hold panes that are not concluded') {
      const concluded = Math.max(this.concluded, state.closed);
      const kept = { state: state.copy(), concluded, learned, place: this.#place, mark: undefined };
      this.#world.saves.push({ partition, generation: this.generation, kept });
      return;
    }
    const known = this.#cutOf(state.closed, partition, true);
    const stands = this.concluded === state.closed && this.#place.pane === this.concluded + 1;
    if (!stands || (known && `${known}` !== `${state.cut}`)) return;
    const isPlanted = fault === 'the place in a checkpoint is behind the cuts of later panes';
    const place = isPlanted ? this.#place : this.#fold.headOf(this.concluded, this.#place);
    const mark = this.#world.topic.mark(place.offset);
    const kept = { state: state.copy(), concluded: this.concluded, learned, place, mark };
    this.#world.saves.push({ partition, generation: this.generation, kept });
  }

  #sender(partition: number) {
    return { generation: this.generation, partition, partitions: this.#world.partitions };
  }

  #say(record: SumsRecord): void {
    const round = record.kind === 'part' ? record.round : -1;
    const key = `${record.partition} ${record.pane} ${round}`;
    if ((this.#sent.get(key) ?? 0) > this.#world.step) return;
    this.#sent.set(key, this.#world.step + this.#world.resend);
    this.#world.flight.push(encodeSums(record));
  }

  #cutOf(pane: number, partition: number, always = false): number[] | undefined {
    if (!always && this.#world.fault === 'successors close by their own time') return undefined;
    const cut = this.#fold.cutOf(pane, partition);
    return cut && [cut.exposures, cut.interactions];
  }

  #advance(partition: number): void {
    const fold = this.#fold;
    const world = this.#world;
    const key = `${this.generation} ${partition}`;
    let state = this.states.get(partition)!;
    let isReloaded = false;
    const reload = () => {
      this.#load(partition, false);
      state = this.states.get(partition)!;
      isReloaded = true;
    };
    const isElsewhere = () => {
      const known = this.#cutOf(state.closed, partition);
      return known !== undefined && `${known}` !== `${state.cut}`;
    };
    if (isElsewhere() && !this.#saidGaps.has(key)) {
      reload();
      if (isElsewhere()) this.#tellGap(key, 'a checkpoint of another cut');
    }
    if (state.closed > fold.pane) {
      world.rejoin(this);
      return;
    }
    while (state.closed < fold.pane) {
      const pane = state.closed + 1;
      const cut = this.#cutOf(pane, partition);
      if (cut) {
        if (state.next.some((next, topic) => next > cut[topic])) {
          if (!isReloaded && !this.#saidGaps.has(key)) {
            reload();
            continue;
          }
          this.#tellGap(key, 'read beyond the cut');
        }
        for (const topic of [0, 1]) {
          while (state.next[topic] < cut[topic]) state.read(world.data[partition], topic);
        }
      } else if (pane < fold.pane) {
        this.#tellGap(key, 'an unknown cut');
        for (const topic of [0, 1]) {
          const { length } = world.data[partition][topic];
          while (state.next[topic] < length && state.newest[topic] - LATENESS <= pane) {
            state.read(world.data[partition], topic);
          }
        }
      } else if ([0, 1].some((topic) => !world.isPast(state, partition, topic, pane))) return;
      state.close(pane);
    }
    if (state.closed !== fold.pane || !fold.lacks(partition)) return;
    this.#speak(partition, state);
  }

  #speak(partition: number, state: PartitionModel): void {
    const { pane, round } = this.#fold;
    const world = this.#world;
    const head = { kind: 'part' as const, ...this.#sender(partition), pane, round };
    if (round === 0) {
      const all = state.share(pane);
      world.shares.set(`${this.generation} ${pane} ${partition}`, all);
      const before = state.share(pane - 1);
      const said = this.#addsAll ? all : all.map((count, item) => count - before[item]);
      const cut = { exposures: state.cut[0], interactions: state.cut[1] };
      const closed = { cut, through: pane - 1 };
      this.#say({ ...head, closed, payload: bytesOf(said) });
      return;
    }
    if (round < LAST_ROUND) {
      const more = round === 1 ? [this.#nextTotals, this.#learned] : this.#rounds[1].map(readFrom);
      this.#say({ ...head, payload: bytesOf(digest(state.window(pane), more)) });
      return;
    }
    // Who keeps what is made for all does so before it says that it is made.
    if (partition === 0 && this.concluded < pane) world.keep(pane, this.#valueOf(pane));
    this.#say({ ...head, payload: new Uint8Array(0) });
    if (world.fault === 'panes are concluded when their sums are written') this.#conclude(pane);
  }

  #tellGap(key: string, why: string): void {
    this.#saidGaps.add(key);
    this.#world.gap(why);
  }

  #load(partition: number, isNew: boolean): void {
    const kept = this.#world.store.get(partition);
    this.states.set(partition, kept ? kept.state.copy() : new PartitionModel());
    if (!isNew || !kept || kept.concluded <= this.concluded) return;
    this.concluded = kept.concluded;
    this.#learned = kept.learned;
  }
}

export class SumsWorld {
  readonly fault: PlantedFault | undefined;
  readonly partitions: number;
  readonly resend: number;
  topic = new SumsTopic();
  readonly data: [[number, number][], [number, number][]][];
  readonly store = new Map<number, Kept>();
  readonly epochs = new Map<number, number>();
  readonly saves: { partition: number; generation: number; kept: Kept }[] = [];
  readonly flight: Uint8Array[] = [];
  readonly shares = new Map<string, number[]>();
  readonly values = new Map<number, string>();
  assigned = new Map<number, number[]>();
  generation = 0;
  step = 0;
  readonly stats = { concluded: 0, deaths: 0, losses: 0, gaps: 0, generations: 0 };
  readonly #random: Random;
  readonly #kind: WorldKind;
  /** What was kept of panes before they were concluded. */
  readonly #keptEarly: (readonly [pane: number, value: string])[] = [];
  readonly #mayLose: boolean;
  /** Workers are frozen and come back far more often than they die. */
  readonly #isDrowsy: boolean;
  readonly #cuts = new Map<number, readonly Cut[]>();
  readonly #firstConcluded = new Map<number, number>();
  readonly #gapSteps: number[] = [];
  #lost = 0;
  #trimmed = 0;
  #now = 0;
  #ids = 0;
  #names = 0;
  #workers: WorkerModel[] = [];
  #members: WorkerModel[] = [];

  constructor(seed: number, fault?: PlantedFault, kind: WorldKind = 'any') {
    const isSmall = kind !== 'any';
    this.#random = new Random(seed, 'sums');
    this.fault = fault;
    this.#kind = kind;
    this.partitions = isSmall ? 1 : this.#pick([1, 2, 2, 3, 3, 4]);
    this.data = Array.from({ length: this.partitions }, () => [[], []]);
    this.#mayLose = !isSmall && this.#chance(0.5);
    this.#isDrowsy = isSmall || this.#chance(0.3);
    this.resend = this.#pick([5, 30, 100]);
    for (let n = isSmall ? 2 : this.#pick([1, 2, 2, 3]); n > 0; n--) this.#start();
  }

  get hasToldLoss(): boolean {
    return this.stats.losses > 0 && this.stats.gaps > 0;
  }

  join(worker: WorkerModel): void {
    if (this.#members.includes(worker)) return;
    this.#members.push(worker);
    this.#rebalance();
  }

  rejoin(worker: WorkerModel): void {
    this.#leave(worker);
    this.join(worker);
  }

  gap(_why: string): void {
    this.stats.gaps++;
    this.#gapSteps.push(this.step);
  }

  /** Whether a topic of a partition has nothing more of a pane, by its events or by its silence. */
  isPast(state: PartitionModel, partition: number, topic: number, pane: number): boolean {
    const isAtEnd = state.next[topic] === this.data[partition][topic].length;
    return state.newest[topic] - LATENESS > pane || (isAtEnd && this.#now - LATENESS > pane);
  }

  keep(pane: number, value: string): void {
    this.#keptEarly.push([pane, value]);
  }

  conclude(
    generation: number,
    pane: number,
    value: string,
    cuts: readonly Cut[],
    totals: readonly number[],
  ): void {
    this.stats.concluded++;
    const shares = Array.from(
      { length: this.partitions },
      (_, p) => this.shares.get(`${generation} ${pane} ${p}`) ?? [],
    );
    if (`${summed(shares)}` !== `${totals}`) throw new Violation(`totals of pane ${pane}`);
    const before = this.values.get(pane);
    if (before === undefined) {
      if (pane > 0 && !this.values.has(pane - 1))
        throw new Violation(`pane ${pane - 1} is missing`);
      this.#firstConcluded.set(pane, this.step);
    } else if (before !== value) {
      // Not promised: the log lost its cuts, and nobody is left who knew the pane. It was reported.
      const first = this.#firstConcluded.get(pane)!;
      const since = Math.min(first, Math.max(this.#lost, this.#trimmed));
      const isTold = this.#gapSteps.some((step) => step >= since);
      if (this.stats.losses === 0 || !(isTold || this.#lost > first)) {
        throw new Violation(`pane ${pane} is concluded twice, differently`);
      }
    }
    this.values.set(pane, value);
    this.#cuts.set(pane, cuts);
  }

  /** Faults at a rate of this run; work is quick, so that they meet every stage of a pane. */
  run(steps: number): void {
    const isSmall = this.#kind !== 'any';
    const rate = isSmall ? 0.03 : this.#pick([0.004, 0.01, 0.02, 0.05]);
    for (let n = 0; n < steps; n++) {
      this.step++;
      if (this.#chance(rate)) this.#disturb();
      const draw = this.#random.next();
      // Where little comes, silence closes panes.
      if (draw < (this.#kind === 'forgetful' ? 0.02 : 0.08)) this.#produce();
      else if (draw < 0.11) this.#now++;
      else if (draw < (isSmall ? 0.16 : 0.35) && this.flight.length > 0)
        this.#land(this.#below(this.flight.length));
      else if (draw < 0.36 && this.saves.length > 0) this.#store();
      else this.#work();
    }
  }

  /** Without any more faults all that is known so far has to be concluded, as by one worker alone. */
  settle(): void {
    for (const worker of this.#workers) worker.isFrozen = false;
    if (!this.#workers.some(({ isAlive }) => isAlive)) this.#start();
    for (const worker of this.#workers) if (!worker.isAlive) this.#leave(worker);
    this.#now += LATENESS + 2;
    const last = this.#now - LATENESS - 1;
    const live = this.#workers.filter(({ isAlive }) => isAlive);
    const least = () => Math.min(...live.map(({ concluded }) => concluded));
    for (let turn = 0, still = 0; least() < last; turn++) {
      if (turn === 4000) throw new Violation('stands still');
      this.step++;
      const before = least();
      for (const worker of live) this.#workAtOnce(worker);
      while (this.flight.length > 0) this.#land(0);
      still = least() > before ? 0 : still + 1;
      if (still <= 60) continue;
      still = 0;
      this.rejoin(this.#pick(live));
    }
    for (const worker of live) for (const p of worker.own) this.#check(worker.states.get(p)!, p);
    for (let pane = 0; pane <= last; pane++) {
      if (!this.values.has(pane)) throw new Violation(`pane ${pane} is missing`);
    }
    if (this.stats.losses > 0) return;
    if (this.stats.gaps > 0) throw new Violation('a gap without a loss');
    for (const [pane, value] of this.#keptEarly) {
      if (value !== this.values.get(pane)) throw new Violation(`pane ${pane} was kept otherwise`);
    }
    this.#compareWithOne(last);
  }

  #check(state: PartitionModel, partition: number): void {
    const counted = [...state.counted.values()].flat().sort((a, b) => a - b);
    const read = [0, 1].flatMap((t) => this.data[partition][t].slice(0, state.next[t]));
    const ids = read.map(([id]) => id).sort((a, b) => a - b);
    if (`${counted}` !== `${ids}`) throw new Violation('an event is counted other than once');
  }

  /** One worker that has all partitions and closes at the same cuts comes to the same. */
  #compareWithOne(last: number): void {
    const states = this.data.map(() => new PartitionModel());
    let learned = '';
    for (let pane = 0; pane <= last; pane++) {
      for (const [p, state] of states.entries()) {
        const { exposures, interactions } = this.#cuts.get(pane)![p];
        for (const [topic, end] of [exposures, interactions].entries()) {
          while (state.next[topic] < end) state.read(this.data[p], topic);
        }
        state.close(pane);
      }
      const totals = summed(states.map((state) => state.share(pane)));
      const one = states.map((state) => digest(state.window(pane), [totals, learned]));
      const two = states.map((state) => digest(state.window(pane), one));
      const value = digest(pane, one, two, learned);
      if (value !== this.values.get(pane)) throw new Violation(`pane ${pane} is another with one`);
      learned = digest(learned, value);
    }
  }

  #work(): void {
    const live = this.#workers.filter(({ isAlive, isFrozen }) => isAlive && !isFrozen);
    if (live.length === 0) return;
    const worker = this.#pick(live);
    if (this.#kind === 'forgetful') {
      const { endangered } = worker;
      if (endangered !== undefined) this.#forget(worker, endangered);
      // Who has nothing to say reads behind.
      if (worker.own.length === 0 && this.#chance(0.9)) return;
    }
    const draw = this.#random.next();
    if (draw < 0.15) worker.sync();
    else if (draw < 0.45) {
      for (let n = 1 + this.#below(8); n > 0 && worker.read(); n--);
    } else if (draw < 0.75) worker.act();
    else if (worker.own.length === 0) return;
    else if (draw < 0.97) {
      const partition = this.#pick(worker.own);
      for (let n = 1 + this.#below(8); n > 0; n--) worker.take(partition, this.#below(2));
    } else worker.save(this.#pick(worker.own));
  }

  #workAtOnce(worker: WorkerModel): void {
    worker.sync();
    while (worker.read());
    for (const p of worker.own) for (const topic of [0, 1]) while (worker.take(p, topic));
    worker.act();
  }

  #produce(): void {
    const late = this.#pick([0, 0, 0, 1, 1, 2, 4]);
    const topic = this.data[this.#below(this.partitions)][this.#below(2)];
    topic.push([++this.#ids, Math.max(0, this.#now - late)]);
  }

  /** A record lands in the log; one in ten is sent once more. */
  #land(n: number): void {
    const record = this.#chance(0.1) ? this.flight[n] : this.flight.splice(n, 1)[0];
    this.topic.records.push(record.slice());
  }

  #store(): void {
    const [{ partition, generation, kept }] = this.saves.splice(this.#below(this.saves.length), 1);
    const isOlder = generation < (this.epochs.get(partition) ?? 0);
    if (isOlder && this.fault !== 'the store does not refuse older generations') return;
    this.store.set(partition, kept);
  }

  #disturb(): void {
    const live = this.#workers.filter(({ isAlive, isFrozen }) => isAlive && !isFrozen);
    const draw = this.#random.next() * (this.#isDrowsy ? 0.7 : 1);
    if (draw < 0.22) {
      if (live.length === 0) return;
      const worker = this.#pick(live);
      if (this.#isDrowsy || this.#chance(0.6)) worker.isFrozen = true;
      else {
        worker.isAlive = false;
        this.stats.deaths++;
      }
    } else if (draw < 0.5) {
      const gone = this.#members.filter(({ isAlive, isFrozen }) => isFrozen || !isAlive);
      if (gone.length > 0) this.#leave(this.#pick(gone));
    } else if (draw < 0.7) {
      const frozen = this.#workers.filter(({ isAlive, isFrozen }) => isAlive && isFrozen);
      if (frozen.length > 0) this.#pick(frozen).isFrozen = false;
    } else if (draw < 0.82) {
      if (live.length < 3) this.#start();
    } else if (draw < 0.86) {
      if (live.length > 0) this.#leave(this.#pick(live));
    } else if (draw < 0.92) {
      if (this.flight.length > 0) this.flight.splice(this.#below(this.flight.length), 1);
    } else if (draw < 0.95 && this.#mayLose) this.#lose();
  }

  /**
   * The log loses a pane that only one worker has read, which says its last word of it before it
   * notices, and dies; meanwhile more has come that belongs to the pane.
   */
  #forget(worker: WorkerModel, begin: number): void {
    const others = this.#workers.filter((each) => each !== worker && each.isAlive);
    if (others.some(({ offset }) => offset > begin)) return;
    this.topic.records.length = begin - this.topic.start;
    this.stats.losses++;
    this.#lost = this.step;
    for (const topic of this.data[0]) topic.push([++this.#ids, worker.pane]);
    worker.act();
    worker.isAlive = false;
    this.stats.deaths++;
    this.#start();
  }

  #lose(): void {
    const { topic } = this;
    const { length } = topic.records;
    if (length === 0) return;
    this.stats.losses++;
    const draw = this.#random.next();
    if (draw < 0.4) {
      const count = 1 + this.#below(length);
      topic.records = topic.records.slice(count);
      topic.start += count;
      this.#trimmed = this.step;
      return;
    }
    if (draw < 0.7)
      topic.records = topic.records.slice(0, length - 1 - this.#below(Math.min(6, length)));
    else this.topic = new SumsTopic();
    this.#lost = this.step;
  }

  #start(): void {
    const worker = new WorkerModel(this, ++this.#names);
    this.#workers.push(worker);
    this.join(worker);
  }

  #leave(worker: WorkerModel): void {
    if (!this.#members.includes(worker)) return;
    this.#members = this.#members.filter((each) => each !== worker);
    this.#rebalance();
  }

  #rebalance(): void {
    this.generation++;
    this.stats.generations++;
    this.assigned = new Map(this.#members.map(({ name }) => [name, []]));
    const order = [...this.#members];
    for (let n = order.length - 1; n > 0; n--) {
      const other = this.#below(n + 1);
      [order[n], order[other]] = [order[other], order[n]];
    }
    for (let p = 0; p < this.partitions && order.length > 0; p++) {
      this.assigned.get(order[p % order.length].name)!.push(p);
    }
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  #below(count: number): number {
    return this.#random.below(count);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)];
  }
}
