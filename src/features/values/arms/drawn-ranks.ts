import type { ServedRequests } from './served-log.js';

/** Range of ranks below `ranks` that a randomised list of a request fills: start ≤ k < end. */
export function drawnRanks(
  { drawnStart, drawnEnd }: ServedRequests,
  q: number,
  ranks: number,
): {
  readonly start: number;
  readonly end: number;
} {
  const start = Math.min(ranks, drawnStart?.[q] ?? 0);
  return {
    start,
    end: Math.max(start, Math.min(ranks, drawnEnd?.[q] ?? ranks)),
  };
}
