import { open, readFile } from 'node:fs/promises';
import { differences } from './compare.js';
import { eventually, unskew } from './program.js';

/** A line of an estimates file. */
export interface WindowLine {
  readonly window: { readonly name: string; readonly from: number; readonly to: number };
  readonly counts: Readonly<Record<string, number>>;
  readonly results: readonly unknown[];
}

type Window = WindowLine['window'];
const keyOf = ({ name, to }: Window) => `${name} ${to}`;
const NEWLINE = 10;
/** Where the window of a line begins, behind a verdict of any length. */
const WINDOW = '"window":{';

/** All whole lines of the estimates files of one group's workers; files may be missing. */
export async function linesOf(paths: readonly string[]): Promise<WindowLine[]> {
  const lines: WindowLine[] = [];
  for (const path of paths) lines.push(...parsed(await readFile(path, 'utf8').catch(() => '')));
  return lines;
}

function parsed(text: string): WindowLine[] {
  // The last line may be half written while a service is at work.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  return whole.filter((line) => line !== '').map((line) => JSON.parse(line) as WindowLine);
}

/**
 * The windows that the files of one group's workers hold. Lines are long and many: each look reads
 * what is new, and parses of a line the window alone.
 */
export class WrittenWindows {
  readonly #keys = new Set<string>();
  /** Where the first line begins that is not known yet, by file. */
  readonly #next = new Map<string, number>();

  /** The end of the newest, by name. */
  readonly #until = new Map<string, number>();

  /** The end of the newest tick of which all windows are written, whose lines come one by one. */
  get until(): number {
    const ends = [...this.#until.values()];
    return ends.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...ends);
  }

  /** How many different ones there are by now; files may be missing. */
  async count(paths: readonly string[]): Promise<number> {
    for (const path of paths) await this.#read(path);
    return this.#keys.size;
  }

  async #read(path: string): Promise<void> {
    const file = await open(path).catch(() => undefined);
    if (file === undefined) return;
    try {
      const from = this.#next.get(path) ?? 0;
      const bytes = Buffer.alloc((await file.stat()).size - from);
      await file.read(bytes, 0, bytes.length, from);
      let start = 0;
      for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
        const at = bytes.indexOf(WINDOW, start) + WINDOW.length - 1;
        const window = JSON.parse(bytes.toString('utf8', at, bytes.indexOf('}', at) + 1)) as Window;
        this.#keys.add(keyOf(window));
        this.#until.set(window.name, Math.max(this.#until.get(window.name) ?? 0, window.to));
        start = end + 1;
      }
      this.#next.set(path, from + start);
    } finally {
      await file.close();
    }
  }
}

/** Waits until the files hold this many windows. */
export async function written(
  paths: readonly string[],
  windows: number,
  timeoutMs?: number,
): Promise<void> {
  const found = new WrittenWindows();
  await eventually(
    `${Math.ceil(windows)} windows in ${paths.join(' and ')}`,
    () => found.count(paths),
    (count) => count >= windows,
    timeoutMs,
  );
}

/**
 * The last line of each window, in order. Repeated ones must be equal, except for the number of
 * workers.
 *
 * @param losesRows whether rows may be lost between two lines of a window
 */
export function series(lines: readonly WindowLine[], losesRows = false): WindowLine[] {
  const byWindow = new Map<string, WindowLine>();
  for (const line of lines) {
    const key = keyOf(line.window);
    const before = byWindow.get(key);
    const other = before === undefined || losesRows ? [] : differences(line, before, 1e-9);
    if (other.length > 0) throw new Error(`${key} came again, and differs: ${other}`);
    byWindow.set(key, line);
  }
  return [...byWindow.values()].sort(
    (a, b) => a.window.to - b.window.to || a.window.name.localeCompare(b.window.name),
  );
}

/** What `replay` makes of event files: the lines of one worker that nothing disturbs. */
export async function replayed(
  files: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<WindowLine[]> {
  const { code, stdout, stderr } = await unskew(
    ['replay', '--json', '--events', ...files],
    settings,
  );
  if (code !== 0) throw new Error(`replay ended with ${code}: ${stderr}`);
  return parsed(stdout);
}

interface GivenRow {
  readonly metric: string;
  readonly aggregation: string;
  readonly estimator: string;
  readonly value: number | null;
}

function rowsOfValues(lines: readonly WindowLine[]): readonly GivenRow[] {
  const results = lines.flatMap((line) => line.results) as readonly GivenRow[];
  return results.filter(
    ({ metric, aggregation, value }) =>
      metric === 'value' && aggregation === 'request' && (value ?? 0) > 0,
  );
}

/** How many values of lists by requests these lines give. */
export function valuesGiven(lines: readonly WindowLine[]): number {
  return rowsOfValues(lines).length;
}

/** In which forms they give them. */
export function formsGiven(lines: readonly WindowLine[]): ReadonlySet<string> {
  return new Set(rowsOfValues(lines).map(({ estimator }) => estimator));
}

/** Lines without what reading counted, which belongs to no window: it is not the same in files. */
export function withoutReading(lines: readonly WindowLine[]): unknown[] {
  return lines.map(({ counts, ...line }) => {
    const { faults: _f, duplicates: _d, late: _l, requestFaults: _r, ...window } = counts;
    return { ...line, counts: window };
  });
}
