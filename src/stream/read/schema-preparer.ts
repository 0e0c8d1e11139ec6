import { type Formats, frameOf } from '../../events/formats/frame.js';
import type { Schema, SchemaTable } from '../../events/formats/schema.js';
import type { LogEnd, LogSource, NextOffsets, RecordBatch, SourceHandlers } from '../ports.js';

/**
 * A log source that delivers each batch once the schemas of its records are known. While the
 * registry is unreachable, such batches wait and no record is rejected.
 */
export class PreparedSource implements LogSource {
  readonly #source: LogSource;
  readonly #preparer: SchemaPreparer;

  constructor(source: LogSource, preparer: SchemaPreparer) {
    this.#source = source;
    this.#preparer = preparer;
  }

  start(handlers: SourceHandlers): Promise<void> {
    return this.#source.start({
      assigned: (partitions, count, outdated) => handlers.assigned(partitions, count, outdated),
      confirmed: (generation) => handlers.confirmed?.(generation),
      revoked: (partitions) => handlers.revoked(partitions),
      batch: async (batch) =>
        (await this.#preparer.prepare(batch))
          ? ((await handlers.batch(batch)) ?? undefined)
          : 'again',
      caughtUp: (role, partition) => handlers.caughtUp?.(role, partition),
      gap: (role, partition, expected, found) => handlers.gap?.(role, partition, expected, found),
      changed: (role, partition, change) => handlers.changed?.(role, partition, change),
      state: (state, why) => handlers.state(state, why),
      ...(handlers.failed && { failed: (error: Error) => handlers.failed?.(error) }),
    });
  }

  rejoin(why: string): void {
    this.#source.rejoin(why);
  }

  ends(): Promise<readonly LogEnd[]> {
    return this.#source.ends();
  }

  commit(partition: number, next: NextOffsets): void {
    this.#source.commit?.(partition, next);
  }

  async committed(): Promise<readonly number[]> {
    return (await this.#source.committed?.()) ?? [];
  }

  stop(): Promise<void> {
    return this.#source.stop();
  }
}

/** Time after which a schema that the registry did not have is requested again, ms. */
const UNKNOWN_FOR_MS = 30_000;
/** Retry interval while the registry is unreachable, ms. */
const RETRY_MS = 500;

/** Options of loading schemas. */
export interface PreparerOptions {
  readonly formats: Formats;
  readonly schemas: SchemaTable;
  readonly registry: SchemaRegistry;
  /** Wall clock, ms. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /**
   * Called with the reason when the registry becomes unreachable, and with undefined when it is
   * back.
   */
  readonly onChange?: (trouble: string | undefined) => void;
}

/** Fields of a batch from which the schemas of its records are found. */
export type FramedRecords = Pick<RecordBatch, 'values' | 'frames' | 'refused'>;

/** Loads the schemas of a batch from the registry before the batch is decoded. */
export class SchemaPreparer {
  readonly #options: PreparerOptions;
  readonly #unknownSince = new Map<string, number>();
  #trouble: string | undefined;

  constructor(options: PreparerOptions) {
    this.#options = options;
  }

  /** Why the registry is unreachable; undefined while it works, or before the first request. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /**
   * Load the schemas of a batch. A batch of JSON needs none.
   *
   * @returns false, after a delay, if a schema of the batch could not be requested
   */
  async prepare(batch: RecordBatch): Promise<boolean> {
    return this.#options.formats[batch.role] === 'json' ? true : this.prepareRecords(batch);
  }

  /**
   * Load the schemas of records whose values may be framed, that is, begin with a schema id.
   *
   * @returns false, after a delay, if the registry is unreachable
   */
  async prepareRecords(records: FramedRecords): Promise<boolean> {
    const missing = missingKeys(records, this.#options.schemas);
    for (const key of missing) {
      if (this.#isUnknown(key)) continue;
      if (!(await this.#find(key))) {
        await this.#options.sleep(RETRY_MS);
        return false;
      }
    }
    return true;
  }

  #isUnknown(key: string): boolean {
    const since = this.#unknownSince.get(key);
    return since !== undefined && this.#options.now() - since < UNKNOWN_FOR_MS;
  }

  /**
   * Request a schema from the registry. Concurrent requests for the same schema are not merged,
   * since they are few.
   *
   * @returns false if the registry is unreachable
   */
  async #find(key: string): Promise<boolean> {
    const { registry, schemas, now } = this.#options;
    try {
      const schema = await registry.find(key);
      if (schema === undefined) {
        this.#noteUnknown(key, now());
      } else {
        schemas.add(key, schema);
      }
    } catch (error) {
      this.#tell(error instanceof Error ? error.message : String(error));
      return false;
    }
    this.#tell(undefined);
    return true;
  }

  /**
   * Remember that the registry does not have a schema. The number of keys is limited, since
   * producers may write any id.
   */
  #noteUnknown(key: string, now: number): void {
    if (this.#unknownSince.size >= MOST_UNKNOWN) {
      this.#unknownSince.clear();
    }
    this.#unknownSince.set(key, now);
  }

  #tell(trouble: string | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#options.onChange?.(trouble);
  }
}

const MOST_UNKNOWN = 10_000;

/** Keys of the schemas that records refer to and that are not loaded yet. */
function missingKeys(
  { values, frames, refused }: FramedRecords,
  schemas: SchemaTable,
): Set<string> {
  const missing = new Set<string>();
  let before = '';
  for (let r = 0; r < values.length; r++) {
    const value = values[r];
    if (value === null || refused?.has(r)) continue;
    const key = frameOf(value, 0, value.length, frames?.get(r))?.key;
    if (key === undefined || key === before) continue;
    before = key;
    if (!schemas.has(key)) {
      missing.add(key);
    }
  }
  return missing;
}

/** Schema registry of the producers. */
export interface SchemaRegistry {
  /**
   * Find the schema of a frame, with all schemas that it refers to.
   *
   * @param key  `id 7`, or `guid` and 32 hexadecimal digits
   * @returns undefined if the registry does not have it
   * @throws UnskewError BROKER if the registry is unreachable or does not answer as a registry
   */
  find(key: string): Promise<Schema | undefined>;
}
