import { existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type History, type KeptTick, shortened } from '../../outputs/history/history.js';
import { fileError } from './file-error.js';
import { readLines } from './lines.js';

const HEAD = { schema: 'unskew/history@1' };
const FILE = 'history.ndjson';
/** Name of the file that a backfill writes. A service reads this file, but never writes it. */
export const BACKFILLED_FILE = 'backfilled.ndjson';
/**
 * The file is rewritten when it has this many lines per tick to keep, and at least `LEAST_LINES`.
 */
const SLACK = 2;
const LEAST_LINES = 200;

type Alarms = KeptTick['alarms'];

/**
 * A line of the file: the names of further series, or a tick. `v` has the tick's values, in the
 * order in which the series were named.
 */
type Line =
  | { readonly names: readonly string[] }
  | {
      readonly t: number;
      readonly v: readonly (number | null)[];
      readonly alarms?: Alarms;
      readonly backfilled?: true;
    };

/**
 * Stores a history in a file with one line per tick. Ticks are appended; the file is rewritten when
 * most lines are outdated.
 */
export class HistoryFile {
  readonly #path: string;
  readonly #backfilledPath: string;
  /** Modification time of the backfilled file that was read last. */
  #backfilledAt = 0;
  #isRead = false;
  /**
   * Open file. It is undefined until the whole history is written, at the start and after a
   * failure.
   */
  #file: FileHandle | undefined;
  #lines = 0;
  #named = 0;

  constructor(
    private readonly dir: string,
    private readonly history: History,
    name = FILE,
  ) {
    this.#path = join(dir, name);
    this.#backfilledPath = join(dir, BACKFILLED_FILE);
  }

  /**
   * Read the history that an earlier run wrote, except incomplete lines, and open the file. If that
   * fails, the next `add` tries again. Await each call before the next.
   *
   * @throws UnskewError FILE
   */
  open(): Promise<void> {
    return this.#attempt(() => this.#begin());
  }

  /**
   * Append a tick of the history. After a failure, write the whole history again.
   *
   * @throws UnskewError FILE
   */
  add(tick: KeptTick): Promise<void> {
    return this.#attempt(() => this.#add(tick));
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // The file may end with a partial line: the next attempt writes it again.
      await this.close().catch(() => {});
      throw fileError('write', this.#path, error);
    }
  }

  async #add(tick: KeptTick): Promise<void> {
    if (this.#file === undefined) return this.#begin();
    if (await this.#takeBackfilled()) return this.#rewrite();
    const most = Math.max(LEAST_LINES, SLACK * this.history.ticks.length);
    if (this.#lines >= most) return this.#rewrite();
    await this.#file.appendFile(this.#newNames() + lineOf(tick));
    this.#lines++;
  }

  async #begin(): Promise<void> {
    await mkdir(this.dir, { recursive: true });
    if (!this.#isRead) {
      await this.#read(this.#path);
    }
    this.#isRead = true;
    await this.#takeBackfilled();
    await this.#rewrite();
  }

  /** Read the backfilled file if it has changed. @returns whether it had changed */
  async #takeBackfilled(): Promise<boolean> {
    if (this.#path === this.#backfilledPath) return false;
    if (!existsSync(this.#backfilledPath)) return false;
    const found = await stat(this.#backfilledPath);
    if (found.mtimeMs === this.#backfilledAt) return false;
    this.#backfilledAt = found.mtimeMs;
    await this.#read(this.#backfilledPath);
    return true;
  }

  async #read(path: string): Promise<void> {
    if (!existsSync(path)) return;
    const names: string[] = [];
    const decoder = new TextDecoder();
    await readLines(path, (bytes, start, end, number) => {
      const line = parsed(decoder.decode(bytes.subarray(start, end)));
      if (number === 1 && (line as Partial<typeof HEAD> | undefined)?.schema !== HEAD.schema) {
        throw new Error(`${path} is not a history of this version`);
      }
      if (line !== undefined && 'names' in line) {
        names.push(...line.names);
      } else if (line !== undefined && 't' in line) {
        this.#restore(line, names);
      }
    });
  }

  #restore(line: Extract<Line, { t: number }>, names: readonly string[]): void {
    const values = line.v.flatMap((value, n): [string, number][] =>
      value === null || names[n] === undefined ? [] : [[names[n], value]],
    );
    this.history.add(line.t, values, line.alarms ?? [], line.backfilled);
  }

  /** Replace the file atomically. */
  async #rewrite(): Promise<void> {
    const fresh = `${this.#path}.new`;
    const file = await open(fresh, 'w', 0o600);
    try {
      this.#named = 0;
      await file.appendFile(`${JSON.stringify(HEAD)}\n${this.#newNames()}`);
      const ticks = [...this.history.ticks];
      for (const tick of ticks) {
        await file.appendFile(lineOf(tick));
      }
      await file.sync();
      await rename(fresh, this.#path);
      this.#lines = ticks.length;
    } catch (error) {
      await file.close();
      throw error;
    }
    await this.#file?.close();
    this.#file = file;
  }

  #newNames(): string {
    const names = this.history.keys.slice(this.#named);
    this.#named += names.length;
    return names.length === 0 ? '' : `${JSON.stringify({ names })}\n`;
  }
}

/** Parse a line; undefined for a truncated one. */
function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined;
  }
}

function lineOf({ paneEnd, values, alarms, isBackfilled }: KeptTick): string {
  const line = {
    t: paneEnd,
    v: Array.from(values, shortened),
    ...(alarms.length > 0 && { alarms }),
    ...(isBackfilled && { backfilled: true }),
  };
  return `${JSON.stringify(line)}\n`;
}
