import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { UnskewError } from '../../errors.js';
import { STRATEGIES } from '../../estimators/names.js';
import { type ListedFile, MANIFEST_SCHEMA, type Manifest } from '../../export/manifest.js';
import { MANIFEST, type SetStorage } from '../../export/ports.js';
import { FORMATS, PARTS } from '../../export/set-plan.js';

const Time = Type.Union([Type.Integer(), Type.Null()]);
const Offset = Type.Integer({ minimum: 0 });

/** Schema of the manifest fields that this program reads; the others are for people. */
const ManifestSchema = Type.Object({
  schema: Type.Literal(MANIFEST_SCHEMA),
  version: Type.String(),
  plan: Type.Object({
    strategy: Type.Enum([...STRATEGIES]),
    size: Type.Union([
      Type.Object({
        share: Type.Number({
          exclusiveMinimum: 0,
          maximum: 1,
        }),
      }),
      Type.Object({ rows: Type.Integer({ minimum: 1 }) }),
    ]),
    seed: Type.Integer({ minimum: 0 }),
    split: Type.Union([
      Type.Number({
        exclusiveMinimum: 0,
        exclusiveMaximum: 1,
      }),
      Type.Null(),
    ]),
    exponent: Type.Number({ minimum: 0 }),
    smoothing: Type.Number({ minimum: 0 }),
    propensities: Type.Optional(
      Type.Object({
        kind: Type.Enum(['nb', 'lr']),
        version: Type.String(),
        date: Type.String(),
      }),
    ),
    part: Type.Enum([...PARTS]),
    withTrain: Type.Boolean(),
    format: Type.Enum([...FORMATS]),
    positiveMinValue: Type.Number(),
    actions: Type.Optional(Type.Record(Type.String(), Type.Number())),
    from: Time,
    to: Time,
  }),
  events: Type.Object({
    maxBytes: Type.Integer({ minimum: 1 }),
    maxFutureMs: Type.Number({ minimum: 0 }),
    mapping: Type.Optional(Type.Any()),
    pseudonyms: Type.Optional(Type.Array(Type.String())),
  }),
  sources: Type.Array(
    Type.Union([
      Type.Object({
        kind: Type.Literal('file'),
        role: Type.Enum(['events', 'train', 'propensities']),
        path: Type.String(),
        bytes: Offset,
        sha256: Type.String(),
      }),
      Type.Object({
        kind: Type.Literal('kafka'),
        topic: Type.String(),
        partitions: Type.Array(
          Type.Object({
            partition: Offset,
            from: Offset,
            to: Offset,
          }),
        ),
        missing: Type.Array(
          Type.Object({
            partition: Offset,
            low: Offset,
            lowTs: Time,
          }),
        ),
      }),
    ]),
    { minItems: 1 },
  ),
  files: Type.Array(
    Type.Object({
      role: Type.Enum(['set', 'train', 'report']),
      // A name inside the set's folder: a manifest must not lead to files elsewhere.
      name: Type.String({ pattern: '^[A-Za-z0-9_-][A-Za-z0-9._-]*$' }),
      bytes: Offset,
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    }),
    { minItems: 1 },
  ),
});

/** Parse and check a manifest. @throws UnskewError SET that names the problem. */
export function parseManifest(text: string, place: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnskewError('SET', `${place} is not JSON: it is damaged, or not a manifest`);
  }
  if (!Value.Check(ManifestSchema, value)) {
    const [first] = Value.Errors(ManifestSchema, value);
    const where = first === undefined ? '' : ` at ${first.instancePath || '/'}: ${first.message}`;
    throw new UnskewError('SET', `${place} is not a manifest of ${MANIFEST_SCHEMA}${where}`);
  }
  return value as unknown as Manifest;
}

/**
 * Read the manifest of a complete set.
 *
 * @throws UnskewError FILE if there is none, SET if it is damaged.
 */
export async function readManifest(storage: SetStorage, name: string): Promise<Manifest> {
  const parts: Uint8Array[] = [];
  for await (const part of storage.read(name, MANIFEST)) {
    parts.push(part);
  }
  return parseManifest(
    Buffer.concat(parts).toString('utf8'),
    `${storage.place}/${name}/${MANIFEST}`,
  );
}

/**
 * Compare the size and hash of a set's files with its manifest.
 *
 * @returns one line for each file that differs or is missing; empty if all match
 */
export async function verifySet(
  storage: SetStorage,
  name: string,
  { files }: Pick<Manifest, 'files'>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const file of files) {
    const fault = await verifyFile(storage, name, file);
    if (fault !== undefined) {
      faults.push(fault);
    }
  }
  return faults;
}

async function verifyFile(
  storage: SetStorage,
  name: string,
  file: ListedFile,
): Promise<string | undefined> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const part of storage.read(name, file.name)) {
      hash.update(part);
      bytes += part.length;
    }
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    return `${file.name}: ${error.message}`;
  }
  if (bytes !== file.bytes) return `${file.name}: ${bytes} bytes, expected ${file.bytes}`;
  const found = hash.digest('hex');
  return found === file.sha256
    ? undefined
    : `${file.name}: SHA-256 is ${found}, expected ${file.sha256}`;
}
