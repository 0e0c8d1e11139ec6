/** How far long work has come. Its caller may do something else between two steps, or end it. */
export interface Step {
  readonly done: number;
  readonly most: number;
}

/** Work that comes in steps; what it returns is what it came to. */
export type InSteps<Result> = Generator<Step, Result, void>;
