import { link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PastResultPlace } from '../../outputs/history/result-table.js';
import { flushFolder, writeDurably } from './durable.js';
import { fileError } from './file-error.js';

/** Prefix of unfinished files. Readers of tables ignore names that begin with a dot. */
const PARTIAL = '.partial-';
/**
 * Prefix of unfinished files of `putNew`. It differs from `PARTIAL`, since unfinished files with
 * that prefix may belong to a running service.
 */
const PARTIAL_NEW = '.new-';

/**
 * Stores results as files of one folder. Each file is written and flushed under a temporary name
 * and then renamed. The next write removes temporary files that a killed process left behind.
 */
export class ResultFolder implements PastResultPlace {
  readonly place: string;
  readonly #tidied = new Set<string>();

  constructor(folder: string) {
    this.place = folder;
  }

  put(name: string, bytes: Uint8Array): Promise<void> {
    return this.#placed(name, bytes, PARTIAL, rename);
  }

  putNew(name: string, bytes: Uint8Array): Promise<boolean> {
    return this.#placed(name, bytes, PARTIAL_NEW, async (partial, path) => {
      // Unlike `rename`, `link` does not replace an existing file.
      const isNew = await link(partial, path).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false;
          throw error;
        },
      );
      await rm(partial);
      return isNew;
    });
  }

  async #placed<T>(
    name: string,
    bytes: Uint8Array,
    mark: string,
    place: (partial: string, path: string) => Promise<T>,
  ): Promise<T> {
    const path = join(this.place, name);
    const folder = dirname(path);
    const partial = join(folder, `${mark}${process.pid}`);
    try {
      await mkdir(folder, { recursive: true });
      await this.#tidy(folder, mark);
      await writeDurably(partial, [bytes]);
      const placed = await place(partial, path);
      await flushFolder(folder);
      return placed;
    } catch (error) {
      throw fileError('write', path, error);
    }
  }

  /**
   * Remove temporary files of killed processes, once per folder and process. Only one worker writes
   * at a time, so none of them is in use.
   */
  async #tidy(folder: string, mark: string): Promise<void> {
    if (this.#tidied.has(folder)) return;
    for (const name of await readdir(folder)) {
      if (name.startsWith(mark)) {
        await rm(join(folder, name), { force: true });
      }
    }
    this.#tidied.add(folder);
  }
}
