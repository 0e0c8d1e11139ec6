import { writeFileSync } from 'node:fs';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

/** What a run came to. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** Tests that were skipped without a reason that may stand. */
  readonly skipped: number;
  /** Tests that did not run for lack of a published data set, by its name. */
  readonly withoutData: Readonly<Record<string, number>>;
}

export const NOTHING: Counts = { passed: 0, failed: 0, skipped: 0, withoutData: {} };

export function added(a: Counts, b: Counts): Counts {
  const withoutData: Record<string, number> = { ...a.withoutData };
  for (const [name, count] of Object.entries(b.withoutData)) {
    withoutData[name] = (withoutData[name] ?? 0) + count;
  }
  return {
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
    withoutData,
  };
}

/**
 * The last lines of a run: which tests did not run and what they would need, then
 * `N passed, N failed`. A test that was skipped for any other reason counts as failed.
 */
export function closingLines({ passed, failed, skipped, withoutData }: Counts): string[] {
  const lines: string[] = [];
  const missing = Object.entries(withoutData);
  if (missing.length > 0) {
    const count = missing.reduce((sum, [, each]) => sum + each, 0);
    const sets = missing.map(([name, each]) => `${name} (${each})`).join(', ');
    const need = 'Put them in ../shared/data, or set UNSKEW_DATA to the folder that holds them.';
    lines.push(`${count} tests did not run for lack of published data sets: ${sets}. ${need}`);
  }
  if (skipped > 0) lines.push(`${skipped} tests were skipped without a reason, so they failed.`);
  lines.push(`${passed} passed, ${failed + skipped} failed`);
  return lines;
}

/** Whether the run is a success: something passed, nothing failed, nothing was skipped silently. */
export function isGreen({ passed, failed, skipped }: Counts): boolean {
  return passed > 0 && failed + skipped === 0;
}

/** Count the tests of a run. A file that cannot be loaded counts as one failed test. */
export function countsOf(modules: readonly TestModule[], unhandledErrors: number): Counts {
  let passed = 0;
  let failed = unhandledErrors;
  let skipped = 0;
  const withoutData: Record<string, number> = {};
  for (const module of modules) {
    const tests = [...module.children.allTests()];
    const hasFailed = tests.some((test) => test.result().state === 'failed');
    if (module.state() === 'failed' && !hasFailed) failed++;
    for (const test of tests) {
      const { state } = test.result();
      const data = test.meta().needsData;
      if (state === 'passed') passed++;
      else if (state === 'failed') failed++;
      else if (data === undefined) skipped++;
      else withoutData[data] = (withoutData[data] ?? 0) + 1;
    }
  }
  return { passed, failed, skipped, withoutData };
}

/** A reporter that ends a run with its closing lines. `UNSKEW_COUNTS` names a file for the counts. */
export default class ClosingLine implements Reporter {
  /** Whether only tests of some names were asked for (`-t`). */
  #isByName = false;

  onInit({ config }: Vitest): void {
    this.#isByName = config.testNamePattern !== undefined;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const all = countsOf(modules, unhandledErrors.length);
    const counts = this.#isByName ? { ...all, skipped: 0 } : all;
    if (counts.skipped < all.skipped) {
      process.stdout.write(`${all.skipped} tests have other names and did not run.\n`);
    }
    const file = process.env['UNSKEW_COUNTS'];
    if (file !== undefined) writeFileSync(file, JSON.stringify(counts));
    for (const line of closingLines(counts)) process.stdout.write(`${line}\n`);
    if (!isGreen(counts)) process.exitCode = 1;
  }
}
