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

/** What models are compared with. */
export const COMPARISONS = {
  control: text({
    description:
      'Model that the others are compared with. Without it: the first by name; for values by requests, the first arm by name.',
    commands: ['serve', 'replay', 'evaluate'],
    flag: '--control',
    argument: '<model>',
    expected: 'the name of a model',
  }),
} as const;

const COMMANDS = ['serve', 'replay', 'evaluate'] as const;

/** What is computed, and how sure it is. */
export const ESTIMATES = ofCommands(COMMANDS, {
  metrics: chosenOf('metrics', [...METRICS, ...RATING_METRICS], chosenMetrics, {
    description: `Metrics. ${listed(RATING_METRICS, 'and')} are of ratings: they ask for scores in lists and ratings in interactions.`,
    flag: '--metrics',
    default: DEFAULT_METRICS,
  }),
  ks: key(
    {
      description: `Cut-offs of ${listed([...CUT_METRICS, 'cg', 'rating_dcg'], 'and')}.`,
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
      unit: 'places in a list',
      range: 'different, from 1 to 10000',
      argument: '<numbers>',
      examples: [[5, 10]],
      decode: (written) => written as readonly number[],
    },
  ),
  estimators: chosenOf('estimators', ESTIMATORS, chosenEstimators, {
    description: 'Estimators.',
    flag: '--estimators',
    default: DEFAULT_ESTIMATORS,
  }),
  interval: oneOf(INTERVAL_METHODS, {
    description:
      'How 95 % intervals are made. `t-logit`: jackknife errors; `bootstrap`: errors of a Poisson bootstrap over users; `korn-graubard`: jackknife errors as a number of binomial draws, which has a width at 0 and 1 and holds if hits are few.',
    flag: '--interval',
    default: 'korn-graubard',
  }),
  guarantees: someOf(GUARANTEES, {
    description:
      'Bounds beside the intervals. `ips-hoeffding` is of ips (Schnabel et al., Prop. 3.1), `gs-bernstein` of gs (its Theorem 4.1).',
    flag: '--guarantees',
    default: [],
  }),
  userForm: oneOf(USER_FORMS, {
    description:
      'What the mean over users takes of a user, for snips. `plain`: the weighted mean of the gains; `corrected`: without the bias of a ratio of few rows, with the plain value beside (`uncorrected` in the JSON).',
    flag: '--user-form',
    default: 'corrected',
  }),
  strata: whole({
    description: 'Strata of gs.',
    flag: '--strata',
    unit: 'strata',
    from: 1,
    to: 1000,
    default: 5,
  }),
  strataScheme: oneOf(STRATA_SCHEMES, {
    description: 'How strata are cut.',
    flag: '--strata-scheme',
    default: 'log',
  }),
  weightsFrom: oneOf(WEIGHTS_FROM, {
    description:
      'Counts that snips and gs weigh by, if there are train events. `train`: theirs alone, as in the papers; `all`: those of the window too, as a service counts. skew and wtd_h keep the train counts.',
    commands: ['evaluate'],
    flag: '--weights-from',
    default: 'all',
  }),
  cold: oneOf(['smooth', 'drop'], {
    description:
      'What becomes of items without a count. `smooth`: one weighs as if counted `smoothing` times; `drop`: left out.',
    flag: '--cold',
    default: 'smooth',
  }),
  smoothing: real({
    description:
      'Count that cold items are given; also the κ of skew and wtd_h, in sets too. 0 leaves out what has no count.',
    commands: [...COMMANDS, 'export'],
    flag: '--smoothing',
    unit: 'interactions',
    from: 0,
    to: 1000,
    default: 0.5,
  }),
  feedback: oneOf(FEEDBACK_MODES, {
    description:
      'What becomes of estimates that rest on interactions which shown lists caused. `withhold`: they are withheld above 10 %, with the reason, and what users found by themselves is given beside them; `caution`: they are given with a caution; `ignore`: causes are not followed.',
    state: {
      effect: 'refused',
      how: 'From or to `ignore`; between the others it is free. Rows say what caused them, or they do not.',
    },
    flag: '--feedback',
    default: 'withhold',
  }),
  draws: whole({
    description:
      'Test sets to draw of each intervention. They stand beside the expectation (`drawn` in the JSON).',
    flag: '--draws',
    unit: 'test sets',
    from: 0,
    to: 10_000,
    default: 0,
  }),
  seed: whole({
    unit: null,
    description: 'Seed of the first of the drawn test sets; the next has one more.',
    flag: '--seed',
    from: 0,
    to: 2 ** 52,
    default: 1,
  }),
});

export const BASELINE = oneOf(BASELINES, {
  description:
    'Built-in model that the others are compared with. `popularity` ranks by popularity and is evaluated beside yours; `none`: it is not.',
  commands: COMMANDS,
  flag: '--baseline',
  default: 'popularity',
});

/** Checks names of metrics; throws a RangeError that says what is wrong with each wrong one. */
function chosenMetrics(names: readonly string[]): (Metric | RatingMetric)[] {
  return chosen('metric', names, [...METRICS, ...RATING_METRICS], {});
}

/** Checks names of estimators; throws a RangeError that says what is wrong with each wrong one. */
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
