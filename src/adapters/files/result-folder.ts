import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ResultPlace } from '../../outputs/history/result-table.js';
import { flushFolder, writeDurably } from './durable.js';
import { fileError } from './file-error.js';

/** Readers of tables pass over names that begin with a dot. */
const PARTIAL = '.partial-';

/**
 * Results as files of one folder. Each is written and flushed under a partial name beside its own and
 * then renamed; what a process left that was killed meanwhile goes with the next file there.
 */
export class ResultFolder implements ResultPlace {
  readonly place: string;
  readonly #tidied = new Set<string>();

  constructor(folder: string) {
    this.place = folder;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.place, name);
    const folder = dirname(path);
    const partial = join(folder, `${PARTIAL}${process.pid}`);
    try {
      await mkdir(folder, { recursive: true });
      await this.#tidy(folder);
      await writeDurably(partial, [bytes]);
      await rename(partial, path);
      await flushFolder(folder);
    } catch (error) {
      throw fileError('write', path, error);
    }
  }

  /** Once for each folder and process: workers of a group do not write at the same time. */
  async #tidy(folder: string): Promise<void> {
    if (this.#tidied.has(folder)) return;
    for (const name of await readdir(folder)) {
      if (name.startsWith(PARTIAL)) await rm(join(folder, name), { force: true });
    }
    this.#tidied.add(folder);
  }
}
