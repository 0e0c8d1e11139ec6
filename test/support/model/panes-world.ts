import type { TopicRole } from '../../../src/stream/ports.js';
import { mulberry32 } from '../../bench/synthetic-log.js';
import { type FaultName, foldWith } from './panes-faults.js';
import { ModelReader, type ReaderState, type Written } from './panes-reader.js';
import {
  LATENESS,
  type ModelEvent,
  ModelPanesLog,
  type ModelRecord,
  ModelState,
  mixed,
  ROLES,
} from './panes-state.js';
import { ClosedRows, ModelTicker, type TickerState } from './panes-ticker.js';

/** What must never be. */
export class Violation extends Error {}

interface Sent {
  readonly partition: number;
  readonly writer: ModelReader;
  readonly written: Written;
}

const MOST_READERS = 4;
const MOST_TICKERS = 3;

/**
 * Readers and tickers of the panes topic under a scheduler that does its worst. There is no group: who
 * has a partition is the scheduler's whim, several readers at a time, frozen ones that wake, records
 * late, doubled and lost. Tickers come and go. In some worlds the topic loses records.
 */
export class PanesWorld {
  step = 0;
  now = 0;
  readonly count: number;
  readonly logs: ModelPanesLog[];
  readonly data: Record<TopicRole, ModelEvent[]>[];
  readonly lostAfter: number;
  readonly fault: FaultName | undefined;
  readonly keptByTickers = new Map<number, TickerState>();
  readonly stats: Record<string, number> = {};
  readonly #random: () => number;
  readonly #losesRecords: boolean;
  readonly #keptByReaders = new Map<number, ReaderState>();
  readonly #reported = new Set<number>();
  readonly #values = new Map<number, number>();
  readonly #saves: (() => void)[] = [];
  #flight: Sent[] = [];
  #readers: ModelReader[] = [];
  #tickers: ModelTicker[] = [];
  #ids = 0;

  constructor(seed: number, fault?: FaultName) {
    this.#random = mulberry32(seed);
    this.fault = fault;
    this.count = this.pick([1, 2, 2, 3]);
    this.logs = Array.from({ length: this.count }, () => new ModelPanesLog());
    this.data = this.logs.map(() => ({ exposures: [], interactions: [] }));
    this.#losesRecords = this.chance(0.4);
    this.lostAfter = this.pick([10, 40, 120]);
    for (let n = this.pick([1, 2, 3]); n > 0; n--) this.#addReader();
    for (let n = this.pick([1, 2]); n > 0; n--) this.#tickers.push(new ModelTicker(this));
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)];
  }

  chance(of: number): boolean {
    return this.#random() < of;
  }

  /** Somebody says that records of a partition are lost. */
  tell(partition: number, why: string): void {
    this.tally('reported');
    if (!this.#hasLost) throw new Violation(`a loss is reported and there was none: ${why}`);
    this.#reported.add(partition);
  }

  /** Two that ought to be the same are not. */
  differ(partition: number, why: string): void {
    if (!this.#reported.has(partition)) throw new Violation(why);
  }

  tally(what: string): void {
    this.stats[what] = (this.stats[what] ?? 0) + 1;
  }

  kept(partition: number): ReaderState | undefined {
    return this.#keptByReaders.get(partition);
  }

  /** A state is on its way to the store. */
  keep(partition: number, state: ReaderState): void {
    this.#saves.push(() => this.#keptByReaders.set(partition, state));
  }

  keepTicked(partition: number, state: TickerState): void {
    this.#saves.push(() => this.keptByTickers.set(partition, state));
  }

  send(sent: Sent): void {
    this.#flight.push(sent);
  }

  ticked(pane: number, value: number): void {
    this.tally('ticks');
    const known = this.#values.get(pane);
    this.#values.set(pane, value);
    if (known !== undefined && known !== value && !this.#hasLost) {
      throw new Violation(`two tickers differ in pane ${pane}`);
    }
  }

  /** Lets the scheduler do its worst for so many steps. */
  disturb(steps: number): void {
    const rate = this.pick([0.005, 0.02, 0.05]);
    for (let n = 0; n < steps; n++) {
      this.step++;
      if (this.chance(rate)) this.#fault();
      this.#act();
    }
  }

  /** Lets all go on undisturbed. @throws Violation if it stands still, or comes to something else */
  settle(): void {
    for (const reader of this.#readers) reader.isFrozen = false;
    this.#readers = this.#readers.filter(({ isAlive }) => isAlive).slice(0, 3);
    if (this.#readers.length === 0) this.#addReader();
    const owned = new Set(this.#readers.flatMap(({ partitions }) => partitions));
    const missing = this.data.map((_, number) => number).filter((number) => !owned.has(number));
    const [first] = this.#readers;
    if (missing.length > 0) first.assign([...first.partitions, ...missing]);
    if (this.#tickers.length === 0) this.#tickers.push(new ModelTicker(this));
    for (let n = 0; n < 4; n++) {
      this.now += LATENESS + 1;
      for (const data of this.data) for (const role of ROLES) this.#add(data[role], this.now);
      this.#calm(200);
    }
    this.now += LATENESS + 2;
    const last = this.now - LATENESS - 2;
    if (!this.#calm(3000, last)) throw new Violation('it stands still');
    if (!this.#hasLost) this.#compare(last);
    else if (this.#reported.size === 0) this.#compareTickers();
  }

  get #hasLost(): boolean {
    return this.stats['losses'] !== undefined;
  }

  #addReader(): void {
    const all = this.data.map((_, number) => number);
    this.#readers.push(
      new ModelReader(
        this,
        all.filter(() => this.chance(0.6)),
      ),
    );
  }

  #add(log: ModelEvent[], pane: number): void {
    log.push({ id: ++this.#ids, pane });
  }

  #act(): void {
    const x = this.#random();
    if (x < 0.12) {
      const log = this.pick(this.data)[this.pick(ROLES)];
      this.#add(log, Math.max(0, this.now - this.pick([0, 0, 0, 1, 1, 2, 4])));
    } else if (x < 0.16) this.now += this.chance(0.05) ? 5 : 1;
    else if (x < 0.32) this.#land(Math.floor(this.#random() * this.#flight.length));
    else if (x < 0.34) this.#save();
    else if (x < 0.42) this.#tick();
    else this.#read();
  }

  #land(n: number): void {
    const sent = this.#flight[n];
    if (sent === undefined) return;
    this.logs[sent.partition].append(sent.written.record);
    if (this.chance(0.15)) return;
    this.#flight.splice(n, 1);
    sent.written.at = this.step;
  }

  #save(): void {
    const [save] = this.#saves.splice(Math.floor(this.#random() * this.#saves.length), 1);
    if (save === undefined) return;
    this.tally('kept');
    save();
  }

  #tick(): void {
    if (this.#tickers.length === 0) return;
    const ticker = this.pick(this.#tickers);
    for (let number = 0; number < this.count; number++) {
      if (this.chance(0.6)) ticker.follow(number);
    }
    if (this.chance(0.8)) ticker.advance();
    else ticker.save(Math.floor(this.#random() * this.count));
  }

  #read(): void {
    const live = this.#readers.filter(
      ({ isAlive, isFrozen, partitions }) => isAlive && !isFrozen && partitions.length > 0,
    );
    if (live.length === 0) return;
    const reader = this.pick(live);
    if (reader.isReloading) {
      if (this.chance(0.3)) reader.reload();
      return;
    }
    const partition = this.pick(reader.partitions);
    const y = this.#random();
    if (y < 0.25) reader.follow(partition);
    else if (y < 0.5) reader.advance(partition);
    else if (y < 0.85)
      for (const role of ROLES) reader.read(partition, role, this.pick([0, 1, 2, 6]));
    else if (y < 0.9) reader.askForEnds(partition);
    else if (y < 0.92) reader.askOthers();
    else if (y < 0.95) reader.noticeLoss(partition);
    else reader.save(partition);
  }

  #fault(): void {
    const x = this.#random();
    const live = this.#readers.filter(({ isAlive, isFrozen }) => isAlive && !isFrozen);
    if (x < 0.2 && live.length > 0) {
      const reader = this.pick(live);
      if (this.chance(0.5)) reader.isFrozen = true;
      else reader.isAlive = false;
    } else if (x < 0.4) {
      const frozen = this.#readers.filter(({ isAlive, isFrozen }) => isAlive && isFrozen);
      if (frozen.length > 0) this.pick(frozen).isFrozen = false;
    } else if (x < 0.5 && live.length < MOST_READERS) this.#addReader();
    else if (x < 0.7 && live.length > 0) this.#move(this.pick(live));
    else if (x < 0.78) this.#loseOnTheWay();
    else if (x < 0.86) {
      this.#tickers.splice(Math.floor(this.#random() * this.#tickers.length), 1);
    } else if (x < 0.94 && this.#tickers.length < MOST_TICKERS) {
      this.#tickers.push(new ModelTicker(this));
    } else if (this.#losesRecords) this.#lose(this.pick(this.logs));
  }

  #move(reader: ModelReader): void {
    const { partitions } = reader;
    const number = Math.floor(this.#random() * this.count);
    if (partitions.includes(number)) reader.assign(partitions.filter((own) => own !== number));
    else reader.assign([...partitions, number]);
  }

  /** A record does not come to be in the log; who still wants it there writes it again. */
  #loseOnTheWay(): void {
    const n = Math.floor(this.#random() * this.#flight.length);
    const sent = this.#flight[n];
    if (sent !== undefined && !sent.writer.isWriting(sent.written)) this.#flight.splice(n, 1);
  }

  #lose(log: ModelPanesLog): void {
    const held = log.end - log.first.offset;
    if (held === 0) return;
    this.tally('losses');
    const k = this.#random();
    if (k < 0.5) log.trim(1 + Math.floor(this.#random() * held));
    else if (k < 0.75) log.lose(1 + Math.floor(this.#random() * Math.min(4, held)));
    else log.recreate();
  }

  /** @returns whether all tickers have come to a pane */
  #calm(steps: number, last = Number.POSITIVE_INFINITY): boolean {
    for (let n = 0; n < steps; n++) {
      this.step++;
      for (const reader of this.#readers) this.#work(reader);
      while (this.#flight.length > 0) this.#land(0);
      while (this.#saves.length > 0) this.#save();
      for (const ticker of this.#tickers) {
        for (let number = 0; number < this.count; number++) ticker.follow(number);
        ticker.advance();
      }
      if (this.#tickers.every(({ closedThrough }) => closedThrough >= last)) return true;
      if (last === Number.POSITIVE_INFINITY && n > 5) return true;
    }
    return false;
  }

  #work(reader: ModelReader): void {
    if (reader.isReloading) reader.reload();
    reader.askOthers();
    for (const partition of reader.partitions) {
      reader.follow(partition);
      for (let n = 0; n < 4; n++) {
        for (const role of ROLES) reader.read(partition, role, Number.POSITIVE_INFINITY);
        reader.advance(partition);
      }
      reader.askForEnds(partition);
      reader.noticeLoss(partition);
      if (this.chance(0.1)) reader.save(partition);
    }
  }

  /** Those that are there know all the same. What was known to those that are gone, nobody can miss. */
  #compareTickers(): void {
    const known = new Map<number, number>();
    for (const ticker of this.#tickers) {
      for (const [pane, value] of ticker.values) {
        if ((known.get(pane) ?? value) !== value) {
          throw new Violation(`two tickers differ in pane ${pane}, and nobody says why`);
        }
        known.set(pane, value);
      }
    }
  }

  /** One process that closes at the same cuts gives the same panes and ticks, and every event once. */
  #compare(last: number): void {
    const all = this.logs.map((_, number) => this.#panesOf(number));
    const rows = all.map(() => new ClosedRows());
    let learnt = 0;
    const first = Math.min(...all.map(([record]) => record.pane));
    for (let pane = first; pane <= last; pane++) {
      const isInWindow = rows.some((each) => each.isInWindow);
      let hasEvents = false;
      for (const [n, records] of all.entries()) {
        rows[n].advance(pane);
        if (records[0]?.pane !== pane) continue;
        const record = records.shift()!;
        rows[n].add(record);
        hasEvents ||= !record.isEmpty;
      }
      const value = mixed(pane, learnt, ...rows.map((each) => each.seen));
      const isTicked = isInWindow || hasEvents;
      if (isTicked) learnt = mixed(learnt, value);
      if (this.#values.get(pane) !== (isTicked ? value : undefined)) {
        throw new Violation(`the tick of pane ${pane} is not that of one process`);
      }
    }
  }

  /** A partition's records that count, after they were compared with what one reader makes. */
  #panesOf(number: number): ModelRecord[] {
    const log = this.logs[number];
    const logged = log.read(log.first, false);
    if (logged === 'gone') throw new Violation('the topic is gone');
    const fold = foldWith(this.fault);
    const counted = logged.flatMap(({ record, next }) => {
      return fold.take({ ...record, position: next, heardAt: 0 }).counted;
    });
    const state = new ModelState();
    const seen: number[] = [];
    for (const record of counted) {
      for (const role of ROLES) {
        if (state.read[role] > record.to[role]) throw new Violation('cuts go back');
        const events = this.data[number][role].slice(state.read[role], record.to[role]);
        for (const event of events) state.take(role, event);
      }
      const { rows, lists } = state.close(record.pane);
      state.pass(record.through);
      if (lists !== record.lists || `${rows}` !== `${record.rows}`) {
        throw new Violation(`pane ${record.pane} is not that of one process`);
      }
      if (state.oldestOpen <= record.through) throw new Violation('a pane with events was passed');
      seen.push(...record.outcomes);
    }
    const read = ROLES.flatMap((role) => this.data[number][role].slice(0, state.read[role]));
    if (new Set(seen).size !== seen.length || seen.length !== read.length) {
      throw new Violation('an event counts other than once');
    }
    return [...counted];
  }
}
