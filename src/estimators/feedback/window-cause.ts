import { UNCAUSED } from '../../state/panes/row-causes.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import type { FeedbackReport } from '../results/feedback-report.js';
import { causeByArms } from './cause-by-arms.js';

/** What caused the positive rows of a window, as far as it is known. */
export type WindowCause = Pick<FeedbackReport, 'source' | 'caused' | 'arms'>;

/**
 * Where interactions name lists, the share of the positive rows that do; else κ̂ by the lists that
 * were served, if two arms tell it; else unknown. O(rows · models). Yields after each part.
 *
 * @param parts organic rows, of which every one says what caused it.
 * @returns shares of rows, each counted once; NaN where there is none or it is unknown
 */
export function* windowCause(
  parts: readonly WindowPart[],
  models: readonly string[],
): Generator<void, WindowCause> {
  let rows = 0;
  let caused = 0;
  for (const { positive, causes, ...part } of parts) {
    for (let r = 0; r < part.rows; r++) {
      if (positive[r] === 0) continue;
      rows++;
      if (causes !== undefined && causes.cause[r] !== UNCAUSED) caused++;
    }
    yield;
  }
  const arms = yield* causeByArms(parts, models);
  if (caused > 0) return { source: 'named', caused: caused / rows, arms };
  if (arms !== null) return { source: 'arms', caused: Math.max(0, arms.caused), arms };
  return { source: 'unknown', caused: Number.NaN, arms };
}
