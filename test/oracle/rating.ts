/**
 * The estimators for explicit ratings on a whole matrix: every pair has δ, P and whether its rating
 * is observed.
 */
export interface Pair {
  user: number;
  item: number;
  delta: number;
  propensity: number;
  isObserved: boolean;
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

const observed = (pairs: Pair[]) => pairs.filter(({ isObserved }) => isObserved);

/** The mean over all pairs, which nobody can compute who sees observed ratings only. */
export function trueMean(pairs: Pair[]): number {
  return sum(pairs.map(({ delta }) => delta)) / pairs.length;
}

export function naive(pairs: Pair[]): number {
  return trueMean(observed(pairs));
}

export function ips(pairs: Pair[]): number {
  const terms = pairs.map((p) => (p.isObserved ? p.delta / p.propensity : 0));
  return sum(terms) / pairs.length;
}

export function snips(pairs: Pair[]): number {
  const weights = observed(pairs).map(({ propensity }) => 1 / propensity);
  return sum(observed(pairs).map(({ delta }, r) => delta * weights[r])) / sum(weights);
}

export function groupSnips(pairs: Pair[], group: 'user' | 'item'): number {
  const groups = new Set(observed(pairs).map((pair) => pair[group]));
  const values = [...groups].map((g) => snips(pairs.filter((pair) => pair[group] === g)));
  return sum(values) / values.length;
}

/**
 * Exact standard deviation of IPS, and that of SNIPS to first order, over independent observations:
 * √Σ (δ − c)² (1 − P) / P over U · I, with c = 0 for IPS and the true mean for SNIPS.
 */
export function stdDev(delta: ArrayLike<number>, chance: (pair: number) => number, centre: number) {
  let squares = 0;
  for (let pair = 0; pair < delta.length; pair++) {
    const p = chance(pair);
    squares += ((delta[pair] - centre) ** 2 * (1 - p)) / p;
  }
  return Math.sqrt(squares) / delta.length;
}

/** What naive comes to, to first order: Σ P δ / Σ P. */
export function naiveLimit(delta: ArrayLike<number>, chance: (pair: number) => number): number {
  let gained = 0;
  let seen = 0;
  for (let pair = 0; pair < delta.length; pair++) {
    gained += chance(pair) * delta[pair];
    seen += chance(pair);
  }
  return gained / seen;
}
