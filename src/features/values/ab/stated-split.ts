/**
 * Arm of each list, or of each user's first list, with the probability of this arm that the list
 * states.
 */
interface Stating {
  readonly arm: ArrayLike<number>;
  readonly share: ArrayLike<number>;
}

/** A declared split. */
export interface StatedSplit {
  /** Share by arm, with sum 1. */
  readonly declared: readonly number[] | undefined;
  /** Weight of each entry, 1 / the arm's share at the time; undefined unless shares changed. */
  readonly weight: Float64Array | undefined;
}

/** Significant digits to which shares stated by lists are compared. */
const DIGITS = 9;

/**
 * Determine the split: configured, or else as stated by lists.
 *
 * Stated shares are rounded, so their sum may differ from 1 by half a unit of the last digit of
 * each: three of .333 sum to 1 within ±.0015. If it differs more, they are not the shares of these
 * arms, and no split is declared.
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

/** Whether shares sum to 1, within half a unit of the last digit of each. */
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
