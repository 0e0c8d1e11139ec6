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
 * Version of the checkpoint format. A checkpoint contains one partition's state and offsets, in two
 * sections under one checksum. The first has the head and the ids of items and models; the second
 * has the ids of users and the state.
 */
export const CHECKPOINT_VERSION = 3;
/**
 * Format of checkpoints. Version 1 records neither the settings in `UNSTATED_SETTINGS` nor the
 * panes in which models had lists. Version 2 stores item ids as dictionary indices, and the texts
 * of users and the event ids in an unstable order.
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
  /** Time of writing, wall clock, ms; if known. */
  readonly savedAt?: number;
  /** The writer's fencing epoch. */
  readonly epoch: number;
  readonly next: NextOffsets;
  /** Identity of the logs, if the source provides it. */
  readonly log?: LogIdentity;
  /** Number of records before the offsets `next`, by topic and outcome. */
  readonly accounts: Readonly<Record<TopicRole, Readonly<Record<string, number>>>>;
  readonly progress: PartitionProgress;
  /** Position in the panes topic, if there is one. */
  readonly panes?: PanesPlace;
  /**
   * Part of the state that the checkpoint contains; both parts by default. `lists`: the part of the
   * reading process. `rows`: the part of the ticking process. `lists, then rows`: a checkpoint of
   * the lists is followed by a checkpoint of the rows.
   */
  readonly holds?: 'lists' | 'rows' | 'lists, then rows';
  /**
   * Settings that the state depends on. A process with other settings cannot always continue from
   * it.
   */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Users whose events are rejected. */
  readonly forgotten?: ForgottenUsers;
}

export interface LogIdentity {
  /** Number of partitions of the topics. */
  readonly partitions: number;
  readonly marks: Marks;
}

/**
 * Where a process continues in the panes topic after a checkpoint. A checkpoint that was made
 * without the topic states only its last pane and offsets; the topic is then read from its
 * beginning.
 */
export function placeOf(head: CheckpointHead | undefined): PanesPlace | undefined {
  if (head === undefined) return undefined;
  const { exposures = 0, interactions = 0 } = head.next;
  const known = {
    through: head.progress.closedThrough,
    to: { exposures, interactions },
  };
  return head.panes ?? { known };
}

/**
 * The checkpoint that contains the rows: this one, or the second of two concatenated ones;
 * undefined if there is none.
 */
export function rowsIn(opened: OpenedCheckpoint | undefined): OpenedCheckpoint | undefined {
  if (opened?.head.holds === 'lists') return undefined;
  return opened?.beside ?? opened;
}

/** An opened checkpoint, with the dictionaries of items, tracked models and model names. */
export type OpenedCheckpoint = OpenedSections<CheckpointHead>;

/** Write a checkpoint, in chunks. Yields often. */
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
 * @throws DamagedCheckpoint if it is truncated or altered
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

/** Read the dictionaries of models; the dictionary of items must have been read before. */
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
 * @returns settings that have changed but allow continuing
 * @throws UnskewError STATE if it belongs to another partition or was made with incompatible
 * settings
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
    refuse(`belongs to partition ${head.partition}`);
  }
  for (const role of ['exposures', 'interactions'] as const) {
    if (head.topics[role] !== here.topics[role]) {
      refuse(`belongs to the topic ${head.topics[role]}`);
    }
  }
  const isHalf = head.holds === 'lists' || head.holds === 'rows';
  if (isHalf && head.holds !== holds) {
    const [maker, other] = head.holds === 'lists' ? ['read', 'rows'] : ['tick', 'lists'];
    refuse(
      `was made by \`serve --role ${maker}\` and holds no ${other}: start with that role, or with another kafka.groupId`,
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

/** Message on an incompatible setting, with its remedy. */
function refusalOf({ name, made, now }: SettingChange, version: number): string {
  const how = version === 1 && name in UNSTATED_SETTINGS ? ' (`preset: papers` does)' : '';
  return `${name} ${made}, which is now ${now}: set it back${how}, or start from scratch with another kafka.groupId`;
}

/** Number of bytes read first, enough for most heads. */
const FIRST_PEEK = 16_384;
/** A head with a greater stated length is damaged. */
const LONGEST_HEAD = 2 ** 30;

/**
 * The head of a partition's newest checkpoint, unchecked; undefined if there is no checkpoint, or
 * if it is not readable. The worker that takes the partition over reports an unreadable one.
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
 * Open the newest undamaged checkpoint of a partition; undefined if there are none at all.
 *
 * @param next requests the next older one from the store
 * @param onDamaged called for each damaged one
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
