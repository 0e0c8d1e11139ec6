import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisCheckpointStore } from '../../src/adapters/redis/checkpoint-store.js';
import { World } from './chaos.js';
import { writeClosing } from './closing-records.js';
import { linesOf, series, type WindowLine } from './estimate-lines.js';
import { THREE_ESTIMATES } from './few-estimates.js';
import { type KeptRows, keptRows, keptThrough } from './kept-rows.js';
import { eventually } from './program.js';
import { repetitions } from './repetitions.js';
import { TestTopics } from './topics.js';

const PARTITIONS = 3;
const PLAN = { partitions: PARTITIONS, users: 60, cycles: repetitions(2, 3), seed: 21 };
const TICK_MS = repetitions(600_000, 300_000);
const LATENESS_MS = 10_000;
const PIECES = 12;
/** A machine that is busy may take as long. */
const PATIENCE_MS = 600_000;
const SETTINGS = {
  UNSKEW_TIME_TICK: `${TICK_MS}ms`,
  UNSKEW_TIME_LATENESS: `${LATENESS_MS}ms`,
  // All rows and lists of the log are there in the end.
  UNSKEW_TIME_WINDOWS: '10m,12h',
  UNSKEW_ATTRIBUTION_TTL: '12h',
  UNSKEW_POPULARITY_HORIZON: '12h',
  // Longer than a test: its events are old, and silence would close their panes.
  UNSKEW_TIME_IDLE: '10m',
  ...THREE_ESTIMATES,
};

/** What a process made of a log. */
export interface Made {
  readonly lines: readonly WindowLine[];
  readonly kept: KeptRows;
}

interface Twin {
  readonly topics: TestTopics;
  readonly world: World;
  readonly redisUrl: string;
}

/**
 * The same events in two logs: something happens to one of them or to where the process that reads
 * it keeps its state, and nothing to the other.
 */
export class TwinLogs {
  readonly rough: Twin;
  readonly calm: Twin;
  readonly #folder: string;
  readonly #pieces: readonly string[];
  #written = 0;
  #events = 0;

  private constructor(
    folder: string,
    twins: { readonly rough: Twin; readonly calm: Twin },
    pieces: readonly string[],
  ) {
    this.#folder = folder;
    this.rough = twins.rough;
    this.calm = twins.calm;
    this.#pieces = pieces;
  }

  /** @param redisUrl of the one that something happens to, and of the other */
  static async start(
    brokers: string,
    redisUrl: { readonly rough: string; readonly calm: string },
  ): Promise<TwinLogs> {
    const folder = await mkdtemp(join(tmpdir(), 'unskew-twins-'));
    const twin = async (url: string): Promise<Twin> => {
      const topics = await TestTopics.create(brokers, PARTITIONS);
      return { topics, redisUrl: url, world: new World(PLAN, folder, topics, url, SETTINGS) };
    };
    const both = { rough: await twin(redisUrl.rough), calm: await twin(redisUrl.calm) };
    const pieces = await inPieces(folder, await both.calm.world.simulate());
    return new TwinLogs(folder, both, pieces);
  }

  async stop(): Promise<void> {
    for (const { world, topics } of [this.rough, this.calm]) {
      await world.endAll();
      await topics.delete();
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Where the process that something happens to keeps its state. */
  get namespace(): string {
    return `${this.rough.topics.name}.rough`;
  }

  async addWorker(): Promise<void> {
    await this.rough.world.addAlone('rough');
  }

  /** After a broker has lost records. */
  async renewProducers(): Promise<void> {
    for (const { topics } of [this.rough, this.calm]) await topics.renewProducer();
  }

  async writeFirstHalf(): Promise<void> {
    await this.writeNext(PIECES / 2);
  }

  /** Writes the next pieces of the log to both. */
  async writeNext(pieces: number): Promise<void> {
    for (const piece of this.#pieces.slice(this.#written, this.#written + pieces)) {
      this.#events += await this.rough.world.write([piece]);
      await this.calm.world.write([piece]);
      this.#written++;
    }
  }

  /** Waits until all that was written is read, and kept with the state. */
  async allKept(): Promise<void> {
    await eventually(
      `${this.#events} records in the checkpoints`,
      async () => total(await this.rough.world.accounts('rough')),
      (records) => records >= this.#events,
      PATIENCE_MS,
    );
  }

  /** Writes what is left, and what closes the last pane. */
  async writeSecondHalf(): Promise<void> {
    await this.writeNext(PIECES);
    const how = { partitions: PARTITIONS, latenessMs: LATENESS_MS, tickMs: TICK_MS };
    for (const { topics, world } of [this.rough, this.calm]) {
      const closing = await writeClosing(topics, world.newestMs, how);
      if (topics === this.rough.topics) this.#events += closing;
    }
  }

  /** What became of both, once the last windows are there. */
  async made(): Promise<{ readonly found: Made; readonly wanted: Made }> {
    await this.calm.world.addAlone('calm');
    const wanted = await this.#madeOf(this.calm, 'calm');
    return { found: await this.#madeOf(this.rough, 'rough'), wanted };
  }

  async #madeOf(twin: Twin, group: string): Promise<Made> {
    const { world, topics, redisUrl } = twin;
    await world.settled(group, this.#events);
    const store = new RedisCheckpointStore({ url: redisUrl, namespace: `${topics.name}.${group}` });
    try {
      const last = Math.floor(world.newestMs / TICK_MS);
      const lines = series(await linesOf(world.paths(group)));
      await eventually(
        'the last pane in the checkpoints',
        () => keptThrough(store, PARTITIONS),
        (closed) => closed >= last,
      );
      const kept = await keptRows(store, PARTITIONS);
      return { lines: lines.filter(({ window }) => window.to <= (last + 1) * TICK_MS), kept };
    } finally {
      await store.close();
    }
  }
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, n) => sum + n, 0);

/** The events of these files in as many files as are written one after the other. */
async function inPieces(folder: string, files: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for (const file of files) lines.push(...(await readFile(file, 'utf8')).trimEnd().split('\n'));
  const length = Math.ceil(lines.length / PIECES);
  const paths: string[] = [];
  for (let n = 0; n < PIECES; n++) {
    const path = join(folder, `piece-${n}.ndjson`);
    await writeFile(path, `${lines.slice(n * length, (n + 1) * length).join('\n')}\n`);
    paths.push(path);
  }
  return paths;
}
