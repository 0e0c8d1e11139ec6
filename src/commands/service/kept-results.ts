import { setTimeout as pause } from 'node:timers/promises';
import { ResultFolder } from '../../adapters/files/result-folder.js';
import { resultFile } from '../../adapters/parquet/result-file.js';
import type { Config } from '../../config.js';
import type { ResultPlace } from '../../outputs/history/result-place.js';
import { isKeptTick, resultName, resultTable } from '../../outputs/history/result-table.js';
import type { Snapshot } from '../../stream/snapshot.js';
import type { Logger } from '../cli/io.js';
import { packageVersion } from '../cli/version.js';

/** Between two attempts at a file. */
const RETRY_MS = 5_000;
/** Files that wait at most while the place fails; a tick beyond them is not kept. */
const MOST_WAITING = 1024;

interface Waiting {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The place under a folder or an `s3://bucket/prefix`. */
export async function resultPlaceAt(place: string, config: Config): Promise<ResultPlace> {
  if (!place.startsWith('s3://')) return new ResultFolder(place);
  const { resultBucketAt } = await import('../../adapters/s3/result-bucket.js');
  return resultBucketAt(place, config.export.s3);
}

/**
 * Writes the estimates of kept ticks, one file each, under a name that follows from the tick. A file
 * that cannot be written is tried again until it can, and checkpoints wait for it: after a crash the
 * ticks whose files may not be there are made again, and the same name takes the same bytes.
 */
export class KeptResults {
  readonly #place: ResultPlace;
  readonly #paneMs: number;
  readonly #everyMs: number;
  readonly #log: Logger;
  readonly #retryMs: number;
  readonly #stopped = new AbortController();
  readonly #gaveUp: Promise<void>;
  #giveUp = () => {};
  readonly #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;

  constructor(place: ResultPlace, { time }: Pick<Config, 'time'>, log: Logger, retryMs = RETRY_MS) {
    this.#place = place;
    this.#paneMs = time.tickMs;
    this.#everyMs = Math.min(...time.windows.map(({ ms }) => ms));
    this.#log = log;
    this.#retryMs = retryMs;
    this.#gaveUp = new Promise((resolve) => {
      this.#giveUp = resolve;
    });
  }

  add(snapshot: Snapshot): void {
    if (!isKeptTick(snapshot.paneEnd, this.#paneMs, this.#everyMs)) return;
    const name = resultName(snapshot.paneEnd);
    if (this.#waiting.length >= MOST_WAITING) {
      this.#log.error({ place: this.#place.place, name }, 'results are lost: too many wait');
      return;
    }
    const bytes = resultFile(resultTable(snapshot), packageVersion());
    this.#waiting.push({ name, bytes });
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
  }

  /** Resolves when all that was added is where it must not get lost. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** One more attempt at what waits, and no other. */
  async close(): Promise<void> {
    this.#stopped.abort();
    await Promise.race([this.#writing, this.#gaveUp]);
  }

  async #write(): Promise<void> {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      try {
        await this.#place.put(next.name, next.bytes);
        this.#waiting.shift();
      } catch (error) {
        const { name } = next;
        this.#log.error(
          { err: error, name },
          'results were not written; checkpoints wait for them',
        );
        if (this.#stopped.signal.aborted) {
          this.#giveUp();
          // No checkpoint may say that they are there: the next start makes them again.
          await new Promise<never>(() => {});
        }
        await pause(this.#retryMs, undefined, { signal: this.#stopped.signal }).catch(() => {});
      }
    }
  }
}
