import { UnskewError } from '../../../src/errors.js';
import type { MonitorOptions } from '../../../src/stream/options.js';
import { Pipeline } from '../../../src/stream/pipeline.js';
import type { SumsLog } from '../../../src/stream/ports.js';
import type { Snapshot } from '../../../src/stream/snapshot.js';
import { quickDecoder } from '../log.js';
import { Consumer } from './consumer.js';
import type { GroupBroker } from './group-broker.js';
import { Cable, Gate } from './link.js';
import type { SharedStore } from './shared-store.js';

/** Where all workers write, as a file that outlives them. */
export interface Given {
  readonly snapshot: Snapshot;
  readonly at: number;
}

interface WorkerOptions {
  readonly name: string;
  readonly monitor: MonitorOptions;
  readonly idleMs: number;
  readonly everyMs: number;
  readonly broker: GroupBroker;
  readonly store: SharedStore;
  readonly sums: SumsLog;
  readonly random: () => number;
  readonly given: Given[];
  readonly failed: (error: unknown) => void;
}

/** How far ahead of the log a clock may be, ms. */
export const MAX_FUTURE_MS = 60_000;

/** How long a pane may take to be written, ms. */
const LONGEST_WRITE_MS = 200;

/** One process: it ends in the middle of whatever it does, or is asked to end. */
export class ModelWorker {
  readonly name: string;
  /** How far its clock is off, ms. */
  clockOff = 0;
  readonly toBroker: Cable;
  readonly toStore: Cable;
  readonly #options: WorkerOptions;
  readonly #pipeline: Pipeline;
  readonly #awake = new Gate();
  #writing: Promise<void> = Promise.resolve();
  #isDead = false;
  #isAsked = false;

  constructor(options: WorkerOptions) {
    const { name, monitor, idleMs, everyMs, broker, store, random } = options;
    this.name = name;
    this.#options = options;
    this.toBroker = new Cable(random);
    this.toStore = new Cable(random);
    this.#pipeline = new Pipeline(new Consumer(name, broker, this.toBroker), {
      monitor,
      idleMs,
      maxFutureMs: MAX_FUTURE_MS,
      start: 'earliest',
      decoder: quickDecoder(MAX_FUTURE_MS),
      topics: { exposures: 'e', interactions: 'i' },
      turns: { now: () => performance.now(), next: async () => {} },
      now: () => Date.now() + this.clockOff,
      sums: { log: options.sums, rules: 'all' },
      checkpoints: {
        store: store.connect(this.toStore),
        everyMs,
        stopMs: 2_000,
        written: () => this.#writing,
      },
    });
    this.#pipeline.checkpointer!.events$.subscribe((event) => {
      if (!this.#isDead) store.checkpoints.hear(event);
    });
    this.#pipeline.applied$.subscribe(({ outcomes: { unaccounted } }) => {
      if (unaccounted !== 0) options.failed(new Error(`${unaccounted} events without an outcome`));
    });
    this.#pipeline.panes$.subscribe({
      next: ({ snapshot }) => this.#write(snapshot),
      error: (error) => !this.#isDead && options.failed(error),
    });
  }

  async start(): Promise<void> {
    try {
      await this.#pipeline.start();
    } catch (error) {
      // Asked to leave while it waited for what is kept, it has nothing to wait for any more.
      if (!(this.#isAsked && error instanceof UnskewError && error.code === 'INTERRUPTED')) {
        throw error;
      }
    }
  }

  stop(): Promise<void> {
    this.#isAsked = true;
    return this.#pipeline.stop();
  }

  /** What it has waited for too long, it gives up. */
  look(): void {
    this.toBroker.look();
    this.toStore.look();
  }

  /** Nothing of it is heard any more. */
  kill(): void {
    this.#isDead = true;
    this.toBroker.die();
    this.toStore.die();
  }

  /** It stands still; @returns what wakes it up */
  pause(): () => void {
    const ends = [this.toBroker.cut('both'), this.toStore.cut('both'), this.#awake.close()];
    return () => {
      for (const end of ends) end();
    };
  }

  #write(snapshot: Snapshot): void {
    const { random, given } = this.#options;
    this.#writing = this.#writing.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_WRITE_MS));
      await this.#awake.pass();
      if (this.#isDead) await new Promise(() => {});
      given.push({ snapshot, at: Date.now() });
    });
  }
}
