import type { Measure } from '../../estimators/metrics/metric-gain.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import type { GammaFlip } from '../../estimators/results/sensitivity.js';
import { decimal, whole } from '../figures.js';
import { metricName } from '../words.js';
import type { Finding, Words } from './finding.js';
import type { KnownGamma } from './gamma.js';
import { say } from './sentence.js';

/** Answers to whether numbers can be trusted: yes; in comparisons between models only; or no. */
export const TRUST_ANSWERS = ['yes', 'comparisons', 'no'] as const;
export type TrustAnswer = (typeof TRUST_ANSWERS)[number];

/** Facts that decide whether numbers can be trusted. */
export interface TrustFacts {
  /**
   * Whether the numbers should decide nothing, e.g. because of few effective users or estimates
   * that are not reported.
   */
  readonly hasProblem: boolean;
  /**
   * Whether the data determine γ: it is calibrated or fitted, or randomised traffic confirms a
   * fixed γ.
   */
  readonly isGammaKnown: boolean;
  /** Whether randomised traffic, exposures and the γ in use do not contradict each other. */
  readonly doSourcesAgree: boolean;
  /** Whether two models swap order within the 95 % interval of γ. */
  readonly hasFlipNear: boolean;
  /**
   * Whether the fraction of the weight on items counted once is measured (`isWeightSeen`) and small
   * (`isUnseenSmall`).
   */
  readonly isWeightSeen: boolean;
  readonly isUnseenSmall: boolean;
  /**
   * Whether interactions driven by recommendations are identified (`isCauseFollowed`), and affect
   * the estimates little (`isFeedbackSmall`).
   */
  readonly isCauseFollowed: boolean;
  readonly isFeedbackSmall: boolean;
  /** Number of models with a reported estimate. */
  readonly models: number;
  /**
   * Whether a different model leads for some γ. Examined are all γ in [−1, 1], and those between
   * that range and the γ in use.
   */
  readonly doesLeaderChange: boolean;
}

/**
 * Determine whether numbers can be trusted. `no` if there is a problem. `yes` if γ is known, its
 * sources agree, no two models swap order within its error, and neither unseen items nor
 * interactions driven by recommendations shift the estimates. Otherwise `comparisons` if there are
 * several models and the same one leads at every γ, else `no`.
 *
 * @example
 * trustAnswer({ isGammaKnown: false, models: 2, doesLeaderChange: true }); // 'no'
 */
export function trustAnswer(facts: TrustFacts): TrustAnswer {
  if (facts.hasProblem) return 'no';
  const isSound = facts.isWeightSeen && facts.isUnseenSmall;
  const isUncaused = facts.isCauseFollowed && facts.isFeedbackSmall;
  const isGammaSound = facts.isGammaKnown && facts.doSourcesAgree && !facts.hasFlipNear;
  if (isGammaSound && isSound && isUncaused) return 'yes';
  return facts.models > 1 && !facts.doesLeaderChange ? 'comparisons' : 'no';
}

/** Findings and figures that explain the answer. */
interface Evidence {
  readonly gamma: KnownGamma;
  /** Findings about the estimates that the answer is about. */
  readonly found: readonly Finding[];
  /**
   * Findings about models that swap order at some γ. They are added to the reasons for the answer.
   */
  readonly told: readonly Finding[];
  readonly results: readonly EstimateRow[];
}

/** Maximum number of pairs that are named individually. */
const MOST_FLIPS = 3;

/** Findings about pairs of models that swap order at some γ, those of the leading models first. */
export function flipFindings(flips: readonly GammaFlip[], measure: Measure | null): Finding[] {
  const metrics = measure === null ? [] : [metricName(measure)];
  const ordered = [...flips].sort((a, b) => Number(b.isOfLeaders) - Number(a.isOfLeaders));
  const named = ordered.slice(0, MOST_FLIPS).map(
    ({ below, above, gamma }): Finding => ({
      code: 'places_change',
      severity: 'caution',
      figures: { gamma },
      subject: {
        models: [below, above],
        metrics,
      },
    }),
  );
  if (ordered.length <= MOST_FLIPS) return named;
  const figures = { more: ordered.length - MOST_FLIPS };
  return [
    ...named,
    {
      code: 'more_places_change',
      severity: 'note',
      subject: {},
      figures,
    },
  ];
}

/** List the reasons for the answer: those that decide it first, then other cautions. */
export function reasonFindings(
  answer: TrustAnswer,
  facts: TrustFacts,
  { gamma, found, told, results }: Evidence,
): Finding[] {
  const of = (asked: Finding['severity']) => found.filter(({ severity }) => severity === asked);
  const origin = found.filter(({ code }) => /^(gamma|exponent)_/.test(code));
  const all = [
    ...(facts.hasProblem ? of('problem') : []),
    ...(answer === 'comparisons' ? [plain('leader_holds', 'good')] : []),
    ...(answer === 'yes' || facts.hasProblem ? [] : told),
    ...(answer === 'no' && facts.models === 1 ? [plain('nothing_to_compare', 'note')] : []),
    ...origin,
    ...(facts.hasProblem ? [] : unknowns(facts, gamma, origin)),
    ...of('problem'),
    ...of('caution'),
    ...(answer === 'yes' ? [enoughUsers(results)] : []),
  ];
  return [...new Set(all)];
}

/**
 * Report what keeps the answer from being `yes` besides the findings: why γ counts as unknown, and
 * what was not measured.
 */
function unknowns(facts: TrustFacts, gamma: KnownGamma, origin: readonly Finding[]): Finding[] {
  const has = (asked: Finding['code']) => origin.some(({ code }) => code === asked);
  if (gamma.apart !== undefined) {
    const figures = gamma.apart;
    // `exponent_disagrees` reports the same more clearly.
    if (has('exponent_disagrees')) return [];
    return [
      {
        code: 'gamma_sources_apart',
        severity: 'caution',
        subject: {},
        figures,
      },
    ];
  }
  if (!facts.isGammaKnown) {
    return has('gamma_assumed') || has('gamma_repeats')
      ? []
      : [plain('gamma_unconfirmed', 'caution')];
  }
  return [
    ...(facts.isWeightSeen ? [] : [plain('unseen_unknown', 'caution')]),
    ...(facts.isCauseFollowed ? [] : [plain('causes_ignored', 'caution')]),
  ];
}

type Plain =
  | 'leader_holds'
  | 'nothing_to_compare'
  | 'gamma_unconfirmed'
  | 'unseen_unknown'
  | 'causes_ignored';

function plain(code: Plain, severity: Finding['severity']): Finding {
  return {
    code,
    severity,
    subject: {},
    figures: {},
  };
}

function enoughUsers(results: readonly EstimateRow[]): Finding {
  const figures = { ess: Math.min(...results.map(({ ess }) => ess)) };
  return {
    code: 'enough_users',
    severity: 'good',
    subject: {},
    figures,
  };
}

/**
 * Finding that says whether the estimates can be trusted, for windows whose verdict is based on the
 * reward.
 */
export function besideVerdict(answer: TrustAnswer, measure: Measure | null): Finding[] {
  if (measure === null) return [];
  return [
    {
      code: 'estimates_beside',
      severity: answer === 'yes' ? 'note' : 'caution',
      subject: { metrics: [metricName(measure)] },
      figures: { answer: TRUST_ANSWERS.indexOf(answer) },
    },
  ];
}

const BESIDE_WORDS = ['can be trusted', 'can be trusted for comparisons only', 'cannot be trusted'];

/** Words for each answer. */
export const ANSWER_WORDS: Readonly<Record<TrustAnswer, string>> = {
  yes: 'Yes',
  comparisons: 'Comparisons only',
  no: 'No',
};

export const TRUST_WORDS = {
  places_change: ({ subject: { models = [], metrics = [] }, figures }) =>
    say`The order of ${{ name: models[0] }} and ${{ name: models[1] }} reverses at γ = ${decimal(figures.gamma, 2)}${metrics.length === 0 ? '' : ` (${metrics.join()})`}.`,
  more_places_change: ({ figures }) =>
    say`The order of models changes at ${whole(figures.more)} more ${figures.more === 1 ? 'value' : 'values'} of γ.`,
  leader_holds: () => say`The same model leads at every γ from −1 to 1.`,
  nothing_to_compare: () => say`There is only one model, so there is nothing to compare it with.`,
  gamma_unconfirmed: () => say`The data do not confirm γ, so it counts as assumed.`,
  gamma_sources_apart: ({ figures }) =>
    say`Two sources of γ disagree: randomised traffic gives a weight exponent β of ${decimal(figures.randomized, 2)}, ${decimal(figures.deviation, 1)} standard errors from the other source’s ${decimal(figures.other, 2)}.`,
  unseen_unknown: () =>
    say`The share of weight on items with a single interaction is not known, because weights come from train events alone.`,
  causes_ignored: () =>
    say`Clicks driven by served lists are not separated from organic ones (\`estimates.feedback\` is ignore).`,
  estimates_beside: ({ subject: { metrics = [] }, figures }) =>
    say`Apart from the verdict, the estimates of ${metrics.join()} ${BESIDE_WORDS[figures.answer]}.`,
  enough_users: ({ figures }) =>
    say`The effective sample size is at least ${whole(figures.ess)} users.`,
} satisfies Words;
