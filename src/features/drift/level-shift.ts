/** A value of a series with what was normal of it before. Plain numbers, so that it can be stored as it is. */
export interface NewestValue {
  /** Event time, ms: start of its pane. */
  readonly from: number;
  /** Place in the season. */
  readonly slot: number;
  readonly value: number;
  readonly weight: number;
  /** Mean of the earlier values that it was compared with. */
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
  let [weights, values, normal] = [0, 0, 0];
  for (const { slot, value, weight, normal: own } of changed) {
    if (!normals.has(slot)) normals.set(slot, own);
    weights += weight;
    values += weight * value;
    normal += weight * normals.get(slot)!;
  }
  return weights > 0 ? { before: normal / weights, now: values / weights } : undefined;
}
