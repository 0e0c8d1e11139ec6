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

export const MARKS_FILE = 'marks.json';
const SCHEMA = 'unskew/marks@1';

interface Content {
  readonly marks: readonly KeptMark[];
  readonly settings?: StatedSettings;
}

/**
 * Stores marks (annotations of a point in time, such as a deployment) as one JSON text that is
 * replaced as a whole. Subclasses determine where the text is.
 */
export abstract class TextMarkStore implements MarkStore {
  /** @param place where the text is stored, for error messages */
  constructor(protected readonly place: string) {}

  abstract close(): Promise<void>;
  protected abstract read(): Promise<string | undefined>;
  /**
   * Replace the text atomically by the result of `make`. If the result is undefined, the text
   * stays.
   */
  protected abstract change(
    make: (before: string | undefined) => string | undefined,
  ): Promise<void>;

  async all(): Promise<readonly Mark[]> {
    return byTime(this.#content(await this.read()).marks);
  }

  async add(mark: Mark, about?: string): Promise<MarkOutcome> {
    let told: MarkOutcome = 'kept';
    await this.change((text) => {
      const before = this.#content(text);
      const { marks, outcome } = withMark(before.marks, mark, about);
      told = outcome;
      return outcome === 'kept'
        ? textOf({
            ...before,
            marks,
          })
        : undefined;
    });
    return told;
  }

  async settings(): Promise<StatedSettings | undefined> {
    return this.#content(await this.read()).settings;
  }

  keepSettings(settings: StatedSettings): Promise<void> {
    return this.change((text) =>
      textOf({
        ...this.#content(text),
        settings,
      }),
    );
  }

  #content(text: string | undefined): Content {
    if (text === undefined) return { marks: [] };
    const found = parsed(text);
    if (found !== undefined) return found;
    throw new UnskewError(
      'STATE',
      `${this.place} is not a file of marks of this version: remove it`,
    );
  }
}

/** Stores marks in one file of a folder. Only one process may write it. */
export class FileMarkStore extends TextMarkStore {
  /**
   * Promise of the last change. The next change starts after it, since concurrent changes would be
   * lost.
   */
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly folder: string) {
    super(join(folder, MARKS_FILE));
  }

  async close(): Promise<void> {
    await this.#last;
  }

  protected change(make: (before: string | undefined) => string | undefined): Promise<void> {
    const done = this.#last.then(async () => {
      const text = make(await this.read());
      if (text !== undefined) {
        await this.#write(text);
      }
    });
    this.#last = done.catch(() => {});
    return done;
  }

  protected async read(): Promise<string | undefined> {
    try {
      return await readFile(this.place, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw stateError('read', this.place, error);
    }
  }

  async #write(text: string): Promise<void> {
    const fresh = `${this.place}.new`;
    try {
      await mkdir(this.folder, { recursive: true });
      await writeDurably(fresh, [text], 0o600);
      await rename(fresh, this.place);
    } catch (error) {
      throw stateError('write', this.place, error);
    }
  }
}

function textOf(content: Content): string {
  return JSON.stringify({
    schema: SCHEMA,
    ...content,
  });
}

function parsed(text: string): Content | undefined {
  try {
    const { schema, marks, settings } = JSON.parse(text) as Partial<Content> & { schema?: unknown };
    if (schema !== SCHEMA || !Array.isArray(marks)) return undefined;
    return {
      marks,
      ...(settings !== undefined && { settings }),
    };
  } catch {
    return undefined;
  }
}
