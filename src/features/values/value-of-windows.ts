import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { LargestNumbers } from '../../estimators/partitions/sparse-columns.js';
import { codeOf } from '../../rows/reading.js';
import { keptExamination } from './kept-examination.js';
import { type LoggedValues, loggedValues, NO_LOGGED_VALUES } from './logged-values.js';
import { type RequestPart, rewardsByHalves } from './rewards-by-halves.js';
import { listPredictions } from './rewards-of-lists.js';
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
 * @param kept by partition. @param names of the models, by column. @param rounds bring all partitions
 * together: one round, and where there are requests up to a dozen, and as many again for each window.
 */
export function* valueOfWindows(
  kept: readonly RequestPart[],
  names: readonly string[],
  options: ValueOptions,
  rounds: Rounds,
): Generator<void, (window: Panes, within?: Rounds) => Generator<void, WindowValues>> {
  // First and last pane of all that is kept, and whether anything is logged.
  const bounds = yield* rounds.gather(new LargestNumbers(3), kept, function* look(own, panes) {
    for (const { pane, logged } of panes) own.add(-pane, pane, logged === undefined ? 0 : 1);
    yield;
  });
  const first = -bounds.values[0];
  const last = bounds.values[1];
  const isLogged = bounds.values[2] === 1;
  if (first > last) return noValues;
  const { control } = options;
  // What others are compared with is valued, too.
  const targets = options.targets && [
    ...options.targets,
    ...(control === undefined ? [] : [control]),
  ];
  const isKnown = options.theta !== undefined;
  const all = yield* windowLog(kept, names, targets, rounds);
  const examination = isKnown ? undefined : yield* keptExamination(all, rounds);
  const theta = options.theta ?? examination?.theta;
  const predicted = theta && (yield* rewardsByHalves(kept, theta, rounds));
  const lists = isLogged ? yield* listPredictions(kept, theta, rounds) : new Map();
  const ofLists = { predicted: lists, examination };
  return function* valued({ firstPane, lastPane, to }, within = rounds) {
    const own = kept.map((panes) =>
      panes.filter(({ pane }) => pane >= firstPane && pane <= lastPane),
    );
    // The longest window has all that is kept: its log is there.
    const isAll = firstPane <= first && lastPane >= last;
    const log = isAll ? all : yield* windowLog(own, names, targets, within);
    const logged = isLogged
      ? yield* loggedValues(own, names, options, to, ofLists, within)
      : NO_LOGGED_VALUES;
    const known = log && predicted ? yield* withPredicted(log, predicted) : log;
    const byArms = yield* valueOfWindow(known, names, options, examination, to, within);
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
  const loggedModels = logged.values.map(({ model }) => model);
  const reference = control ?? logged.loggers[0] ?? loggedModels[0];
  const found = loggedModels.includes(reference) ? reference : undefined;
  const own = ofTargets(compared(logged.values, found, control, covariance), targets);
  const form = ({ model, estimator }: { model: string; estimator: string }) =>
    `${estimator} ${model}`;
  const known = new Set(arms.values.map(form));
  const isNew = (row: { model: string; estimator: string }) => !known.has(form(row));
  const models = new Set(own.values.map(({ model }) => model));
  const isKept = (row: ValueRow) => codeOf(row, 'refused') !== 'no_lists' || !models.has(row.model);
  const values = [...arms.values.filter(isKept), ...own.values.filter(isNew)];
  const isAway =
    own.controlAway !== undefined && (arms.values.length === 0 || controlAway !== undefined);
  return {
    ...arms,
    values: values.sort((a, b) => names.indexOf(a.model) - names.indexOf(b.model)),
    differences: [...arms.differences, ...own.differences.filter(isNew)],
    evidence: [...arms.evidence, ...logged.evidence],
    ...(isAway && { controlAway: own.controlAway }),
  };
}

// biome-ignore lint/correctness/useYield: there is nothing to do.
function* noValues(): Generator<void, WindowValues> {
  return NO_VALUES;
}
