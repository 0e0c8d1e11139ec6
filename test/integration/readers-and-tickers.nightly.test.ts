import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { startOwnRedis } from '../../deploy/services.mjs';
import { partitionOfKey } from '../../src/adapters/kafka/writer.js';
import { World } from '../support/chaos.js';
import { writeClosing } from '../support/closing-records.js';
import { differences } from '../support/compare.js';
import { linesOf, series, withoutReading } from '../support/estimate-lines.js';
import { eventually, type RunningService } from '../support/program.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { redisUrl } from '../support/shared/redis.js';
import { TestTopics } from '../support/topics.js';

// Readers and tickers give the numbers of one process that nothing happens to, whatever happens to
// them while their log is written.

const PLAN = { partitions: 6, users: 80, cycles: 3, seed: 17 };
const TICK_MS = 300_000;
const LATENESS_MS = 10_000;
const SETTINGS = {
  UNSKEW_TIME_TICK: `${TICK_MS}ms`,
  // Longer than a test: panes close by what comes after them, and not by silence.
  UNSKEW_TIME_IDLE: '20m',
  UNSKEW_KAFKA_SESSION_TIMEOUT: '6s',
};
const PIECES = 10;
const GROUP = 'rough';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** What a test may do while the log is written. */
interface Rough {
  readonly world: World;
  readonly topics: TestTopics;
  /** Writes the next pieces of the log. */
  writeNext(pieces: number): Promise<void>;
  /** Wait until all panes with written events are ticked, except the open ones. */
  allTicked(): Promise<void>;
}

async function expectSame(
  happens: (rough: Rough) => Promise<void>,
  { tickers = 1, redis = redisUrl, losesRows = false } = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-roles-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const topics = await TestTopics.create(kafkaBrokers, PLAN.partitions);
  cleanups.push(() => topics.delete());
  const world = new World(PLAN, folder, topics, redis, SETTINGS);
  cleanups.push(() => world.endAll());
  const pieces = await inPieces(folder, await world.simulate());
  let written = 0;
  let records = 0;
  const newest = new Map<string, number>();
  const writeNext = async (count: number) => {
    const due = pieces.slice(written, written + count);
    written += due.length;
    for (const piece of due) {
      records += await world.write([piece]);
      await note(newest, piece);
    }
  };
  const allTicked = () => {
    expect(newest.size).toBe(2 * PLAN.partitions);
    return world.reachesPane(GROUP, Math.min(...newest.values()) - LATENESS_MS - TICK_MS);
  };
  await writeNext(3);
  for (let n = 0; n < tickers; n++) await world.addTicker(GROUP);
  for (let n = 0; n < 3; n++) await world.add(GROUP);
  await happens({ world, topics, writeNext, allTicked });
  await writeNext(PIECES);
  const last = (Math.floor(world.newestMs / TICK_MS) + 1) * TICK_MS;
  const how = { partitions: PLAN.partitions, latenessMs: LATENESS_MS, tickMs: TICK_MS };
  records += await writeClosing(topics, world.newestMs, how);
  const madeBy = async (group: string) => {
    await world.settled(group, records);
    const lines = series(await linesOf(world.paths(group)), losesRows);
    const accounts = await world.accounts(group);
    return { accounts, lines: lines.filter(({ window }) => window.to <= last) };
  };
  const found = await madeBy(GROUP);
  await world.endAll();
  await world.addAlone('calm');
  const wanted = await madeBy('calm');
  expect(wanted.lines.length).toBeGreaterThan(50);
  expect(found.accounts).toEqual(wanted.accounts);
  const windowsOf = ({ lines }: typeof found) => lines.map(({ window }) => window);
  expect(windowsOf(found)).toEqual(windowsOf(wanted));
  if (losesRows) return;
  const [ours, theirs] = [found, wanted].map(({ lines }) => withoutReading(lines));
  expect(differences(ours, theirs, 1e-9)).toEqual([]);
}

/** Notes how new a piece's events are in each topic-partition. */
async function note(newest: Map<string, number>, piece: string): Promise<void> {
  for (const line of (await readFile(piece, 'utf8')).trimEnd().split('\n')) {
    const { type, user, ts } = JSON.parse(line) as { type: string; user: string; ts: number };
    newest.set(`${type}/${partitionOfKey(user, PLAN.partitions)}`, ts);
  }
}

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

async function metricOf(service: RunningService, wanted: string): Promise<number> {
  const found = (await service.scrape()).filter(({ name }) => name === wanted);
  return found.reduce((sum, { value }) => sum + value, 0);
}

/** Its estimates as metrics. */
async function shown(service: RunningService): Promise<number> {
  return (await service.scrape()).filter(({ name }) => name === 'unskew_estimate').length;
}

it('the numbers stay the same if one reader is killed and another freezes for a minute', async () => {
  await expectSame(async ({ world, writeNext, allTicked }) => {
    await allTicked();
    await world.do('kill', GROUP);
    await writeNext(1);
    const [frozen] = world.workers;
    frozen!.suspend();
    await writeNext(1);
    await sleep(30_000);
    await writeNext(1);
    await sleep(30_000);
    frozen!.resume();
    await writeNext(1);
    await allTicked();
    expect(frozen!.hasEnded).toBe(false);
  });
});

it('the numbers stay the same if readers and tickers are replaced one by one', async () => {
  await expectSame(
    async ({ world, writeNext }) => {
      for (let n = 0; n < 3; n++) {
        await Promise.all([writeNext(1), world.replaceOldest(GROUP)]);
      }
      for (let n = 0; n < 2; n++) {
        await Promise.all([writeNext(1), world.replaceTicker(GROUP)]);
      }
    },
    { tickers: 2 },
  );
});

it('the second ticker takes over when the leading one is killed', async () => {
  await expectSame(
    async ({ world, writeNext, allTicked }) => {
      await allTicked();
      const shows = () => Promise.all(world.tickers.map(shown));
      const one = (all: readonly number[]) => all.filter((count) => count > 0).length === 1;
      const [first] = await eventually('one of them to show the numbers', shows, one);
      // Both have them all the same.
      const paths = ['/api/v1/estimates?window=10m', '/api/v1/popularity'];
      for (const path of paths) {
        const answers = () => Promise.all(world.tickers.map((ticker) => ticker.get(path)));
        await eventually(
          `the same of both at ${path}`,
          answers,
          ([a, b]) => a!.status === 200 && a!.body === b!.body,
        );
      }
      if (first === 0) await world.replaceTicker(GROUP);
      await world.killTicker(GROUP);
      await writeNext(2);
      await allTicked();
      await eventually('one of them to show the numbers', shows, one);
    },
    { tickers: 2 },
  );
});

it('no pane is lost if records already read are trimmed from the panes topic', async () => {
  await expectSame(async ({ world, topics, writeNext, allTicked }) => {
    await allTicked();
    const admin = topics.kafka.admin();
    await admin.connect();
    const topic = `${topics.name}.${GROUP}.panes`;
    const ends = await admin.fetchTopicOffsets(topic);
    await admin.deleteTopicRecords({
      topic,
      partitions: ends.map(({ partition, high }) => ({ partition, offset: high })),
    });
    await admin.disconnect();
    await world.do('kill', GROUP);
    await writeNext(2);
    await allTicked();
    expect(await metricOf(world.tickers[0]!, 'unskew_panes_lost_total')).toBe(0);
  });
});

const deletePanes = async (topics: TestTopics) => {
  const admin = topics.kafka.admin();
  await admin.connect();
  await admin.deleteTopics({ topics: [`${topics.name}.${GROUP}.panes`] });
  await admin.disconnect();
};

it('the numbers stay the same if the panes topic is deleted', async () => {
  await expectSame(async ({ topics, writeNext, allTicked }) => {
    await allTicked();
    await deletePanes(topics);
    await writeNext(2);
    await allTicked();
  });
});

it('lost panes are reported if the panes topic is deleted and the ticker dies', async () => {
  await expectSame(
    async ({ world, topics, writeNext, allTicked }) => {
      await allTicked();
      await deletePanes(topics);
      await world.killTicker(GROUP);
      await writeNext(2);
      await allTicked();
      const lost = await metricOf(world.tickers[0]!, 'unskew_panes_lost_total');
      expect(lost).toBeGreaterThan(0);
    },
    { losesRows: true },
  );
});

it('the numbers stay the same if Redis is away for a while', async () => {
  const redis = await startOwnRedis();
  cleanups.push(() => redis.stop());
  await expectSame(
    async ({ world, writeNext, allTicked }) => {
      await allTicked();
      await redis.stopRedis();
      await writeNext(1);
      await sleep(8_000);
      await redis.startRedis();
      await world.do('kill', GROUP);
      await world.killTicker(GROUP);
      await writeNext(1);
      await allTicked();
    },
    { redis: redis.url },
  );
});
