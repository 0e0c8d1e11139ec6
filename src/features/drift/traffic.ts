/** One traffic's item counts: in the window, and over the rest of the horizon before it. */
export interface Traffic {
  /** Model whose exposures they are; null for interactions. */
  readonly model: string | null;
  readonly now: Int32Array;
  readonly before: Int32Array;
}
