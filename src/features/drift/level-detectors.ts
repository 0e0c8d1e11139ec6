/**
 * Sizes of the changes that the e-detectors look for, in standard deviations, upwards and
 * downwards.
 */
export const E_CHANGES: readonly number[] = [0.25, 0.5, 1, 2, -0.25, -0.5, -1, -2];

/** Limit on the logarithm of a score, so that scores are finite. */
const LARGEST_LOG = 600;

/**
 * Logarithm of the likelihood ratio of a standard score z under a change of size λ to no change: λ
 * z − λ²/2. Without a change the ratio has mean 1, so it is an e-value.
 */
export function logLikelihoodRatio(z: number, change: number): number {
  return change * z - (change * change) / 2;
}

/** Mean of e-values that are given as logarithms. The mean is an e-value too. */
export function meanOfLogs(logs: readonly number[]): number {
  let sum = 0;
  for (const log of logs) {
    sum += Math.exp(Math.min(LARGEST_LOG, log));
  }
  return sum / logs.length;
}

/**
 * State of CUSUM for one series: evidence for an increase and for a decrease. It consists of plain
 * numbers, so it can be stored directly.
 */
export interface CusumState {
  readonly up: Excursion;
  readonly down: Excursion;
}

export function newCusum(): CusumState {
  return {
    up: newExcursion(),
    down: newExcursion(),
  };
}

/**
 * Two-sided CUSUM of standard scores.
 *
 * C⁺ = max(0, C⁺ + z − k), C⁻ = max(0, C⁻ − z − k). The score is the larger one, and the detector
 * fires at h. With k = 0.5 and h = 5 it takes 465 panes on average to a false alarm, and 10.4 to
 * detect a change of one standard deviation. The estimated start of the change is where the larger
 * sum last left 0.
 * **Source**: Page 1954; Montgomery, Introduction to Statistical Quality Control, for both
 * averages.
 *
 * @param state changed in place. @param z standard normal without a change. @param from start of
 * the pane, ms. @param allowance k, half the change to detect fastest.
 * @example
 * cusum(newCusum(), 3, 0, 0.5).score; // 2.5
 */
export function cusum(state: CusumState, z: number, from: number, allowance: number): Evidence {
  const { up, down } = state;
  extend(up, z - allowance, z, from);
  extend(down, -z - allowance, z, from);
  const larger = up.evidence >= down.evidence ? up : down;
  return evidenceOf(larger.evidence, larger);
}

/**
 * Threshold h at which several CUSUMs together raise as many false alarms as a single one does at
 * `threshold`.
 *
 * h_S = h + ln S / (2k), since the mean time to a false alarm grows as e^{2kh}.
 * **Source**: Siegmund 1985 (exponential growth); a union bound over S series.
 *
 * @param series S; less than one counts as one.
 * @example
 * cusumThreshold(5, 0.5, 10); // 7.302585
 */
export function cusumThreshold(threshold: number, allowance: number, series: number): number {
  return threshold + Math.log(Math.max(1, series)) / (2 * allowance);
}

/**
 * A run of consecutive panes whose scores support a change. When the scores no longer support a
 * change, a new run starts.
 */
export interface Excursion {
  /** Cumulative evidence, ≥ 0. */
  evidence: number;
  /** Start of the first pane of the run, event time, ms. */
  since: number;
  /** Number of panes in the run. */
  panes: number;
  /** Sum of the scores in the run. */
  sum: number;
}

export function newExcursion(): Excursion {
  return {
    evidence: 0,
    since: 0,
    panes: 0,
    sum: 0,
  };
}

/**
 * Add a pane by Page's recursion, C = max(0, C + increment). A run without evidence restarts with
 * the pane.
 */
export function extend(excursion: Excursion, increment: number, z: number, from: number): void {
  if (excursion.evidence <= 0) {
    excursion.since = from;
    excursion.panes = 0;
    excursion.sum = 0;
  }
  excursion.evidence = Math.max(0, excursion.evidence + increment);
  excursion.panes++;
  excursion.sum += z;
}

/** What a detector concludes after a pane. */
export interface Evidence {
  readonly score: number;
  /** Estimated start of the change (if there is a change), event time, ms. */
  readonly since: number;
  /** Standardised size of the change: the mean score from `since` on; null if unknown. */
  readonly size: number | null;
}

export function evidenceOf(score: number, { since, panes, sum }: Excursion): Evidence {
  return {
    score,
    since,
    size: panes === 0 ? 0 : sum / panes,
  };
}

/**
 * State of e-CUSUM for one series: one run for each change size λ, with evidence ln M_λ. It
 * consists of plain numbers, so it can be stored directly.
 */
export type ECusumState = Excursion[];

export function newECusum(): ECusumState {
  return E_CHANGES.map(newExcursion);
}

/**
 * e-CUSUM of standard scores.
 *
 * M_λ = max(1, M_λ) · exp(λ z − λ²/2) for λ ∈ ±{¼, ½, 1, 2}. The score is the mean of M_λ over λ,
 * and the detector fires at A. A false alarm takes at least A panes on average (guaranteed),
 * whatever the dependence between the λ; measured 4,300 at A = 500. With S series, one score of S·A
 * puts the mean score of the series at A.
 * **Source**: Shin, Ramdas & Rinaldo 2023, E-detectors, section 2 (e-CUSUM, averages).
 *
 * @param state changed in place. @param z standard normal without a change. @param from start of
 * the pane, ms.
 * @example
 * eCusum(newECusum(), 0, 0).score < 1; // true
 */
export function eCusum(state: ECusumState, z: number, from: number): Evidence {
  const logs = E_CHANGES.map((change, c) => {
    const gained = logLikelihoodRatio(z, change);
    // The recursion stores max(1, M); the score uses M itself.
    const log = state[c].evidence + gained;
    extend(state[c], gained, z, from);
    return log;
  });
  return evidenceOf(meanOfLogs(logs), likeliest(state));
}

/** The run with the most evidence. */
export function likeliest(state: readonly Excursion[]): Excursion {
  return state.reduce((best, other) => (other.evidence > best.evidence ? other : best));
}

/**
 * State of e-Shiryaev–Roberts for one series. It consists of plain numbers, so it can be stored
 * directly.
 */
export interface EShiryaevRobertsState {
  /** ln(1 + R_λ) for each change size λ, with the evidence R_λ of `eShiryaevRoberts`. */
  logs: number[];
  /** Runs for the same change sizes; the likeliest one gives the start of the change. */
  readonly walks: ECusumState;
}

export function newEShiryaevRoberts(): EShiryaevRobertsState {
  return {
    logs: E_CHANGES.map(() => 0),
    walks: newECusum(),
  };
}

/**
 * e-SR (Shiryaev–Roberts) of standard scores: it sums over all possible times of the change, while
 * e-CUSUM takes the most likely one.
 *
 * R_λ = (1 + R_λ) · exp(λ z − λ²/2), λ ∈ ±{¼, ½, 1, 2}. The score is the mean of R_λ over λ, and
 * the detector fires at A. A false alarm takes at least A panes on average (guaranteed); measured
 * 800 at A = 500. e-SR detects a change sooner than e-CUSUM, and its average run length is closer
 * to the guarantee.
 * **Source**: Shin, Ramdas & Rinaldo 2023, E-detectors, section 2 (e-SR).
 *
 * @param state changed in place. @param z standard normal without a change. @param from start of
 * the pane, ms.
 * @example
 * eShiryaevRoberts(newEShiryaevRoberts(), 0, 0).score < 1; // true
 */
export function eShiryaevRoberts(state: EShiryaevRobertsState, z: number, from: number): Evidence {
  const logs = E_CHANGES.map((change, c) => {
    const gained = logLikelihoodRatio(z, change);
    extend(state.walks[c], gained, z, from);
    return state.logs[c] + gained;
  });
  state.logs = logs.map(logOfOnePlus);
  return evidenceOf(meanOfLogs(logs), likeliest(state.walks));
}

/** ln(1 + e^x), without overflow of e^x. */
function logOfOnePlus(x: number): number {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}
