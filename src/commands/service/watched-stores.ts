import { concatMap, timer } from 'rxjs';
import { UnskewError } from '../../errors.js';
import type { SetDraft, SetFile, SetStorage } from '../../export/ports.js';
import type { StoreSeries } from '../../outputs/prometheus/store-series.js';
import type { CheckpointStore, PanePartitionLog, PanesLog } from '../../stream/ports.js';
import type { Logger } from '../cli/io.js';

const OPERATIONS = {
  list: 'list',
  create: 'create',
  read: 'read',
  remove: 'remove',
} as const;
const OF_DRAFT = {
  file: 'write',
  commit: 'commit',
  abort: 'abort',
} as const;
const OF_FILE = {
  write: 'write',
  close: 'write',
} as const;

/** Names, in metrics, of all operations on the store of exported sets. */
export const STORAGE_OPERATIONS: readonly string[] = [
  ...new Set([OPERATIONS, OF_DRAFT, OF_FILE].flatMap((names) => Object.values(names))),
];

/** Wrap the store of exported sets so that each failed operation is reported. */
export function watchedStorage(
  storage: SetStorage,
  onFailure: (operation: string) => void,
): SetStorage {
  const failed = (operation: string, error: unknown) => {
    if (!isAnswer(error)) {
      onFailure(operation);
    }
  };
  const watched = watchedPort(storage, OPERATIONS, failed);
  return {
    place: storage.place,
    list: () => watched.list(),
    read: (name, file) => watched.read(name, file),
    remove: (name) => watched.remove(name),
    create: async (name) => watchedDraft(await watched.create(name), failed),
  };
}

function watchedDraft(
  draft: SetDraft,
  failed: (operation: string, error: unknown) => void,
): SetDraft {
  const watched = watchedPort(draft, OF_DRAFT, failed);
  return {
    file: async (name): Promise<SetFile> => watchedPort(await watched.file(name), OF_FILE, failed),
    commit: (manifest) => watched.commit(manifest),
    abort: () => watched.abort(),
  };
}

/**
 * Whether an error is a regular answer, not a failure: the set exists already, or a file is
 * missing.
 */
function isAnswer(error: unknown): boolean {
  if (!(error instanceof UnskewError)) return false;
  return error.code === 'SET' || (error.code === 'FILE' && error.cause === undefined);
}

/**
 * Interval between checks, ms. The eviction policy rarely changes: at a restart of the store, or by
 * hand.
 */
const EVERY_MS = 60_000;

/**
 * Warns if the store is configured to evict state when its memory is full. Otherwise nobody would
 * notice before a restart finds no state.
 */
export class EvictionWatch {
  #policy: string | undefined;

  constructor(
    private readonly store: CheckpointStore,
    private readonly series: StoreSeries,
    private readonly log: Logger,
  ) {}

  /** Start the checks. @returns function that ends it */
  start(): () => Promise<void> {
    const looks = timer(0, EVERY_MS).pipe(concatMap(() => this.look()));
    const looking = looks.subscribe();
    return async () => looking.unsubscribe();
  }

  async look(): Promise<void> {
    const policy = await this.#asked();
    if (policy === undefined || policy === this.#policy) return;
    this.#policy = policy;
    const isSafe = policy === 'noeviction';
    this.series.mayEvict('checkpoints', !isSafe);
    const why =
      'Redis may evict state when its memory is full: set its maxmemory-policy to noeviction';
    if (!isSafe) {
      this.log.warn({ policy }, why);
    }
  }

  /**
   * Ask the store for its eviction policy. Undefined if the store does not answer; other callers
   * report that it is unavailable.
   */
  async #asked(): Promise<string | undefined> {
    try {
      return await this.store.evictionPolicy?.();
    } catch (error) {
      if (!(error instanceof UnskewError)) throw error;
      this.log.debug(
        { reason: error.message },
        'Redis does not report its maxmemory-policy; check that it is noeviction',
      );
      return undefined;
    }
  }
}

/** Wrap a checkpoint store so that each failed operation is counted. */
export function watchedStore(store: CheckpointStore, series: StoreSeries): CheckpointStore {
  const operations = {
    takeEpoch: 'take_epoch',
    load: 'load',
    peek: 'load',
    save: 'save',
    isWhole: 'check',
    evictionPolicy: 'eviction_policy',
  } as const;
  series.expect('checkpoints', Object.values(operations));
  return watchedPort(store, operations, (operation) => series.failed('checkpoints', operation));
}

/** Wrap the log of the panes topic so that each failed operation is counted. */
export function watchedPanes(log: PanesLog, series: StoreSeries): PanesLog {
  const operations = {
    append: 'append',
    read: 'read',
    ends: 'read',
    newestPane: 'read',
  } as const;
  const failed = (operation: string) => series.failed('panes', operation);
  series.expect('panes', ['open', ...new Set(Object.values(operations))]);
  const watched = watchedPort(log, { open: 'open' }, failed);
  const partitions = new Map<number, PanePartitionLog>();
  return {
    open: () => watched.open(),
    of: (number) => {
      const known = partitions.get(number) ?? watchedPort(log.of(number), operations, failed);
      partitions.set(number, known);
      return known;
    },
    close: () => watched.close(),
  };
}

/** Names, in metrics, of the methods of a port whose failures are reported. */
export type Operations<Port> = { readonly [Method in keyof Port]?: string };

/**
 * Wrap a port so that each failure of the given methods is reported and then rethrown, including
 * failures while a returned iterable is read.
 */
export function watchedPort<Port extends object>(
  port: Port,
  operations: Operations<Port>,
  onFailure: (operation: string, error: unknown) => void,
): Port {
  const told = (operation: string) => (error: unknown) => {
    onFailure(operation, error);
    throw error;
  };
  return new Proxy(port, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== 'function') return found;
      const operation = operations[name as keyof Port];
      if (operation === undefined) return found.bind(target);
      return (...args: unknown[]) => {
        const answer: unknown = found.apply(target, args);
        if (isIterable(answer)) return watchedIterable(answer, told(operation));
        return Promise.resolve(answer).catch(told(operation));
      };
    },
  });
}

function isIterable(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

async function* watchedIterable<T>(
  inner: AsyncIterable<T>,
  failed: (error: unknown) => never,
): AsyncGenerator<T> {
  try {
    yield* inner;
  } catch (error) {
    failed(error);
  }
}
