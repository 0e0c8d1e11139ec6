import type { SegmentDimension } from './dimensions.js';
import { SegmentValues } from './segment-values.js';

/** The values of all dimensions of a process. */
export class SegmentTable {
  readonly dimensions: readonly SegmentDimension[];
  readonly values: readonly SegmentValues[];

  constructor(dimensions: readonly SegmentDimension[], most?: number) {
    this.dimensions = dimensions;
    this.values = dimensions.map(() => new SegmentValues(most));
  }

  /** By dimension and code; they grow. */
  get names(): readonly (readonly string[])[] {
    return this.values.map(({ names }) => names);
  }

  /** Code of a value that came with state from elsewhere. */
  codeOf(dimension: number, value: string): number {
    return this.values[dimension].codeOf(value);
  }
}
