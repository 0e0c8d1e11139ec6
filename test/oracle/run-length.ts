/** Mean number of steps until `step` says stop, over this many runs, and its standard error. */
export function runLength(runs: number, start: () => () => boolean) {
  let sum = 0;
  let squares = 0;
  for (let run = 0; run < runs; run++) {
    const fires = start();
    let length = 1;
    while (!fires()) length++;
    sum += length;
    squares += length * length;
  }
  const mean = sum / runs;
  return { mean, stdErr: Math.sqrt((squares / runs - mean * mean) / runs) };
}
