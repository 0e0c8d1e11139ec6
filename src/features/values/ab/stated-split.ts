/** What lists, or users' first lists, state of their own arm's share. */
interface Stating {
  readonly arm: ArrayLike<number>;
  readonly share: ArrayLike<number>;
}

/** A split that somebody stated. */
export interface StatedSplit {
  /** By arm, summing to 1. */
  readonly declared: readonly number[] | undefined;
  /** 1 / the arm's share at the time, where that changed. */
  readonly weight: Float64Array | undefined;
}

/** Digits of a share, so that 1/3 written as .333 is what it means. */
const DIGITS = 9;

/**
 * Determine the split: configured, or else as stated by lists.
 *
 * Shares count as exact within their own digits: three of .333 sum to 1 within ±.0015. If the
 * shares of lists do not sum to 1 in this sense, they are not those of these arms.
 */
export function statedSplit(
  arms: readonly string[],
  configured: Readonly<Record<string, number>> | undefined,
  { arm, share }: Stating,
): StatedSplit {
  if (configured !== undefined) {
    return {
      declared: normal(arms.map((model) => configured[model] ?? 0)),
      weight: undefined,
    };
  }
  const byArm = arms.map(() => new Set<number>());
  for (let u = 0; u < arm.length; u++) {
    if (!(share[u] > 0)) {
      return {
        declared: undefined,
        weight: undefined,
      };
    }
    byArm[arm[u]].add(Number(share[u].toPrecision(DIGITS)));
  }
  if (byArm.every(({ size }) => size === 1)) {
    const shares = byArm.map(([own]) => own);
    return {
      declared: sumsToOne(shares) ? normal(shares) : undefined,
      weight: undefined,
    };
  }
  return {
    declared: undefined,
    weight: Float64Array.from({ length: arm.length }, (_, u) => 1 / share[u]),
  };
}

/** Whether shares sum to 1 within half a unit of the last digit of each. */
export function sumsToOne(shares: readonly number[]): boolean {
  const rounding = shares.reduce((sum, share) => sum + 0.5 * 10 ** -digitsOf(share), 0);
  const total = shares.reduce((sum, share) => sum + share, 0);
  return Math.abs(total - 1) <= rounding + Number.EPSILON;
}

function digitsOf(share: number): number {
  const [, decimals = ''] = String(share).split('.');
  return decimals.length;
}

function normal(shares: readonly number[]): number[] {
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}
