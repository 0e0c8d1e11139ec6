import { UnskewError } from '../../errors.js';
import type { BinaryWriter } from '../../state/binary/binary-writer.js';
import type { ChunkPool } from '../../state/binary/chunk-pool.js';
import type { Dictionaries } from '../../state/ids/dictionaries.js';
import type { Marks } from '../ingest/read-records.js';
import { UNSTATED_SETTINGS } from '../options.js';
import type { NextOffsets, TopicRole } from '../ports.js';
import type { PartitionProgress } from './partition-capture.js';
import { type Format, type OpenedSections, openSections, sealSections } from './sealed-sections.js';

/**
 * A checkpoint is one partition's state with the offsets that it goes with, in sealed sections: the
 * first holds the head and the texts of items and models, the second users, then the state.
 */
export const CHECKPOINT_VERSION = 2;
/** Version 1 does not state the settings that came after it; the rest is the same. */
const FORMAT: Format = {
  ...{ magic: 'unskewcp', version: CHECKPOINT_VERSION, older: [1], noun: 'checkpoint' },
};

export interface CheckpointHead {
  readonly partition: number;
  readonly topics: Readonly<Record<TopicRole, string>>;
  /** The writer's fencing epoch. */
  readonly epoch: number;
  readonly next: NextOffsets;
  /** What tells those logs from others; where the source gives it. */
  readonly log?: LogIdentity;
  /** What became of all records before those offsets, by outcome. */
  readonly accounts: Readonly<Record<TopicRole, Readonly<Record<string, number>>>>;
  readonly progress: PartitionProgress;
  /** What the state depends on; a process with others cannot go on from it. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface LogIdentity {
  /** How many partitions the topics had. */
  readonly partitions: number;
  readonly marks: Marks;
}

/** Its dictionaries are those of items and models. */
export type OpenedCheckpoint = OpenedSections<CheckpointHead>;

/** Writes a checkpoint, in chunks. Yields often. */
export function encodeCheckpoint(
  head: CheckpointHead,
  ids: Dictionaries,
  write: (to: BinaryWriter) => Generator<void, void>,
  pool?: ChunkPool,
): Generator<void, Uint8Array[]> {
  return sealSections(FORMAT, head, [ids.items, ids.models], write, pool);
}

/**
 * Checks a checkpoint and opens it. Yields often.
 *
 * @throws DamagedCheckpoint where it was cut short or changed
 * @throws UnskewError STATE where it is no checkpoint, or of another version of the format
 */
export function openCheckpoint(bytes: Uint8Array): Generator<void, OpenedCheckpoint> {
  return openSections<CheckpointHead>(FORMAT, bytes);
}

/**
 * Sees to it that a checkpoint goes on where it is loaded.
 *
 * @throws UnskewError STATE where it belongs to another partition or was made with other settings
 */
export function checkHead(
  { version, head }: Pick<OpenedCheckpoint, 'version' | 'head'>,
  here: Omit<CheckpointHead, 'epoch' | 'next' | 'log' | 'accounts' | 'progress'>,
): void {
  const refuse = (why: string): never => {
    throw new UnskewError('STATE', `the checkpoint of partition ${here.partition} ${why}`);
  };
  if (head.partition !== here.partition) refuse(`is that of partition ${head.partition}`);
  for (const role of ['exposures', 'interactions'] as const) {
    if (head.topics[role] !== here.topics[role]) refuse(`is of the topic ${head.topics[role]}`);
  }
  const unstated = version === 1 ? UNSTATED_SETTINGS : {};
  const had: Record<string, unknown> = { ...unstated, ...head.settings };
  for (const [name, value] of Object.entries(here.settings)) {
    const made = JSON.stringify(had[name]);
    if (made === JSON.stringify(value)) continue;
    const found = `${name} ${made}, which now is ${JSON.stringify(value)}`;
    const how = name in unstated ? ' (`preset: papers` does)' : '';
    refuse(
      `was made with ${found}: set it back${how}, or remove the checkpoints to read the log again`,
    );
  }
}
