export interface Observation {
  readonly value: number;
  readonly weight: number;
  readonly slot: number;
}

/**
 * The newest observation's studentised recursive residual, from the definition: for each
 * observation a weighted mean over all earlier ones of its slot, and σ from all earlier residuals.
 * Undefined where it has none.
 */
export function studentised(history: readonly Observation[]) {
  const residual = (t: number): number | undefined => {
    const { slot, value, weight } = history[t];
    const same = history.slice(0, t).filter((other) => other.slot === slot);
    if (same.length === 0) return undefined;
    const sum = same.reduce((total, other) => total + other.weight, 0);
    const mean = same.reduce((total, other) => total + other.weight * other.value, 0) / sum;
    return (value - mean) / Math.sqrt(1 / weight + 1 / sum);
  };
  const last = residual(history.length - 1);
  const earlier = history.slice(0, -1).flatMap((_, t) => residual(t) ?? []);
  const df = earlier.length;
  if (last === undefined || df < 2) return undefined;
  const variance = earlier.reduce((sum, u) => sum + u * u, 0) / df;
  return { t: last / Math.sqrt(variance), df };
}
