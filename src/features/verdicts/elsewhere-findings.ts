import type { Finding, Words } from '../../rows/findings/finding.js';
import { say } from '../../rows/findings/sentence.js';
import type { SnapshotReports } from '../../stream/feature-types.js';

declare module '../../rows/findings/finding.js' {
  interface FiguresByCode {
    test_elsewhere: Record<never, number>;
  }
}

/** That an A/B test is not looked for, since users live in several workers. */
export function elsewhereFindings({ isTestElsewhere }: SnapshotReports): Finding[] {
  if (isTestElsewhere !== true) return [];
  return [{ code: 'test_elsewhere', severity: 'note', subject: {}, figures: {} }];
}

export const ELSEWHERE_WORDS = {
  test_elsewhere: () =>
    say`A/B tests are not reported by several workers. Run one worker, or evaluate a file of the log.`,
} satisfies Words;
