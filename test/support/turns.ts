import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('turns.mjs', import.meta.url));

/** One turn of a main thread: when it ended, and what it took of the processor, both in ms. */
export interface Turn {
  readonly at: number;
  readonly ms: number;
}

/** What a program is to be started with so that it writes its longer turns to a file, see turns.mjs. */
export function turnsTo(file: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import ${PROGRAM}`, TURNS: file };
}

/** Those that ended at a time or later, the longest first. */
export function turnsSince(file: string, from: number): Turn[] {
  const turns = JSON.parse(readFileSync(file, 'utf8')) as Turn[];
  return turns.filter(({ at }) => at >= from).sort((a, b) => b.ms - a.ms);
}
