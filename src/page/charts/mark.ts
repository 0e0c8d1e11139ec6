/** A moment on the time axis. */
export interface Mark {
  /** ms. */
  readonly at: number;
  readonly kind: 'alarm' | 'source';
  /** What it is, as the readout says it. */
  readonly text: string;
  readonly isSuppressed: boolean;
}
