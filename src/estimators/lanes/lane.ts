import { UNRANKED } from '../../state/panes/window-part.js';
import { CausedRows, FeedbackSums } from '../feedback/feedback-sums.js';
import type { Coefficients } from '../rules/coefficients.js';
import type { OwnSums, WeightingRule } from '../rules/weighting-rule.js';
import type { CellWeights, SegmentCells } from '../segments/segment-cells.js';
import type { SegmentSums } from '../segments/segment-sums.js';
import { Denominators, RatioMoments } from '../uncertainty/moments.js';
import type { MeasuredHits } from './expected-set.js';
import { Hits, type ItemSums, RankedRows } from './hits.js';
import type { Family, LaneKey, MostCandidates, Selection } from './selection.js';
import type { StratumSums } from './stratum-sums.js';
import { slotOf, type UserSumsObserver } from './user-sums.js';

/**
 * Sums of one estimator over a lane that its intervals need in addition to the moments: Σ c λ² for
 * each metric and form, with coefficients c, and Σ a² for the user form.
 *
 * A set metric has one value per user, so each user counts as one row: Σ N_u² / D_u.
 */
class HitMoments {
  /** Σ c λ², by metric and then by form. */
  readonly #squaredGains: Float64Array;
  /** Σ a_i² over rows, for the user form. */
  squaredUserRows = 0;

  constructor(metrics: number) {
    this.#squaredGains = new Float64Array(2 * metrics);
  }

  /** Add a chunk's hits of the m-th metric, directly after `hits.addWithSquares`. */
  addHits(m: number, { userSquares, pooledSquares }: Hits): void {
    this.#squaredGains[2 * m] += userSquares;
    this.#squaredGains[2 * m + 1] += pooledSquares;
  }

  /** Add the squares of the users' values of the m-th metric, which is a set metric. */
  addSets(m: number, numerators: Float64Array, { values, users }: Denominators): void {
    let squares = 0;
    for (let u = 0; u < users; u++) {
      if (values[u] > 0) {
        squares += (numerators[u] * numerators[u]) / values[u];
      }
    }
    this.#squaredGains[2 * m] += squares;
  }

  /** Σ c λ² of the m-th metric in one form: 0 by user, 1 pooled. */
  squaredGains(m: number, form: 0 | 1): number {
    return this.#squaredGains[2 * m + form];
  }
}

/** Sums of one estimator's coefficients over the rows of a lane. */
export class EstimatorSums {
  /** Moments of the estimates in the user form, by metric of the lane. */
  readonly user: readonly RatioMoments[];
  /** Moments of the estimates in the pooled form, by metric of the lane. */
  readonly pooled: readonly RatioMoments[];
  /** Σ λ ∂a/∂γ by metric; 0 if the coefficients do not depend on γ. */
  readonly userSlope: Float64Array;
  /** Σ λ ∂b/∂γ by metric; 0 if the coefficients do not depend on γ. */
  readonly pooledSlope: Float64Array;
  /** Σ ∂b/∂γ; 0 if the coefficients do not depend on γ. */
  weightSlope = 0;
  /** Number of users with weight in the user form. */
  users = 0;
  /** Number of users with weight in the pooled form. */
  pooledUsers = 0;
  /** Σ b² over rows. */
  squaredWeights = 0;
  /** Largest b of a row. */
  largestWeight = 0;
  /** Whether the estimate is a weighted mean of gains. */
  readonly isNormalized: boolean;
  /**
   * Σ_u W_u, where W_u = Σ b over the user's rows; only if the estimator is not self-normalised.
   */
  weightSum = 0;
  /** Σ_u W_u²; only if the estimator is not self-normalised. */
  squaredUserWeights = 0;
  /** Additional sums of the weighting rule, if it has any. */
  readonly own: OwnSums | undefined;
  /** Sums of hits that some intervals need; otherwise null. */
  readonly hits: HitMoments | null;

  constructor(rule: WeightingRule, metrics: number, keepsHits = false) {
    this.user = Array.from({ length: metrics }, () => new RatioMoments());
    this.pooled = Array.from({ length: metrics }, () => new RatioMoments());
    this.userSlope = new Float64Array(metrics);
    this.pooledSlope = new Float64Array(metrics);
    this.isNormalized = rule.denominator === undefined;
    this.own = rule.ownSums?.(metrics);
    this.hits = keepsHits ? new HitMoments(metrics) : null;
  }

  /** Add the weights of a chunk. */
  addWeights(of: Coefficients): void {
    this.users += of.userDenominator.weighted;
    this.pooledUsers += of.pooledDenominator.weighted;
    this.squaredWeights += of.squaredWeights;
    this.largestWeight = Math.max(this.largestWeight, of.largestWeight);
    this.weightSum += of.weightSum;
    this.squaredUserWeights += of.squaredUserWeights;
    if (this.hits !== null) {
      this.hits.squaredUserRows += of.squaredUserRows;
    }
  }

  /** Add the slopes in γ of the hits of the m-th metric. */
  addSlopes(m: number, hits: Hits, coefficients: Coefficients): void {
    hits.addSlopes(coefficients);
    this.userSlope[m] += hits.userTotal;
    this.pooledSlope[m] += hits.pooledTotal;
  }
}

/**
 * Rows and gains of a lane by level of popularity, from which the pooled snips estimate follows at
 * any γ.
 *
 * C_n = rows at level n, A_n = Σλ over them, by metric. Summed over users. Source: Yang et al.
 * 2018, eq. 10.
 */
export class LevelSums {
  /** C_n by level. */
  readonly rows: Float64Array;
  /** A_n by metric and then by level; 0 for set metrics, whose values are not sums over rows. */
  readonly gains: readonly Float64Array[];

  constructor(levels: number, metrics: number) {
    this.rows = new Float64Array(levels);
    this.gains = Array.from({ length: metrics }, () => new Float64Array(levels));
  }

  /** Add a chunk. @param levelOf level by item; every row of the selection has a level. */
  add(levelOf: Int32Array, selection: Selection, metrics: readonly MeasuredHits[]): void {
    const { item, rows: size } = selection;
    const { rows } = this;
    for (let i = 0; i < size; i++) {
      rows[levelOf[item[i]]]++;
    }
    for (let m = 0; m < metrics.length; m++) {
      const { hits, set } = metrics[m];
      if (set !== null) continue;
      const own = this.gains[m];
      const { row, gain } = hits;
      for (let h = 0; h < hits.size; h++) {
        own[levelOf[item[row[h]]]] += gain[h];
      }
    }
  }
}

/** A chunk divided by segment, as cells: a cell is the rows of one user with one segment value. */
export interface DividedChunk {
  readonly cells: SegmentCells;
  /** Weights of the cells by weighting rule; undefined for a rule without estimates by segment. */
  readonly weights: readonly (CellWeights | undefined)[];
}

/** The rows of a lane in a chunk, with each estimator's coefficients. */
export interface WeighedChunk {
  readonly rows: Selection;
  /** Coefficients of the rows by weighting rule. */
  readonly coefficients: readonly Coefficients[];
  /** Level by item, if sums by level are needed. */
  readonly levelOf?: Int32Array | undefined;
  /** The chunk divided by segment, if there are segment dimensions. */
  readonly divided?: DividedChunk | undefined;
}

/** Options of a lane. */
export interface LaneOptions {
  /** Sums by stratum over the whole window. */
  readonly strata: StratumSums;
  readonly followsCauses: boolean;
  /** Tracker of the largest number of candidates of a list, if the interval method needs it. */
  readonly candidates: MostCandidates | null;
}

/** Buffers for the intermediate results of a chunk, shared by all lanes. */
export class LaneScratch {
  /** Ranked rows of the current lane, one entry per rank limit, the largest limit first. */
  readonly ranked: RankedRows[] = [];
  readonly caused = new CausedRows();
  /** Numerators of the chunk's users in the user form; 0 between two metrics. */
  user = new Float64Array(0);
  /** Numerators of the chunk's users in the pooled form. */
  pooled = new Float64Array(0);

  readonly #nobody = new Denominators(0);

  /**
   * Denominators that are 0 for all users, for a form that a metric does not have. @param users
   * number of users.
   */
  nobody(users: number): Denominators {
    if (users > this.#nobody.values.length) {
      this.#nobody.values = new Float64Array(users);
    }
    this.#nobody.settle(users);
    return this.#nobody;
  }

  reserve(users: number): void {
    if (users <= this.user.length) return;
    this.user = new Float64Array(users);
    this.pooled = new Float64Array(users);
  }

  /** Set the numerators of some users back to 0. */
  clear(users: Int32Array): void {
    for (let h = 0; h < users.length; h++) {
      this.user[users[h]] = 0;
      this.pooled[users[h]] = 0;
    }
  }
}

/**
 * The rows that one model is evaluated on for one family of metrics. auc needs lists that rank all
 * their candidates; the other metrics need lists ranked among the catalogue.
 */
export class Lane {
  readonly model: number;
  readonly family: Family;
  readonly metrics: readonly MeasuredHits[];
  /** First 0-based rank at which no metric of the lane has a gain. */
  readonly rankLimit: number;
  /** The metrics' rank limits, each once, the largest first. */
  readonly #limits: readonly number[];
  /** Index of each metric's limit. */
  readonly #limitOf: readonly number[];
  /** Sums of each estimator, in the order of the weighting rules. */
  readonly sums: readonly EstimatorSums[];
  /** Number of rows added. */
  events = 0;
  /** Sums by stratum over the whole window. */
  readonly strata: StratumSums;
  readonly #rules: readonly WeightingRule[];
  /**
   * Tracker of the largest number of candidates of a list, if the interval method needs it; `sums`
   * then keep sums of hits too.
   */
  readonly candidates: MostCandidates | null;
  /** Observers of each chunk, called in this order. */
  readonly observers: UserSumsObserver[] = [];
  /** Rows and gains by popularity level, for estimates at other values of γ; null if not needed. */
  levels: LevelSums | null = null;
  /** Contribution of each item to one metric; null if not needed. */
  items: ItemSums | null = null;
  /** Sums by segment; null without segment dimensions. */
  segments: SegmentSums | null = null;
  /**
   * Sums for the shares driven by recommendations, by weighting rule; undefined if causes are not
   * determined.
   */
  readonly feedback: readonly FeedbackSums[] | undefined;

  constructor(
    { model, family }: LaneKey,
    gains: readonly Omit<MeasuredHits, 'hits' | 'least' | 'most'>[],
    rules: readonly WeightingRule[],
    { strata, followsCauses, candidates }: LaneOptions,
  ) {
    this.model = model;
    this.family = family;
    this.metrics = gains.map((gain) => ({
      ...gain,
      hits: new Hits(),
      least: Number.POSITIVE_INFINITY,
      most: 0,
    }));
    const limits = gains.map(({ table }) => table?.length ?? UNRANKED);
    this.#limits = [...new Set(limits)].sort((a, b) => b - a);
    this.#limitOf = limits.map((limit) => this.#limits.indexOf(limit));
    this.rankLimit = this.#limits[0];
    this.candidates = candidates;
    this.sums = rules.map((rule) => new EstimatorSums(rule, gains.length, candidates !== null));
    this.strata = strata;
    this.#rules = rules;
    if (followsCauses) {
      this.feedback = rules.map(() => new FeedbackSums(gains.length));
    }
  }

  /** Moments of all estimates of the lane, in the order of `slotOf`. */
  moments(): RatioMoments[] {
    return this.metrics.flatMap((_, m) =>
      this.sums.flatMap(({ user, pooled }) => [user[m], pooled[m]]),
    );
  }

  /** Add a chunk: its rows, and each estimator's coefficients for them. */
  add(chunk: WeighedChunk, scratch: LaneScratch): void {
    const { rows, coefficients, levelOf, divided } = chunk;
    this.events += rows.rows;
    this.candidates?.take(rows, rows.part!.lists[this.model]);
    this.measure(rows, scratch);
    if (divided !== undefined) {
      this.segments?.takeHits(divided.cells, rows, this.metrics);
    }
    if (levelOf !== undefined) {
      this.levels?.add(levelOf, rows, this.metrics);
    }
    scratch.reserve(rows.users);
    if (this.feedback !== undefined) {
      scratch.caused.take(rows, this.model);
      scratch.caused.takeHits(this.metrics);
    }
    for (const [e, own] of coefficients.entries()) {
      const sums = this.sums[e];
      const { dependsOnGamma } = this.#rules[e];
      sums.addWeights(own);
      const weights = divided?.weights[e];
      if (weights !== undefined) {
        this.segments?.add(e, divided!.cells, weights, this.metrics, own);
      }
      for (let m = 0; m < this.metrics.length; m++) {
        const { hits, set } = this.metrics[m];
        if (set !== null) {
          this.addSets(m, e, chunk, scratch);
          continue;
        }
        const { users } = hits.rows;
        if (sums.hits === null) {
          hits.addTo(scratch.user, scratch.pooled, own);
        } else {
          hits.addWithSquares(scratch.user, scratch.pooled, own);
        }
        sums.user[m].add(scratch.user, hits.userTotal, own.userDenominator, users);
        sums.pooled[m].add(scratch.pooled, hits.pooledTotal, own.pooledDenominator, users);
        sums.hits?.addHits(m, hits);
        this.show(slotOf(m, e, 0, this.sums.length), own, rows, scratch);
        scratch.clear(users);
        if (this.items?.metric === m) {
          this.items.add(e, hits, rows, own);
        }
        if (dependsOnGamma) {
          sums.addSlopes(m, hits, own);
        }
      }
      if (dependsOnGamma) {
        sums.weightSlope += own.pooledSlopeTotal;
      }
      sums.own?.add(rows, own, this.metrics);
      this.feedback?.[e].add(scratch.caused, own, rows, this.metrics);
    }
  }

  /** Find the hits of every metric in a chunk, and the range of their gains. */
  private measure(selection: Selection, { ranked }: LaneScratch): void {
    const part = selection.part!;
    for (const [n, limit] of this.#limits.entries()) {
      ranked[n] ??= new RankedRows();
      if (n === 0) {
        ranked[n].take(selection, part.ranks[this.model], limit);
      } else {
        ranked[n].narrow(ranked[n - 1], limit);
      }
    }
    for (const [m, metric] of this.metrics.entries()) {
      const { hits, table, ofList, set } = metric;
      const rows = ranked[this.#limitOf[m]];
      if (ofList !== null) {
        hits.takeByShare(rows, selection, part.lists[this.model], ofList);
      } else {
        hits.takeByRank(rows, table!);
      }
      // Values of set metrics are within their bounds for any hits.
      const { least, most } = set === null ? hits : set.bounds;
      if (hits.size < selection.rows) {
        metric.least = 0;
      }
      metric.least = Math.min(metric.least, least);
      metric.most = Math.max(metric.most, most);
    }
  }

  /**
   * Add the m-th metric, a set metric, under the e-th estimator. Set metrics have the user form
   * only.
   */
  private addSets(
    m: number,
    e: number,
    { rows, coefficients }: WeighedChunk,
    scratch: LaneScratch,
  ): void {
    const { sets } = this.#rules[e];
    const { hits, set } = this.metrics[m];
    const own = coefficients[e];
    const nobody = scratch.nobody(rows.users);
    let present = nobody;
    if (sets !== undefined) {
      present = own.userDenominator;
      const chances = sets === 'drawn' ? own.pooled : null;
      const total = set!.addTo(scratch.user, rows, hits, chances, present.values);
      this.sums[e].user[m].add(scratch.user, total, present, hits.rows.users);
      this.sums[e].hits?.addSets(m, scratch.user, present);
    }
    const denominators = {
      userDenominator: present,
      pooledDenominator: nobody,
    };
    this.show(slotOf(m, e, 0, this.sums.length), denominators, rows, scratch);
    scratch.clear(hits.rows.users);
  }

  /**
   * Pass one metric's sums by user under one estimator to the observers: the user form at `slot`,
   * the pooled form at `slot` + 1.
   */
  private show(
    slot: number,
    of: Pick<Coefficients, 'userDenominator' | 'pooledDenominator'>,
    rows: Selection,
    scratch: LaneScratch,
  ): void {
    for (const observer of this.observers) {
      observer.observe(slot, scratch.user, of.userDenominator, rows);
      observer.observe(slot + 1, scratch.pooled, of.pooledDenominator, rows);
    }
  }
}
