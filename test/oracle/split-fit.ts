/**
 * The split-count fit from its definition: item by item, over every split of its count, with the
 * gamma function by its product and reflection formulas.
 */

const Q = 0.7;

/** 1 / Γ(x) for any x, by Lanczos' series and reflection. */
export function reciprocalGamma(x: number): number {
  if (x < 0.5) return (Math.sin(Math.PI * x) * gamma(1 - x)) / Math.PI;
  return 1 / gamma(x);
}

function gamma(x: number): number {
  const coefficients = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
    12.507343278686905, -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
  ];
  const z = x - 1;
  const series = coefficients.reduce((sum, c, i) => sum + c / (z + i + 1), 0.9999999999998099);
  const t = z + 7.5;
  return Math.sqrt(2 * Math.PI) * t ** (z + 0.5) * Math.exp(-t) * series;
}

export function powerMoment(alpha: number, k: number): number {
  if (k > 0) return gamma(k + 1) * reciprocalGamma(k + 1 - alpha);
  let sum = 0;
  for (let j = 1; j <= 60; j++) sum += reciprocalGamma(j + 1 - alpha);
  return Math.E - sum;
}

const f = (j: 0 | 1, b: number) => (b < 1 ? 0 : j === 0 ? 1 : Math.log(b + 0.5));

/** E[h_α(A)^s f_j(B) | n] with s 0 or 1, A ~ Bin(n, q). */
export function splitMoment(n: number, j: 0 | 1, alpha?: number): number {
  let sum = 0;
  for (let a = 0; a <= n; a++) {
    const ways = gamma(n + 1) * reciprocalGamma(a + 1) * reciprocalGamma(n - a + 1);
    const chance = ways * Q ** a * (1 - Q) ** (n - a);
    sum += chance * f(j, n - a) * (alpha === undefined ? 1 : powerMoment(alpha, a));
  }
  return sum;
}

/** α, its error and ν; counts up to 140. */
export function splitFitByDefinition(
  counts: readonly number[],
  responses: readonly number[],
  [from, to]: readonly [number, number],
) {
  const rows = counts.map((n, i) => ({ n, r: responses[i] })).filter(({ n }) => n > 0);
  const known = new Map<string, number>();
  const moment = (n: number, j: 0 | 1, alpha?: number) => {
    const key = `${n} ${j} ${alpha}`;
    if (!known.has(key)) known.set(key, splitMoment(n, j, alpha));
    return known.get(key)!;
  };
  const total = (of: (row: { n: number; r: number }) => number) =>
    rows.reduce((sum, row) => sum + of(row), 0);
  const placed = total(({ n, r }) => r * moment(n, 0));
  const mean = total(({ n, r }) => r * moment(n, 1)) / placed;
  const g = (alpha: number) =>
    mean - total(({ n }) => moment(n, 1, alpha)) / total(({ n }) => moment(n, 0, alpha));
  let low = from;
  let high = to;
  const sign = Math.sign(g(low));
  while (high - low > 1e-12) {
    const middle = (low + high) / 2;
    if (Math.sign(g(middle)) === sign) low = middle;
    else high = middle;
  }
  const alpha = (low + high) / 2;
  const slope = (g(alpha + 1e-4) - g(alpha - 1e-4)) / 2e-4;
  const c = placed / total(({ n }) => moment(n, 0, alpha));
  const x = (n: number) => moment(n, 1) / moment(n, 0) - mean;
  const mu = (n: number) => c * moment(n, 0, alpha);
  const spread = total(({ n }) => mu(n) * x(n) ** 2);
  const psi = rows.map(({ n, r }) => {
    const leverage = Math.min(0.5, Math.max(0, mu(n) * (1 / placed + x(n) ** 2 / spread)));
    const seen = r * (moment(n, 1) - mean * moment(n, 0));
    const expected = c * (moment(n, 1, alpha) - mean * moment(n, 0, alpha));
    return (seen - expected) / (1 - leverage);
  });
  const squares = psi.reduce((sum, p) => sum + p * p, 0);
  const fourths = psi.reduce((sum, p) => sum + p ** 4, 0);
  const zero = total(({ n }) => (1 - Q) ** n) * powerMoment(alpha, 0);
  return {
    alpha,
    stdErr: Math.sqrt(squares) / Math.abs(slope * placed),
    effectiveItems: squares ** 2 / fourths,
    unsizedShare: zero / total(({ n }) => moment(n, 0, alpha)),
  };
}
