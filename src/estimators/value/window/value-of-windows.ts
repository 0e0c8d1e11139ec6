import type { SquareMatrix } from '../../../mathematics/cholesky.js';
import type { WindowRequests } from '../../../state/requests/window-requests.js';
import { rewardsByHalves } from '../prediction/rewards-by-halves.js';
import { listPredictions } from '../prediction/rewards-of-lists.js';
import { keptExamination } from './kept-examination.js';
import { type LoggedValues, loggedValues } from './logged-values.js';
import { compared, ofTargets, valueOfWindow } from './value-of-window.js';
import type { ValueOptions } from './value-options.js';
import type { ValueRow } from './value-row.js';
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
  const examination = isKnown ? undefined : yield* keptExamination(all);
  const theta = options.theta ?? examination?.theta;
  const predicted = theta && (yield* rewardsByHalves(kept, theta));
  const ofLists = { predicted: yield* listPredictions(kept, theta), examination };
  return function* valued({ firstPane, lastPane, to }) {
    const own = kept.filter(({ pane }) => pane >= firstPane && pane <= lastPane);
    // The longest window has all that is kept: its log is there.
    const log = own.length === kept.length ? all : yield* windowLog(own, names, targets);
    const logged = yield* loggedValues(own, names, options, to, ofLists);
    const known = log && predicted ? yield* withPredicted(log, predicted) : log;
    const byArms = yield* valueOfWindow(known, names, options, examination, to);
    return withLogged(byArms, logged, names, options, examination?.covariance);
  };
}

/**
 * With what lists are worth by logged propensities. Each is compared within its own kind of requests:
 * errors of two estimates are paired by groups of users, and those of an experiment and of a logger
 * are other groups. What an arm is worth on policy is known by the requests of the experiment.
 */
function withLogged(
  byArms: WindowValues,
  logged: LoggedValues,
  names: readonly string[],
  { control, targets }: ValueOptions,
  covariance: SquareMatrix | undefined,
): WindowValues {
  if (logged.values.length === 0) return byArms;
  const { controlAway, ...arms } = byArms;
  const own = ofTargets(compared(logged.values, logged.loggers, control, covariance), targets);
  const form = ({ model, estimator }: { model: string; estimator: string }) =>
    `${estimator} ${model}`;
  const known = new Set(arms.values.map(form));
  const isNew = (row: { model: string; estimator: string }) => !known.has(form(row));
  const models = new Set(own.values.map(({ model }) => model));
  const isKept = ({ model, withheld }: ValueRow) => withheld !== 'no_lists' || !models.has(model);
  const values = [...arms.values.filter(isKept), ...own.values.filter(isNew)];
  const isAway =
    own.controlAway !== undefined && (arms.values.length === 0 || controlAway !== undefined);
  return {
    ...arms,
    values: values.sort((a, b) => names.indexOf(a.model) - names.indexOf(b.model)),
    differences: [...arms.differences, ...own.differences.filter(isNew)],
    ...(isAway && { controlAway: own.controlAway }),
  };
}

// biome-ignore lint/correctness/useYield: there is nothing to do.
function* noValues(): Generator<void, WindowValues> {
  return NO_VALUES;
}
