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

/** Captures and restores the checkpoints of partitions: state, ids and offsets. */
export class PartitionCheckpoints {
  /** Returns a partition's position in the panes topic, if there is such a topic. */
  panes: ((partition: number) => PanesPlace | undefined) | undefined;
  /** Part of the state that this process has, as in `CheckpointHead`; undefined if it has all. */
  holds: CheckpointHead['holds'];
  readonly #partitions: Partitions;
  readonly #ids: IdTables;
  readonly #records: ReadRecords;
  readonly #topics: Readonly<Record<TopicRole, string>>;
  readonly #settings: Readonly<Record<string, unknown>>;
  readonly #count: number;
  readonly #dictionaries = new Map<number, EventDictionaries>();

  /** @param count number of partitions of the topics */
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

  /**
   * A text that identifies the state of a partition by its newest closed pane and its next offsets.
   * It changes whenever the state changes.
   */
  mark(partition: number): string {
    const { closedThrough } = this.#partitions.of(partition);
    const next = (role: TopicRole) => this.#records.nextOffset(role, partition);
    return [closedThrough, next('exposures'), next('interactions')].join();
  }

  /**
   * Capture a partition's state with its offsets as a checkpoint. The generator writes the
   * checkpoint; batches may be applied meanwhile, but no pane may close.
   *
   * @param savedAt wall clock, ms, for display
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
   * Continue from a checkpoint, or from the partition's beginning if undefined. To be called before
   * the first batch of the partition.
   *
   * @returns settings that have changed
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

  /**
   * Dictionaries for the partition's next checkpoint. They continue those of the previous one, so
   * that most of their pieces stay the same and need not be stored again.
   */
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
