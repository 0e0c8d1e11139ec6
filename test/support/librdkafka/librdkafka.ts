import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const HERE = dirname(fileURLToPath(import.meta.url));
const CACHE = fileURLToPath(new URL('../../../.cache', import.meta.url));
const CLIENT = 'confluent-kafka[avro,protobuf,schemaregistry]==2.16.0';

let python: Promise<string> | undefined;

/** A Python that has librdkafka's client and its serializers, installed once into a folder. */
function pythonOfClient(): Promise<string> {
  python ??= install();
  return python;
}

async function install(): Promise<string> {
  const folder = join(CACHE, 'confluent-kafka-2.16.0');
  const program = join(folder, 'bin', 'python');
  const isThere = await access(program).then(
    () => true,
    () => false,
  );
  if (isThere) return program;
  await mkdir(CACHE, { recursive: true });
  // Others may install it at the same time: it gets its name once it is whole.
  const made = await mkdtemp(join(CACHE, 'making-'));
  try {
    await run('python3', ['-m', 'venv', made]);
    await run(join(made, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', CLIENT]);
    await rename(made, folder);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
  return program;
}

/** Runs a program of this folder with a job as JSON; what it prints. */
export async function runPython(program: string, job: unknown): Promise<string> {
  const running = run(await pythonOfClient(), [join(HERE, program)], { maxBuffer: 1 << 28 });
  running.child.stdin?.end(JSON.stringify(job));
  return (await running).stdout;
}

export interface ForeignRecord {
  readonly topic: string;
  /** By its key if none is given. */
  readonly partition?: number;
  readonly key?: string;
  readonly value: Buffer;
  /** The same record so many times. */
  readonly repeat?: number;
}

/** Writes records by librdkafka, with settings of its own such as `compression.type`. */
export async function produceForeign(
  config: Readonly<Record<string, string | number>>,
  records: readonly ForeignRecord[],
): Promise<void> {
  const written = records.map(({ value, ...record }) => ({
    ...record,
    value: value.toString('base64'),
  }));
  await runPython('produce.py', { config, records: written });
}

export interface SerializeJob {
  /** Address of the registry's API. */
  readonly registry: string;
  readonly topic: string;
  readonly kind: 'avro' | 'protobuf';
  /** Of Protobuf a FileDescriptorProto, whose first message is written. */
  readonly schema: object;
  readonly values: readonly object[];
}

/** Registers a schema and frames values, both by the registry's own client. */
export async function serializeForeign(job: SerializeJob): Promise<Buffer[]> {
  const framed = JSON.parse(await runPython('serialize.py', job)) as string[];
  return framed.map((text) => Buffer.from(text, 'base64'));
}
