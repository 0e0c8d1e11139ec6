import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { UnskewError } from '../../errors.js';
import {
  byTime,
  type KeptMark,
  type Mark,
  type MarkOutcome,
  type MarkStore,
  withMark,
} from '../../history/marks.js';
import { fileError } from './file-error.js';

const FILE = 'marks.json';
const SCHEMA = 'unskew/marks@1';

/** Marks in one file of a folder, which is replaced as a whole. One process writes it. */
export class FileMarkStore implements MarkStore {
  readonly #folder: string;
  readonly #path: string;
  /** Two writers at once would each lose what the other adds. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, FILE);
  }

  async all(): Promise<readonly Mark[]> {
    return byTime(await this.#read());
  }

  add(mark: Mark, about?: string): Promise<MarkOutcome> {
    const done = this.#last.then(async () => {
      const before = await this.#read();
      const { marks, outcome } = withMark(before, mark, about);
      if (outcome === 'kept') await this.#write(marks);
      return outcome;
    });
    this.#last = done.catch(() => {});
    return done;
  }

  async close(): Promise<void> {
    await this.#last;
  }

  async #read(): Promise<readonly KeptMark[]> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw stateError('read', this.#path, error);
    }
    const found = parsed(text);
    if (found === undefined) {
      throw new UnskewError('STATE', `${this.#path} holds no marks of this version; remove it`);
    }
    return found;
  }

  async #write(marks: readonly KeptMark[]): Promise<void> {
    const fresh = `${this.#path}.new`;
    try {
      await mkdir(this.#folder, { recursive: true });
      const file = await open(fresh, 'w', 0o600);
      try {
        await file.writeFile(JSON.stringify({ schema: SCHEMA, marks }));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(fresh, this.#path);
    } catch (error) {
      throw stateError('write', this.#path, error);
    }
  }
}

function parsed(text: string): readonly KeptMark[] | undefined {
  try {
    const { schema, marks } = JSON.parse(text) as { schema?: unknown; marks?: readonly KeptMark[] };
    return schema === SCHEMA && Array.isArray(marks) ? marks : undefined;
  } catch {
    return undefined;
  }
}

/** What fails now may work later, as of all stores of state. */
function stateError(action: 'read' | 'write', path: string, cause: unknown): UnskewError {
  return new UnskewError('STATE', fileError(action, path, cause).message, { cause });
}
