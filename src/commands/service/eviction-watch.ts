import { concatMap, timer } from 'rxjs';
import { UnskewError } from '../../errors.js';
import type { StoreSeries } from '../../outputs/prometheus/store-series.js';
import type { CheckpointStore } from '../../stream/ports.js';
import type { Logger } from '../cli/io.js';

/** A policy is set at a server's start, or by hand while it runs. */
const EVERY_MS = 60_000;

/**
 * Checks whether the store may evict what is kept when its memory is full: nobody would notice, and
 * a restart would begin from scratch.
 */
export class EvictionWatch {
  readonly #store: CheckpointStore;
  readonly #series: StoreSeries;
  readonly #log: Logger;
  #policy: string | undefined;

  constructor(store: CheckpointStore, series: StoreSeries, log: Logger) {
    this.#store = store;
    this.#series = series;
    this.#log = log;
  }

  /** @returns what ends it */
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
    this.#series.mayEvict('checkpoints', !isSafe);
    const why =
      'the state store may evict state when its memory is full: set maxmemory-policy to noeviction';
    if (!isSafe) this.#log.warn({ policy }, why);
  }

  /** A store that is away is reported by those who need it. */
  async #asked(): Promise<string | undefined> {
    try {
      return await this.#store.evictionPolicy?.();
    } catch (error) {
      if (!(error instanceof UnskewError)) throw error;
      this.#log.debug({ reason: error.message }, 'the store does not say whether it evicts');
      return undefined;
    }
  }
}
