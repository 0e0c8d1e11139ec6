import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { MemoryBroker } from '../../src/adapters/memory/broker.js';
import { encodeEvent } from '../../src/events/encode.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import type { LostPane } from '../../src/stream/panes/fold.js';
import { Pipeline } from '../../src/stream/pipeline.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { type Leadership, TickFlow } from '../../src/stream/tick-flow.js';
import { type Event, partitionOf, quickDecoder, roleOf } from './log.js';
import { MemoryCheckpointStore } from './memory-checkpoint-store.js';
import { MemoryPanesLog } from './memory-panes-log.js';

export const TOPICS = { exposures: 'e', interactions: 'i' };
const RULES = 'test';
/** Longer than it takes until all is read that there is: what is silent closes by the clock. */
const IDLE_MS = 1500;

interface Tickers {
  readonly flow: TickFlow;
  readonly snapshots: Snapshot[];
}

/** Who leads is said by the test. */
export class ToldLeadership implements Leadership {
  #changed = () => {};

  readonly trouble = undefined;

  constructor(public isLeader: boolean) {}

  async start(changed: () => void): Promise<void> {
    this.#changed = changed;
  }

  lead(isLeader: boolean): void {
    this.isLeader = isLeader;
    this.#changed();
  }

  async stop(): Promise<void> {}
}

/** Readers and tickers over one broker, one panes topic and their stores. */
export class PanesGroup {
  readonly broker = new MemoryBroker();
  readonly panes: MemoryPanesLog;
  readonly readStore = new MemoryCheckpointStore();
  readonly tickStore = new MemoryCheckpointStore();
  readonly readers: Pipeline[] = [];
  readonly tickers: Tickers[] = [];
  /** Of readers that tick alone. */
  readonly alone: Snapshot[] = [];
  readonly lost: LostPane[] = [];
  readonly failures: unknown[] = [];
  #partitions: number;
  readonly #options: MonitorOptions;

  constructor(partitions: number, options: MonitorOptions) {
    this.#partitions = partitions;
    this.#options = options;
    for (const topic of Object.values(TOPICS)) this.broker.createTopic(topic, partitions);
    this.panes = new MemoryPanesLog(() => this.broker.logs(TOPICS.exposures).length);
  }

  async produce(events: readonly Event[]): Promise<void> {
    const producer = this.broker.producer();
    for (const event of events) {
      const partition = partitionOf(event.user, this.#partitions);
      const record = { key: null, value: encodeEvent(event), partition };
      await producer.send(TOPICS[roleOf(event)], [record]);
    }
  }

  /** The topics get more partitions, which readers hear of when their group changes next. */
  extend(partitions: number): void {
    const more = partitions - this.#partitions;
    for (const topic of Object.values(TOPICS)) this.broker.addPartitions(topic, more);
    this.#partitions = partitions;
  }

  /** @param group consumer group: two groups read the same partitions and know nothing of each other */
  async addReader(group = 'g', isAlone = false): Promise<Pipeline> {
    const source = this.broker.source({ topics: TOPICS, group, batchSize: 7 });
    const reader = new Pipeline(source, {
      ...this.#common(this.readStore),
      decoder: quickDecoder(),
      start: 'earliest',
      idleMs: IDLE_MS,
      panes: isAlone ? undefined : { log: this.panes, rules: RULES },
    });
    this.#watch(reader);
    reader.ticks$.subscribe(({ snapshot }) => this.alone.push(snapshot));
    this.readers.push(reader);
    await reader.start();
    return reader;
  }

  async addTicker(leadership?: Leadership, store = this.tickStore): Promise<Tickers> {
    const flow = new TickFlow({
      ...this.#common(store),
      log: this.panes,
      leadership,
      rules: RULES,
      former: this.readStore,
    });
    const ticker: Tickers = { flow, snapshots: [] };
    flow.ticks$.subscribe(({ snapshot }) => ticker.snapshots.push(snapshot));
    this.#watch(flow);
    this.tickers.push(ticker);
    await flow.start();
    return ticker;
  }

  /** Lets no record of panes be written until what it returns is called. */
  holdRecords(): () => void {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    for (let partition = 0; partition < this.#partitions; partition++) {
      const log = this.panes.of(partition);
      const append = log.append.bind(log);
      log.append = async (bytes, pane) => {
        await released;
        await append(bytes, pane);
      };
    }
    return release;
  }

  /** Resolves when each of these has given the pane of the newest event, and a little later. */
  async settled(events: readonly Event[], ticker = this.tickers): Promise<void> {
    const last = lastPaneEnd(events, this.#options);
    while (!ticker.every(({ snapshots }) => snapshots.some(({ paneEnd }) => paneEnd >= last))) {
      if (this.failures.length > 0) throw this.failures[0];
      await sleep(10);
    }
    await sleep(100);
  }

  async stop(): Promise<void> {
    await Promise.all(this.readers.map((reader) => reader.stop()));
    await Promise.all(this.tickers.map(({ flow }) => flow.stop()));
  }

  #common(store: MemoryCheckpointStore) {
    return {
      monitor: this.#options,
      topics: TOPICS,
      turns: { now: () => performance.now(), next: () => nextTurn() },
      now: Date.now,
      checkpoints: { store, everyMs: 50, stopMs: 10_000, written: async () => {} },
    };
  }

  #watch(flow: Pick<Pipeline, 'panes$' | 'lostPanes$'>): void {
    flow.panes$.subscribe({ error: (error) => this.failures.push(error) });
    flow.lostPanes$.subscribe((lost) => this.lost.push(lost));
  }
}

export function lastPaneEnd(events: readonly Event[], { tickMs }: MonitorOptions): number {
  const newest = Math.max(...events.map(({ ts }) => ts as number));
  return (Math.floor(newest / tickMs) + 1) * tickMs;
}
