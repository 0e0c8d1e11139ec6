import { readFileSync } from 'node:fs';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import { NO_DATA } from '../support/published-data.js';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** None may be: a test that was skipped has not passed. */
  readonly skipped: number;
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { status: string; assertionResults: readonly unknown[] }[];
}

/** What the runner itself counted, from the file of its JSON reporter. */
export function countsOf(path: string): Counts {
  const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
  // A file that cannot be loaded has no tests to count: it fails as one.
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * The closing line of a run; what is false of the run is the exit code of the process. Where there are
 * no public data sets on purpose (UNSKEW_DATA is `none`), skipped tests are counted and let pass.
 */
export function close({ passed, failed, skipped }: Counts): void {
  if (process.env['UNSKEW_DATA'] === NO_DATA) {
    process.stderr.write(`${skipped} tests were left out, as there are no public data sets here\n`);
    process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    if (failed > 0 || passed === 0) process.exitCode = 1;
    return;
  }
  if (skipped > 0) process.stderr.write(`${skipped} tests were skipped, and none may be\n`);
  process.stdout.write(`${passed} passed, ${failed + skipped} failed\n`);
  if (failed + skipped > 0 || passed === 0) process.exitCode = 1;
}

/** `counts.ts report.json` closes a run of one report. */
if (import.meta.url === pathToFileURL(argv[1] ?? '').href) close(countsOf(argv[2]!));
