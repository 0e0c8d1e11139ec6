import { whole } from '../../rows/figures.js';
import type { Finding, Words } from '../../rows/findings/finding.js';
import { say } from '../../rows/findings/sentence.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { DriftScore } from './drift-options.js';

declare module '../../rows/findings/finding.js' {
  interface FiguresByCode {
    detectors_learn: {
      learning: number;
      series: number;
    };
  }
}

/**
 * Count the series in training, and all series. A series is in training until one of its detectors
 * has a score.
 *
 * @param scores scores by series and detector; empty until the first drift window has ended.
 * @example
 * learningSeries([{ series: 'gini/interactions', score: null }]); // { learning: 1, series: 1 }
 */
export function learningSeries(scores: readonly Pick<DriftScore, 'series' | 'score'>[]): {
  readonly learning: number;
  readonly series: number;
} {
  const all = new Set(scores.map(({ series }) => series));
  const judged = new Set(scores.flatMap(({ series, score }) => (score === null ? [] : series)));
  return {
    learning: all.size - judged.size,
    series: all.size,
  };
}

/**
 * Finding with the number of series in training, for which the absence of alarms means nothing.
 * Empty if no series is in training, and without change detection.
 */
export function learningFindings({ drift }: Pick<Snapshot, 'drift'>): Finding[] {
  if (drift === undefined) return [];
  const figures = learningSeries(drift);
  if (figures.series > 0 && figures.learning === 0) return [];
  return [
    {
      code: 'detectors_learn',
      severity: 'note',
      subject: {},
      figures,
    },
  ];
}

/** Text of the finding that detectors are still learning the baseline. */
export const LEARNING_WORDS = {
  detectors_learn: ({ figures: { learning, series } }) =>
    series === 0
      ? say`The drift detectors are still learning the baseline, so they cannot raise an alarm yet.`
      : say`The drift detectors are still learning the baseline of ${whole(learning)} of ${whole(series)} series, so these cannot raise an alarm yet.`,
} satisfies Words;
