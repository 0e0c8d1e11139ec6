import { RoundLedger } from '../../../src/stream/rounds/round-ledger.js';
import type { LedgerNote, LogRecord } from '../../../src/stream/rounds/round-record.js';
import { LogServer } from './log-server.js';
import { type ModelEvent, WINDOW } from './model-partition.js';
import { type ModelCheckpoint, ModelWorker } from './model-worker.js';
import { Schedule } from './schedule.js';

/** What is left out of the protocol, to see that the model notices. */
export type Broken = 'cuts' | 'validity' | 'nonce' | 'restart' | undefined;

export interface PaneResult {
  readonly pane: number;
  readonly cuts: readonly number[];
  /** Total of all that is closed, undefined where a checkpoint holds more; then the sums of each round. */
  readonly numbers: readonly (number | undefined)[];
}

export interface Outcome {
  readonly faults: readonly string[];
  readonly panes: number;
  readonly deaths: number;
  readonly zombies: number;
  readonly losses: number;
  readonly joiners: number;
  /** Workers that could read the log neither from a note nor from its beginning. */
  readonly blind: number;
}

const PANE_MS = 100;
const LATE_SHARE = 0.1;
const CHAOS_MS = 2_000;
const LIMIT_MS = 60_000;

/** The last record counts, no matter which process wrote it, and of whatever round of the pane it is. */
class WithoutValidity extends RoundLedger {
  protected override isValid(record: LogRecord): boolean {
    if (record.kind === 'claim' || record.kind === 'restart') return true;
    if (record.kind === 'base') return this.isGathering;
    if (record.kind === 'closing') return this.isDue(record, 0);
    return record.kind !== 'sums' || (this.round > 0 && this.isDue(record, this.round));
  }
}

/**
 * A group of workers over some partitions, in virtual time, and what may befall them: deaths,
 * workers that are silent for long and then go on, others that join, and a log that is lost, cut
 * short, late, out of order and doubled.
 */
export class RoundWorld {
  readonly algorithm = 'a1';
  readonly partitions: number;
  readonly events: ModelEvent[][];
  readonly schedule: Schedule;
  readonly log: LogServer;
  readonly broken: Broken;
  isFaulty = true;
  #workers: ModelWorker[] = [];
  readonly #owners: (ModelWorker | undefined)[];
  readonly #kept: ModelCheckpoint[][];
  readonly #results = new Map<number, { cuts: string; numbers: (number | undefined)[] }>();
  readonly #faults: string[] = [];
  #made = 0;
  #counts = { deaths: 0, zombies: 0, losses: 0, joiners: 0, blind: 0 };
  /** Until the group has gone on after a loss, this one knows what was concluded. */
  #witness: ModelWorker | undefined;

  constructor(seed: number, broken?: Broken) {
    this.schedule = new Schedule(seed);
    this.broken = broken;
    this.log = new LogServer(this.schedule);
    const { whole } = this.schedule;
    this.partitions = 1 + whole(4);
    this.#owners = Array.from({ length: this.partitions }, () => undefined);
    this.#kept = Array.from({ length: this.partitions }, () => []);
    this.events = Array.from({ length: this.partitions }, () => this.#drawEvents());
  }

  run(): Outcome {
    const { schedule } = this;
    for (let n = 1 + schedule.whole(4); n > 0; n--) this.#join();
    this.#rebalance();
    this.#chaos();
    const last = Math.max(...this.events.flat().map(({ pane }) => pane)) - 2;
    let isOver = false;
    const watch = () => {
      const alive = this.#workers.filter(({ isDead }) => !isDead);
      isOver = !this.isFaulty && alive.every(({ settled }) => settled >= last);
      schedule.after(50, watch);
    };
    watch();
    while (!isOver && this.#faults.length === 0 && schedule.now < LIMIT_MS) schedule.step();
    if (!isOver && this.#faults.length === 0) {
      const at = this.#workers.map(
        ({ name, settled, isDead }) => `${name}${isDead ? '†' : ''} ${settled}`,
      );
      this.#faults.push(`no progress: ${at.join(', ')} of ${last}`);
    }
    if (this.#faults.length === 0) this.#compareWithOracle();
    return { faults: this.#faults, panes: this.#results.size, ...this.#counts };
  }

  newLedger(note: LedgerNote | undefined): RoundLedger {
    const isLast = (_: number, rounds: readonly unknown[]) => rounds.length === 3;
    // As it would come from a checkpoint.
    const read = note && (JSON.parse(JSON.stringify(note)) as LedgerNote);
    if (this.broken === 'validity') return new WithoutValidity(isLast, read);
    return new RoundLedger(isLast, read);
  }

  readsBlindly(): void {
    this.#counts.blind++;
  }

  owner(partition: number): ModelWorker | undefined {
    return this.#owners[partition];
  }

  /** Of each partition the newest, or the one before where that is damaged. */
  checkpoints(): (ModelCheckpoint | undefined)[] {
    const { random } = this.schedule;
    return this.#kept.map(([newest, before]) => {
      if (newest === undefined) return undefined;
      return before !== undefined && random() < 0.2 ? before : newest;
    });
  }

  /** A worker that is no owner any more does not displace what is newer. */
  save(partition: number, checkpoint: ModelCheckpoint): void {
    const kept = this.#kept[partition]!;
    if (kept.some(({ pane }) => pane >= checkpoint.pane)) return;
    kept.unshift(JSON.parse(JSON.stringify(checkpoint)) as ModelCheckpoint);
    kept.splice(2);
  }

  concluded(worker: ModelWorker, { pane, cuts, numbers }: PaneResult): void {
    const known = this.#results.get(pane);
    const told = { cuts: JSON.stringify(cuts), numbers: [...numbers] };
    if (known === undefined) {
      this.#results.set(pane, told);
      return;
    }
    const isSame =
      known.cuts === told.cuts &&
      known.numbers.length === numbers.length &&
      numbers.every((value, n) => {
        return value === undefined || known.numbers[n] === undefined || value === known.numbers[n];
      });
    if (!isSame) {
      const [a, b] = [JSON.stringify(known), JSON.stringify(told)];
      this.#faults.push(`pane ${pane} of ${worker.name}: ${b}, and before ${a}`);
    }
    for (const [n, value] of numbers.entries()) known.numbers[n] ??= value;
  }

  #drawEvents(): ModelEvent[] {
    const { random, whole } = this.schedule;
    const events: ModelEvent[] = [];
    // Some partitions are silent for a while, or much slower than others.
    const paceMs = [8, 20, 60][whole(3)]!;
    for (let atMs = 0; atMs < CHAOS_MS; atMs += random() * 2 * paceMs) {
      if (random() < 0.02) atMs += random() * 800;
      const late = random() < LATE_SHARE ? whole(4) : 0;
      const pane = Math.max(0, Math.floor(atMs / PANE_MS) - late);
      events.push({ pane, value: 1 + whole(1_000), atMs });
    }
    // What closes the last panes, at the end.
    const end = Math.ceil(CHAOS_MS / PANE_MS) + 10;
    for (const pane of [end, end + 2]) events.push({ pane, value: 1, atMs: CHAOS_MS });
    return events;
  }

  #join(): ModelWorker {
    const worker = new ModelWorker(this, `w${this.#made++}`);
    this.#workers.push(worker);
    const beat = () => {
      if (worker.isDead) return;
      if (this.schedule.now >= worker.pausedUntil) worker.run();
      this.schedule.after(1 + this.schedule.random() * 10, beat);
    };
    this.schedule.after(this.schedule.random() * 20, beat);
    return worker;
  }

  /** The group deals the partitions out among those that it takes for alive. */
  #rebalance(): void {
    const { schedule } = this;
    const alive = this.#workers.filter(
      ({ isDead, pausedUntil }) => !isDead && pausedUntil <= schedule.now,
    );
    if (alive.length === 0) return;
    const shift = schedule.whole(alive.length);
    for (let partition = 0; partition < this.partitions; partition++) {
      const before = this.#owners[partition];
      const worker = alive[(partition + shift) % alive.length]!;
      if (before === worker) continue;
      if (before !== undefined && before === this.#witnessOrNone()) continue;
      this.#owners[partition] = worker;
      // A worker that is silent hears of it when it is back, and later.
      const revoke = () => {
        if (before === undefined || before.isDead || this.#owners[partition] === before) return;
        if (before.pausedUntil > schedule.now) schedule.after(20, revoke);
        else before.revoke(partition);
      };
      schedule.after(schedule.random() * 60, revoke);
      schedule.after(schedule.random() * 30, () => {
        if (!worker.isDead && this.#owners[partition] === worker) worker.assign(partition);
      });
    }
  }

  #chaos(): void {
    const { random, whole, after } = this.schedule;
    const befall = () => {
      if (this.schedule.now > CHAOS_MS) {
        this.isFaulty = false;
        if (this.#workers.every(({ isDead }) => isDead)) this.#join();
        after(800, () => this.#rebalance());
        return;
      }
      const alive = this.#workers.filter(({ isDead }) => !isDead);
      const victim = alive[whole(alive.length)];
      const what = random();
      if (what < 0.3) this.#kill(victim);
      else if (what < 0.5) this.#pause(victim);
      else if (what < 0.7 && alive.length < 5) {
        this.#counts.joiners++;
        this.#join();
        this.#rebalance();
      } else if (what < 0.8) this.#loseLog();
      after(random() * 500, befall);
    };
    after(random() * 500, befall);
  }

  #kill(worker: ModelWorker | undefined): void {
    if (worker === undefined || worker === this.#witnessOrNone()) return;
    worker.isDead = true;
    this.#counts.deaths++;
    this.schedule.after(50 + this.schedule.random() * 200, () => {
      if (this.#workers.every(({ isDead }) => isDead)) this.#join();
      this.#rebalance();
    });
  }

  #pause(worker: ModelWorker | undefined): void {
    if (worker === undefined || worker === this.#witnessOrNone()) return;
    const { schedule } = this;
    worker.pausedUntil = schedule.now + schedule.random() * 600;
    this.#counts.zombies++;
    schedule.after(50 + schedule.random() * 200, () => this.#rebalance());
    schedule.after(650, () => this.#rebalance());
  }

  /**
   * Where the log goes, and at the same time all workers that knew of it go or are given other
   * partitions, idle partitions' panes cannot be closed again where they were: one that knows keeps
   * what it has until the group has gone on.
   */
  #loseLog(): void {
    if (this.#witnessOrNone() !== undefined) return;
    const newest = Math.max(...this.#results.keys());
    const witness = this.#workers.find((each) => {
      const isAwake = each.pausedUntil <= this.schedule.now;
      return (
        each.isInformed &&
        isAwake &&
        this.#owners.includes(each) &&
        each.settled >= newest &&
        !each.ledger.isGathering
      );
    });
    if (witness === undefined || this.#results.size === 0) return;
    this.#witness = witness;
    this.#counts.losses++;
    const { random, whole } = this.schedule;
    if (random() < 0.5) this.log.lose();
    else this.log.loseTail(1 + whole(random() < 0.3 ? 80 : 6));
  }

  /** Until it has given what it knows, and the group has gone on from it. */
  #witnessOrNone(): ModelWorker | undefined {
    const witness = this.#witness;
    if (witness === undefined) return undefined;
    if (!witness.ledger.isGathering && this.#hasGoneOn(witness)) this.#witness = undefined;
    return this.#witness;
  }

  #hasGoneOn(witness: ModelWorker): boolean {
    const { note, concluded } = witness.ledger;
    const isThere = note !== undefined && this.log.read(note.position, 1).kind === 'found';
    return isThere && concluded >= witness.settled;
  }

  /** The numbers from the partitions' logs and the cuts alone. */
  #compareWithOracle(): void {
    const panes = [...this.#results.keys()].sort((a, b) => a - b);
    const rows: Map<number, number>[] = this.events.map(() => new Map());
    let before = Number.NEGATIVE_INFINITY;
    let all = 0;
    for (const pane of panes) {
      const { cuts, numbers } = this.#results.get(pane)!;
      for (const [p, cut] of (JSON.parse(cuts) as number[]).entries()) {
        const due = this.events[p]!.slice(0, cut).filter(
          (event) => event.pane <= pane && event.pane > before,
        );
        const sum = due.reduce((total, { value }) => total + value, 0);
        rows[p]!.set(pane, sum);
        all += sum;
      }
      before = pane;
      if (numbers.length === 0) continue;
      const weigh = (weight: number) =>
        rows.map((each) =>
          [...each]
            .filter(([at]) => at > pane - WINDOW)
            .reduce((sum, [at, row]) => sum + row * (1 + ((weight + at) % 97)), 0),
        );
      const total = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
      const added = total(rows.map((each) => each.get(pane)!));
      const first = total(weigh(added));
      const expected = [all, first, total(weigh(first))];
      if (numbers.some((value, n) => value !== undefined && value !== expected[n])) {
        this.#faults.push(
          `pane ${pane}: ${JSON.stringify(numbers)}, not ${JSON.stringify(expected)}`,
        );
      }
    }
  }
}
