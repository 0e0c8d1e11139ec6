import { normalCdf } from './normal.js';

/**
 * Mean run length of a one-sided CUSUM by a Markov chain over a grid of its values (Brook & Evans
 * 1972): L = 1 + Q L, solved by elimination.
 */
export function oneSidedRunLength(k: number, h: number, mean: number, states = 200): number {
  const width = (2 * h) / (2 * states - 1);
  const cdf = (x: number) => (x < -8.9 ? 0 : x > 8.9 ? 1 : normalCdf(x));
  // From state i (value i · width) to j: z − k moves the value by (j − i) · width ± width / 2.
  const upTo = new Map<number, number>();
  for (let d = -states; d <= states; d++) upTo.set(d, cdf((d + 0.5) * width + k - mean));
  const rows = Array.from({ length: states }, (_, i) => {
    const row = Array.from({ length: states }, (_, j) => {
      const moved = upTo.get(j - i)! - (j === 0 ? 0 : upTo.get(j - i - 1)!);
      return (i === j ? 1 : 0) - moved;
    });
    return [...row, 1];
  });
  return solved(rows)[0];
}

/** Both sides: their rates add up. */
export function twoSidedRunLength(k: number, h: number, mean: number): number {
  return 1 / (1 / oneSidedRunLength(k, h, mean) + 1 / oneSidedRunLength(k, h, -mean));
}

function solved(rows: number[][]): number[] {
  const size = rows.length;
  for (let p = 0; p < size; p++) {
    for (let r = p + 1; r < size; r++) {
      const factor = rows[r][p] / rows[p][p];
      if (factor === 0) continue;
      for (let c = p; c <= size; c++) rows[r][c] -= factor * rows[p][c];
    }
  }
  const result = new Array<number>(size).fill(0);
  for (let p = size - 1; p >= 0; p--) {
    let rest = rows[p][size];
    for (let c = p + 1; c < size; c++) rest -= rows[p][c] * result[c];
    result[p] = rest / rows[p][p];
  }
  return result;
}
