/** A row of a weighted mean. */
export interface WeighedRow {
  readonly weight: number;
  readonly gain: number;
}

/** What is not made of the rows. */
export interface GivenErrors {
  readonly stdErr: number;
  /** Quantile of Student's t. */
  readonly t: number;
}

const total = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const kish = (values: readonly number[]) => {
  const squares = total(values.map((value) => value ** 2));
  return squares > 0 ? total(values) ** 2 / squares : 0;
};

/** The capped interval of Korn and Graubard, from its definition over single rows. */
export function kornGraubardOfRows(
  users: readonly (readonly WeighedRow[])[],
  { stdErr, t }: GivenErrors,
): [number, number] {
  const rows = users.flat();
  const weight = total(rows.map((row) => row.weight));
  const gained = total(rows.map((row) => row.weight * row.gain));
  const r = gained / weight;
  const userEss = kish(users.map((own) => total(own.map((row) => row.weight))));
  const rowEss = kish(rows.map((row) => row.weight));
  const hits = kish(users.map((own) => total(own.map((row) => row.weight * row.gain))));
  const misses = kish(users.map((own) => total(own.map((row) => row.weight * (1 - row.gain)))));
  const evidence = Math.min(hits, misses);
  const cap = evidence >= 10 - 1e-9 ? rowEss : userEss;
  const scale = (1.959963984540054 / t) ** 2;
  const gains = rows.map(({ gain }) => gain);
  if (Math.min(...gains) === Math.max(...gains)) {
    if (gains[0] === 0) return [0, 1 - 0.025 ** (1 / (userEss * scale))];
    if (gains[0] === 1) return [0.025 ** (1 / (userEss * scale)), 1];
    return [gains[0], gains[0]];
  }
  if (Number.isNaN(stdErr)) return [0, 1];
  const m2 = total(rows.map((row) => row.weight * row.gain ** 2)) / gained;
  const ofError = (r * (1 - r)) / stdErr ** 2;
  const ofRows = (cap * r * (1 - r)) / (r * m2 - r * r);
  const n = (evidence >= 100 - 1e-9 ? ofError : Math.min(ofError, ofRows)) * scale;
  if (r * n < 10 || (1 - r) * n < 10) return clopperPearson(r * n, n);
  return wilson(r, n);
}

/** Roots of |p − r| = 1.96 √(p (1 − p) / n). */
function wilson(r: number, n: number): [number, number] {
  const off = (p: number) => (p - r) ** 2 - (1.959963984540054 ** 2 * p * (1 - p)) / n;
  return [root((p) => -off(p), 0, r), root(off, r, 1)];
}

/** Where x of n draws, or more, and x or fewer, have a chance of .025. */
function clopperPearson(x: number, n: number): [number, number] {
  return [
    root((p) => betaBelow(p, x, n - x + 1) - 0.025, 0, 1),
    root((p) => 0.025 - betaBelow(1 - p, n - x, x + 1), 0, 1),
  ];
}

/** Of an increasing function. */
function root(f: (x: number) => number, from: number, to: number): number {
  let low = from;
  let high = to;
  for (let step = 0; step < 30; step++) {
    const middle = (low + high) / 2;
    if (f(middle) > 0) high = middle;
    else low = middle;
  }
  return (low + high) / 2;
}

/** P(X ≤ x) of Beta(a, b), each half of it by itself. */
function betaBelow(x: number, a: number, b: number): number {
  const first = half(0.5, a, b);
  const second = half(0.5, b, a);
  const all = first + second;
  return x <= 0.5 ? half(x, a, b) / all : 1 - half(1 - x, b, a) / all;
}

/** ∫₀ˣ t^(a−1) (1 − t)^(b−1) dt, x ≤ ½, by Simpson's rule on s with t = s^q, which has no pole at 0. */
function half(x: number, a: number, b: number): number {
  const q = Math.max(1, 5 / a);
  const density = (s: number) => q * s ** (q * a - 1) * (1 - s ** q) ** (b - 1);
  return simpson(density, x ** (1 / q));
}

function simpson(f: (s: number) => number, to: number): number {
  const steps = 200;
  let sum = f(0) + f(to);
  for (let i = 1; i < steps; i++) sum += f((to * i) / steps) * (i % 2 === 0 ? 2 : 4);
  return (sum * to) / (3 * steps);
}
