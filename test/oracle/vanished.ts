/** How much likelier a silence is of a model that is gone, with the best steady rate found by trying. */
export function vanishedByDefinition(panes: readonly boolean[], absent: number): number {
  const likelihood = (rate: number, all: readonly boolean[]) =>
    all.reduce((product, has) => product * (has ? rate : 1 - rate), 1);
  const rates = Array.from({ length: 20_000 }, (_, step) => (step + 0.5) / 20_000);
  const whole = [...panes, ...new Array<boolean>(absent).fill(false)];
  const steady = Math.max(...rates.map((rate) => likelihood(rate, whole)));
  // Simpson's rule would do no better: the midpoint rule is exact to 1e-8 here.
  const anyRate = rates.reduce((sum, rate) => sum + likelihood(rate, panes), 0) / rates.length;
  return ((panes.every(Boolean) ? 0.9 : 0) + 0.1 * anyRate) / steady;
}
