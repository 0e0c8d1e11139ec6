import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import type { Mutant } from './candidates.js';

/** Mutants to build in, and what to do with them: record which are reached, or switch one on. */
const { MUTANTS, MUTANT } = process.env;
const mutants = JSON.parse(readFileSync(MUTANTS!, 'utf8')) as Mutant[];
const isRecording = MUTANT === undefined;

/** Change one mutant in the text of its file, or note each time that one is reached. */
function changedText(text: string, file: string): string {
  let changed = text;
  const own = mutants
    .map((mutant, number) => ({ ...mutant, number }))
    .filter((mutant) => mutant.file === file && (isRecording || Number(MUTANT) === mutant.number))
    .sort((a, b) => b.start - a.start);
  for (const mutant of own) {
    const value = isRecording
      ? `(globalThis.__reached?.add(${mutant.number}), ${mutant.text})`
      : `(${mutant.changed})`;
    changed = changed.slice(0, mutant.start) + value + changed.slice(mutant.end);
  }
  return changed;
}

export default defineConfig({
  root: process.cwd(),
  plugins: [
    {
      name: 'mutants',
      enforce: 'pre',
      transform: (text, id) => changedText(text, relative(process.cwd(), id)),
    },
  ],
  test: {
    name: 'core',
    include: ['test/{unit,property,reference}/**/*.test.ts', 'test/contract/**/*.memory.test.ts'],
    exclude: ['**/*.nightly.test.ts', 'test/unit/docs/**', 'test/unit/architecture/**'],
    setupFiles: [
      'test/support/property-runs.ts',
      ...(isRecording ? ['test/nightly/mutants/reached.ts'] : []),
    ],
    isolate: false,
    maxWorkers: isRecording ? availableParallelism() : 1,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
