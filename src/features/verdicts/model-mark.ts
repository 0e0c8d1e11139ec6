/** Somebody says that a model changed: what was learned of it before holds no longer. */
export interface ModelMark {
  readonly model: string;
  /** When, event time, ms. */
  readonly time: number;
}
