import { UnskewError } from '../../../src/errors.js';
import type { Flow } from '../../../src/stream/flow.js';
import type { MonitorOptions } from '../../../src/stream/options.js';
import { Pipeline } from '../../../src/stream/pipeline.js';
import type { PanePartitionLog, PanesLog } from '../../../src/stream/ports.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { TickFlow } from '../../../src/stream/tick-flow.js';
import { quickDecoder } from '../log.js';
import { Consumer } from './consumer.js';
import type { GroupBroker } from './group-broker.js';
import { Cable, Gate, Link } from './link.js';
import type { SharedStore } from './shared-store.js';

/** Where the process that ticks writes, as a file that outlives it. */
export interface Given {
  readonly snapshot: Snapshot;
  readonly at: number;
}

interface ProcessOptions {
  readonly monitor: MonitorOptions;
  readonly everyMs: number;
  readonly panes: PanesLog;
  readonly store: SharedStore;
  readonly random: () => number;
  readonly failed: (error: unknown) => void;
}

interface ReaderOptions extends ProcessOptions {
  readonly name: string;
  readonly idleMs: number;
  readonly broker: GroupBroker;
}

interface TickerOptions extends ProcessOptions {
  readonly given: Given[];
}

const TOPICS = { exposures: 'e', interactions: 'i' };
const RULES = 'model';

/** How far ahead of the log a clock may be, ms. */
export const MAX_FUTURE_MS = 60_000;

/** How long a request of the panes topic may take, ms. */
const REQUEST_MS = 4_000;
/** How long a pane may take to be written, ms. */
const LONGEST_WRITE_MS = 200;

/** One process: it ends in the middle of whatever it does, or is asked to end. */
export abstract class ModelProcess {
  /** How far its clock is off, ms. */
  clockOff = 0;
  readonly toBroker: Cable;
  readonly toStore: Cable;
  protected readonly awake = new Gate();
  protected isDead = false;
  #isAsked = false;
  readonly #options: ProcessOptions;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.toBroker = new Cable(options.random);
    this.toStore = new Cable(options.random);
  }

  protected abstract get flow(): Flow;

  protected get common() {
    const { monitor, everyMs, store } = this.#options;
    return {
      monitor,
      topics: TOPICS,
      turns: { now: () => performance.now(), next: async () => {} },
      now: () => Date.now() + this.clockOff,
      checkpoints: {
        store: store.connect(this.toStore),
        everyMs,
        stopMs: 2_000,
        written: () => this.written,
      },
    };
  }

  /** The panes topic by way of its own cable. */
  protected get panes(): PanesLog {
    return panesThrough(this.toBroker, this.#options.panes);
  }

  /** Resolves when what it gave is written. */
  protected get written(): Promise<void> {
    return Promise.resolve();
  }

  protected watch(): void {
    const { store, failed } = this.#options;
    this.flow.checkpointer!.events$.subscribe((event) => {
      if (!this.isDead) store.checkpoints.hear(event);
    });
    this.flow.applied$.subscribe(({ outcomes: { unaccounted } }) => {
      if (unaccounted !== 0) failed(new Error(`${unaccounted} events without an outcome`));
    });
    this.flow.panes$.subscribe({ error: (error) => !this.isDead && failed(error) });
    this.flow.lostPanes$.subscribe((lost) => {
      if (!this.isDead)
        failed(
          new Error(
            `a pane is reported as lost by ${this.constructor.name} at ${Date.now()}: ${JSON.stringify(lost)}`,
          ),
        );
    });
  }

  async start(): Promise<void> {
    try {
      await this.flow.start();
    } catch (error) {
      // Asked to leave while it waited for what is kept, it has nothing to wait for any more.
      if (!(this.#isAsked && error instanceof UnskewError && error.code === 'INTERRUPTED')) {
        throw error;
      }
    }
  }

  stop(): Promise<void> {
    this.#isAsked = true;
    return this.flow.stop();
  }

  /** What it has waited for too long, it gives up. */
  look(): void {
    this.toBroker.look();
    this.toStore.look();
  }

  /** Nothing of it is heard any more. */
  kill(): void {
    this.isDead = true;
    this.toBroker.die();
    this.toStore.die();
  }

  /** It stands still; @returns what wakes it up */
  pause(): () => void {
    const ends = [this.toBroker.cut('both'), this.toStore.cut('both'), this.awake.close()];
    return () => {
      for (const end of ends) end();
    };
  }
}

/** One that reads events and closes panes. */
export class ModelReader extends ModelProcess {
  protected readonly flow: Pipeline;

  constructor(options: ReaderOptions) {
    super(options);
    const { name, idleMs, broker } = options;
    this.flow = new Pipeline(new Consumer(name, broker, this.toBroker), {
      ...this.common,
      idleMs,
      maxFutureMs: MAX_FUTURE_MS,
      start: 'earliest',
      decoder: quickDecoder(MAX_FUTURE_MS),
      panes: { log: this.panes, rules: RULES },
    });
    this.watch();
  }
}

/** One that ticks. */
export class ModelTicker extends ModelProcess {
  protected readonly flow: TickFlow;
  readonly #options: TickerOptions;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: TickerOptions) {
    super(options);
    this.#options = options;
    this.flow = new TickFlow({
      ...this.common,
      log: this.panes,
      leadership: undefined,
      rules: RULES,
    });
    this.watch();
    this.flow.ticks$.subscribe(({ snapshot }) => this.#write(snapshot));
  }

  protected override get written(): Promise<void> {
    return this.#writing;
  }

  #write(snapshot: Snapshot): void {
    const { random, given } = this.#options;
    this.#writing = this.#writing.then(async () => {
      await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_WRITE_MS));
      await this.awake.pass();
      if (this.isDead) await new Promise(() => {});
      given.push({ snapshot, at: Date.now() });
    });
  }
}

function panesThrough(cable: Cable, log: PanesLog): PanesLog {
  const ask = async <T>(link: Link, call: () => Promise<T>): Promise<T> => {
    try {
      return await link.ask(call);
    } catch (cause) {
      throw new UnskewError('BROKER', `${cause}`, { cause });
    }
  };
  const admin = new Link(cable, REQUEST_MS);
  const producer = new Link(cable, REQUEST_MS);
  const made = new Map<number, PanePartitionLog>();
  const connect = (partition: number): PanePartitionLog => {
    const own = log.of(partition);
    const fetch = new Link(cable, REQUEST_MS);
    return {
      append: (record, pane) => ask(producer, () => own.append(record, pane)),
      read: (from, waitMs) => ask(fetch, () => own.read(from, waitMs)),
      get lookedTo() {
        return own.lookedTo;
      },
      ends: () => ask(admin, () => own.ends()),
      newestPane: () => ask(admin, () => own.newestPane()),
    };
  };
  return {
    open: () => log.open(),
    of: (partition) => {
      const known = made.get(partition) ?? connect(partition);
      made.set(partition, known);
      return known;
    },
    close: async () => {},
  };
}
