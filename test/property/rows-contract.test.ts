import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES } from '../../src/commands/cli/bodies.js';
import { EventReader } from '../../src/commands/files/read-events.js';
import { rowSettings, rowsQuery } from '../../src/commands/files/rows-query.js';
import { NAMES_EXPOSURE, POSITIVE, RANDOMIZED } from '../../src/events/columns.js';
import { Interner } from '../../src/state/ids/interner.js';
import { CAUSED_ELSEWHERE } from '../../src/state/panes/row-causes.js';
import { NOT_IN_LIST } from '../../src/state/panes/window-part.js';
import { EvaluationIntake } from '../../src/stream/files/evaluation-intake.js';
import { EvaluationShard } from '../../src/stream/files/evaluation-shard.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { smallOptions } from '../support/log.js';
import { duckdb, writeQuery } from '../support/parquet-file.js';
import { quietIo } from '../support/quiet-io.js';
import { repetitions } from '../support/repetitions.js';
import { drawnLog, SKEW_MINUTES, TTL_MINUTES, tablesOf, writeLog } from '../support/rows-log.js';
import { run } from '../unit/cli/fake-io.js';

const TTL = `${TTL_MINUTES}m`;
const SKEW = `${SKEW_MINUTES}m`;
const ACTIONS = { view: 0, click: 1, purchase: 5 };
const SETTINGS = rowSettings(
  smallOptions({
    attributionTtlMs: TTL_MINUTES * 60_000,
    clockSkewMs: SKEW_MINUTES * 60_000,
    actions: ACTIONS,
  }),
);
/** Random logs that a test takes, and how many tests there are. */
const LOGS = repetitions(4, 25);
const TESTS = repetitions(1, 4);

/** What numbers may be asked for: each log is evaluated by one of these. */
const ASKED = [
  [],
  ['--feedback', 'ignore', '--popularity-randomized', 'count'],
  ['--popularity-user-cap', '2', '--popularity-caused', 'ignore', '--feedback', 'caution'],
  ['--popularity', 'all', '--popularity-caused', 'count', '--gamma', '1.5'],
];
const ESTIMATORS = ['snips,ips', 'naive,gs,skew,ure', 'wtd_h,full,wtd_ipf', 'snips,reg,wtd'];
const NUMBERS = ['--metrics', 'recall,mrr,auc', '--k', '2'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unskew-rows-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function makeTables(events: string, into: string): Promise<void> {
  await (await duckdb()).run(tablesOf(events));
  await mkdir(into);
  for (const kind of ['rows', 'popularity', 'lists'] as const) {
    await writeQuery(join(into, `${kind}.parquet`), rowsQuery('duckdb', kind, SETTINGS));
  }
}

/** The rows of a log as the program has them, a text each, in any order. */
async function ownRows(events: string): Promise<string[]> {
  const users = new Interner();
  const items = new Interner();
  const models = new Interner();
  const outcomes = new Outcomes();
  const rule = { of: 'positive' as const };
  const intake = new EvaluationIntake(
    { positiveMinValue: 1, actions: ACTIONS, maxModels: 16 },
    outcomes,
  );
  const reader = new EventReader({
    decoder: { maxEventBytes: 1 << 20, maxFutureMs: 0, actions: ACTIONS },
    maxEventBytes: 1 << 20,
    ids: { items, models },
    users,
    maxFaults: 0,
    io: quietIo,
  });
  await reader.read([events], outcomes, (interactions, exposures) => {
    intake.accept('events', interactions, exposures, 1);
  });
  intake.settle();
  return intake.shards.flatMap(({ train, events }, s) => {
    const shard = new EvaluationShard(
      { train, events },
      {
        attributionTtlMs: SETTINGS.ttlMs,
        clockSkewMs: SETTINGS.skewMs,
        isTrained: false,
        followsCauses: true,
        popularity: rule,
        actions: ACTIONS,
      },
    );
    shard.close();
    const { rows } = shard;
    if (rows === undefined) return [];
    const named = (model: number) =>
      model === 0 ? null : model === CAUSED_ELSEWHERE ? '' : models.text(model - 1);
    return Array.from({ length: rows.length }, (_, r) => {
      const ranked = rows.ranks.flatMap((ranks, model) => {
        const code = rows.lists[model]?.[r] ?? 0;
        if (ranks === undefined || code === 0) return [];
        const rank = ranks[r] === NOT_IN_LIST ? 0 : ranks[r]! + 1;
        return [[models.text(model), rank, code & 0x3fff, code >> 14]];
      });
      return JSON.stringify([
        users.text(rows.user[r]! * intake.shards.length + s),
        items.text(rows.item[r]!),
        (rows.flags[r]! & POSITIVE) !== 0,
        (rows.flags[r]! & RANDOMIZED) !== 0,
        (rows.flags[r]! & NAMES_EXPOSURE) !== 0,
        rows.propensity?.[r] || null,
        named(rows.causes!.cause[r]!),
        named(rows.causes!.served[r]!),
        ranked.sort(([a], [b]) => (a! < b! ? -1 : 1)),
      ]);
    });
  });
}

/** The same out of a table of rows. */
async function tableRows(path: string): Promise<string[]> {
  const reader = await (await duckdb()).runAndReadAll(`select * from '${path}'`);
  return reader.getRowObjectsJS().map((row) => {
    const list = (name: string) => (row[name] ?? []) as readonly unknown[];
    const ranked = list('models').map((model, n) => {
      const length = Number(list('lengths')[n]);
      const among = Number(list('candidates')[n]);
      const kind = among < 0 ? 3 : among === 0 ? 0 : among === length ? 1 : 2;
      return [model, Number(list('ranks')[n]), length, kind];
    });
    const { user, item, positive, randomized, drawn, named, propensity, cause, served } = row;
    const fields = [
      user,
      item,
      positive,
      randomized || drawn,
      named,
      propensity,
      cause,
      served,
      ranked,
    ];
    return JSON.stringify(fields);
  });
}

function compared(actual: unknown, expected: unknown, place: string): void {
  if (typeof expected === 'number' && typeof actual === 'number') {
    const error = Math.abs(actual - expected) / Math.max(1, Math.abs(expected));
    expect(error, `${place}: ${actual}, not ${expected}`).toBeLessThan(1e-12);
  } else if (Array.isArray(expected) || (typeof expected === 'object' && expected !== null)) {
    const keys = Object.keys(expected);
    expect(Object.keys(actual as object), place).toEqual(keys);
    for (const key of keys) {
      compared(Reflect.get(actual as object, key), Reflect.get(expected, key), `${place}.${key}`);
    }
  } else expect(actual, place).toEqual(expected);
}

/** Evaluates events and tables made of them in the same way. */
async function bothWays(events: string, tables: string, asked: readonly string[], what: string) {
  const ofTables = await run(['evaluate', '--rows', tables, ...asked], BODIES);
  const times = ['--attribution-ttl', TTL, '--clock-skew', SKEW];
  const ofEvents = await run(['evaluate', '--events', events, ...times, ...asked], BODIES);
  expect(ofTables.code, `${what}: ${ofTables.stderr}`).toBe(ofEvents.code);
  if (ofEvents.code !== 0) return undefined;
  const told = JSON.parse(ofEvents.stdout);
  const rows = JSON.parse(ofTables.stdout);
  // Repeated events are in no table, and rows hold nothing of requests.
  told.counts.duplicates = 0;
  delete told.counts.requestFaults;
  // Rows do not tell who was served when, so they give no A/B answer, and no verdict by it.
  for (const name of ['experiment', 'verdict', 'verdicts', 'findings', 'trust']) {
    delete told[name];
    delete rows[name];
  }
  compared(rows, told, what);
  return told;
}

describe('rows computed by DuckDB', () => {
  const tests = Array.from({ length: TESTS }, (_, n) => n * LOGS);
  it.each(tests)(
    `equal those of the events, and so do all estimates, logs from %i on`,
    async (first) => {
      for (let seed = first + 1; seed <= first + LOGS; seed++) {
        const events = join(folder, `${seed}.ndjson`);
        const tables = join(folder, `${seed}`);
        await writeLog(events, drawnLog(seed));
        await makeTables(events, tables);
        const found = await tableRows(join(tables, 'rows.parquet'));
        const wanted = await ownRows(events);
        expect(found.sort(), `rows of seed ${seed}`).toEqual(wanted.sort());
        const n = seed - 1;
        // Four logs in a row take each of both, and sixteen all pairs.
        const estimators = ESTIMATORS[(n + (n >> 2)) % ESTIMATORS.length]!;
        const asked = [...NUMBERS, '--estimators', estimators, ...ASKED[n % 4]!, '--json'];
        await bothWays(events, tables, asked, `seed ${seed}`);
      }
    },
  );

  it('give the same drawn sets as the events', async () => {
    const events = join(folder, 'drawn.ndjson');
    await writeLog(events, drawnLog(7));
    await makeTables(events, join(folder, 'drawn'));
    const sets = [];
    for (const [name, source] of [
      ['of-events', ['--events', events]],
      ['of-rows', ['--rows', join(folder, 'drawn')]],
    ] as const) {
      const out = join(folder, name);
      const asked = ['--strategy', 'wtd_h', '--format', 'csv', '--out', out, '--json'];
      const { code, stdout, stderr } = await run(['export', ...source, ...asked], BODIES);
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout).plan.strategy).toBe('wtd_h');
      sets.push(readFileSync(join(out, 'test.csv'), 'utf8'));
    }
    expect(sets[1]).toEqual(sets[0]);
    expect(sets[0]!.split('\n').length).toBeGreaterThan(2);
  });

  it('give the same on-policy values as the events', async () => {
    const shape = ['--arms', '2', '--caused', '0.5', '--cycles', '1', '--users', '150'];
    const traffic = await run(['simulate', '--out', join(folder, 'simulated'), ...shape], BODIES);
    expect(traffic.code, traffic.stderr).toBe(0);
    const events = join(folder, 'simulated', 'events.ndjson');
    const again = readFileSync(events, 'utf8').trimEnd().split('\n').flatMap(boughtToo);
    await writeFile(events, again.map((line) => `${line}\n`).join(''));
    const tables = join(folder, 'of-simulated');
    await makeTables(events, tables);
    const told = await bothWays(events, tables, ['--k', '5', '--json'], 'simulated');
    expect(told.onPolicy.values.length).toBeGreaterThan(1);
  });
});

/** Without requests, which rows do not hold; after every third click the item is bought. */
function boughtToo(line: string, n: number): string[] {
  const { request: _, share: __, ...event } = JSON.parse(line);
  if (event.type !== 'interaction' || n % 3 > 0) return [JSON.stringify(event)];
  const then = (action: string, later: number) =>
    JSON.stringify({ ...event, id: `${event.id} ${action}`, action, ts: event.ts + later });
  return [line, then('purchase', 1), then('click', 2), then('purchase', 2)];
}
