import type { Mark as Happening } from '../../outputs/http/schema/mark.js';

/** A moment on the time axis. */
export interface Mark {
  /** ms. */
  readonly at: number;
  readonly kind: 'alarm' | 'source' | Happening['kind'];
  /** What it is, as the readout says it. */
  readonly text: string;
  readonly isSuppressed: boolean;
}

/** Whether somebody, or a setting, said so; all else the numbers say. */
export function isHappening({ kind }: Pick<Mark, 'kind'>): boolean {
  return kind !== 'alarm' && kind !== 'source';
}
