import { LogCheck } from './log-check.js';
import type { StartPosition } from './ports.js';

/** Where reading starts in a log that holds offsets low ≤ o < high. */
export interface ResolvedStart {
  readonly next: number;
  /** The first that was wanted, where the log has lost it. */
  readonly lostFrom?: number;
  /** Of a log that was read before; until it has a verdict nothing may be delivered. */
  readonly check?: LogCheck;
}

export function resolveStart(
  start: StartPosition,
  range: { readonly low: number; readonly high: number },
): ResolvedStart {
  if (start === 'earliest') return { next: range.low };
  if (start === 'latest') return { next: range.high };
  const { next, marks } = typeof start === 'number' ? { next: start, marks: [] } : start;
  if (next < range.low) return { next: range.low, lostFrom: next };
  return { next, check: new LogCheck(marks, next, range) };
}
