import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { fileError } from '../../adapters/files/file-error.js';
import { fileHash } from '../../adapters/files/file-hash.js';
import type { Config } from '../../config.js';
import { UnskewError } from '../../errors.js';
import type { FileSource, Manifest, SetSource, TopicSource } from '../../export/manifest.js';
import { MANIFEST } from '../../export/ports.js';
import { setLines } from '../../outputs/text/set.js';
import type { CommandIo, LoggedIo } from '../cli/io.js';
import { openSchemas } from '../service/schemas.js';
import { forgottenUsers } from '../state/stored-checkpoints.js';
import type { SetReader } from './file-reader.js';
import { FileSetReader } from './file-reader.js';
import { KafkaSetReader } from './kafka-reader.js';
import { makeSet } from './make-set.js';
import { decodedAs, kafkaOptions } from './reading.js';
import { type SetPropensities, setPropensities } from './set-propensities.js';
import { setAt } from './storage.js';
import { parseManifest, readManifest, verifySet } from './stored-set.js';

export interface RemakeOptions {
  readonly config: Config;
  /** A manifest file, or the folder or `s3://` address of a test set. */
  readonly manifest: string;
  /** Current paths of event files that have moved since; they are recognised by their content. */
  readonly events: readonly string[];
  readonly out: string;
  readonly json: boolean;
}

/** `unskew export --from-manifest`: make the same test set again, byte for byte, or fail. */
export async function remakeSet(options: RemakeOptions, io: LoggedIo): Promise<void> {
  const { config, out, json } = options;
  const known = await manifestAt(options.manifest, config);
  const files = await locate(known.sources, options.events);
  const manifest = await makeSet({
    plan: known.plan,
    events: known.events,
    reader: readerOf(known, options, files, io),
    propensities: await propensitiesOf(known, files),
    ...(await setAt(out, config.export)),
    memoryBytes: config.export.memoryBytes,
    expected: known,
    io,
  });
  io.stdout(json ? `${JSON.stringify(manifest)}\n` : setLines(manifest, out));
}

export interface VerifyOptions {
  readonly config: Config;
  readonly place: string;
}

/** `unskew export --verify`: check that a set's files match its manifest. */
export async function verifyExport({ config, place }: VerifyOptions, io: CommandIo): Promise<void> {
  const { storage, name } = await setAt(place, config.export);
  const manifest = await readManifest(storage, name);
  const faults = await verifySet(storage, name, manifest);
  if (faults.length > 0) {
    throw new UnskewError('SET', `${place} does not match its manifest: ${faults.join('; ')}`);
  }
  const count = manifest.files.length;
  io.stdout(`${place}: ${count} ${count === 1 ? 'file matches' : 'files match'} the manifest\n`);
}

async function manifestAt(place: string, config: Config): Promise<Manifest> {
  if (!place.startsWith('s3://') && basename(place).endsWith('.json')) {
    const text = await readFile(place, 'utf8').catch((error: unknown) => {
      throw fileError('read', place, error);
    });
    return parseManifest(text, place);
  }
  const isManifest = basename(place) === MANIFEST;
  const { storage, name } = await setAt(isManifest ? dirname(place) : place, config.export);
  return readManifest(storage, name);
}

/** Read the propensities of a set to make again, from a file with the same content. */
async function propensitiesOf(
  { plan }: Manifest,
  { propensities, knownAs }: LocatedFiles,
): Promise<SetPropensities | undefined> {
  const [path] = propensities;
  if ((plan.propensities === undefined) !== (path === undefined)) {
    throw new UnskewError(
      'SET',
      'the manifest contradicts itself: its plan and its sources must both name a propensity file, or neither',
    );
  }
  return path === undefined ? undefined : setPropensities(path, knownAs.get(path));
}

function readerOf(
  known: Manifest,
  { config }: RemakeOptions,
  files: LocatedFiles,
  io: LoggedIo,
): SetReader {
  const decoder = decodedAs(known.events, config);
  const maxFaults = Number.POSITIVE_INFINITY;
  const topic = known.sources.find((source): source is TopicSource => source.kind === 'kafka');
  if (topic !== undefined) {
    const kafka = kafkaOptions(config, io);
    const topics = {
      ...kafka.topics,
      interactions: topic.topic,
    };
    return new KafkaSetReader({
      kafka: {
        ...kafka,
        topics,
      },
      decoder,
      forgotten: () => forgottenUsers(config),
      schemas: openSchemas(config, io),
      start: { source: topic },
      allowMissing: true,
      maxFaults,
      io,
    });
  }
  return new FileSetReader({
    events: files.events,
    train: files.train,
    knownAs: files.knownAs,
    decoder,
    maxEventBytes: known.events.maxBytes,
    maxFaults,
    io,
  });
}

/** Current paths of the files in a manifest, by their role. */
type LocatedFiles = Record<FileSource['role'], string[]> & {
  /** Path of each file in the manifest, by the file's current path. */
  readonly knownAs: Map<string, string>;
};

/** Locate the files of a manifest by path or among those given, with identical content. */
async function locate(
  sources: readonly SetSource[],
  given: readonly string[],
): Promise<LocatedFiles> {
  const paths = new Map<string, string>();
  for (const path of given) {
    paths.set((await fileHash(path)).sha256, path);
  }
  const files: LocatedFiles = {
    events: [],
    train: [],
    propensities: [],
    knownAs: new Map(),
  };
  for (const source of sources) {
    if (source.kind !== 'file') continue;
    const { role, path, sha256 } = source;
    const there = paths.get(sha256) ?? resolve(path);
    if (!paths.has(sha256) && (await fileHash(there)).sha256 !== sha256) {
      throw new UnskewError('SET', `${path} has changed since the set was made from it`);
    }
    files[role].push(paths.get(sha256) ?? path);
    files.knownAs.set(paths.get(sha256) ?? path, path);
  }
  return files;
}
