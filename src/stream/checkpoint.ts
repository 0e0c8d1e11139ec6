import { DamagedCheckpoint, UnskewError } from '../errors.js';
import { BinaryReader } from '../state/binary-reader.js';
import { BinaryWriter } from '../state/binary-writer.js';
import type { ChunkPool } from '../state/chunk-pool.js';
import type { Dictionaries } from '../state/dictionaries.js';
import { XxHash32 } from '../state/xxhash32.js';
import type { PartitionProgress } from './monitor.js';
import type { NextOffsets, TopicRole } from './ports.js';

/**
 * A checkpoint is one partition's state with the offsets that it goes with. Little-endian:
 *
 *   0   8 bytes   "unskewcp"
 *   8   uint32    version of the format
 *   12  uint32    XXH32 (seed: the version) of everything from byte 16 on
 *   16  float64   length in bytes, this included
 *   24  float64   length of the first section
 *   32  first section: head as JSON, texts of the items and models that the second one names
 *   …   second section: users, then the state, as each part of it writes itself
 */
const MAGIC = new TextEncoder().encode('unskewcp');
export const CHECKPOINT_VERSION = 1;
const HEADER_BYTES = 32;
/** Bytes whose checksum is computed between two yields. */
const SLICE_BYTES = 1 << 20;

export interface CheckpointHead {
  readonly partition: number;
  readonly topics: Readonly<Record<TopicRole, string>>;
  /** The writer's fencing epoch. */
  readonly epoch: number;
  readonly next: NextOffsets;
  readonly progress: PartitionProgress;
  /** What the state depends on; a process with others cannot go on from it. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface OpenedCheckpoint {
  readonly head: CheckpointHead;
  /** Stands at the texts of the items and models. */
  readonly dictionaries: BinaryReader;
  readonly state: BinaryReader;
}

/** Writes a checkpoint, in chunks. Yields often. */
export function* encodeCheckpoint(
  head: CheckpointHead,
  ids: Dictionaries,
  write: (to: BinaryWriter) => Generator<void, void>,
  pool?: ChunkPool,
): Generator<void, Uint8Array[]> {
  const state = new BinaryWriter(pool);
  yield* write(state);
  const first = new BinaryWriter(pool);
  first.text(JSON.stringify(head));
  yield* ids.items.writeTexts(first);
  yield* ids.models.writeTexts(first);
  const firstChunks = first.finish();
  const stateChunks = state.finish();
  const header = new Uint8Array(HEADER_BYTES);
  const chunks = [header, ...firstChunks, ...stateChunks];
  const view = new DataView(header.buffer);
  header.set(MAGIC);
  view.setUint32(8, CHECKPOINT_VERSION, true);
  view.setFloat64(16, lengthOf(chunks), true);
  view.setFloat64(24, lengthOf(firstChunks), true);
  const hash = new XxHash32(CHECKPOINT_VERSION);
  for (const chunk of chunks) {
    hash.update(chunk === header ? header.subarray(16) : chunk);
    yield;
  }
  view.setUint32(12, hash.digest(), true);
  return chunks;
}

/**
 * Checks a checkpoint and opens it. Yields often.
 *
 * @throws DamagedCheckpoint where it was cut short or changed
 * @throws UnskewError STATE where it is no checkpoint, or of another version of the format
 */
export function* openCheckpoint(bytes: Uint8Array): Generator<void, OpenedCheckpoint> {
  if (bytes.length < HEADER_BYTES) throw new DamagedCheckpoint('it ends too early');
  if (!MAGIC.every((byte, at) => bytes[at] === byte)) {
    throw new UnskewError('STATE', 'what is stored as a checkpoint is none');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getUint32(8, true);
  if (version !== CHECKPOINT_VERSION) {
    const known = `this program reads version ${CHECKPOINT_VERSION}`;
    throw new UnskewError('STATE', `the checkpoint is of version ${version}; ${known}`);
  }
  if (view.getFloat64(16, true) !== bytes.length) {
    throw new DamagedCheckpoint(`it has ${bytes.length} bytes of ${view.getFloat64(16, true)}`);
  }
  const hash = new XxHash32(CHECKPOINT_VERSION);
  for (let at = 16; at < bytes.length; at += SLICE_BYTES) {
    hash.update(bytes.subarray(at, Math.min(at + SLICE_BYTES, bytes.length)));
    yield;
  }
  if (hash.digest() !== view.getUint32(12, true)) {
    throw new DamagedCheckpoint('its checksum is another');
  }
  const end = HEADER_BYTES + view.getFloat64(24, true);
  const dictionaries = new BinaryReader(bytes.subarray(HEADER_BYTES, end));
  const head = JSON.parse(dictionaries.text(), unbounded) as CheckpointHead;
  return { head, dictionaries, state: new BinaryReader(bytes.subarray(end)) };
}

/**
 * Sees to it that a checkpoint goes on where it is loaded.
 *
 * @throws UnskewError STATE where it belongs to another partition or was made with other settings
 */
export function checkHead(
  head: CheckpointHead,
  here: Omit<CheckpointHead, 'epoch' | 'next' | 'progress'>,
): void {
  const refuse = (why: string): never => {
    throw new UnskewError('STATE', `the checkpoint of partition ${here.partition} ${why}`);
  };
  if (head.partition !== here.partition) refuse(`is that of partition ${head.partition}`);
  for (const role of ['exposures', 'interactions'] as const) {
    if (head.topics[role] !== here.topics[role]) refuse(`is of the topic ${head.topics[role]}`);
  }
  for (const [name, value] of Object.entries(here.settings)) {
    const made = JSON.stringify(head.settings[name]);
    if (made === JSON.stringify(value)) continue;
    const found = `${name} ${made}, which now is ${JSON.stringify(value)}`;
    refuse(`was made with ${found}: set it back, or remove the checkpoints to read the log anew`);
  }
}

/** JSON has no −Infinity: it writes null. */
function unbounded(_key: string, value: unknown): unknown {
  return value === null ? Number.NEGATIVE_INFINITY : value;
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
