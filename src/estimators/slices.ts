/** Rows of light work between two yields: about a millisecond. */
const SLICE_ROWS = 16_384;

/** Does work on a stretch of rows at a time, from ≤ row < to, and yields after each. */
export function* inSlices(
  rows: number,
  work: (from: number, to: number) => void,
  sliceRows = SLICE_ROWS,
): Generator<void, void> {
  for (let from = 0; from < rows; from += sliceRows) {
    work(from, Math.min(from + sliceRows, rows));
    yield;
  }
}

/** Runs sliced work to its end, for callers who have nobody to let run meanwhile. */
export function runToEnd<Result>(work: Generator<unknown, Result, void>): Result {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
