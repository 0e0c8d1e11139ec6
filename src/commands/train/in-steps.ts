/** Progress of long work: the number of steps done, and the most that there can be. */
export interface Step {
  readonly done: number;
  readonly most: number;
}

/**
 * Long work as a generator that yields after each step and returns the result. Between two steps
 * the caller may do something else, or stop the work.
 */
export type InSteps<Result> = Generator<Step, Result, void>;
