import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import { codeOf } from '../../rows/reading.js';
import type { WindowRequests } from '../../state/requests/pane-requests.js';
import { keptExamination } from './kept-examination.js';
import { type LoggedValues, loggedValues, NO_LOGGED_VALUES } from './logged-values.js';
import { rewardsByHalves } from './rewards-by-halves.js';
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
 * Estimate reward per request for windows that end together, from the stored requests (those of the
 * longest window). Examination is fitted once, to all of them. Empty without requests.
 *
 * @param names of the models, by column.
 */
export function valueOfWindows(
  kept: readonly WindowRequests[],
  names: readonly string[],
  options: ValueOptions,
): (window: Panes) => WindowValues {
  if (kept.length === 0) return () => NO_VALUES;
  const { control } = options;
  // The control also needs a value, since others are compared with it.
  const targets = options.targets && [
    ...options.targets,
    ...(control === undefined ? [] : [control]),
  ];
  const all = windowLog(kept, names, targets);
  const examination = options.theta === undefined ? keptExamination(all) : undefined;
  const theta = options.theta ?? examination?.theta;
  const predicted = theta && rewardsByHalves(kept, theta);
  const isLogged = kept.some(({ logged }) => logged !== undefined);
  const lists = isLogged ? listPredictions(kept, theta) : undefined;
  return ({ firstPane, lastPane, to }) => {
    const own = kept.filter(({ pane }) => pane >= firstPane && pane <= lastPane);
    // The longest window contains all kept requests, so its log already exists.
    const log = own.length === kept.length ? all : windowLog(own, names, targets);
    const logged = isLogged
      ? loggedValues(own, names, options, {
          until: to,
          predicted: lists,
          examination,
        })
      : NO_LOGGED_VALUES;
    const known = log && predicted ? withPredicted(log, predicted) : log;
    const byArms = valueOfWindow(known, names, options, {
      until: to,
      examination,
    });
    return withLogged(byArms, logged, names, {
      options,
      covariance: examination?.covariance,
    });
  };
}

/** Parameters of the comparison of values. */
interface Comparing {
  readonly options: ValueOptions;
  readonly covariance: SquareMatrix | undefined;
}

/**
 * Add the values from logged propensities.
 *
 * Models are compared within the experiment or within the logger's requests, never across: the
 * error of a difference pairs groups of users, and these differ between the two. A model's
 * on-policy value comes from the experiment if it is an arm.
 */
function withLogged(
  byArms: WindowValues,
  logged: LoggedValues,
  names: readonly string[],
  { options: { control, targets }, covariance }: Comparing,
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
