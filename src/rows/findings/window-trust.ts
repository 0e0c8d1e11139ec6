import type { Measure } from '../../estimators/metrics/metric-gain.js';
import { LEADING } from '../../estimators/names.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import type { MeasureSensitivity } from '../../estimators/results/sensitivity.js';
import { OF_OWN_NUMBERS, verdictGround } from '../../features/findings.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { isGiven } from '../reading.js';
import type { Row } from '../row.js';
import type { Finding, WordedFinding } from './finding.js';
import { type KnownGamma, knownGamma } from './gamma.js';
import {
  besideVerdict,
  flipFindings,
  reasonFindings,
  type TrustAnswer,
  type TrustFacts,
  trustAnswer,
} from './reasons.js';
import { isWeighed, OF_CAUSES, windowFindings } from './window-findings.js';
import { worded } from './words.js';

/** Whether numbers can be trusted, with the reasons. */
export interface Trust {
  readonly answer: TrustAnswer;
  /**
   * Metric that the answer is about: the reward per request (`value`), or a metric that is
   * estimated by pooled snips or the closest available form. Null if there is neither.
   */
  readonly measure:
    | Measure
    | {
        readonly metric: 'value';
        readonly k: null;
      }
    | null;
  /** Reasons for the answer, the most important first. */
  readonly reasons: readonly Finding[];
}

/** Trust as in the JSON, with the sentences of its reasons. */
export interface WordedTrust extends Omit<Trust, 'reasons'> {
  readonly reasons: readonly WordedFinding[];
}

type Asked = Pick<Snapshot, 'sampling' | 'propensity' | 'homes' | 'verdicts'>;

/**
 * Determine whether the numbers of a window can be trusted. All outputs use this function.
 *
 * The answer is about the metric of the verdict: reward per request, which needs no estimate, or a
 * metric by pooled snips. Without a verdict it is about the first metric of the window. If the
 * window has only some of the results, it is about those.
 *
 * @param more further findings, about reading or the service
 */
export function windowTrust(
  snapshot: Asked,
  window: WindowSnapshot,
  more: readonly Finding[] = [],
): Trust {
  const measure = leadingMeasure(window, snapshot.verdicts);
  const results = leadingRows(window, measure);
  const all = windowFindings(
    snapshot,
    {
      ...window,
      results,
    },
    more,
  );
  const estimates = estimateTrust(snapshot, window, {
    measure,
    results,
    all,
  });
  const ground = verdictGround(snapshot);
  if (ground === undefined) return estimates;
  const against = all.filter((own) => OF_EVENTS.has(own.code) || isWithCare(own, ground));
  const problems = against.filter(({ severity }) => severity === 'problem');
  const hasProblem = problems.length > 0 || ground.severity === 'problem';
  const holds = ground.severity === 'good' ? 'yes' : 'comparisons';
  const beside = estimates.reasons.filter((own) => !against.includes(own));
  return {
    answer: hasProblem ? 'no' : holds,
    measure: {
      metric: 'value',
      k: null,
    },
    reasons: [
      ...new Set([...problems, ground, ...against]),
      ...besideVerdict(estimates.answer, measure),
      ...beside,
    ],
  };
}

/** Codes of findings about events that make a verdict unreliable even if it needs no estimate. */
export const OF_EVENTS: ReadonlySet<Finding['code']> = new Set([
  'ids_differ',
  'users_split',
  'users_moved',
  'users_renamed',
  'users_apart',
  'faulty_events',
  'faulty_requests',
  'uncounted_events',
  'read_as',
  'still_reading',
  'service_unwell',
]);

/**
 * Whether a finding asks for caution about the reward of one of the two models that the verdict
 * compares.
 */
function isWithCare({ code, reason, subject }: Finding, ground: Finding): boolean {
  const isCare = OF_OWN_NUMBERS.some((has) => has(code)) && reason === 'caution';
  return isCare && subject.models!.some((model) => ground.subject.models!.includes(model));
}

function estimateTrust(
  snapshot: Asked,
  window: WindowSnapshot,
  asked: {
    measure: Measure | null;
    results: EstimateRow[];
    all: readonly Finding[];
  },
): Trust {
  const { measure, results, all } = asked;
  const found = all.filter(isOf(results));
  const sensitivity = window.sensitivity.find((own) => isSame(own, measure));
  const gamma = knownGamma(snapshot.propensity, window.exponentTest);
  const known = factsOf(window, results, found, gamma, sensitivity);
  const facts = isWeighed(results)
    ? known
    : {
        ...known,
        ...UNWEIGHED,
      };
  const answer = trustAnswer(facts);
  const told = flipFindings(sensitivity?.flips ?? [], measure);
  return {
    answer,
    measure,
    reasons: reasonFindings(answer, facts, {
      gamma,
      found,
      told,
      results,
    }),
  };
}

/** Like `windowTrust`, with the sentences of the reasons. */
export function wordedTrust(...asked: Parameters<typeof windowTrust>): WordedTrust {
  const { reasons, ...rest } = windowTrust(...asked);
  return {
    ...rest,
    reasons: worded(reasons),
  };
}

/**
 * Choose the metric that represents a window: the first one with a verdict, or else the first one.
 */
export function leadingMeasure(
  { results, sensitivity }: WindowSnapshot,
  verdicts: NonNullable<Snapshot['verdicts']> = [],
): Measure | null {
  const isOf =
    ({ metric, k }: Measure) =>
    (own: { metric: string; k: number | null }) =>
      own.metric === metric && own.k === k;
  const first =
    results.find((row) => verdicts.some(isOf(row))) ??
    results.find((row) => sensitivity.some(isOf(row)));
  const { metric, k } = first ?? results[0] ?? sensitivity[0] ?? {};
  return metric === undefined || k === undefined ? null : { metric, k };
}

function isSame(a: Pick<Row, 'metric' | 'k'>, b: Pick<Row, 'metric' | 'k'> | null): boolean {
  return a.metric === b?.metric && a.k === b.k;
}

/** Select the estimates of a metric by pooled snips, or else by the closest available form. */
function leadingRows({ results }: WindowSnapshot, measure: Measure | null): EstimateRow[] {
  let rows = results.filter((row) => isSame(row, measure));
  for (const leads of [
    (row: EstimateRow) => row.estimator === LEADING,
    (row: EstimateRow) => row.form === 'pooled',
  ]) {
    if (rows.some(leads)) {
      rows = rows.filter(leads);
    }
  }
  return rows;
}

/**
 * Create a function that returns whether a finding is about one of the given estimates. It returns
 * false for findings about the numbers of a feature.
 */
function isOf(rows: readonly EstimateRow[]) {
  return ({ code, subject: { estimators, aggregation } }: Finding) =>
    !OF_OWN_NUMBERS.some((has) => has(code)) &&
    (estimators?.some((name) => rows.some((row) => row.estimator === name)) ?? true) &&
    (aggregation === undefined || rows.some((row) => row.form === aggregation));
}

/**
 * Codes of findings that estimates of a single model are not reported. The reported estimates of
 * other models are not affected.
 */
const OF_WITHHELD: ReadonlySet<Finding['code']> = new Set(['own_lists', 'few_uncaused']);

/**
 * Facts for estimates from randomised traffic. Such estimates depend neither on γ nor on whether
 * recommendations drove the interactions.
 */
const UNWEIGHED: Omit<TrustFacts, 'hasProblem' | 'models'> = {
  isGammaKnown: true,
  doSourcesAgree: true,
  hasFlipNear: false,
  doesLeaderChange: false,
  isWeightSeen: true,
  isUnseenSmall: true,
  isCauseFollowed: true,
  isFeedbackSmall: true,
};

function factsOf(
  { singleCountShare, feedback }: WindowSnapshot,
  results: readonly EstimateRow[],
  found: readonly Finding[],
  gamma: KnownGamma,
  sensitivity: MeasureSensitivity | undefined,
): TrustFacts {
  const has = (code: Finding['code']) => found.some((own) => own.code === code);
  const flips = sensitivity?.flips ?? [];
  const given = results.filter(isGiven);
  const problems = found.filter((own) => own.severity === 'problem' && !OF_WITHHELD.has(own.code));
  return {
    hasProblem: given.length === 0 || problems.length > 0,
    isGammaKnown: gamma.isKnown && !has('gamma_repeats'),
    doSourcesAgree: gamma.apart === undefined,
    hasFlipNear: flips.some((flip) => flip.gamma >= gamma.lower && flip.gamma <= gamma.upper),
    isWeightSeen: singleCountShare !== undefined,
    isUnseenSmall: !has('counted_once'),
    isCauseFollowed: feedback !== undefined,
    // Estimates of one model that are not reported do not matter here, if recommendations drove few
    // interactions.
    isFeedbackSmall: !found.some(({ code }) => OF_CAUSES.has(code)),
    models: new Set(given.map(({ model }) => model)).size,
    doesLeaderChange: flips.some(({ isOfLeaders }) => isOfLeaders),
  };
}
