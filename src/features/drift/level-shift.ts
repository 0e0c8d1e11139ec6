import type { Evidence } from './level-detectors.js';

/** Number of scores kept for dating a change. */
export interface ScoredPane {
  readonly from: number;
  readonly z: number;
}

/** This many of the newest scores are kept to date a change by; older ones are not looked at. */
export const DATED_PANES = 48;

/**
 * The most likely start of a change of unknown size within what a detector takes for one.
 *
 * The j ≥ since that maximises (Σ_{i ≥ j} z_i)² / (n − j + 1), which is twice the log-likelihood
 * ratio at the best size; the size is the mean of z from there on. A detector's own start is that
 * of a change of the size it is made for: chance scores before a large change stretch it.
 * **Source**: Hinkley 1970, inference about the change-point.
 *
 * @param recent oldest first. @param evidence of the newest of them; given back as it is if it
 * starts before all of them.
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

/** A value of a series with what was normal of it before. Plain numbers, so that it can be stored as it is. */
export interface NewestValue {
  /** Event time, ms: start of its pane. */
  readonly from: number;
  /** Place in the season. */
  readonly slot: number;
  readonly value: number;
  readonly weight: number;
  /** Level of a series before a change and since, in its own units. */
  readonly normal: number;
}

/** A series before a change and since, in its own units. */
export interface LevelShift {
  readonly before: number;
  readonly now: number;
}

/** Of longer changes the newest panes speak. */
const MOST = 12;

/** The newest values with one more, oldest first. */
export function withValue(newest: readonly NewestValue[], added: NewestValue): NewestValue[] {
  return [...newest.slice(1 - MOST), added];
}

/**
 * From where to where a series went.
 *
 *   now = Σ w x / Σ w, before = Σ w m / Σ w, over the values since the change
 *
 * m is what was normal when the change began: of several values of one place in the season the
 * first one's, since it holds none of the change.
 *
 * @param newest oldest first. @param since start of the change, ms
 * @returns undefined where no value is kept from since then.
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
