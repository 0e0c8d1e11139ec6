import type { Aggregation, EstimatorName } from '../../estimators/names.js';
import type { Sentence } from './sentence.js';

/**
 * Severities of findings and states. `problem`: do not decide on the numbers now; `caution`: read
 * it before you decide; `note`: good to know; `good`: supports the numbers.
 */
export const SEVERITIES = ['problem', 'caution', 'note', 'good'] as const;
export type Severity = (typeof SEVERITIES)[number];

/**
 * All finding codes, with the figures of each. A feature adds its own codes in its folder (`declare
 * module`).
 */
export interface FiguresByCode {
  gamma_fitted: {
    gamma: number;
    stdErr: number;
  };
  gamma_uncertain: {
    gamma: number;
    stdErr: number;
  };
  gamma_last_good: { gamma: number };
  gamma_calibrated: {
    gamma: number;
    stdErr: number;
  };
  gamma_assumed: { gamma: number };
  gamma_above_one: { gamma: number };
  gamma_corrects_nothing: { gamma: number };
  gamma_untested: { gamma: number };
  gamma_agrees: {
    gamma: number;
    fitted: number;
    stdErr: number;
  };
  gamma_disagrees: {
    gamma: number;
    fitted: number;
    stdErr: number;
    deviation: number;
  };
  gamma_repeats: { perPair: number };
  not_popularity: { deviation: number };
  exponent_agrees: {
    beta: number;
    stdErr: number;
    used: number;
    deviation: number;
  };
  exponent_disagrees: {
    beta: number;
    stdErr: number;
    used: number;
    deviation: number;
  };

  places_change: { gamma: number };
  more_places_change: { more: number };
  leader_holds: Record<never, number>;
  nothing_to_compare: Record<never, number>;
  gamma_unconfirmed: Record<never, number>;
  gamma_sources_apart: {
    randomized: number;
    other: number;
    deviation: number;
  };
  unseen_unknown: Record<never, number>;
  causes_ignored: Record<never, number>;
  enough_users: { ess: number };
  estimates_beside: { answer: number };

  user_sample: { ratio: number };
  users_split: {
    users: number;
    several: number;
    share: number;
  };
  users_renamed: { renamedAt: number };
  users_moved: {
    users: number;
    several: number;
    share: number;
    movedAt: number;
  };
  users_apart: {
    users: number;
    share: number;
    median: number;
  };
  single_event_users: { share: number };
  partly_naive: {
    rows: number;
    least: number;
  };
  few_users: {
    ess: number;
    least: number;
  };
  counted_once: {
    share: number;
    most: number;
  };
  head_only: {
    below: number;
    share: number;
  };
  heavy_event: { share: number };
  sample_off_weights: {
    share: number;
    distance: number;
  };
  margins_out_of_reach: { components: number };

  nothing_evaluated: Record<never, number>;
  reference_away: Record<never, number>;
  models_full: { models: number };
  ids_differ: { pairs: number };
  unranked_pairs: {
    share: number;
    unranked: number;
  };
  different_users: {
    least: number;
    most: number;
  };
  randomized_reach: {
    users: number;
    positives: number;
    withoutPositive: number;
  };
  refused: Record<never, number>;
  ips_scale: { loggedShare: number };
  rankings_differ: {
    tau: number;
    cases: number;
    of: number;
  };

  cause_unknown: Record<never, number>;
  served_unknown: Record<never, number>;
  caused_too_much: { share: number };
  cause_uncertain: {
    lower: number;
    upper: number;
  };
  names_incomplete: {
    named: number;
    unnamed: number;
  };
  caused_by_lists: { share: number };
  own_lists: { share: number };
  circular: Record<never, number>;
  own_random_lists: Record<never, number>;
  caused_in_part: { share: number };
  few_uncaused: {
    users: number;
    least: number;
  };
  uncaused_given: { users: number };

  faulty_events: {
    count: number;
    share: number;
  };
  uncounted_events: {
    late: number;
    duplicate: number;
    share: number;
  };
  faulty_requests: { count: number };
  read_as: {
    count: number;
    share: number;
  };
  still_reading: Record<never, number>;
  service_unwell: Record<never, number>;

  looks_better: {
    measures: number;
    of: number;
    share: number;
  };
  concentration_grows: {
    from: number;
    to: number;
    since: number;
  };
  concentration_shrinks: {
    from: number;
    to: number;
    since: number;
  };
  concentration_steady: {
    moved: number;
    since: number;
  };
  trend_too_short: {
    ticks: number;
    least: number;
  };

  propensities_by_construction: Record<never, number>;
  propensities_off_pairs: { ratio: number };
  propensities_off_margins: {
    users: number;
    items: number;
  };
  propensities_no_better: Record<never, number>;
  ridge_at_edge: { l2: number };
  heavy_rating: {
    share: number;
    weight: number;
  };
  propensities_agree: {
    ratio: number;
    own: number;
    other: number;
  };
  propensities_disagree: {
    ratio: number;
    own: number;
    other: number;
  };

  few_rows: {
    rows: number;
    least: number;
  };
  heavy_row: { share: number };
  log_cut_short: { partitions: number };
  pairs_without_propensity: { share: number };
  items_less_even: {
    before: number;
    expected: number;
  };
  set_off_weights: { distance: number };
  repeated_pairs: { share: number };
}

export type FindingCode = keyof FiguresByCode;

/**
 * What a finding is about. If a field is missing, the finding is about all models, estimators and
 * so on.
 */
export interface Subject {
  readonly models?: readonly string[];
  readonly estimators?: readonly EstimatorName[];
  /** Metrics with their cut-off, such as `recall@10`. */
  readonly metrics?: readonly string[];
  readonly aggregation?: Aggregation;
  /**
   * `uncaused` if the figures are only about organic interactions, in an output that has figures
   * about all interactions too.
   */
  readonly rows?: 'uncaused';
  /** Ids of users with far more interactions than all others. */
  readonly users?: readonly string[];
}

/** A finding as data: code, severity, subject and figures. */
export type Finding<Code extends FindingCode = FindingCode> = {
  [Each in Code]: FindingOf<Each>;
}[Code];

export interface FindingOf<Code extends FindingCode> {
  readonly code: Code;
  readonly severity: Severity;
  readonly subject: Subject;
  readonly figures: Readonly<FiguresByCode[Code]>;
  /** Detail that no figure expresses, e.g. why an estimator is refused. */
  readonly reason?: string;
  /** Reason why there is no verdict; only for `verdict_none`. */
  readonly cause?: string;
  /**
   * Names that belong to `cause`: the name of a model. If the cause is a mix of segments, there are
   * four names: the better model, the other model, the dimension, and the segment.
   */
  readonly names?: readonly string[];
}

/** A finding with its sentence, as in the JSON. */
export type WordedFinding = Finding & { readonly text: string };

/** Functions that write the sentences of some codes. */
export type Words = Partial<WordsOf<FindingCode>>;

/** Functions that write the sentence of each of the given codes. */
export type WordsOf<Codes extends FindingCode> = {
  readonly [Code in Codes]: (finding: Finding<Code>) => Sentence;
};
