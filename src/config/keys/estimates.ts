import { FEEDBACK_MODES } from '../../estimators/feedback/feedback-mode.js';
import { BASELINES } from '../../estimators/lanes/derived-parts.js';
import { RATING_METRICS, type RatingMetric } from '../../estimators/metrics/rating-metrics.js';
import {
  CUT_METRICS,
  DEFAULT_METRICS,
  METRICS,
  type Metric,
} from '../../estimators/metrics/registry.js';
import { INTERVAL_METHODS } from '../../estimators/names.js';
import { STRATA_SCHEMES, WEIGHTS_FROM } from '../../estimators/options.js';
import { USER_FORMS } from '../../estimators/rules/estimator.js';
import {
  DEFAULT_ESTIMATORS,
  ESTIMATORS,
  type EstimatorName,
  REFUSED_ESTIMATORS,
} from '../../estimators/rules/registry.js';
import { GUARANTEES } from '../../estimators/uncertainty/guarantees.js';
import { chosenOf, key, ofCommands, oneOf, real, someOf, text, whole } from '../kinds.js';
import { Type } from '../schema.js';
import { didYouMean } from '../spelling.js';
import { listed } from '../words.js';

/** Keys of `comparisons`: which model is the control. */
export const COMPARISONS = {
  control: text({
    description:
      'Control: the model that all others are compared with. Not given: the first model by name, or for reward per request the first arm by name.',
    commands: ['serve', 'replay', 'evaluate'],
    flag: '--control',
    argument: '<model>',
    expected: 'the name of a model',
  }),
} as const;

const COMMANDS = ['serve', 'replay', 'evaluate'] as const;

/** Keys of `estimates`: metrics, estimators and intervals. */
export const ESTIMATES = ofCommands(COMMANDS, {
  metrics: chosenOf('metrics', [...METRICS, ...RATING_METRICS], chosenMetrics, {
    description: `Metrics to compute. ${listed(RATING_METRICS, 'and')} need scores and ratings.`,
    flag: '--metrics',
    default: DEFAULT_METRICS,
  }),
  ks: key(
    {
      description: `Cut-offs k of ${listed([...CUT_METRICS, 'cg', 'rating_dcg'], 'and')}.`,
      flag: '--k',
      default: [5, 10],
    },
    {
      schema: Type.Array(
        Type.Integer({
          minimum: 1,
          maximum: 10_000,
        }),
        {
          minItems: 1,
          uniqueItems: true,
        },
      ),
      expected: 'a list of different whole numbers from 1 to 10000',
      unit: 'positions in a list',
      range: 'different, from 1 to 10000',
      argument: '<numbers>',
      examples: [[5, 10]],
      decode: (written) => written as readonly number[],
    },
  ),
  estimators: chosenOf('estimators', ESTIMATORS, chosenEstimators, {
    description: 'Estimators to compute.',
    flag: '--estimators',
    default: DEFAULT_ESTIMATORS,
  }),
  interval: oneOf(INTERVAL_METHODS, {
    description:
      'Method for 95 % intervals. `korn-graubard`: binomial interval with the effective sample size, which also works for few hits and at 0 and 1; `t-logit`: jackknife errors on the logit scale; `bootstrap`: Poisson bootstrap over users.',
    flag: '--interval',
    default: 'korn-graubard',
  }),
  guarantees: someOf(GUARANTEES, {
    description:
      'Finite-sample bounds to report beside the intervals. `ips-hoeffding` is for ips (Schnabel et al., Prop. 3.1), `gs-bernstein` for gs (its Theorem 4.1).',
    flag: '--guarantees',
    default: [],
  }),
  userForm: oneOf(USER_FORMS, {
    description:
      'Form of the per-user mean for snips. `plain`: weighted mean; `corrected`: weighted mean without the small-sample bias of a ratio (JSON has the plain value as `uncorrected`).',
    flag: '--user-form',
    default: 'corrected',
  }),
  strata: whole({
    description: 'Number of strata of gs.',
    flag: '--strata',
    unit: 'strata',
    from: 1,
    to: 1000,
    default: 5,
  }),
  strataScheme: oneOf(STRATA_SCHEMES, {
    description: 'How the strata of gs are cut.',
    flag: '--strata-scheme',
    default: 'log',
  }),
  weightsFrom: oneOf(WEIGHTS_FROM, {
    description:
      'Item counts for the weights of snips and gs, if there are train events. `train`: count train events only, as in the papers; `all`: also count the events of the window, as a service does. skew and wtd_h always use train counts.',
    commands: ['evaluate'],
    flag: '--weights-from',
    default: 'all',
  }),
  cold: oneOf(['smooth', 'drop'], {
    description:
      'How to treat items without a count. `smooth`: count them as `smoothing`; `drop`: leave them out.',
    flag: '--cold',
    default: 'smooth',
  }),
  smoothing: real({
    description:
      'Count of items that have none; also κ of skew and wtd_h. 0 leaves such items out.',
    commands: [...COMMANDS, 'export'],
    flag: '--smoothing',
    unit: 'interactions',
    from: 0,
    to: 1000,
    default: 0.5,
  }),
  feedback: oneOf(FEEDBACK_MODES, {
    description:
      'What to do with estimates that use interactions driven by recommendations. `withhold`: if these are more than 10 %, report estimates from organic interactions instead; `caution`: report the estimates with a caution; `ignore`: do not determine what drove an interaction.',
    state: {
      effect: 'refused',
      how: 'Only a change from or to `ignore` is refused.',
    },
    flag: '--feedback',
    default: 'withhold',
  }),
  draws: whole({
    description:
      'Number of test sets to draw for each intervention; results are reported beside the expected values (`drawn` in JSON).',
    flag: '--draws',
    unit: 'test sets',
    from: 0,
    to: 10_000,
    default: 0,
  }),
  seed: whole({
    unit: null,
    description: 'Random seed of the first drawn test set; each further set adds 1.',
    flag: '--seed',
    from: 0,
    to: 2 ** 52,
    default: 1,
  }),
});

export const BASELINE = oneOf(BASELINES, {
  description: 'Built-in baseline model. `popularity` ranks items by popularity.',
  commands: COMMANDS,
  flag: '--baseline',
  default: 'popularity',
});

/** Check names of metrics. Throws a RangeError that explains each wrong name. */
function chosenMetrics(names: readonly string[]): (Metric | RatingMetric)[] {
  return chosen('metric', names, [...METRICS, ...RATING_METRICS], {});
}

/** Check names of estimators. Throws a RangeError that explains each wrong name. */
function chosenEstimators(names: readonly string[]): EstimatorName[] {
  return chosen('estimator', names, ESTIMATORS, REFUSED_ESTIMATORS);
}

function chosen<Name extends string>(
  kind: string,
  names: readonly string[],
  known: readonly Name[],
  refused: Readonly<Record<string, string>>,
): Name[] {
  const faults: string[] = [];
  if (names.length === 0) {
    faults.push(`expected at least one ${kind}`);
  }
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) {
      faults.push(`${kind} ${name} is given twice`);
    } else if (known.includes(name as Name)) {
    } else if (Object.hasOwn(refused, name)) {
      faults.push(`${kind} ${name} ${refused[name]}`);
    } else {
      faults.push(
        `unknown ${kind} '${name}'${didYouMean(name, known)}; known are ${known.join(', ')}`,
      );
    }
  }
  if (faults.length > 0) throw new RangeError(faults.join('; '));
  return names as Name[];
}
