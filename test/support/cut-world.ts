import { encodeEvent } from '../../src/events/encode.js';
import type {
  LogEnd,
  LogSource,
  RecordBatch,
  SourceHandlers,
  TopicRole,
} from '../../src/stream/ports.js';
import { mulberry32 } from '../bench/synthetic-log.js';
import type { Event } from './log.js';

/** A stretch of time in which the connection and the traffic stay as they are. */
export interface Phase {
  /** `frozen`: nothing passes and nobody notices; `ended`: the client notices, and rejoins later. */
  readonly connection: 'up' | 'frozen' | 'ended';
  readonly ms: number;
  /** Partitions that have traffic, one bit for each role and partition. */
  readonly traffic: number;
  /** Those that are fetched, one bit each as above, and how often they have their turn. */
  readonly reads: number;
  readonly fetched: number;
  /** How far the reader's clock is off, ms. */
  readonly clockOff?: number;
}

interface Log {
  readonly role: TopicRole;
  readonly partition: number;
  readonly values: Uint8Array[];
  readonly recordTs: number[];
  next: number;
  isBusy: boolean;
  /** Where it lost its end, until that is noticed. */
  lostFrom: number | undefined;
  /** Records of a batch: what has to come again comes with what has been written since. */
  most: number;
}

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];
export const STEP_MS = 100;
/** A batch may have to wait until a pane is closed. */
const MOST_RECORDS = 3;

/**
 * A broker, its network and what writes to it, under virtual time. It answers what it was asked
 * before a cut after it, with what it knew before it: the worst that a network may do.
 */
export class CutWorld implements LogSource {
  readonly written: Event[] = [];
  /** How long after its time an event is written at most. */
  readonly delayMs: number;
  /** One of this many events is of a producer whose clock is two hours ahead; of none without. */
  oneWrongIn = 0;
  /** How many of its events are in the log. */
  wrong = 0;
  readonly #logs: Log[];
  readonly #random: () => number;
  readonly #partitions: number;
  #handlers!: SourceHandlers;
  #isUp = true;
  #hasEnded = false;
  #waiting: (() => void)[] = [];

  constructor(partitions: number, seed: number, delayMs: number) {
    this.#partitions = partitions;
    this.#random = mulberry32(seed);
    this.delayMs = delayMs;
    this.#logs = ROLES.flatMap((role) =>
      Array.from({ length: partitions }, (_, partition) => ({
        role,
        partition,
        values: [],
        recordTs: [],
        next: 0,
        isBusy: false,
        lostFrom: undefined,
        most: MOST_RECORDS,
      })),
    );
  }

  rejoin(why: string): never {
    throw new Error(why);
  }

  async start(handlers: SourceHandlers): Promise<void> {
    this.#handlers = handlers;
    await this.#join();
  }

  async stop(): Promise<void> {}

  async ends(): Promise<readonly LogEnd[]> {
    if (this.#hasEnded) return [];
    const ends = this.#logs.map(({ values }) => values.length);
    if (!this.#isUp) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#logs.map(({ role, partition, next }, l) => ({
      role,
      partition,
      next,
      end: ends[l]!,
    }));
  }

  /** What was read last of a log is gone: its leader was cut off, and another one has less. */
  loseEnd(role: TopicRole, partition: number, records: number): void {
    const log = this.#logs.find((one) => one.role === role && one.partition === partition)!;
    const left = log.next - records;
    log.values.length = left;
    log.recordTs.length = left;
    log.lostFrom = left;
  }

  async enter({ connection }: Phase): Promise<void> {
    if (connection === 'up') {
      this.#isUp = true;
      for (const answer of this.#waiting.splice(0)) answer();
      if (this.#hasEnded) await this.#join();
    } else this.#isUp = false;
    if (connection === 'ended' && !this.#hasEnded) {
      this.#hasEnded = true;
      this.#handlers.state('disconnected');
    }
  }

  /** What happens within `STEP_MS`. */
  step({ traffic, reads, fetched }: Phase, now: number): void {
    for (const [l, log] of this.#logs.entries()) {
      if ((traffic >> l) & 1 && this.#random() < 0.5) this.#write(log, now);
    }
    for (const [l, log] of this.#logs.entries()) {
      if ((reads >> l) & 1 && this.#random() < fetched) this.#fetch(log);
    }
  }

  #write(log: Log, now: number): void {
    const { role, partition } = log;
    const n = this.written.length + this.wrong;
    if (this.oneWrongIn > 0 && this.#random() < 1 / this.oneWrongIn) {
      const ahead = now + 7_200_000;
      const event: Event = { type: 'interaction', id: `w${n}`, ts: ahead, user: 'w', item: 'a' };
      log.values.push(Buffer.from(encodeEvent(event)));
      log.recordTs.push(ahead);
      this.wrong++;
      return;
    }
    const user = `u${partition + this.#partitions * Math.floor(this.#random() * 3)}`;
    const ts = now - Math.floor(this.#random() * this.delayMs);
    const event: Event =
      role === 'exposures'
        ? { type: 'exposure', id: `e${n}`, ts, user, model: `m${n % 2}`, items: ['a', 'b', 'c'] }
        : { type: 'interaction', id: `x${n}`, ts, user, item: 'abcd'[n % 4]! };
    this.written.push(event);
    log.values.push(Buffer.from(encodeEvent(event)));
    log.recordTs.push(now);
  }

  #fetch(log: Log): void {
    this.#noticeLoss(log);
    if (!this.#isUp || this.#hasEnded || log.isBusy || log.next >= log.values.length) return;
    const { role, partition, next } = log;
    const values = log.values.slice(next, next + log.most);
    const batch: RecordBatch = {
      role,
      partition,
      values,
      highWatermark: log.values.length,
      offsets: Float64Array.from(values, (_, r) => next + r),
      recordTs: Float64Array.from(log.recordTs.slice(next, next + log.most)),
    };
    log.isBusy = true;
    void this.#handlers.batch(batch).then((outcome) => {
      log.isBusy = false;
      log.most = outcome === 'again' ? Number.POSITIVE_INFINITY : MOST_RECORDS;
      if (outcome === 'again') return;
      log.next = next + values.length;
      if (log.next >= batch.highWatermark) this.#handlers.caughtUp?.(role, partition);
    });
  }

  /** A reader that asks for what is not there any more is notified. */
  #noticeLoss(log: Log): void {
    const { role, partition, next: expected, lostFrom: found } = log;
    if (found === undefined || !this.#isUp || this.#hasEnded || log.isBusy) return;
    log.lostFrom = undefined;
    log.next = found;
    this.#handlers.changed?.(role, partition, { kind: 'truncated', expected, found });
  }

  async #join(): Promise<void> {
    const all = Array.from({ length: this.#partitions }, (_, partition) => partition);
    const starts = await this.#handlers.assigned(all, all.length, new AbortController().signal);
    for (const log of this.#logs) {
      const start = starts.get(log.partition)![log.role];
      log.next = typeof start === 'number' ? start : 0;
    }
    this.#hasEnded = false;
    this.#handlers.state('connected');
    for (const { role, partition, next, values } of this.#logs) {
      if (next >= values.length) this.#handlers.caughtUp?.(role, partition);
    }
  }
}
