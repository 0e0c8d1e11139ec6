import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { UnskewError } from '../../errors.js';
import {
  byTime,
  type KeptMark,
  type Mark,
  type MarkOutcome,
  type MarkStore,
  type StatedSettings,
  withMark,
} from '../../outputs/history/marks.js';
import { writeDurably } from './durable.js';
import { stateError } from './file-error.js';

const FILE = 'marks.json';
const SCHEMA = 'unskew/marks@1';

interface Content {
  readonly marks: readonly KeptMark[];
  readonly settings?: StatedSettings;
}

/** Marks in one file of a folder, which is replaced as a whole. One process writes it. */
export class FileMarkStore implements MarkStore {
  readonly #path: string;
  /** Two writers at once would each lose what the other adds. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly folder: string) {
    this.#path = join(folder, FILE);
  }

  async all(): Promise<readonly Mark[]> {
    return byTime((await this.#read()).marks);
  }

  add(mark: Mark, about?: string): Promise<MarkOutcome> {
    return this.#inTurn(async () => {
      const before = await this.#read();
      const { marks, outcome } = withMark(before.marks, mark, about);
      if (outcome === 'kept') await this.#write({ ...before, marks });
      return outcome;
    });
  }

  async settings(): Promise<StatedSettings | undefined> {
    return (await this.#read()).settings;
  }

  keepSettings(settings: StatedSettings): Promise<void> {
    return this.#inTurn(async () => this.#write({ ...(await this.#read()), settings }));
  }

  async close(): Promise<void> {
    await this.#last;
  }

  #inTurn<Outcome>(act: () => Promise<Outcome>): Promise<Outcome> {
    const done = this.#last.then(act);
    this.#last = done.catch(() => {});
    return done;
  }

  async #read(): Promise<Content> {
    let text: string;
    try {
      text = await readFile(this.#path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { marks: [] };
      throw stateError('read', this.#path, error);
    }
    const found = parsed(text);
    if (found === undefined) {
      throw new UnskewError('STATE', `${this.#path} holds no marks of this version; remove it`);
    }
    return found;
  }

  async #write(content: Content): Promise<void> {
    const fresh = `${this.#path}.new`;
    try {
      await mkdir(this.folder, { recursive: true });
      await writeDurably(fresh, [JSON.stringify({ schema: SCHEMA, ...content })], 0o600);
      await rename(fresh, this.#path);
    } catch (error) {
      throw stateError('write', this.#path, error);
    }
  }
}

function parsed(text: string): Content | undefined {
  try {
    const { schema, marks, settings } = JSON.parse(text) as Partial<Content> & { schema?: unknown };
    if (schema !== SCHEMA || !Array.isArray(marks)) return undefined;
    return { marks, ...(settings !== undefined && { settings }) };
  } catch {
    return undefined;
  }
}
