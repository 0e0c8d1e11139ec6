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

/** Whether the numbers can be trusted, with reasons. */
export interface Trust {
  readonly answer: TrustAnswer;
  /**
   * Measure that the answer is about: reward per request, or pooled snips of a metric, or the
   * closest form to it.
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

/** Trust as in JSON, with sentences. */
export interface WordedTrust extends Omit<Trust, 'reasons'> {
  readonly reasons: readonly WordedFinding[];
}

type Asked = Pick<Snapshot, 'sampling' | 'propensity' | 'homes' | 'verdicts'>;

/**
 * Judge whether the numbers of a window can be trusted. All outputs use this rule.
 *
 * It judges the measure of the verdict: reward per request, which needs no estimate, or pooled
 * snips of the verdict's metric. Without a verdict it judges the first metric of the window, and
 * for a window with part of the results, that part.
 *
 * @param more further findings about reading or the service
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

/** Findings that make a verdict unreliable even if it needs no estimate. */
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

/** Whether a finding asks for caution about the rewards of the models in the verdict. */
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

/** Judge a window like `windowTrust`, and add sentences. */
export function wordedTrust(...asked: Parameters<typeof windowTrust>): WordedTrust {
  const { reasons, ...rest } = windowTrust(...asked);
  return {
    ...rest,
    reasons: worded(reasons),
  };
}

/**
 * Choose the measure that represents a window: the first measure with verdicts, if there is one.
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

/** Select pooled snips if there are any, else the closest form. */
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
 * Whether a finding is about some of the rows or about all rows. Findings about the own numbers of
 * features are excluded.
 */
function isOf(rows: readonly EstimateRow[]) {
  return ({ code, subject: { estimators, aggregation } }: Finding) =>
    !OF_OWN_NUMBERS.some((has) => has(code)) &&
    (estimators?.some((name) => rows.some((row) => row.estimator === name)) ?? true) &&
    (aggregation === undefined || rows.some((row) => row.form === aggregation));
}

/**
 * Findings about withheld estimates of one model. They do not affect the reported estimates of
 * other models.
 */
const OF_WITHHELD: ReadonlySet<Finding['code']> = new Set(['own_lists', 'few_uncaused']);

/** Facts for estimates without weights, which depend neither on γ nor on causes. */
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
    // If recommendations drove few interactions, withheld estimates of one model do not affect
    // other models.
    isFeedbackSmall: !found.some(({ code }) => OF_CAUSES.has(code)),
    models: new Set(given.map(({ model }) => model)).size,
    doesLeaderChange: flips.some(({ isOfLeaders }) => isOfLeaders),
  };
}
