/** A segment at one time: its share of the weight and its value. */
export interface SegmentAt {
  /** ω_s; the shares of a dimension add up to 1. */
  readonly share: number;
  /** R_s; of no effect where the share is 0. */
  readonly value: number;
}

/** What a segment adds to a change of the total. */
export interface SegmentChange {
  /** Because its own value changed. */
  readonly within: number;
  /** Because its share changed, and it lies above or below the total. */
  readonly mix: number;
}

/**
 * Divides a change of a total among the segments of a dimension.
 *
 * With c = (R⁰ + R¹) / 2: within_s = ½ (ω⁰ + ω¹)(R¹_s − R⁰_s) and
 * mix_s = (½ (R⁰_s + R¹_s) − c)(ω¹ − ω⁰). Their sum over the segments is R¹ − R⁰ exactly. A segment
 * that is there at one time only has the same value at both: all it adds is mix.
 * Source: Kitagawa 1955, Components of a difference between two rates, centred so that a segment
 * at the total’s level adds nothing by growing.
 *
 * @param before shares and values of each segment. @param after of the same segments, in this order.
 * @example
 * const before = [{ share: 0.5, value: 0.2 }, { share: 0.5, value: 0.1 }];
 * const after = [{ share: 0.8, value: 0.19 }, { share: 0.2, value: 0.09 }];
 * explainedChange(before, after).map(({ within }) => within); // [-0.0065, -0.0035]
 */
export function explainedChange(
  before: readonly SegmentAt[],
  after: readonly SegmentAt[],
): readonly SegmentChange[] {
  const centre = (totalOf(before) + totalOf(after)) / 2;
  return before.map((old, s) => {
    const now = after[s];
    const first = old.share > 0 ? old.value : now.value;
    const last = now.share > 0 ? now.value : first;
    if (!(old.share > 0 || now.share > 0)) return { within: 0, mix: 0 };
    const within = ((old.share + now.share) / 2) * (last - first);
    const mix = ((first + last) / 2 - centre) * (now.share - old.share);
    return { within, mix };
  });
}

function totalOf(segments: readonly SegmentAt[]): number {
  let total = 0;
  for (const { share, value } of segments) if (share > 0) total += share * value;
  return total;
}

/** A dimension’s values that explain a change, the largest part first. */
export interface Explanation {
  readonly dimension: number;
  readonly values: readonly number[];
  /** What they explain of the change, as a share of it; above 1 where others go the other way. */
  readonly share: number;
}

/** What the values of an explanation must explain together, and each of them. */
const TOGETHER = 0.67;
const EACH = 0.1;

/**
 * The dimension that explains a change by the fewest of its values: together at least 67 % of it,
 * each at least 10 %. Among dimensions with as few the one that explains more.
 *
 * @param dimensions of each dimension what each of its values adds.
 * @returns null where no dimension explains it so.
 * @example
 * const one = [{ within: -0.02, mix: 0 }, { within: 0, mix: 0 }];
 * const even = [{ within: -0.01, mix: 0 }, { within: -0.01, mix: 0 }];
 * explanation([even, one])?.dimension; // 1
 */
export function explanation(dimensions: readonly (readonly SegmentChange[])[]): Explanation | null {
  let best: Explanation | null = null;
  for (const [dimension, changes] of dimensions.entries()) {
    const found = fewest(dimension, changes);
    if (found === null) continue;
    const isBetter =
      best === null ||
      found.values.length < best.values.length ||
      (found.values.length === best.values.length && found.share > best.share);
    if (isBetter) best = found;
  }
  return best;
}

function fewest(dimension: number, changes: readonly SegmentChange[]): Explanation | null {
  const added = changes.map(({ within, mix }) => within + mix);
  const total = added.reduce((sum, part) => sum + part, 0);
  if (total === 0) return null;
  const shares = added.map((part) => part / total);
  const order = shares.map((_, s) => s).sort((a, b) => shares[b] - shares[a] || a - b);
  const values: number[] = [];
  let share = 0;
  for (const s of order) {
    if (share >= TOGETHER) break;
    if (shares[s] < EACH) return null;
    values.push(s);
    share += shares[s];
  }
  return share >= TOGETHER ? { dimension, values, share } : null;
}
