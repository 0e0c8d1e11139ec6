import { describe, expect, it } from 'vitest';
import { ExposureColumns, InteractionColumns } from '../../../src/events/columns.js';
import { Decoder } from '../../../src/events/decode.js';
import { encodeEvent } from '../../../src/events/encode.js';
import { Interner } from '../../../src/state/ids/interner.js';
import { Evaluation } from '../../../src/stream/files/evaluation.js';
import type { MonitorOptions, SampleLimits } from '../../../src/stream/options.js';
import { Outcomes } from '../../../src/stream/outcomes.js';
import { Ingest } from '../../../src/stream/read/ingest.js';
import { runAtOnce } from '../../../src/stream/sliced.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { seeded } from '../../oracle/random.js';
import { slowDepth, usersOfDepths } from '../../oracle/sampling.js';
import { type Event, feed, quickOptions, roleOf } from '../../support/log.js';
import { repetitions } from '../../support/repetitions.js';

const NONE = Number.POSITIVE_INFINITY;
const RECALL = quickOptions().estimates;
const OPTIONS = quickOptions({
  estimates: { ...RECALL, metrics: ['recall'], ks: [2], estimators: ['naive', 'snips'] },
});

async function evaluated(events: readonly Event[], limits?: SampleLimits): Promise<Snapshot> {
  const users = new Interner();
  const ids = { items: new Interner(), models: new Interner(), users: () => users };
  const evaluation = new Evaluation({ ...OPTIONS, limits }, ids, new Outcomes());
  const decoder = new Decoder({ maxFutureMs: 1e15 });
  const into = { interactions: new InteractionColumns(), exposures: new ExposureColumns() };
  let faults = 0;
  const tables = { ...ids, users };
  for (const event of events) {
    const bytes = Buffer.from(encodeEvent(event));
    if (decoder.decode(bytes, 0, bytes.length, 'mixed', 0, tables, into) !== 0) faults++;
  }
  expect(faults).toBe(0);
  evaluation.accept('events', into.interactions, into.exposures);
  return await evaluation.result();
}

function recall({ windows }: Snapshot, estimator = 'naive', aggregation = 'user') {
  return windows
    .at(-1)!
    .results.find((row) => row.estimator === estimator && row.form === aggregation)!;
}

const USERS = 240;

/** More active users have a lower hit rate, so a sample of rows would be biased. */
function unevenLog(): Event[] {
  const random = seeded(41);
  const log: Event[] = [];
  for (let u = 0; u < USERS; u++) {
    const own = 1 + Math.floor(16 * random() ** 3);
    const user = `u${u}`;
    const items = ['i0', 'i1', 'i2', 'i3'];
    log.push({ type: 'exposure', id: `e${u}`, ts: 1000, user, model: 'm', items });
    for (let n = 0; n < own; n++) {
      const item = `i${Math.floor(random() * (own > 6 ? 8 : 4)) + (random() < 0.3 ? 0 : n % 3)}`;
      const ts = 1001 + Math.floor(random() * 40);
      log.push({ type: 'interaction', id: `x${u}-${n}`, ts, user, item });
    }
  }
  return log.sort((a, b) => Number(a.ts) - Number(b.ts));
}

/** The same users under other names, so that another sample of them is drawn. */
function renamed(log: readonly Event[], round: number): Event[] {
  return log.map((event) => ({ ...event, user: `${round}/${event.user}` }));
}

/** In 40 rounds the mean of the first rows is still noticed: see below. */
const ROUNDS = repetitions(40, 120);

/** Distance of the mean over samples from the full estimate, in standard errors. */
function deviation(estimates: readonly number[], whole: number): number {
  const mean = estimates.reduce((sum, value) => sum + value, 0) / estimates.length;
  const squares = estimates.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return (mean - whole) / Math.sqrt(squares / (estimates.length - 1) / estimates.length);
}

describe('estimates of a sample of users', async () => {
  const log = unevenLog();
  const whole = await evaluated(log);
  const interactions = log.filter(({ type }) => type === 'interaction');
  const limits = {
    users: { rows: NONE, listEntries: NONE, users: USERS / 3 },
    rows: { rows: interactions.length / 3, listEntries: NONE, users: NONE },
  };

  const sampledBy = (limited: keyof typeof limits) =>
    Promise.all(
      Array.from({ length: ROUNDS }, (_, round) => evaluated(renamed(log, round), limits[limited])),
    );
  const sampled = { users: await sampledBy('users'), rows: await sampledBy('rows') };

  for (const limited of ['users', 'rows'] as const) {
    it(`equal those of all users on average if ${limited} are limited`, () => {
      const samples = sampled[limited];
      const ratios = samples.map(({ sampling }) => sampling.ratio);
      expect(Math.max(...ratios)).toBeLessThanOrEqual(0.5);
      expect(ratios).toContain(0.25);
      for (const estimator of ['naive', 'snips']) {
        for (const aggregation of ['user', 'pooled']) {
          const found = samples.map((sample) => recall(sample, estimator, aggregation).value);
          const all = recall(whole, estimator, aggregation).value;
          expect(Math.abs(deviation(found, all))).toBeLessThan(3.5);
        }
      }
    });
  }
});

/** Lists are dropped a segment at a time: one of them may be all but done with. */
const LIST_SLACK = 65_536 / 16;

const TICK = 10;
const STREAM: MonitorOptions = quickOptions({
  tickMs: TICK,
  windows: [{ name: 'w', ms: 6 * TICK }],
  latenessMs: 5,
  attributionTtlMs: 4 * TICK,
  popularity: { horizonMs: 12 * TICK, of: 'positive' },
  gamma: { use: 2, fit: 'ols', default: 2, periodMs: 6 * TICK },
  limits: { rows: 6 * 20, listEntries: 4 * 40, users: 500 },
});

/** This many interactions in each pane, each of a user who was shown a list of two. */
function traffic(panes: readonly number[]): Event[] {
  const random = seeded(7);
  return panes.flatMap((count, pane) =>
    Array.from({ length: count }, (_, n): Event[] => {
      const user = `u${Math.floor(random() * 4000)}`;
      const ts = pane * TICK + Math.floor((n * TICK) / count);
      const items = ['a', 'b'].map((item) => item + Math.floor(random() * 5));
      return [
        { type: 'exposure', id: `e${pane}-${n}`, ts, user, model: 'm', items },
        { type: 'interaction', id: `x${pane}-${n}`, ts, user, item: items[n % 2]! },
      ];
    }).flat(),
  );
}

/** Records of a log as they come out of one partition, both topics a little at a time. */
function* batchesOf(log: readonly Event[], size: number) {
  const queues = (['exposures', 'interactions'] as const).map((role) => ({
    role,
    values: log.filter((event) => roleOf(event) === role).map((e) => Buffer.from(encodeEvent(e))),
  }));
  for (let from = 0; from < Math.max(...queues.map(({ values }) => values.length)); from += size) {
    for (const { role, values: all } of queues) {
      const values = all.slice(from, from + size);
      const offsets = Float64Array.from(values, (_, n) => from + n);
      const recordTs = new Float64Array(values.length);
      yield { role, partition: 0, offsets, values, recordTs, highWatermark: all.length };
    }
  }
}

const fill = (panes: number, count: number) => new Array<number>(panes).fill(count);

describe('a burst', () => {
  it('lowers the sampling ratio until windows and lists are complete again', () => {
    const log = traffic([...fill(5, 18), 90, ...fill(20, 18)]);
    const { snapshots } = feed(log, STREAM, { partitions: 1, batchSize: 50, run: 1 });
    const ratios = snapshots.map(({ sampling }) => sampling.ratio);
    expect(ratios.slice(0, 5)).toEqual(fill(5, 1));
    expect(ratios[5]).toBeLessThanOrEqual(0.25);
    // A window of six panes, and lists from four before it.
    expect(ratios.slice(5, 15)).toEqual(fill(10, ratios[5]!));
    expect(ratios.slice(15)).toEqual(fill(11, 1));
  });
});

describe('an interaction after a burst', () => {
  it('is not called unranked if its list may have been sampled out', () => {
    const shallow = usersOfDepths([1])[0]!;
    const deep = usersOfDepths([0, 0, 0, 0, 0, 0, 1])[0]!;
    const items = ['a', 'b'];
    const burst = traffic([120]);
    const log: Event[] = [
      ...[shallow, deep].map((user, n): Event => {
        return { type: 'exposure', id: `l${n}`, ts: 9, user, model: 'm', items };
      }),
      ...[shallow, deep].map((user, n): Event => {
        return { type: 'interaction', id: `y${n}`, ts: 11, user, item: 'a' };
      }),
      // This user had no list.
      {
        type: 'interaction',
        id: 'z',
        ts: 12,
        user: usersOfDepths([0, 0, 0, 0, 0, 2])[1]!,
        item: 'a',
      },
      { type: 'interaction', id: 'end', ts: 60, user: shallow, item: 'a' },
    ];
    const all = [...burst, ...log];
    const how = { partitions: 1, batchSize: 1000, run: 1 };
    const { unranked, sampledOut } = feed(all, STREAM, how);
    const before = feed(burst, STREAM, how);
    // By the last event the burst is too old for its lists to matter.
    expect(unranked - before.unranked).toBe(2);
    expect(sampledOut - before.sampledOut).toBe(2);
  });
});

describe('a tick', () => {
  it('covers one sampling depth in all partitions, with all pairs of each user', () => {
    const log = traffic([...fill(8, 18), ...fill(6, 60), ...fill(20, 18)]);
    const { snapshots, unranked } = feed(log, STREAM, { partitions: 3, batchSize: 50, run: 1 });
    // Every user was served a list before; lists of sampled-out users do not count as missing.
    expect(unranked).toBe(0);
    const ratios = new Set<number>();
    for (const { paneEnd, sampling, windows } of snapshots) {
      const pairs = new Set<string>();
      const users = new Set<string>();
      for (const event of log) {
        if (event.type !== 'interaction') continue;
        const isIn = (event.ts as number) < paneEnd && (event.ts as number) >= paneEnd - 6 * TICK;
        if (!isIn || 2 ** -slowDepth(event.user) > sampling.ratio) continue;
        users.add(event.user);
        pairs.add(`${event.user} ${event.item}`);
      }
      const { counts } = windows[0]!;
      expect({
        users: counts.users,
        pairs: counts.interactions,
        unranked: counts.unranked,
      }).toEqual({
        users: users.size,
        pairs: pairs.size,
        unranked: 0,
      });
      ratios.add(sampling.ratio);
    }
    expect(ratios.size).toBeGreaterThan(2);
  });
});

describe('traffic of ten times the limits', () => {
  it('is sampled, and rows, lists and users held stay within bounds', () => {
    const panes = [...fill(20, 18), ...fill(40, 180), ...fill(30, 18)];
    const options = { ...STREAM, limits: { ...STREAM.limits!, users: 250 } };
    const decoder = new Decoder({ maxFutureMs: 1e15 });
    const ingest = new Ingest(options, decoder, { exposures: 'e', interactions: 'i' });
    const { monitor } = ingest;
    for (const role of ['exposures', 'interactions'] as const) monitor.watermarks.expect(role, 0);
    const most = { rows: 0, listEntries: 0, users: 0 };
    const look = () => {
      const { held } = monitor.partitions;
      for (const kind of ['rows', 'listEntries', 'users'] as const) {
        most[kind] = Math.max(most[kind], held[kind]);
      }
    };
    const ratios: number[] = [];
    for (const batch of batchesOf(traffic(panes), 9)) {
      for (const _ of ingest.apply(batch, () => Number.POSITIVE_INFINITY)) look();
      // Nine lists of two entries, before any pane is closed.
      if (ratios.length === 0 && batch.offsets[0] === 0) expect(most.listEntries).toBe(18);
      for (let pane = monitor.closable(); pane !== undefined; pane = monitor.closable()) {
        ratios.push(runAtOnce(monitor.close(pane))!.snapshot.sampling.ratio);
        look();
      }
    }
    // Two panes may be open beside those of the window, and lists go some at a time.
    expect(most.rows).toBeLessThanOrEqual((8 / 6) * options.limits.rows);
    expect(most.users).toBeLessThanOrEqual(options.limits.users);
    expect(most.listEntries).toBeLessThanOrEqual((6 / 4) * options.limits.listEntries + LIST_SLACK);
    expect(ratios.slice(0, 20)).toEqual(fill(20, 1));
    expect(Math.max(...ratios.slice(21, 60))).toBeLessThanOrEqual(1 / 8);
    expect(ratios.at(-1)).toBe(1);
  });
});
