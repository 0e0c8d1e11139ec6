import type { WindowRequests } from '../../../state/requests/window-requests.js';
import { rewardsByHalves } from '../prediction/rewards-by-halves.js';
import { keptExamination } from './kept-examination.js';
import { loggedValues } from './logged-values.js';
import { allRefused, manyShares, valueOfWindow } from './value-of-window.js';
import type { ValueOptions } from './value-options.js';
import { windowLog, withPredicted } from './window-log.js';
import { NO_VALUES, type WindowValues } from './window-values.js';

/** First and last pane of a window, and its end, ms. */
interface Panes {
  readonly to: number;
  readonly firstPane: number;
  readonly lastPane: number;
}

/**
 * What lists are worth in windows that end together, by the requests that all partitions keep: those
 * of the longest window, which examination is fitted to, once. Nothing where there are none.
 *
 * @param names of the models, by column.
 */
export function* valueOfWindows(
  kept: readonly WindowRequests[],
  names: readonly string[],
  options: ValueOptions | undefined,
): Generator<void, (window: Panes) => Generator<void, WindowValues>> {
  if (options === undefined || kept.length === 0) return noValues;
  const { control } = options;
  // What others are compared with is valued, too.
  const targets = options.targets && [
    ...options.targets,
    ...(control === undefined ? [] : [control]),
  ];
  const isKnown = options.theta !== undefined;
  const all = yield* windowLog(kept, names, targets);
  const isFitted = !isKnown && manyShares(all) === undefined;
  const examination = isFitted ? yield* keptExamination(all) : undefined;
  const theta = options.theta ?? examination?.theta;
  const predicted = theta && (yield* rewardsByHalves(kept, theta));
  return function* valued({ firstPane, lastPane, to }) {
    const own = kept.filter(({ pane }) => pane >= firstPane && pane <= lastPane);
    // The longest window has all that is kept: its log is there.
    const log = own.length === kept.length ? all : yield* windowLog(own, names, targets);
    const logged = yield* loggedValues(own, names, { ...options, targets }, to);
    const tooMany = manyShares(log) ?? (isKnown ? undefined : manyShares(all));
    if (tooMany !== undefined) return allRefused(own, names, options, tooMany);
    const known = log && predicted ? yield* withPredicted(log, predicted) : log;
    return yield* valueOfWindow(known, logged, names, options, examination, to);
  };
}

// biome-ignore lint/correctness/useYield: there is nothing to do.
function* noValues(): Generator<void, WindowValues> {
  return NO_VALUES;
}
