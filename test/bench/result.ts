/** One figure of the benchmark: what was measured, what it is compared with, whether it holds. */
export interface BenchResult {
  /** Permanent: a figure keeps its id for as long as it is measured the same way. */
  readonly id: string;
  readonly value: number;
  readonly unit: string;
  /** The bound in words, e.g. `<= 1.0`. */
  readonly target: string;
  readonly ok: boolean;
  /** What the figure is made of, for people. */
  readonly detail: string;
}
