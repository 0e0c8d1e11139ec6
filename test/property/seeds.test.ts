import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryBroker, partitionOfKey } from '../../src/adapters/memory/broker.js';
import { readSeed } from '../../src/commands/files/read-rows.js';
import { rowSettings, rowsQuery } from '../../src/commands/files/rows-query.js';
import { UnskewError } from '../../src/errors.js';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { Pseudonyms } from '../../src/events/pseudonyms.js';
import { forgottenToo } from '../../src/state/ids/forgotten-users.js';
import { openCheckpoint } from '../../src/stream/checkpoint/checkpoint.js';
import { withoutNames } from '../../src/stream/checkpoint/forget.js';
import { readStored, storedFaults } from '../../src/stream/checkpoint/stored-partition.js';
import type { Seed } from '../../src/stream/files/seed.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { Pipeline } from '../../src/stream/pipeline.js';
import type { Ingest } from '../../src/stream/read/ingest.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { dueWindows, type Snapshot } from '../../src/stream/tick/snapshot.js';
import { mulberry32 } from '../bench/synthetic-log.js';
import { itAtNight } from '../support/at-night.js';
import { differences } from '../support/compare.js';
import { type Event, feed, partitionOf, roleOf, smallOptions } from '../support/log.js';
import { MemoryCheckpointStore } from '../support/memory-checkpoint-store.js';
import { duckdb, writeQuery } from '../support/parquet-file.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';
import { tablesOf, writeLog } from '../support/rows-log.js';

/** Each of what is asked, over one partition and over three. */
const LOGS = 6;
const TICK = 10;
const TOPICS = { exposures: 'e', interactions: 'i' };
const WINDOW = 400;
/** By day half of the past, and horizons that are half as long: it begins before any of them. */
const FROM = repetitions(12_490, 10_000);
const EVENTS = repetitions(2400, 4000);
const HORIZONS = { long: repetitions(2450, 4900), short: repetitions(2250, 4500) };
const TTL = 150;
/** The first tick after it computes all windows. */
const END = 15_090;
const SMALL = smallOptions().estimates;
/** Those by which rows and counts differ: others follow from the same. */
const FEW = { metrics: ['dcg', 'auc'], ks: [2], estimators: ['snips', 'wtd_h'] } as const;
const estimates = { ...SMALL, ...FEW };
const ACTIONS = { view: 0, click: 1, purchase: 5 };

/** Horizons have buckets of three panes and of two; by day of two and of one. */
const SETTINGS: Partial<MonitorOptions> = {
  attributionTtlMs: TTL,
  latenessMs: 0,
  actions: ACTIONS,
  windows: [
    { name: 'short', ms: 50, everyMs: 100 },
    { name: 'long', ms: WINDOW, everyMs: 100 },
  ],
};
const ASKED: readonly Partial<MonitorOptions>[] = [
  { popularity: { horizonMs: HORIZONS.long, of: 'positive' } },
  {
    popularity: {
      horizonMs: HORIZONS.long,
      of: 'positive',
      randomized: 'ignore',
      caused: 'ignore',
    },
  },
  { popularity: { horizonMs: HORIZONS.short, of: 'all', randomized: 'ignore', userCap: 3 } },
];

const KEYED = {
  partitionOf: (key: Uint8Array, count: number) => partitionOf(Buffer.from(key).toString(), count),
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-seeds-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A tick goes on with γ of an older one where it fits none itself: that is in no counts. */
const optionsOf = (n: number) =>
  smallOptions({
    ...SETTINGS,
    gamma: { use: n < 2 ? 'fit' : 1.5, fit: 'ols', default: 2, periodMs: 2410 },
    ...ASKED[n % ASKED.length],
    estimates: {
      ...estimates,
      estimators: IS_LONG ? ['snips', 'wtd_h', 'ips', 'ure'] : ['snips', 'ips'],
    },
  });

/** Events of all kinds in order of time, of which users and items come and go. */
function drawnLog(seed: number): Event[] {
  const random = mulberry32(seed);
  const below = (n: number) => Math.floor(random() * n);
  let ts = FROM;
  return Array.from({ length: EVENTS }, (_, n): Event => {
    ts += 1 + below(2);
    const user = `u${below(12) + Math.floor(n / 560)}`;
    const item = () => `i${Math.floor(random() ** 3 * 40) + Math.floor(n / 1800)}`;
    const isRandomized = random() < 0.15;
    if (random() < 0.4) {
      const items = [...new Set([item(), item(), item(), item()])];
      const model = `m${below(3)}`;
      const shown = random() < 0.8;
      return {
        type: 'exposure',
        id: `e${n}`,
        ts,
        user,
        model,
        items,
        shown,
        randomized: isRandomized,
      };
    }
    const named = random() < 0.3 ? { exposure: `e${Math.max(0, n - below(30))}` } : {};
    return {
      type: 'interaction',
      id: `x${n}`,
      ts,
      user,
      item: item(),
      value: below(3),
      ...named,
      randomized: isRandomized,
      action: ['view', 'click', 'purchase'][below(3)]!,
    };
  });
}

async function seedOf(log: readonly Event[], options: MonitorOptions, name: string) {
  const events = join(folder, `${name}.ndjson`);
  await writeLog(events, log as never);
  await (await duckdb()).run(tablesOf(events));
  const path = join(folder, `${name}.parquet`);
  await writeQuery(path, rowsQuery('duckdb', 'popularity', rowSettings(options)));
  return readSeed(path, options);
}

/**
 * By the end of their panes. Without control variates: items of equal weight are in one decile or the
 * next by the last digit of a sum, and items have other numbers here.
 */
const byEnd = (snapshots: readonly Snapshot[]) =>
  new Map(
    snapshots.map(({ windows, ...snapshot }) => [
      snapshot.paneEnd,
      {
        ...snapshot,
        windows: windows.map(({ controlVariates: _, ...window }) => window),
      },
    ]),
  );

function withDueWindows(snapshot: Snapshot): Snapshot {
  return { ...snapshot, windows: dueWindows(snapshot) };
}

/** Services over one log of three partitions, with what they keep. */
class Group {
  readonly store = new MemoryCheckpointStore();
  readonly told: string[] = [];
  readonly seen: Snapshot[] = [];
  read = 0;
  readonly #broker = new MemoryBroker();
  readonly #writer = this.#broker.producer();
  readonly #options: MonitorOptions;
  readonly #seed: Seed;

  constructor(options: MonitorOptions, seed: Seed) {
    this.#options = options;
    this.#seed = seed;
    for (const topic of Object.values(TOPICS)) this.#broker.createTopic(topic, 3);
  }

  async send(events: readonly Event[]): Promise<void> {
    for (const event of events) {
      const record = { key: event.user, value: encodeEvent(event) };
      await this.#writer.send(TOPICS[roleOf(event)], [record]);
    }
  }

  member(isSeeded = true) {
    const source = this.#broker.source({ topics: TOPICS, group: 'g', batchSize: 16 });
    const seed = {
      read: async () => this.#seed,
      told: (what: string, through?: number) => this.told.push(`${what} ${through}`),
      keys: {
        partitionOf: (key: Uint8Array, count: number) => partitionOfKey(Buffer.from(key), count),
      },
    };
    const { store } = this;
    const pipeline = new Pipeline(source, {
      monitor: this.#options,
      topics: TOPICS,
      start: 'earliest',
      idleMs: 60_000,
      decoder: new Decoder({ maxFutureMs: 1e15, actions: ACTIONS }),
      turns: { now: () => performance.now(), next: () => nextTurn() },
      now: Date.now,
      ...(isSeeded && { seed }),
      checkpoints: { store, everyMs: 1_000_000, written: async () => {}, stopMs: 5_000 },
    });
    const failed = new Promise<never>((_, reject) => pipeline.panes$.subscribe({ error: reject }));
    failed.catch(() => {});
    pipeline.panes$.subscribe({ next: ({ snapshot }) => this.seen.push(snapshot), error() {} });
    pipeline.applied$.subscribe(({ outcomes }) => {
      this.read += outcomes.timed;
    });
    return { pipeline, failed };
  }
}

describe('a service seeded with past counts', () => {
  // By day the service below shows the same of one log.
  for (let n = 0; n < LOGS; n++) {
    itAtNight(`gives the ticks of one that has read the past, log ${n}`, async () => {
      const options = optionsOf(n);
      const log = drawnLog(n + 1);
      const seed = await seedOf(
        log.filter(({ ts }) => Number(ts) < END),
        options,
        `log${n}`,
      );
      expect(seed.through).toBe(END);
      const partitions = 1 + 2 * (n % 2);
      const how = { partitions, batchSize: 16, run: 1, actions: ACTIONS };
      const whole = feed(log, options, how);
      const rest = log.filter(({ ts }) => Number(ts) >= END - WINDOW - TTL);
      const seeded = feed(rest, options, {
        ...how,
        begin: (ingest) =>
          runAtOnce(
            seed.plant(
              Array.from({ length: partitions }, (_, p) => p),
              ingest.seeded(partitions, KEYED),
            ),
          ),
      });
      const wanted = byEnd(whole.snapshots);
      expect(wanted.get(END + TICK)!.propensity.source).toBe(n < 2 ? 'fit' : 'fixed');
      expect(seeded.snapshots[0]!.paneEnd).toBe(END + TICK);
      expect(seeded.snapshots.length).toBeGreaterThan(80);
      for (const [paneEnd, snapshot] of byEnd(seeded.snapshots)) {
        const found = differences(snapshot, wanted.get(paneEnd), 1e-12);
        expect(found.slice(0, 20), `at ${paneEnd}`).toEqual([]);
      }
    });
  }

  it('is seeded again until a checkpoint is saved, and then resumes from it', async () => {
    const options = optionsOf(4);
    const log = drawnLog(9);
    const past = log.filter(({ ts }) => Number(ts) < END);
    const seed = await seedOf(past, options, 'service');
    const rest = log.filter(({ ts }) => Number(ts) >= END - WINDOW - TTL);
    const how = { partitions: 3, batchSize: 64, run: 1, actions: ACTIONS };
    const whole = byEnd(feed(log, options, how).snapshots.map(withDueWindows));
    const group = new Group(options, seed);
    const { seen, told, store } = group;
    const run = async (events: readonly Event[], panes: number) => {
      await group.send(events);
      const known = seen.length + panes;
      const before = group.read;
      const { pipeline, failed } = group.member();
      await pipeline.start();
      while (group.read - before < events.length || seen.length < known) {
        await Promise.race([failed, new Promise((resolve) => setTimeout(resolve, 5))]);
      }
      await pipeline.stop();
    };
    // It is ended before the end of the seed, when nothing is kept, and later.
    const first = rest.findIndex(({ ts }) => Number(ts) >= END - 100);
    const second = rest.length - 100;
    await run(rest.slice(0, first), 0);
    expect(seen).toEqual([]);
    await run(rest.slice(first, second), 30);
    expect(seen[0]!.paneEnd).toBe(END + TICK);
    await run(rest.slice(second), 10);
    expect(told).toEqual([`planted ${END}`, `planted ${END}`, 'kept undefined']);
    // After a restart windows stand that were computed early, until they are due.
    let due = 0;
    for (const [paneEnd, snapshot] of byEnd(seen.map(withDueWindows))) {
      due += snapshot.windows.length;
      expect(
        differences(snapshot, whole.get(paneEnd), 1e-12).slice(0, 20),
        `at ${paneEnd}`,
      ).toEqual([]);
    }
    expect(due).toBeGreaterThan(6);
    expect(seen.at(-1)!.paneEnd).toBeGreaterThan(END + 300);
    for (const each of [0, 1, 2]) {
      for await (const bytes of store.load(each)) {
        expect(storedFaults(runAtOnce(readStored(runAtOnce(openCheckpoint(bytes)))))).toEqual([]);
      }
    }
  });
});

/** Within the past, where a stretch of every horizon ends, and the time of a cap. */
const CUT = 13_200;
const KEYS = [
  { key: 'the first key of users, of 32 characters', fromMs: Number.NEGATIVE_INFINITY },
  { key: 'the second key of users, of 32 characters', fromMs: CUT },
];
const LIMITS = { rows: 60, listEntries: 200, users: 6 };

function withoutNamed(event: Event): Event {
  if (event.type === 'exposure') return event;
  const { exposure: _, ...unnamed } = event;
  return unnamed;
}

describe('the users of a seed', () => {
  const few = { ...estimates, estimators: ['snips', 'wtd_h'] as const, metrics: ['dcg'] as const };
  const asked = { ...optionsOf(2), estimates: few };
  const cases = [
    { name: 'pseudonyms', of: { pseudonyms: KEYS }, areRenamed: false },
    { name: 'pseudonyms written by the intake', of: { pseudonyms: KEYS }, areRenamed: true },
    {
      name: 'a sample of pseudonyms written by the intake',
      of: { limits: LIMITS, pseudonyms: KEYS },
      areRenamed: true,
    },
  ];
  // In the short form the last, which has all that the others have.
  it.each(IS_LONG ? cases : cases.slice(-1))(
    'give the ticks of the log: $name',
    async ({ of, areRenamed }) => {
      const options = { ...asked, ...of };
      // An engine that knows no pseudonyms looks up lists from before the second key, which no service does.
      const apart = drawnLog(5).filter(({ ts }) => Number(ts) < CUT - TTL || Number(ts) >= CUT);
      // Of who is sampled out, no service knows that a list was drawn which they name.
      const log = of.limits ? apart.map(withoutNamed) : apart;
      const seed = await seedOf(
        log.filter(({ ts }) => Number(ts) < END),
        options,
        'users',
      );
      const pseudonyms = new Pseudonyms(KEYS);
      const renamed = (event: Event): Event =>
        areRenamed ? { ...event, user: pseudonyms.of(event.user, Number(event.ts)) } : event;
      const how = { partitions: 3, batchSize: 16, run: 1, actions: ACTIONS };
      const whole = feed(log.map(renamed), options, how);
      const rest = log.filter(({ ts }) => Number(ts) >= END - WINDOW - TTL).map(renamed);
      const planted = (ingest: Ingest) =>
        seed.plant([0, 1, 2], ingest.seeded(3, { ...KEYED, arePseudonyms: areRenamed }));
      const seeded = feed(rest, options, { ...how, begin: (ingest) => runAtOnce(planted(ingest)) });
      const wanted = byEnd(whole.snapshots);
      expect(seeded.snapshots.length).toBeGreaterThan(80);
      if (of.limits) expect(whole.sampledOut).toBeGreaterThan(0);
      for (const [paneEnd, snapshot] of byEnd(seeded.snapshots)) {
        const found = differences(snapshot, wanted.get(paneEnd), 1e-12);
        expect(found.slice(0, 20), `at ${paneEnd}`).toEqual([]);
      }
    },
  );

  it('exclude forgotten users when lost state is seeded again', async () => {
    const log = drawnLog(5).map((event) => ({ ...event, user: `name of ${event.user}` }));
    const past = log.filter(({ ts }) => Number(ts) < END);
    const seed = await seedOf(past, asked, 'forgotten');
    const rest = log.filter(({ ts }) => Number(ts) >= END - WINDOW - TTL);
    const group = new Group(asked, seed);
    const { seen, store, told } = group;
    const run = async (events: readonly Event[], refused = '') => {
      await group.send(events);
      const known = seen.length + 1;
      const before = group.read;
      const taken = events.filter(({ user }) => user !== refused).length;
      const { pipeline, failed } = group.member();
      await pipeline.start();
      while (group.read - before < taken || seen.length < known) {
        await Promise.race([failed, new Promise((resolve) => setTimeout(resolve, 5))]);
      }
      await pipeline.stop();
    };
    const half = Math.floor(rest.length / 2);
    await run(rest.slice(0, half));
    const names = past.map(({ user }) => user).filter((user) => partitionOfKey(user, 3) === 1);
    const name = names.at(-1)!;
    const isHeld = async () => {
      for await (const bytes of store.load(1)) if (Buffer.from(bytes).includes(name)) return true;
      return false;
    };
    expect(await isHeld()).toBe(true);
    const forgotten = forgottenToo([name], { salt: 'salt', users: [] });
    for (const each of [0, 1, 2]) {
      const { value } = await store.load(each)[Symbol.asyncIterator]().next();
      const letters = (count: number) => 'x'.repeat(count);
      const { chunks } = runAtOnce(withoutNames(value, [name], forgotten, letters));
      await store.replace(each, await store.takeEpoch(each), chunks);
    }
    expect(await isHeld()).toBe(false);
    store.lose(1);
    await run(rest.slice(half), name);
    expect(told).toEqual([`planted ${END}`, `planted ${END}`]);
    expect(await isHeld()).toBe(false);
  });
});

describe('a seed that would be counted twice or in part', () => {
  const options = optionsOf(4);
  const log = drawnLog(3).slice(0, 600);
  let seed: Seed;
  beforeAll(async () => {
    seed = await seedOf(log, options, 'part');
  });

  it('is not used if other workers went on without it', async () => {
    const group = new Group(options, seed);
    await group.send(log);
    const { pipeline } = group.member(false);
    await pipeline.start();
    while (group.seen.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
    await pipeline.stop();
    group.store.lose(1);
    const again = group.member();
    await again.pipeline.start();
    expect(group.told).toEqual(['others undefined']);
    await again.pipeline.stop();
  });

  it('is rejected if a process reads only some of the partitions', async () => {
    const group = new Group(options, seed);
    const members = [group.member(false), group.member()];
    await members[0]!.pipeline.start();
    const refusal = Promise.race([members[1]!.pipeline.start(), members[1]!.failed]);
    await expect(refusal).rejects.toThrow(
      '--popularity-from: this process reads only some of the partitions. Start it alone, and start other processes once its state is saved',
    );
    for (const { pipeline } of members) await pipeline.stop();
  });
});

describe('a file with past counts', () => {
  const options = optionsOf(0);
  const refused = async (query: string, now = options) => {
    const path = join(folder, 'refused.parquet');
    await writeQuery(path, query);
    const error = await readSeed(path, now).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(UnskewError);
    return (error as Error).message.replace(path, 'FILE');
  };
  const made = () => rowsQuery('duckdb', 'popularity', rowSettings(options));

  it('is rejected in one line if it is invalid', async () => {
    const events = join(folder, 'sound.ndjson');
    await writeLog(events, drawnLog(1).slice(0, 200) as never);
    await (await duckdb()).run(tablesOf(events));
    const good = join(folder, 'good.parquet');
    await writeQuery(good, made());
    expect((await readSeed(good, options)).through).toBeGreaterThan(10_000);
    const other = { ...options, positiveMinValue: 2, tickMs: 20 };
    expect(await refused(made(), other)).toBe(
      'cannot use FILE: it was made with time.tick 10, but the configuration has 20: make it with unskew sql --kind popularity',
    );
    const changed = (column: string, value: string, where = "measure = 'interactions'") =>
      `select * replace (case when ${where} then ${value} else ${column} end as ${column}) from '${good}'`;
    expect(await refused(changed('n', '-3'))).toMatch(/^cannot read FILE: row \d+: n is -3$/);
    expect(await refused(changed('n', '3000000000'))).toMatch(/: n is 3000000000$/);
    expect(await refused(changed('n', '2000000000'))).toMatch(
      /: there are more interactions than 2147483647$/,
    );
    expect(await refused(changed('n', '1.5'))).toMatch(/: n is not a whole number$/);
    expect(await refused(changed('until', 'until + 1'))).toMatch(
      /^cannot use FILE: counts until \d+ end within no pane/,
    );
    expect(await refused(changed('until', 'null'))).toMatch(/: until is not a whole number$/);
    expect(await refused(changed('item', "''"))).toMatch(/: item is not an id$/);
    expect(await refused(changed('measure', "'x'"))).toMatch(/: measure "x" is not known$/);
    expect(await refused(`select * from '${good}' where measure <> 'through_ts'`)).toMatch(
      /it does not state the time at which its counts end/,
    );
    expect(await refused(`select * from '${good}' where measure <> 'setting'`)).toMatch(
      /it does not state the settings/,
    );
    expect(await refused(`select 1 as n`)).toMatch(
      /^cannot read FILE: it is not the popularity table of unskew\/rows@1; /,
    );
    const few = { ...options, maxModels: 1 };
    expect(await refused(made(), few)).toMatch(/there are more models than models.max \(1\)$/);
    const bytes = await readFile(good);
    for (const length of [0, 3, 100, bytes.length - 9, bytes.length - 1]) {
      const path = join(folder, 'cut.parquet');
      await writeFile(path, bytes.subarray(0, length));
      const error: Error = await readSeed(path, options).then(
        () => new Error('it was read'),
        (thrown) => thrown,
      );
      expect(error.message).toMatch(/^cannot (read|use) .*cut\.parquet: [^\n]+$/);
    }
  });
});
