/** A Poisson number, by products of uniform ones; large means as sums of smaller ones. */
export function poisson(mean: number, random: () => number): number {
  if (mean > 30) return poisson(mean / 2, random) + poisson(mean / 2, random);
  let count = 0;
  let product = random();
  while (product > Math.exp(-mean)) {
    product *= random();
    count++;
  }
  return count;
}
