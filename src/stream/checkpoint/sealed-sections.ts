import { DamagedCheckpoint, UnskewError } from '../../errors.js';
import { BinaryReader } from '../../state/binary/binary-reader.js';
import { BinaryWriter, type ChunkPool } from '../../state/binary/binary-writer.js';
import { XxHash32 } from '../../state/binary/xxhash32.js';
import type { IdDictionary } from '../../state/ids/id-dictionary.js';

/**
 * Size of the header, bytes.
 *
 * A file stores a state and the texts of its ids under a checksum. Its layout is, little-endian:
 *
 *   0   8 bytes   magic characters
 *   8   uint32    version of the format
 *   12  uint32    XXH32 (seed: the version) of everything from byte 16 on
 *   16  float64   length of header and both sections, bytes
 *   24  float64   length of the first section, bytes
 *   32            first section: head as JSON, texts of the ids to which the second one refers
 *   …             second section: the state
 *
 * Another header with a pair of sections may follow.
 */
const HEADER_BYTES = 32;
/** Offset of the JSON text of the head, bytes. The length of the text is stored before it. */
const HEAD_AT = HEADER_BYTES + 8;
/** Bytes whose checksum is computed between two yields. */
const SLICE_BYTES = 1 << 20;

/** A file format of sealed sections. */
export interface Format {
  /** Magic characters: the first eight bytes. */
  readonly magic: string;
  /** Version of the format that is written. */
  readonly version: number;
  /** Older versions that can be read. */
  readonly older?: readonly number[];
  /** Name in errors, e.g. `checkpoint`. */
  readonly noun: string;
}

/** A checked pair of sections, ready to be read. */
export interface OpenedSections<Head> {
  /** Bytes of the header and both sections. */
  readonly bytes: Uint8Array;
  readonly version: number;
  readonly head: Head;
  /** Reader at the start of the texts of the ids. */
  readonly dictionaries: BinaryReader;
  readonly state: BinaryReader;
  /** The pair of sections that follows, if any. */
  readonly beside?: OpenedSections<Head> | undefined;
}

/** Write a pair of sections with its header, in chunks. Yields often. */
export function* sealSections(
  { magic, version }: Format,
  head: object,
  dictionaries: readonly IdDictionary[],
  write: (to: BinaryWriter) => Generator<void, void>,
  pool?: ChunkPool,
): Generator<void, Uint8Array[]> {
  const state = new BinaryWriter(pool);
  yield* write(state);
  const first = new BinaryWriter(pool);
  first.text(JSON.stringify(head));
  first.cut(0);
  for (const dictionary of dictionaries) {
    yield* dictionary.writeTexts(first);
  }
  return yield* sealed(magic, version, first, state);
}

/** Write opened sections again with another head and another second section. Yields often. */
export function* sealAgain<Head extends object>(
  { magic }: Format,
  { version, head, dictionaries }: OpenedSections<Head>,
  state: BinaryWriter,
): Generator<void, Uint8Array[]> {
  const first = new BinaryWriter();
  first.text(JSON.stringify(head));
  first.extendColumn(dictionaries.rest());
  return yield* sealed(magic, version, first, state);
}

function* sealed(
  magic: string,
  version: number,
  first: BinaryWriter,
  state: BinaryWriter,
): Generator<void, Uint8Array[]> {
  const firstChunks = first.finish();
  const stateChunks = state.finish();
  const header = new Uint8Array(HEADER_BYTES);
  const chunks = [header, ...firstChunks, ...stateChunks];
  const view = new DataView(header.buffer);
  header.set(new TextEncoder().encode(magic));
  view.setUint32(8, version, true);
  view.setFloat64(16, lengthOf(chunks), true);
  view.setFloat64(24, lengthOf(firstChunks), true);
  const hash = new XxHash32(version);
  for (const chunk of chunks) {
    hash.update(chunk === header ? header.subarray(16) : chunk);
    yield;
  }
  view.setUint32(12, hash.digest(), true);
  return chunks;
}

/**
 * Check and open the output of `sealSections`. Yields often.
 *
 * @throws DamagedCheckpoint if it is truncated or altered
 * @throws UnskewError STATE if it is something else, or of another version of the format
 */
export function* openSections<Head>(
  format: Format,
  bytes: Uint8Array,
): Generator<void, OpenedSections<Head>> {
  if (bytes.length < HEADER_BYTES) throw new DamagedCheckpoint('it ends too early');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const found = checkedVersion(format, view);
  const length = view.getFloat64(16, true);
  if (!(length >= HEADER_BYTES && length <= bytes.length)) {
    throw new DamagedCheckpoint(`it has ${bytes.length} bytes of ${length}`);
  }
  const hash = new XxHash32(found);
  for (let at = 16; at < length; at += SLICE_BYTES) {
    hash.update(bytes.subarray(at, Math.min(at + SLICE_BYTES, length)));
    yield;
  }
  if (hash.digest() !== view.getUint32(12, true)) {
    throw new DamagedCheckpoint('its checksum does not match');
  }
  const end = HEADER_BYTES + view.getFloat64(24, true);
  const dictionaries = new BinaryReader(bytes.subarray(HEADER_BYTES, end), found);
  const head = JSON.parse(dictionaries.text(), unbounded) as Head;
  const state = new BinaryReader(bytes.subarray(end, length), found);
  const beside =
    length === bytes.length ? undefined : yield* openBehind<Head>(format, bytes, length);
  return {
    bytes: bytes.subarray(0, length),
    version: found,
    head,
    dictionaries,
    state,
    beside,
  };
}

function* openBehind<Head>(
  format: Format,
  bytes: Uint8Array,
  length: number,
): Generator<void, OpenedSections<Head>> {
  const behind = bytes.subarray(length);
  const isOne = new TextDecoder().decode(behind.subarray(0, format.magic.length)) === format.magic;
  if (!isOne) throw new DamagedCheckpoint(`it has ${bytes.length} bytes of ${length}`);
  return yield* openSections<Head>(format, behind);
}

/**
 * Read version and head from the first bytes, unchecked.
 *
 * @returns the required number of bytes, if these are too few
 * @throws UnskewError STATE if it is something else, or of another version of the format
 */
export function peekHead<Head>(
  format: Format,
  bytes: Uint8Array,
):
  | number
  | {
      readonly version: number;
      readonly head: Head;
    } {
  if (bytes.length < HEAD_AT) return HEAD_AT;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = checkedVersion(format, view);
  const end = HEAD_AT + view.getFloat64(HEADER_BYTES, true);
  if (bytes.length < end) return end;
  try {
    const text = new TextDecoder().decode(bytes.subarray(HEAD_AT, end));
    return {
      version,
      head: JSON.parse(text, unbounded) as Head,
    };
  } catch {
    throw new DamagedCheckpoint('its head is not JSON');
  }
}

/** @throws UnskewError STATE if it is something else, or of another version of the format */
function checkedVersion({ magic, version, older = [], noun }: Format, view: DataView): number {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, magic.length);
  if (new TextDecoder().decode(bytes) !== magic) {
    throw new UnskewError('STATE', `the stored data are not a ${noun}`);
  }
  const found = view.getUint32(8, true);
  if (found === version || older.includes(found)) return found;
  const known = `this version of unskew reads ${listed([...older, version])}`;
  const advice = 'run the version that wrote it, or start from scratch with another kafka.groupId';
  throw new UnskewError('STATE', `the ${noun} is of version ${found}; ${known}: ${advice}`);
}

function listed(versions: readonly number[]): string {
  return `version${versions.length === 1 ? '' : 's'} ${versions.join(', ').replace(/, (\d+)$/, ' and $1')}`;
}

/** Restore −Infinity, which JSON writes as null. */
function unbounded(_key: string, value: unknown): unknown {
  return value === null ? Number.NEGATIVE_INFINITY : value;
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
