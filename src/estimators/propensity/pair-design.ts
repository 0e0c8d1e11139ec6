import { Random } from '../mathematics/random.js';

/** Pairs of a user and an item, by user: the observed pairs, and all or a sample of the others. */
export interface PairDesign {
  readonly users: number;
  readonly items: number;
  /** User u has pairs start[u] to start[u + 1] − 1. */
  readonly start: Int32Array;
  readonly item: Int32Array;
  /** 1 for a pair that is observed. */
  readonly isObserved: Uint8Array;
  /** q, the sampling rate of the unobserved pairs. */
  readonly rate: number;
}

/**
 * Select the pairs of a regression: all observed ones, and each other pair with probability q.
 *
 * A regression on a sample of the negatives has the odds P / (1 − P) / q, so ln q is added to its
 * logit to find P. Source: King & Zeng 2001, section 4.1 (prior correction).
 * Gaps between sampled pairs are drawn, so the time is proportional to the sampled pairs.
 *
 * @param observed items of each user, each once. @param items I.
 * @param rate q in (0, 1]. @param seed of the sample.
 * @example
 * pairDesign([[1], []], 2).isObserved; // [0, 1, 0, 0]
 */
export function pairDesign(
  observed: readonly ArrayLike<number>[],
  items: number,
  rate = 1,
  seed = 0,
): PairDesign {
  const users = observed.length;
  const start = new Int32Array(users + 1);
  const item: number[] = [];
  const isObserved: number[] = [];
  const gap = rate === 1 ? () => 1 : geometric(rate, new Random(seed, 'negatives'));
  let drawn = gap() - 1;
  for (let user = 0; user < users; user++) {
    const own = Int32Array.from(observed[user]).sort();
    for (let o = 0; ; ) {
      const isOwn = o < own.length && own[o] <= drawn;
      const next = isOwn ? own[o++] : drawn;
      if (next >= items) break;
      item.push(next);
      isObserved.push(Number(isOwn));
      // A pair that is both drawn and observed counts once.
      if (next === drawn) {
        drawn += gap();
      }
    }
    drawn -= items;
    start[user + 1] = item.length;
  }
  return {
    users,
    items,
    start,
    rate,
    item: Int32Array.from(item),
    isObserved: Uint8Array.from(isObserved),
  };
}

/** Draw the distance to the next sampled pair, if each pair is sampled at the rate. */
function geometric(rate: number, random: Random): () => number {
  const scale = Math.log1p(-rate);
  return () => 1 + Math.floor(Math.log(1 - random.next()) / scale);
}
