import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { differences } from './compare.js';
import { eventually } from './program.js';

/** A line of an estimates file. */
export interface WindowLine {
  readonly window: { readonly name: string; readonly from: number; readonly to: number };
  readonly results: readonly unknown[];
}

const keyOf = ({ window }: WindowLine) => `${window.name} ${window.to}`;

/** All whole lines of the estimates files of one group's workers; files may be missing. */
export async function linesOf(paths: readonly string[]): Promise<WindowLine[]> {
  const lines: WindowLine[] = [];
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch(() => '');
    for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
      if (line !== '') lines.push(JSON.parse(line) as WindowLine);
    }
  }
  return lines;
}

export async function distinctLines(paths: readonly string[]): Promise<number> {
  return new Set((await linesOf(paths)).map(keyOf)).size;
}

/** One line of each window, in order; those that came again must have been the same. */
export function series(lines: readonly WindowLine[]): WindowLine[] {
  const byWindow = new Map<string, WindowLine>();
  for (const line of lines) {
    const before = byWindow.get(keyOf(line));
    const other = before === undefined ? [] : differences(line, before, 1e-9);
    if (other.length > 0) throw new Error(`${keyOf(line)} came again, and differs: ${other}`);
    byWindow.set(keyOf(line), line);
  }
  return [...byWindow.values()].sort(
    (a, b) => a.window.to - b.window.to || a.window.name.localeCompare(b.window.name),
  );
}

/** Waits until no line is added any more: all is read, and what was silent was given up. */
export async function settled(paths: readonly string[]): Promise<void> {
  let before = -1;
  await eventually(
    async () => {
      await sleep(3_000);
      const now = await distinctLines(paths);
      const isSettled = now > 0 && now === before;
      before = now;
      return isSettled;
    },
    (isSettled) => isSettled,
    120_000,
  );
}
