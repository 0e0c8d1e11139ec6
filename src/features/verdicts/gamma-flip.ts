/** The difference D at one γ. */
export interface DifferenceAt {
  readonly gamma: number;
  readonly value: number;
}

/**
 * Find the γ at which two models swap order, within the plausible values of γ.
 *
 * It is found by linear interpolation between two neighbouring points whose differences have
 * different signs.
 *
 * @param points by γ, ascending. @returns undefined if all have the same sign.
 * @example
 * gammaFlip([{ gamma: 1.8, value: 0.03 }, { gamma: 2.2, value: -0.01 }]); // 2.1
 */
export function gammaFlip(points: readonly DifferenceAt[]): number | undefined {
  for (let p = 1; p < points.length; p++) {
    const a = points[p - 1];
    const b = points[p];
    if (Math.sign(a.value) * Math.sign(b.value) >= 0) continue;
    return a.gamma + ((b.gamma - a.gamma) * a.value) / (a.value - b.value);
  }
  return undefined;
}
