import { DamagedCheckpoint, UnskewError } from '../../errors.js';
import type { BinaryWriter, ChunkPool } from '../../state/binary/binary-writer.js';
import type { EventDictionaries, EventPlaces } from '../../state/ids/dictionaries.js';
import type { ForgottenUsers } from '../../state/ids/forgotten-users.js';
import { IdPlaces } from '../../state/ids/id-dictionary.js';
import type { Interner } from '../../state/ids/interner.js';
import { UNSTATED_SETTINGS } from '../options.js';
import type { PanesPlace } from '../panes/fold.js';
import type { CheckpointStore, NextOffsets, TopicRole } from '../ports.js';
import type { Marks } from '../read/read-records.js';
import { runSliced, type Turns } from '../sliced.js';
import { changedSettings, type SettingChange, settingsOf } from './changed-settings.js';
import type { PartitionProgress } from './partition-capture.js';
import {
  type Format,
  type OpenedSections,
  openSections,
  peekHead,
  sealAgain,
  sealSections,
} from './sealed-sections.js';

/**
 * Version of the format of checkpoints. A checkpoint holds one partition's state with its offsets,
 * in sealed sections: the first has the head and the texts of items and models, the second users,
 * then the state.
 */
export const CHECKPOINT_VERSION = 3;
/**
 * Version 1 does not state the settings that came after it, nor when models were heard. In version 2
 * ids of items stand as places in the dictionary, and texts of users and ids of events in an order
 * that changes.
 */
const FORMAT: Format = {
  magic: 'unskewcp',
  version: CHECKPOINT_VERSION,
  older: [1, 2],
  noun: 'checkpoint',
};

export interface CheckpointHead {
  readonly partition: number;
  readonly topics: Readonly<Record<TopicRole, string>>;
  /** When it was made, wall clock, ms; where that is known. */
  readonly savedAt?: number;
  /** The writer's fencing epoch. */
  readonly epoch: number;
  readonly next: NextOffsets;
  /** What tells those logs from others; where the source gives it. */
  readonly log?: LogIdentity;
  /** What became of all records before those offsets, by outcome. */
  readonly accounts: Readonly<Record<TopicRole, Readonly<Record<string, number>>>>;
  readonly progress: PartitionProgress;
  /** Where the panes topic is read on, where panes go through one. */
  readonly panes?: PanesPlace;
  /**
   * What is in it: `lists` of what reads, `rows` of what ticks; both by default. One of
   * `lists` and one of `rows` behind it: `lists, then rows`.
   */
  readonly holds?: 'lists' | 'rows' | 'lists, then rows';
  /** What the state depends on; a process with others cannot go on from it. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Users whose events are refused. */
  readonly forgotten?: ForgottenUsers;
}

export interface LogIdentity {
  /** How many partitions the topics had. */
  readonly partitions: number;
  readonly marks: Marks;
}

/** Place in the panes topic that a checkpoint stands for, also if it was made without the topic. */
export function placeOf(head: CheckpointHead | undefined): PanesPlace | undefined {
  if (head === undefined) return undefined;
  const { exposures = 0, interactions = 0 } = head.next;
  const known = {
    through: head.progress.closedThrough,
    to: { exposures, interactions },
  };
  return head.panes ?? { known };
}

/** The checkpoint, or the part of it, that holds rows; undefined where it holds none. */
export function rowsIn(opened: OpenedCheckpoint | undefined): OpenedCheckpoint | undefined {
  if (opened?.head.holds === 'lists') return undefined;
  return opened?.beside ?? opened;
}

/** Its dictionaries are those of items, of models that have a place, and of models' names. */
export type OpenedCheckpoint = OpenedSections<CheckpointHead>;

/** Writes a checkpoint, in chunks. Yields often. */
export function encodeCheckpoint(
  head: CheckpointHead,
  ids: EventDictionaries,
  write: (to: BinaryWriter) => Generator<void, void>,
  pool?: ChunkPool,
): Generator<void, Uint8Array[]> {
  return sealSections(FORMAT, head, [ids.items, ids.models, ids.names], write, pool);
}

/**
 * Check and open a checkpoint. Yields often.
 *
 * @throws DamagedCheckpoint if it was cut short or changed
 * @throws UnskewError STATE if it is not a checkpoint, or of another version of the format
 */
export function openCheckpoint(bytes: Uint8Array): Generator<void, OpenedCheckpoint> {
  return openSections<CheckpointHead>(FORMAT, bytes);
}

/** Write an opened checkpoint again with another state, without reading its dictionaries. */
export function resealed(
  opened: OpenedCheckpoint,
  state: BinaryWriter,
): Generator<void, Uint8Array[]> {
  return sealAgain(FORMAT, opened, state);
}

/** What its dictionaries say of models, once that of the items was read. */
export function* readModelPlaces(
  { version, dictionaries }: OpenedCheckpoint,
  ids: {
    readonly models: Interner;
    readonly modelNames: Interner;
  },
): Generator<void, Omit<EventPlaces, 'items'>> {
  const models = yield* IdPlaces.read(dictionaries, ids.models);
  if (version > 1) {
    return {
      models,
      names: yield* IdPlaces.read(dictionaries, ids.modelNames),
    };
  }
  return {
    models,
    names: models.in(ids.models, ids.modelNames),
    isWithoutModelPlaces: true,
  };
}

/**
 * Check that this process can continue from a checkpoint.
 *
 * @returns the settings that are others now, and with which it does go on
 * @throws UnskewError STATE if it belongs to another partition or was made with other settings
 */
export function checkHead(
  { version, head }: Pick<OpenedCheckpoint, 'version' | 'head'>,
  here: Pick<CheckpointHead, 'partition' | 'topics' | 'settings'>,
  holds: CheckpointHead['holds'],
): readonly SettingChange[] {
  const refuse = (why: string): never => {
    throw new UnskewError('STATE', `the checkpoint of partition ${here.partition} ${why}`);
  };
  if (head.partition !== here.partition) {
    refuse(`is that of partition ${head.partition}`);
  }
  for (const role of ['exposures', 'interactions'] as const) {
    if (head.topics[role] !== here.topics[role]) {
      refuse(`is of the topic ${head.topics[role]}`);
    }
  }
  const isHalf = head.holds === 'lists' || head.holds === 'rows';
  if (isHalf && head.holds !== holds) {
    const [maker, other] = head.holds === 'lists' ? ['read', 'rows'] : ['tick', 'lists'];
    refuse(
      `was made by \`serve --role ${maker}\` and holds no ${other}: start with that role, or under another kafka.groupId`,
    );
  }
  const made = settingsOf({ version, head });
  const changes = changedSettings(made, here.settings);
  const refused = changes.find(({ effect }) => effect === 'refused');
  if (refused !== undefined) {
    refuse(`was made with ${refusalOf(refused, version)}`);
  }
  return changes;
}

/** What cannot go on, and what to do about it. */
function refusalOf({ name, made, now }: SettingChange, version: number): string {
  const how = version === 1 && name in UNSTATED_SETTINGS ? ' (`preset: papers` does)' : '';
  return `${name} ${made}, which now is ${now}: set it back${how}, or start from scratch under another kafka.groupId`;
}

/** How much is asked for first: most heads are not longer. */
const FIRST_PEEK = 16_384;
/** What says of itself that it is longer is damaged. */
const LONGEST_HEAD = 2 ** 30;

/**
 * The head of a partition's newest checkpoint, unchecked; undefined where there is none, or none
 * that could be read: the worker that takes the partition over reports it.
 *
 * @throws UnskewError STATE if it is of another version of the format
 */
export async function peekCheckpoint(
  store: Pick<CheckpointStore, 'peek'>,
  partition: number,
): Promise<Pick<OpenedCheckpoint, 'version' | 'head'> | undefined> {
  for (let bytes = FIRST_PEEK; ; ) {
    const found = await store.peek(partition, bytes);
    if (found === undefined) return undefined;
    try {
      const head = peekHead<CheckpointHead>(FORMAT, found);
      if (typeof head !== 'number') return head;
      if (found.length < bytes || head > LONGEST_HEAD) return undefined;
      bytes = head;
    } catch (error) {
      if (error instanceof DamagedCheckpoint) return undefined;
      throw error;
    }
  }
}

/**
 * The newest checkpoint of a partition that is whole; undefined where there is none at all.
 *
 * @param next asks the store for the next older one
 * @param onDamaged called with each that is refused
 * @throws UnskewError STATE if there are only damaged ones, or one of another version
 */
export async function newestCheckpoint(
  partition: number,
  next: () => Promise<IteratorResult<Uint8Array>>,
  turns: Turns,
  onDamaged: (error: Error) => void = () => {},
): Promise<OpenedCheckpoint | undefined> {
  let damage: Error | undefined;
  for (;;) {
    const kept = await next();
    if (kept.done === true) break;
    try {
      return await runSliced(openCheckpoint(kept.value), turns);
    } catch (error) {
      if (!(error instanceof DamagedCheckpoint)) throw error;
      damage = error;
      onDamaged(error);
    }
  }
  if (damage === undefined) return undefined;
  const advice = 'remove its checkpoints to read the log again';
  const fault = `partition ${partition} has no intact checkpoint: ${advice}`;
  throw new UnskewError('STATE', fault, { cause: damage });
}
