import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MonitorOptions } from '../../src/stream/options.js';
import { Pipeline } from '../../src/stream/pipeline.js';
import type { CheckpointStore, LogSource } from '../../src/stream/ports.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import type { KafkaHarness } from '../contract/kafka-harness.js';
import { quickDecoder, quickOptions } from './log.js';

export const IDLE_MS = 400;
/** Shorter than any cut that is as long as `idle`: what silence passes over is late. */
const LATENESS_MS = 200;
/** Longer than any test: its rows and lists are all there in the end. */
const KEPT_MS = 1_800_000;
const QUICK = quickOptions();
export const OPTIONS = quickOptions({
  tickMs: 500,
  windows: [
    { name: 'short', ms: 2_000 },
    { name: 'all', ms: KEPT_MS },
  ],
  latenessMs: LATENESS_MS,
  dedupeTtlMs: 60_000,
  attributionTtlMs: KEPT_MS,
  popularity: { horizonMs: KEPT_MS, of: 'positive' },
  gamma: { use: 2, fit: 'ols', default: 2, periodMs: 60_000 },
  estimates: { ...QUICK.estimates, estimators: ['naive', 'snips'] },
});

/** One worker of a group, with connections of its own. */
export interface Connections {
  readonly source: LogSource;
  readonly store: CheckpointStore;
}

/** Workers of one group in this process, and what they give. */
export class PipelineGroup {
  readonly snapshots: Snapshot[] = [];
  readonly #harness: KafkaHarness;
  readonly #now: () => number;
  /** By topic-partition: what is read next. */
  readonly #next = new Map<string, number>();

  constructor(harness: KafkaHarness, now: () => number) {
    this.#harness = harness;
    this.#now = now;
  }

  async add({ source, store }: Connections, monitor: MonitorOptions = OPTIONS): Promise<Pipeline> {
    const pipeline = new Pipeline(source, {
      monitor,
      decoder: quickDecoder(600_000),
      topics: this.#harness.options.topics,
      start: 'earliest',
      idleMs: IDLE_MS,
      turns: { now: () => performance.now(), next: () => nextTurn() },
      now: this.#now,
      checkpoints: {
        store,
        everyMs: 300,
        stopMs: 5_000,
        written: async () => {},
      },
    });
    pipeline.panes$.subscribe(({ snapshot }) => this.snapshots.push(snapshot));
    pipeline.applied$.subscribe(({ role, partition, nextOffset }) => {
      const key = `${role}/${partition}`;
      this.#next.set(key, Math.max(nextOffset, this.#next.get(key) ?? 0));
    });
    await pipeline.start();
    return pipeline;
  }

  get read(): number {
    return [...this.#next.values()].reduce((sum, next) => sum + next, 0);
  }

  /** How many panes there are by now. */
  get panes(): number {
    return new Set(this.snapshots.map(({ paneEnd }) => paneEnd)).size;
  }
}
