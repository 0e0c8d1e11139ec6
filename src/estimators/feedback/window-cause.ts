import type { WindowPart } from '../../state/panes/window-part.js';
import type { Rounds } from '../partitions/rounds.js';
import type { FeedbackReport } from '../results/feedback-report.js';
import { servedRows } from './arm-rows.js';
import { causeByArms } from './cause-by-arms.js';
import { areNamesMissing, combinedShares, NO_ARMS } from './unnamed-share.js';

/** What caused the positive rows of a window, as far as it is known. */
export type WindowCause = Omit<FeedbackReport, 'mode' | 'uncaused'>;

/**
 * Where interactions name lists, the share of the positive rows that do, unless the lists that were
 * served show that others were caused as well; else κ̂ by the lists that were served, if two arms
 * give it; else unknown. O(rows · models). Yields after each part.
 *
 * κ̂ is of the rows that name no list. Where it is above .02 beyond chance the names are incomplete:
 * then the share is named + (1 − named) · max(0, κ̂), with names as without any.
 *
 * @param parts organic rows, of which every one says what caused it. @param rounds bring the sums of
 * all partitions together.
 * @returns shares of rows, each counted once; NaN if there is none or it is unknown
 */
export function* windowCause(
  parts: readonly WindowPart[],
  models: readonly string[],
  rounds: Rounds,
): Generator<void, WindowCause> {
  const { named, depths } = yield* servedRows(parts, models.length, rounds);
  const served = models.filter((_, m) => depths[m] > 0);
  const arms = yield* causeByArms(parts, models, depths, rounds);
  const found = { named, arms, served };
  const { caused, least, most } = combinedShares(named, arms ?? NO_ARMS);
  if (named > 0 && !areNamesMissing(arms)) {
    return { ...found, source: 'named', caused: named, lower: named, upper: most };
  }
  if (arms !== null) return { ...found, source: 'arms', caused, lower: least, upper: most };
  const unknown = Number.NaN;
  return { ...found, source: 'unknown', caused: unknown, lower: unknown, upper: unknown };
}
