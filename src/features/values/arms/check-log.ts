import { UnskewError } from '../../../errors.js';
import { drawnRanks } from './drawn-ranks.js';
import type { ServedLog } from './served-log.js';

/**
 * Check that the columns of a log are consistent, since sums would otherwise be silently wrong.
 * O(rows).
 *
 * @param places ranks that are examined. @throws UnskewError USAGE for the first inconsistent
 * column.
 */
export function checkLog(log: ServedLog, places: number): void {
  const { models, arms, shares, items } = log;
  if (models.length !== items.ranks.length) {
    fail(`there are ${models.length} models and ${items.ranks.length} columns of ranks`);
  }
  const { length, share } = log.requests;
  if (share !== undefined && share.length !== length * arms.length) {
    fail(`there are ${share.length} shares of ${length} requests and ${arms.length} arms`);
  }
  for (const [t, own] of shares.entries()) {
    if (own.length !== arms.length) {
      fail(`there are ${arms.length} arms and ${own.length} shares in stratum ${t}`);
    }
  }
  for (const [a, { list }] of arms.entries()) {
    checkPlace('column of arm', a, list, models.length);
  }
  checkRequests(log, places);
  for (let row = 0; row < items.length; row++) {
    checkPlace('request of item', row, items.request[row], log.requests.length);
    if (!Number.isFinite(items.reward[row])) {
      fail(`the reward of item ${row} must be a number, not ${items.reward[row]}`);
    }
  }
}

function checkRequests({ requests, arms, shares, clusters }: ServedLog, places: number): void {
  const { length, arm, stratum, cluster, candidates, share } = requests;
  const hasUniform = arms.some(({ isUniform }) => isUniform === true);
  for (let q = 0; q < length; q++) {
    checkPlace('arm of request', q, arm[q], arms.length);
    if (share === undefined) {
      checkPlace('stratum of request', q, stratum[q], shares.length);
    }
    checkPlace('cluster of request', q, cluster[q], clusters);
    const { start, end } = drawnRanks(requests, q, places);
    const drawn = end - start;
    if (hasUniform && !((candidates?.[q] ?? 0) >= drawn)) {
      const known = candidates?.[q] ?? 0;
      fail(`lists of ${drawn} items must be drawn from at least ${drawn} candidates, not ${known}`);
    }
  }
}

function checkPlace(what: string, at: number, place: number, below: number): void {
  if (Number.isInteger(place) && place >= 0 && place < below) return;
  fail(`the ${what} ${at} must be a whole number below ${below}, not ${place}`);
}

function fail(message: string): never {
  throw new UnskewError('USAGE', message);
}
