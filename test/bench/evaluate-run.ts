import { performance } from 'node:perf_hooks';
import { DuckDBInstance } from '@duckdb/node-api';
import { EventReader } from '../../src/commands/files/read-events.js';
import { Interner } from '../../src/state/ids/interner.js';
import { Evaluation } from '../../src/stream/files/evaluation.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { AS_SQL, DEFAULTS, PAPERS } from './default-options.js';

const HOUR = 3_600_000;

/** Beside the time that passed the processors' time, which shows whether others kept them busy. */
export interface Timing {
  readonly ms: number;
  readonly cpuMs: number;
  /** What was computed, where that is compared. */
  readonly values?: readonly number[] | undefined;
}

const WORK = {
  evaluate: (path: string) => evaluate([path], PAPERS),
  'evaluate-by-default': (path: string) => evaluate([path], DEFAULTS),
  values: valuesOf,
  sql: valuesBySql,
};
export type Work = keyof typeof WORK;

async function timed(work: () => Promise<unknown>): Promise<Timing> {
  const start = performance.now();
  const before = process.cpuUsage();
  const values = await work();
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  const ms = performance.now() - start;
  return { ms, cpuMs, ...(Array.isArray(values) && { values }) };
}

const ids = () => ({ items: new Interner(), models: new Interner() });

const options = (known = ids(), users = new Interner()) => ({
  decoder: { maxFutureMs: HOUR },
  maxEventBytes: 1 << 20,
  ids: known,
  users,
  maxFaults: 0,
  io: { isTerminal: false, signal: new AbortController().signal } as never,
});

async function evaluate(paths: readonly string[], asked: typeof PAPERS) {
  const known = ids();
  const evaluation = new Evaluation(asked, known, new Outcomes());
  const reader = new EventReader(options(known));
  await reader.read(paths, new Outcomes(), (interactions, exposures, share) =>
    evaluation.accept('events', interactions, exposures, share),
  );
  const { windows } = evaluation.result();
  if (windows[0]!.results.length === 0) throw new Error('Nothing was evaluated.');
  return windows[0]!;
}

/** Of each model, by its name: recall and dcg at 10, naive and by SNIPS, a mean by user each. */
async function valuesOf(paths: string): Promise<number[]> {
  const { results } = await evaluate(paths.split(','), AS_SQL);
  const found = results.filter(({ form, k }) => form === 'user' && k === 10);
  const models = [...new Set(found.map(({ model }) => model))].sort();
  return models.flatMap((model) =>
    (['naive', 'snips'] as const).flatMap((estimator) =>
      (['recall', 'dcg'] as const).map((metric) => {
        const row = found.find(
          (own) => own.model === model && own.estimator === estimator && own.metric === metric,
        )!;
        return row.more.uncorrected ?? row.value;
      }),
    ),
  );
}

async function valuesBySql(paths: string): Promise<number[]> {
  const files = paths.split(',').map((path) => `'${path}'`);
  const format = paths.slice(paths.lastIndexOf('.') + 1) as keyof typeof READS;
  const items = format === 'csv' ? `from_json(items, '["VARCHAR"]')` : 'items';
  const db = await DuckDBInstance.create(':memory:', { threads: '2' });
  const engine = await db.connect();
  await engine.run(
    `create temp table e as select "type", "user" as u, item as i, model as m, ${items} as items from ${READS[format](files)}`,
  );
  const rows = (await engine.runAndReadAll(QUERY)).getRows();
  return rows.flatMap((row) => row.map(Number));
}

const JSON_COLUMNS = [
  ...['type', 'id', 'user', 'item', 'model'].map((name) => `"${name}": 'VARCHAR'`),
  `ts: 'BIGINT', items: 'VARCHAR[]', value: 'DOUBLE'`,
].join(', ');

const READS = {
  json: (files: readonly string[]) =>
    `read_json([${files}], format = 'newline_delimited', columns = {${JSON_COLUMNS}})`,
  parquet: (files: readonly string[]) => `read_parquet([${files}], union_by_name = true)`,
  csv: (files: readonly string[]) => `read_csv([${files}], union_by_name = true)`,
};

/** Lists are all older than interactions, and each user has one of a model. */
const QUERY = `
  with counts as (select i, count(*) as n from e where "type" = 'interaction' group by i),
    pairs as (select distinct u, i from e where "type" = 'interaction'),
    lists as (select u, m, items from e where "type" = 'exposure'),
    found as (select u, m, list_position(items, i) as rank, pow(n, -1.5) as weight
      from pairs join lists using (u) join counts using (i)),
    gains as (select u, m, weight, if(rank <= 10, 1., 0.) as hit,
      if(rank <= 10, 1 / log2(rank + 1), 0.) as gain from found),
    users as (select m, avg(hit) as recall, avg(gain) as dcg,
      sum(weight * hit) / sum(weight) as weighed_recall,
      sum(weight * gain) / sum(weight) as weighed_dcg from gains group by m, u)
  select avg(recall), avg(dcg), avg(weighed_recall), avg(weighed_dcg) from users
  group by m order by m`;

const [what, path] = process.argv.slice(2) as [Work, string];
process.send!(await timed(() => WORK[what](path)));
process.disconnect();
