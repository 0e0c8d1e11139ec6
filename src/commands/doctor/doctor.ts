import { createReadStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { isCsv, readCsv } from '../../adapters/files/csv-events.js';
import { pathColumns } from '../../adapters/files/path-columns.js';
import { sampleTopics } from '../../adapters/kafka/sample-topics.js';
import { isParquet, sampleTable } from '../../adapters/parquet/event-table.js';
import { RegistryClient } from '../../adapters/registry/client.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { guessedCell } from '../../events/csv-cells.js';
import { frameOf } from '../../events/formats/frame.js';
import { SchemaTable } from '../../events/formats/schema.js';
import type { LoggedIo } from '../cli/io.js';
import { connectionOptions } from '../service/schemas.js';
import { problemsOf } from './problems.js';
import { proofOf, proofText } from './proof.js';
import { type FileOptions, suggestedFile, suggestionsOf } from './suggestion.js';
import { findingsText } from './text.js';
import { reportOf, type Sampled } from './topic-report.js';

export interface DoctorOptions {
  readonly config: Config;
  /** All that are not internal, if none is named. */
  readonly topics: readonly string[];
  /** Event files, instead of topics. */
  readonly files: readonly string[];
  /** Records of each partition or file. */
  readonly sample: number;
  /** Where a configuration is written, if anywhere. */
  readonly out: string | undefined;
}

/**
 * `unskew doctor`: looks at a sample of topics or files, says what they hold and what would go wrong,
 * and writes a configuration.
 *
 * @throws UnskewError EVENTS if nothing was found that could be read as events; BROKER, FILE
 */
export async function doctor(options: DoctorOptions, io: LoggedIo): Promise<void> {
  const { config, files, out } = options;
  const sampled =
    files.length > 0 ? await sampleFiles(files, options.sample) : await topicsOf(options, io);
  const schemas = await schemasOf(config, sampled);
  const reports = sampled.map((each) => reportOf(each, schemas));
  const suggestions = suggestionsOf(reports);
  const limits = {
    latenessMs: config.time.latenessMs,
    maxFutureMs: config.time.maxFutureMs,
    horizonMs: config.popularity.horizonMs,
    hasRegistry: schemas !== undefined,
  };
  const problems = problemsOf(reports, suggestions, limits);
  io.stdout(findingsText(reports, suggestions, problems));
  if (suggestions.length === 0) {
    throw new UnskewError('EVENTS', 'nothing looks like events: no configuration is written');
  }
  const how: FileOptions = {
    isOfFiles: files.length > 0,
    latenessMs: limits.latenessMs,
    brokers: config.kafka.brokers,
    registryUrl: config.registry.url,
  };
  const proof = proofOf(suggestedFile(suggestions, problems, how), sampled, schemas);
  io.stdout(`\n${proofText(proof, suggestions)}`);
  if (out === undefined) return;
  const wrong = proof.wrong.map((text) => `WRONG NUMBERS: ${text}`);
  const text = suggestedFile(suggestions, [...wrong, ...problems], how);
  try {
    await writeFile(out, text, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it exists' : String(code);
    throw new UnskewError('FILE', `cannot write ${out}: ${why}`);
  }
  const next =
    files.length > 0
      ? `unskew evaluate --config ${out} --events ${files.join(' ')}`
      : `unskew serve --config ${out}`;
  const advice = proof.wrong.length > 0 ? 'Its numbers would be wrong: fix it' : 'Look at it';
  io.stdout(`\nWritten: ${out}. ${advice}, then: ${next}\n`);
}

async function topicsOf(
  { config, topics, sample }: DoctorOptions,
  io: LoggedIo,
): Promise<readonly Sampled[]> {
  const found = await sampleTopics(connectionOptions(config, io), topics, sample);
  return found.map(({ topic, ...rest }) => ({ name: topic, ...rest }));
}

/** The schemas that sampled records name; undefined without a registry. */
async function schemasOf(
  { registry }: Config,
  sampled: readonly Sampled[],
): Promise<SchemaTable | undefined> {
  const { url } = registry;
  if (url === undefined) return undefined;
  const client = new RegistryClient({ ...registry, url });
  const schemas = new SchemaTable();
  for (const { sample } of sampled) {
    for (const { value, frame: header } of sample) {
      const key = value && frameOf(value, 0, value.length, header)?.key;
      if (!key || schemas.has(key)) continue;
      const schema = await client.find(key);
      schemas.add(key, schema ?? { type: 'unreadable', why: 'the registry has none of that name' });
    }
  }
  return schemas;
}

const MOST_ROW_BYTES = 2 ** 20;

/** Integers that a table holds, as JSON has them. */
function plainly(_name: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/** The first lines of event files, or rows of tables, as records of a topic that have no key and no time of their own. */
async function sampleFiles(files: readonly string[], lines: number): Promise<readonly Sampled[]> {
  return Promise.all(
    files.map(async (name) => {
      const { size } = await stat(name).catch(({ code }: NodeJS.ErrnoException) => {
        throw new UnskewError('FILE', `cannot read ${name}: ${code}`);
      });
      const sample: Sampled['sample'][number][] = [];
      const add = (text: string) => {
        const place = { partition: 0, offset: `${sample.length}` };
        const from = { topic: name, ...place, key: null, headers: {} };
        sample.push({ from, value: new TextEncoder().encode(text), ts: 0 });
      };
      if (isParquet(name)) {
        const { rows, total } = await sampleTable(name, lines);
        for (const row of rows) add(JSON.stringify(row, plainly));
        return { name, partitions: 1, records: total, retentionMs: undefined, sample };
      }
      if (isCsv(name)) {
        const ofPath = Object.fromEntries(pathColumns(name));
        await readCsv(name, { maxRowBytes: MOST_ROW_BYTES }, (names) => (cells) => {
          const row = names.flatMap((column, at) =>
            cells[at] === '' ? [] : [[column, guessedCell(column, cells[at])] as const],
          );
          add(JSON.stringify({ ...ofPath, ...Object.fromEntries(row) }));
          return sample.length < lines;
        });
        const records = sample.length;
        return { name, partitions: 1, records, retentionMs: undefined, sample };
      }
      const input = createReadStream(name);
      for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
        if (sample.length === lines) break;
        if (line.trim() !== '') add(line);
      }
      input.destroy();
      const records = size === 0 ? 0 : sample.length;
      return { name, partitions: 1, records, retentionMs: undefined, sample };
    }),
  );
}
