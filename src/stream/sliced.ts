/** Event loop and clock for long computations. */
export interface Turns {
  /** Monotonic clock, ms. */
  readonly now: () => number;
  /** Resolves after other pending work has run. */
  readonly next: () => Promise<void>;
}

/** Longest stretch of work between two turns of the event loop, ms. */
const SLICE_MS = 3;

/**
 * Run a generator to its end in slices, so that it does not block ingestion and the server.
 *
 * @param onSlice receives the duration of each slice, ms
 * @param sliceMs length of a slice, ms
 */
export async function runSliced<T>(
  work: Generator<void, T>,
  turns: Turns,
  onSlice: (ms: number) => void = () => {},
  sliceMs = SLICE_MS,
): Promise<T> {
  let start = turns.now();
  for (;;) {
    const step = work.next();
    const held = turns.now() - start;
    if (step.done) {
      onSlice(held);
      return step.value;
    }
    if (held < sliceMs) continue;
    onSlice(held);
    await turns.next();
    start = turns.now();
  }
}

/** Run a generator to its end without a pause. */
export function runAtOnce<T>(work: Generator<unknown, T, void>): T {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}
