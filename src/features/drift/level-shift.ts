import type { Evidence } from './level-detectors.js';

/** Standardised score of one pane. */
export interface ScoredPane {
  /** Start of the pane, event time, ms. */
  readonly from: number;
  /** Score, in standard deviations. */
  readonly z: number;
}

/** Number of newest scores that are stored for dating a change. */
export const DATED_PANES = 48;

/**
 * Estimate the start and the size of a change that a detector has found.
 *
 * The start is the j ≥ since that maximises (Σ_{i ≥ j} z_i)² / (n − j + 1), twice the
 * log-likelihood ratio at the best size. The size is the mean of z from j on. A detector's own
 * start is for a change of the size it targets, so random scores before a large change move it too
 * early.
 * **Source**: Hinkley 1970, inference about the change-point.
 *
 * @param recent scores, oldest first. @param evidence evidence at the newest score; returned
 * unchanged if it starts before all scores.
 * @example
 * const recent = [{ from: 0, z: 0.6 }, { from: 1, z: 0 }, { from: 2, z: 5 }];
 * dated(recent, { score: 4.1, since: 0, size: 1.87 }).since; // 2
 */
export function dated(recent: readonly ScoredPane[], evidence: Evidence): Evidence {
  if (recent.length === 0 || evidence.since < recent[0].from) return evidence;
  let best = {
    since: evidence.since,
    size: evidence.size,
    likelihood: -1,
  };
  let sum = 0;
  for (let j = recent.length - 1; j >= 0 && recent[j].from >= evidence.since; j--) {
    sum += recent[j].z;
    const panes = recent.length - j;
    const likelihood = (sum * sum) / panes;
    if (likelihood > best.likelihood) {
      best = {
        since: recent[j].from,
        size: sum / panes,
        likelihood,
      };
    }
  }
  return {
    score: evidence.score,
    since: best.since,
    size: best.size,
  };
}

/**
 * A value of a series, with the baseline that it is compared with. It consists of plain numbers, so
 * it can be stored directly.
 */
export interface NewestValue {
  /** Start of the pane that has this value, event time, ms. */
  readonly from: number;
  /** Slot of the seasonal period. */
  readonly slot: number;
  readonly value: number;
  readonly weight: number;
  /** Baseline of the series before this value, in the units of the series. */
  readonly normal: number;
}

/** Level of a series before and after a change, in the units of the series. */
export interface LevelShift {
  readonly before: number;
  readonly now: number;
}

/**
 * Maximum number of newest values that are stored; the level since a change is computed from at
 * most these.
 */
const MOST = 12;

/** Append a value, and drop the oldest if there are more than the maximum. */
export function withValue(newest: readonly NewestValue[], added: NewestValue): NewestValue[] {
  return [...newest.slice(1 - MOST), added];
}

/**
 * Level of a series before and after a change.
 *
 *   now = Σ w x / Σ w, before = Σ w m / Σ w, over the values since the change
 *
 * x is a value, w its weight, and m the baseline of its seasonal slot when the change began. If a
 * slot has several values, m is the baseline before the first of them, because the change is not
 * yet in that baseline.
 *
 * @param newest values, oldest first. @param since start of the change, event time, ms.
 * @returns undefined if no value since then is stored.
 * @example
 * const usual = { slot: 0, weight: 1, normal: 4 };
 * levelShift([{ ...usual, from: 0, value: 4 }, { ...usual, from: 1, value: 1 }], 1); // { before: 4, now: 1 }
 */
export function levelShift(newest: readonly NewestValue[], since: number): LevelShift | undefined {
  const changed = newest.filter(({ from }) => from >= since);
  const normals = new Map<number, number>();
  let weights = 0;
  let values = 0;
  let normal = 0;
  for (const { slot, value, weight, normal: own } of changed) {
    if (!normals.has(slot)) {
      normals.set(slot, own);
    }
    weights += weight;
    values += weight * value;
    normal += weight * normals.get(slot)!;
  }
  return weights > 0
    ? {
        before: normal / weights,
        now: values / weights,
      }
    : undefined;
}
