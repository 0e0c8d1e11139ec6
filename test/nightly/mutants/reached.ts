import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';

declare global {
  var __reached: Set<number> | undefined;
}

/** One line for each test file: the mutants that it reaches, and how long it takes. */
export interface Reached {
  readonly file: string;
  readonly mutants: readonly number[];
  readonly ms: number;
}

let start: number;
beforeAll(() => {
  globalThis.__reached = new Set();
  start = performance.now();
});
afterAll(() => {
  const reached: Reached = {
    file: relative(process.cwd(), expect.getState().testPath!),
    mutants: [...globalThis.__reached!],
    ms: performance.now() - start,
  };
  appendFileSync(process.env['REACHED']!, `${JSON.stringify(reached)}\n`);
});
