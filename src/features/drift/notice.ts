/** Something that people may want to know and that nobody should be woken for. */
export interface Notice {
  readonly kind: 'new_model';
  readonly model: string;
  /** Event time, ms: the pane of its first lists. */
  readonly since: number;
  readonly at: number;
}
