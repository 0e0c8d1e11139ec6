import { writeFile } from 'node:fs/promises';
import { formOf } from '../../adapters/files/file-form.js';
import { sampleTopics } from '../../adapters/kafka/sample-topics.js';
import { RegistryClient } from '../../adapters/registry/client.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { frameOf } from '../../events/formats/frame.js';
import { SchemaTable } from '../../events/formats/schema.js';
import {
  MAPPING_NAMES,
  type MappingName,
  mappingNamed,
} from '../../events/mapping/named-mappings.js';
import { eventPaths } from '../cli/event-paths.js';
import type { LoggedIo } from '../cli/io.js';
import { sampleRows } from '../files/each-row.js';
import { connectionOptions } from '../service/schemas.js';
import { experimentText } from './ab-test.js';
import { type FileGroup, groupsOf } from './file-groups.js';
import { problemsOf, unclearFiles } from './problems.js';
import { proofOf, proofText } from './proof.js';
import { proofOfFiles } from './proof-of-files.js';
import { areOfLensKit, type Ready, readyFor } from './ready-mapping.js';
import { type FileOptions, suggestedFile, suggestionsOf } from './suggestion.js';
import { findingsText } from './text.js';
import { reportOf, type Sampled } from './topic-report.js';

export interface DoctorOptions {
  readonly config: Config;
  /** Topics to sample; all topics that are not internal by default. */
  readonly topics: readonly string[];
  /** Event files to sample instead of topics. */
  readonly files: readonly string[];
  /** Number of records to sample from each partition or file. */
  readonly sample: number;
  /** Path of the configuration to write; undefined for none. */
  readonly out: string | undefined;
}

/**
 * `unskew doctor`: read a sample of topics or files, report their content and likely problems, and
 * write a configuration.
 *
 * @throws UnskewError EVENTS if nothing looks like events; BROKER, FILE
 */
export async function doctor(options: DoctorOptions, io: LoggedIo): Promise<void> {
  const { config, out } = options;
  const files = eventPaths(options.files);
  const groups = groupsOf(files);
  const sampled =
    files.length > 0 ? await sampleFiles(groups, options.sample) : await topicsOf(options, io);
  const schemas = await schemasOf(config, sampled);
  const isOfFiles = files.length > 0;
  const looked = sampled.map((each) => reportOf(each, schemas, isOfFiles));
  const lenskit: Ready = {
    is: 'mapping',
    name: 'lenskit',
  };
  const isLensKit = isOfFiles && areOfLensKit(looked.map(({ survey }) => survey));
  const reports = isLensKit
    ? looked.map((each) => ({
        ...each,
        ready: lenskit,
      }))
    : looked;
  const suggestions = suggestionsOf(reports, isOfFiles);
  const limits = {
    latenessMs: config.time.latenessMs,
    maxFutureMs: config.time.maxFutureMs,
    horizonMs: config.popularity.horizonMs,
    hasRegistry: schemas !== undefined,
  };
  const problems = problemsOf(reports, suggestions, limits);
  io.stdout(findingsText(reports, suggestions, problems));
  const unclear = isOfFiles ? unclearFiles(reports, suggestions) : [];
  if (unclear.length > 0) throw notReady(unclear, out);
  if (suggestions.length === 0) {
    throw new UnskewError(
      'EVENTS',
      'no record looks like an event, so no configuration is written',
    );
  }
  const how: FileOptions = {
    isOfFiles,
    latenessMs: limits.latenessMs,
    brokers: config.kafka.brokers,
    registryUrl: config.registry.url,
  };
  const text = suggestedFile(suggestions, problems, how);
  const proof = isOfFiles ? await proofOfFiles(text, files) : proofOf(text, sampled, schemas);
  io.stdout(`\n${proofText(proof, suggestions)}\n`);
  if (proof.wrong.length > 0) throw notReady(proof.wrong, out);
  const experiment = proof.arms === undefined ? '' : experimentText(proof.arms);
  // YAML allows no section after an empty object.
  const whole = experiment === '' ? text : text.replace(/^\{\}\n$/m, '') + experiment;
  if (experiment !== '') {
    io.stdout(`${experiment}\n`);
  }
  if (out !== undefined) {
    await writeNew(out, whole);
  }
  io.stdout(`Ready: ${nextStep(isOfFiles, options.files, out)}\n`);
}

function notReady(why: readonly string[], out: string | undefined): UnskewError {
  const written = out === undefined ? '' : `; ${out} is not written`;
  return new UnskewError('EVENTS', `not ready: ${why.join('; ')}${written}`);
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'EEXIST' ? 'it already exists' : String(code);
    throw new UnskewError('FILE', `cannot write ${path}: ${why}`);
  }
}

/** Command to suggest to the user as the next step. */
function nextStep(isOfFiles: boolean, files: readonly string[], out: string | undefined): string {
  if (out === undefined) return 'write the configuration with --out FILE';
  return isOfFiles
    ? `unskew evaluate --config ${out} --events ${files.map(quoted).join(' ')}`
    : `unskew serve --config ${out}`;
}

/** Quote a pattern, so that the shell does not expand it. */
function quoted(path: string): string {
  return /[*?]/.test(path) ? `'${path}'` : path;
}

async function topicsOf(
  { config, topics, sample }: DoctorOptions,
  io: LoggedIo,
): Promise<readonly Sampled[]> {
  const found = await sampleTopics(connectionOptions(config, io), topics, sample);
  return found.map(({ topic, ...rest }) => ({
    name: topic,
    ...rest,
  }));
}

/** Load the schemas that sampled records refer to; undefined without a registry. */
async function schemasOf(
  { registry }: Config,
  sampled: readonly Sampled[],
): Promise<SchemaTable | undefined> {
  const { url } = registry;
  if (url === undefined) return undefined;
  const client = new RegistryClient({
    ...registry,
    url,
  });
  const schemas = new SchemaTable();
  for (const { sample } of sampled) {
    for (const { value, frame: header } of sample) {
      const key = value && frameOf(value, 0, value.length, header)?.key;
      if (!key || schemas.has(key)) continue;
      const schema = await client.find(key);
      schemas.add(
        key,
        schema ?? {
          type: 'unreadable',
          why: 'the registry has no schema of that name',
        },
      );
    }
  }
  return schemas;
}

/** Read the first `most` rows of each group of files, as records without key and time. */
function sampleFiles(groups: readonly FileGroup[], most: number): Promise<readonly Sampled[]> {
  return Promise.all(
    groups.map(async ({ name, paths }) => {
      const named = await headless(paths[0]!);
      const columns = named && mappingNamed(named).columns;
      const encoder = new TextEncoder();
      const rows: string[] = [];
      let records = 0;
      for (const path of paths) {
        const { rows: own, total } = await sampleRows(path, most - rows.length, columns);
        rows.push(...own);
        records += total;
        if (rows.length >= most) break;
      }
      const sample = rows.map((row, n) => {
        const place = {
          partition: 0,
          offset: `${n}`,
        };
        const from = {
          topic: name,
          ...place,
          key: null,
          headers: {},
        };
        return {
          from,
          value: encoder.encode(row),
          ts: 0,
        };
      });
      const ready: Ready | undefined = named && {
        is: 'mapping',
        name: named,
      };
      return {
        name,
        partitions: 1,
        records,
        retentionMs: undefined,
        sample,
        ready,
      };
    }),
  );
}

/** Find the built-in mapping for a table without a header row; undefined for any other file. */
async function headless(path: string): Promise<MappingName | undefined> {
  if ((await formOf(path)) !== 'table') return undefined;
  for (const name of MAPPING_NAMES) {
    const { columns } = mappingNamed(name);
    if (columns === undefined) continue;
    const found = await sampleRows(path, MOST_TRIED_ROWS, columns).catch(() => undefined);
    const from = {
      topic: path,
      partition: 0,
      offset: '0',
      key: null,
      headers: {},
    };
    const sample = (found?.rows ?? []).map((row) => ({
      from,
      value: new TextEncoder().encode(row),
      ts: 0,
    }));
    const ready = readyFor(sample, false);
    if (ready?.is === 'mapping' && ready.name === name) return name;
  }
  return undefined;
}

const MOST_TRIED_ROWS = 20;
