/** Progress of long work. The caller may do something else between two steps, or end it. */
export interface Step {
  readonly done: number;
  readonly most: number;
}

/** Work in steps; the generator returns the result. */
export type InSteps<Result> = Generator<Step, Result, void>;
