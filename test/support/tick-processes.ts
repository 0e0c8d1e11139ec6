import { decoderOptions, monitorOptions } from '../../src/commands/service/monitor-options.js';
import { readConfig } from '../../src/config.js';
import type { ItemNames } from '../../src/estimators/partitions/rounds.js';
import { Decoder, type DecoderOptions } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { NumberReader, NumberWriter } from '../../src/state/binary/numbers.js';
import { Ingest } from '../../src/stream/ingest.js';
import type { LearnedState } from '../../src/stream/learned.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import type { TopicRole } from '../../src/stream/ports.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import type { Snapshot } from '../../src/stream/snapshot.js';
import { ItemTotals } from '../../src/stream/sums/item-totals.js';
import { readFacts, writeFacts } from '../../src/stream/sums/pane-facts.js';
import { FROZEN_LOGS } from './frozen/logs.js';
import { type Event, partitionOf, roleOf } from './log.js';
import { repetitions } from './repetitions.js';
import { type Log, loggedRounds } from './several-processes.js';

const HOUR_MS = 3_600_000;
const SHAPE = 1;
const MOST_BYTES = 1 << 24;
export const ROLES = ['exposures', 'interactions'] as const;

/** How far both topics of each partition are read when a pane closes. */
export type Cuts = readonly Readonly<Record<TopicRole, number>>[];

/** A pane that one process has closed and ticked. */
interface ClosedThere {
  readonly pane: number;
  readonly snapshot: Snapshot;
  readonly cuts: Cuts;
}

/** A log by topic-partition, with how it is read. */
export class PartitionedLog {
  readonly options: MonitorOptions;
  readonly decoding: DecoderOptions;
  readonly partitions: number;
  readonly #queues: Readonly<Record<TopicRole, Uint8Array[]>>[];

  constructor(
    events: readonly Event[],
    partitions: number,
    options: MonitorOptions,
    decoding: DecoderOptions,
  ) {
    this.options = options;
    this.decoding = decoding;
    this.partitions = partitions;
    this.#queues = Array.from({ length: partitions }, () => ({ exposures: [], interactions: [] }));
    for (const event of events) {
      const queue = this.#queues[partitionOf(event.user, partitions)][roleOf(event)];
      queue.push(Buffer.from(encodeEvent(event)));
    }
  }

  ingest(): Ingest {
    const topics = { exposures: 'e', interactions: 'i' };
    return new Ingest(this.options, new Decoder(this.decoding), topics, this.partitions);
  }

  /** Applies what is next in a topic-partition; @returns how far it is read then. */
  read(into: Ingest, partition: number, role: TopicRole, from: number, to: number): number {
    const values = this.#queues[partition][role].slice(from, to);
    if (values.length === 0) return from;
    const batch = {
      role,
      partition,
      values,
      recordTs: new Float64Array(values.length),
      offsets: Float64Array.from(values, (_, n) => from + n),
      highWatermark: this.#queues[partition][role].length,
    };
    runAtOnce(into.apply(batch, () => Number.POSITIVE_INFINITY));
    return from + values.length;
  }

  /** What one process makes of it: snapshots, and where each partition was read to when it closed. */
  alone(batch: number): { closed: ClosedThere[]; learned: LearnedState } {
    const ingest = this.ingest();
    const { monitor } = ingest;
    const positions = this.#queues.map(() => ({ exposures: 0, interactions: 0 }));
    for (const p of this.#queues.keys()) {
      for (const role of ROLES) monitor.watermarks.expect(role, p);
    }
    const closed: ClosedThere[] = [];
    const close = (flush: boolean) => {
      for (;;) {
        const pane = monitor.closable(flush);
        if (pane === undefined) return;
        const cuts = positions.map((own) => ({ ...own }));
        closed.push({ pane, snapshot: runAtOnce(monitor.close(pane))!.snapshot, cuts });
        for (let due = ingest.dueSweep(); due; due = ingest.dueSweep()) runAtOnce(due.run());
      }
    };
    for (let any = true; any; ) {
      any = false;
      for (const [p, own] of positions.entries()) {
        for (const role of ROLES) {
          const next = this.read(ingest, p, role, own[role], own[role] + batch);
          any ||= next > own[role];
          own[role] = next;
          close(false);
        }
      }
    }
    close(true);
    return { closed, learned: monitor.partitions.learned.state };
  }
}

/** A process with some of the partitions: of the others it knows what rounds say. */
export class TickProcess {
  readonly #log: PartitionedLog;
  readonly #partitions: readonly number[];
  readonly #ingest: Ingest;
  readonly #totals: ItemTotals;
  readonly #positions = new Map<number, Record<TopicRole, number>>();

  /** @param before what was closed so far, and what all processes have learned of it */
  constructor(
    log: PartitionedLog,
    partitions: readonly number[],
    before: readonly { pane: number; cuts: Cuts }[],
    learned: LearnedState | undefined,
  ) {
    this.#log = log;
    this.#partitions = partitions;
    this.#ingest = log.ingest();
    const { partitions: known } = this.#ingest.monitor;
    this.#totals = new ItemTotals(known.popularity, known.ids);
    for (const p of partitions) {
      known.of(p);
      this.#positions.set(p, { exposures: 0, interactions: 0 });
    }
    for (const { pane, cuts } of before) {
      this.#readTo(cuts);
      runAtOnce(this.#ingest.monitor.closeEach(pane, (p) => this.#positions.get(p)!));
    }
    if (learned) known.learned.resume(learned);
  }

  get learned(): LearnedState {
    return this.#ingest.monitor.partitions.learned.state;
  }

  /** @param written bytes by round and partition: all that processes know of each other */
  *close(pane: number, cuts: Cuts, written: Log): Generator<void, Snapshot> {
    this.#readTo(cuts);
    const { monitor } = this.#ingest;
    const { models } = monitor.partitions.ids;
    const facts = yield* monitor.closeEach(pane, (p) => this.#positions.get(p)!);
    for (const p of this.#partitions) {
      const to = new NumberWriter();
      writeFacts(to, facts.get(p)!, models);
      // The sums of all partitions of a process stand with its least.
      to.number(p === this.#partitions[0] ? 1 : 0);
      if (p === this.#partitions[0]) this.#totals.write(to);
      written.set(`closed ${p}`, to.seal(SHAPE));
    }
    const records: Uint8Array[] = [];
    for (let p = 0; p < this.#log.partitions; p++) {
      while (!written.has(`closed ${p}`)) yield;
      records.push(written.get(`closed ${p}`)!);
    }
    const readers = records.map((bytes) => new NumberReader(bytes, SHAPE, MOST_BYTES));
    const all = readers.map((from) => readFacts(from, models));
    this.#totals.take(readers.filter((from) => from.number(0) === 1));
    const { popularity } = this.#totals;
    const names: ItemNames = this.#totals.names;
    const rounds = loggedRounds(this.#partitions, this.#log.partitions, written, names);
    return (yield* monitor.tickTogether(pane, all, popularity, rounds)).snapshot;
  }

  #readTo(cuts: Cuts): void {
    for (const [p, own] of this.#positions) {
      for (const role of ROLES) {
        own[role] = this.#log.read(this.#ingest, p, role, own[role], cuts[p][role]);
      }
    }
  }
}

/** Of a log in which all is said that snapshots have: settings beside those of the frozen outputs. */
export function logOfAll(
  partitions: number,
  more: Readonly<Record<string, unknown>>,
): PartitionedLog {
  const { events: all, settings } = FROZEN_LOGS['all']!();
  // By day half of it: a tick of half an hour has learned of drift by then.
  const events = all.slice(0, all.length / repetitions(2, 1));
  const { config } = readConfig({
    env: {},
    overrides: {
      ...settings,
      'estimates.draws': 2,
      'popularity.userCap': 40,
      'time.windows': '30m,2h',
      'drift.window': '30m',
      'estimates.feedback': 'caution',
      ...more,
    },
  });
  const given = monitorOptions(config);
  const metric = { metric: 'recall' as const, k: 5 };
  const days = { dayMs: 2 * HOUR_MS, lookMs: HOUR_MS };
  const decision = { metric, margin: 0.05, settings: '', ...days };
  const options = { ...given, decision, drift: { ...given.drift!, metric } };
  const decoding = { ...decoderOptions(config), maxFutureMs: 1e15 };
  return new PartitionedLog(events, partitions, options, decoding);
}

/** A tick of few numbers, with one of every kind. */
export const FEW: Readonly<Record<string, unknown>> = {
  'estimates.metrics': 'recall,mae',
  'estimates.estimators': 'naive,snips,wtd_h',
};

/** Ratings of a window add up by when users came, which the reading of two topics decides. */
export function withoutRatings(snapshot: Snapshot) {
  const isOfRatings = ({ series }: { series: string }) => series.includes('/mae');
  const windows = snapshot.windows.map(({ ratings: _, ...window }) => window);
  const drift = snapshot.drift?.filter((own) => !isOfRatings(own));
  const alarms = snapshot.alarms.filter((own) => !isOfRatings(own));
  return { ...snapshot, windows, drift, alarms };
}
