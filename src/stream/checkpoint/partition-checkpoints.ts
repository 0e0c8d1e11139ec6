import type { BinaryWriter, ChunkPool } from '../../state/binary/binary-writer.js';
import { dictionariesOf, type EventDictionaries } from '../../state/ids/dictionaries.js';
import { IdPlaces, readUsers } from '../../state/ids/id-dictionary.js';
import type { IdTables } from '../id-tables.js';
import { pseudonymsOf } from '../options.js';
import type { PanesPlace } from '../panes/fold.js';
import type { Partitions } from '../panes/partitions.js';
import type { TopicRole } from '../ports.js';
import type { ReadRecords } from '../read/read-records.js';
import { stateSettings } from '../state-settings.js';
import { layoutOf, type SettingChange } from './changed-settings.js';
import {
  type CheckpointHead,
  checkHead,
  encodeCheckpoint,
  type OpenedCheckpoint,
  readModelPlaces,
} from './checkpoint.js';
import { capturePartition, NO_PROGRESS, restorePartition } from './partition-capture.js';

/** A partition's state, ids and offsets as one checkpoint. */
export class PartitionCheckpoints {
  /** Where the panes topic is read on, where panes go through one. */
  panes: ((partition: number) => PanesPlace | undefined) | undefined;
  /** What the states of this process hold, where others hold the rest. */
  holds: CheckpointHead['holds'];
  readonly #partitions: Partitions;
  readonly #ids: IdTables;
  readonly #records: ReadRecords;
  readonly #topics: Readonly<Record<TopicRole, string>>;
  readonly #settings: Readonly<Record<string, unknown>>;
  readonly #count: number;
  readonly #dictionaries = new Map<number, EventDictionaries>();

  /** @param count how many partitions the topics have */
  constructor(
    partitions: Partitions,
    ids: IdTables,
    records: ReadRecords,
    topics: Readonly<Record<TopicRole, string>>,
    count: number,
  ) {
    this.#count = count;
    this.#partitions = partitions;
    this.#ids = ids;
    this.#records = records;
    this.#topics = topics;
    this.#settings = stateSettings(partitions.options);
  }

  /** Tells whether a partition has moved: another mark, another state. */
  mark(partition: number): string {
    const { closedThrough } = this.#partitions.of(partition);
    const next = (role: TopicRole) => this.#records.nextOffset(role, partition);
    return [closedThrough, next('exposures'), next('interactions')].join();
  }

  /**
   * The checkpoint of a partition: its state as it is at this call, with the offsets that it goes
   * with. The generator writes it; batches may be applied meanwhile, but no pane may close.
   *
   * @param savedAt wall clock, ms, for those who look at it
   */
  capture(
    partition: number,
    epoch: number,
    pool?: ChunkPool,
    savedAt?: number,
  ): Generator<void, Uint8Array[]> {
    const ids = this.#dictionariesOf(partition);
    const users = this.#ids.users(partition).capture();
    const isTicked = this.holds === undefined || this.holds === 'rows';
    const { progress, write } = capturePartition(this.#partitions, partition, isTicked);
    const marks = this.#records.marks(partition);
    const { forgotten } = this.#ids;
    const place = this.panes?.(partition);
    const head = {
      ...this.#here(partition),
      ...(savedAt !== undefined && { savedAt }),
      epoch,
      next: this.#records.nextOffsets(partition),
      ...(marks && {
        log: {
          partitions: this.#count,
          marks,
        },
      }),
      accounts: this.#records.accounts(partition),
      progress,
      ...(place && { panes: place }),
      ...(this.holds && { holds: this.holds }),
      ...(forgotten && { forgotten }),
    };
    const writeAll = function* (to: BinaryWriter) {
      yield* users(to);
      to.cut(0);
      yield* write(to, ids);
    };
    return encodeCheckpoint(head, ids, writeAll, pool);
  }

  /**
   * Goes on from a checkpoint; undefined: from the partition's beginning. To be called before the
   * first batch of the partition.
   *
   * @returns the settings that are not what it was made with
   * @throws UnskewError STATE if the checkpoint belongs elsewhere
   */
  *restore(
    partition: number,
    checkpoint: OpenedCheckpoint | undefined,
  ): Generator<void, readonly SettingChange[]> {
    this.#dictionaries.delete(partition);
    if (checkpoint === undefined) {
      yield* restorePartition(this.#partitions, partition, NO_PROGRESS);
      return [];
    }
    const { head, dictionaries, state } = checkpoint;
    const changes = checkHead(checkpoint, this.#here(partition), this.holds);
    const items = yield* IdPlaces.read(dictionaries, this.#ids.items);
    const ofModels = yield* readModelPlaces(checkpoint, this.#ids);
    const { options } = this.#partitions;
    yield* readUsers(state, this.#ids.users(partition), pseudonymsOf(options));
    if (head.forgotten !== undefined) {
      this.#ids.refuse(head.forgotten);
    }
    const layout = layoutOf(checkpoint);
    const from = {
      reader: state,
      places: {
        items,
        ...ofModels,
      },
      layout,
    };
    yield* restorePartition(this.#partitions, partition, head.progress, from);
    this.#records.resume(partition, head.next, head.accounts, head.log?.marks);
    return changes;
  }

  /** Those of the checkpoint before, so that it has most of this one's pieces. */
  #dictionariesOf(partition: number): EventDictionaries {
    let ids = this.#dictionaries.get(partition);
    if (ids === undefined) {
      ids = dictionariesOf(this.#ids);
      this.#dictionaries.set(partition, ids);
    }
    for (const dictionary of [ids.items, ids.models, ids.names]) {
      dictionary.begin();
    }
    return ids;
  }

  #here(partition: number) {
    return {
      partition,
      topics: this.#topics,
      settings: this.#settings,
    };
  }
}
