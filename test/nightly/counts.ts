import { readFileSync } from 'node:fs';
import { argv } from 'node:process';
import { pathToFileURL } from 'node:url';
import type { TaskMeta } from 'vitest';
import { NO_DATA } from '../support/published-data.js';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  /** None may be: a test that was skipped has not passed. */
  readonly skipped: number;
  /** Skipped as they read public data sets that are missing. */
  readonly withoutData: number;
}

interface Assertion {
  readonly status: string;
  readonly meta?: TaskMeta;
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { status: string; assertionResults: readonly Assertion[] }[];
}

/** What the runner itself counted, from the file of its JSON reporter. */
export function countsOf(path: string): Counts {
  const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
  const { testResults } = report;
  // A file that cannot be loaded has no tests to count: it fails as one.
  const unloaded = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  ).length;
  const withoutData = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, meta }) => status === 'skipped' && meta?.needsData !== undefined).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded,
    skipped: report.numPendingTests + report.numTodoTests - withoutData,
    withoutData,
  };
}

export interface Closing {
  readonly code: 0 | 1;
  /** The closing line of a run. */
  readonly line: string;
  readonly remarks: readonly string[];
}

/**
 * What the counts come to. If there are no public data sets on purpose (UNSKEW_DATA is `none`), tests
 * of them are counted and pass as left out. Any other test that was skipped has failed.
 */
export function closing(counts: Counts, data: string | undefined): Closing {
  const { passed, failed, skipped, withoutData } = counts;
  const isOnPurpose = data === NO_DATA;
  const off = failed + skipped + (isOnPurpose ? 0 : withoutData);
  const remarks = [];
  if (skipped > 0) remarks.push(`${skipped} tests were skipped, and none may be`);
  if (withoutData > 0) {
    remarks.push(`${withoutData} tests were left out, as there are no public data sets here`);
  }
  const leftOut = isOnPurpose ? `, ${withoutData} left out` : '';
  const line = `${passed} passed, ${off} failed${leftOut}`;
  return { code: off > 0 || passed === 0 ? 1 : 0, line, remarks };
}

/** Says it, and makes what is false of the run the exit code of the process. */
export function close(counts: Counts): void {
  const { code, line, remarks } = closing(counts, process.env['UNSKEW_DATA']);
  for (const remark of remarks) process.stderr.write(`${remark}\n`);
  process.stdout.write(`${line}\n`);
  if (code !== 0) process.exitCode = code;
}

/** `counts.ts report.json` closes a run of one report. */
if (import.meta.url === pathToFileURL(argv[1] ?? '').href) close(countsOf(argv[2]!));
