/** Distribution of the number of successes among independent trials, by adding one at a time. */
export function successes(chances: readonly number[]): number[] {
  let distribution = [1];
  for (const chance of chances) {
    const next = new Array<number>(distribution.length + 1).fill(0);
    distribution.forEach((p, count) => {
      next[count] += p * (1 - chance);
      next[count + 1] += p * chance;
    });
    distribution = next;
  }
  return distribution;
}

/** π_i E[1 / (1 + X_{−i})], X_{−i} the successes of all others. */
export function expectedShare(chances: readonly number[], i: number): number {
  const others = chances.filter((_, j) => j !== i);
  return (
    chances[i] *
    successes(others).reduce((total, probability, count) => total + probability / (1 + count), 0)
  );
}
