import { joinedRequests } from '../../features/works.js';
import { bucketMs } from '../../state/counts/rolling-counts.js';
import type { ClosedPanes } from '../../state/panes/closed-panes.js';
import type { PaneLimits } from '../../state/panes/sample-level.js';
import type { FeatureOptions } from '../feature-types.js';
import type { MonitorOptions, SampleLimits } from '../options.js';

type Times = Pick<MonitorOptions, 'tickMs' | 'windows' | 'attributionTtlMs' | 'popularity'> &
  FeatureOptions;

/**
 * Compute the memory limits of one pane of one partition. The configured limits are divided among
 * partitions and panes; the number of processes that read does not matter.
 *
 *   rows / (partitions · panes of the longest window), listEntries / (partitions · panes of the ttl),
 *   users / partitions
 */
export function paneLimits(limits: SampleLimits, times: Times, partitions: number): PaneLimits {
  const share = (limit: number, ms: number) =>
    Math.max(1, Math.floor(limit / (partitions * Math.ceil(ms / times.tickMs))));
  return {
    rows: share(limits.rows, longestWindow(times)),
    listEntries: share(limits.listEntries, times.attributionTtlMs),
    users: Math.max(1, Math.floor(limits.users / partitions)),
    ...(limits.requests !== undefined && {
      requests: share(limits.requests, longestWindow(times)),
    }),
  };
}

/**
 * Find the sampling level of a partition for the windows that end with a pane. It is the least
 * depth from which on all users have complete rows, lists and counts.
 */
export function sampleLevel(closed: ClosedPanes, pane: number, times: Times): number {
  const { rows, users } = lookBack(pane, times);
  return Math.max(closed.rowsLevelSince(rows), closed.usersLevelSince(users));
}

/** Drop the rows and sampling levels of panes that no later window needs. */
export function dropPassedPanes(closed: ClosedPanes, pane: number, times: Times): void {
  closed.dropRowsBefore(pane + 1 - longestWindow(times) / times.tickMs);
  dropLevels(closed, pane, times);
}

/** Drop sampling levels that no later pane needs. */
export function dropLevels(closed: ClosedPanes, pane: number, times: Times): void {
  const { rows, users } = lookBack(pane, times);
  closed.dropLevelsBefore(Math.min(rows, users));
}

/**
 * `rows`: the first pane whose rows are needed by windows that end with this pane. `users`: the
 * first pane whose user counts are needed by them.
 */
function lookBack(
  pane: number,
  times: Times,
): {
  rows: number;
  users: number;
} {
  const { tickMs, attributionTtlMs, popularity } = times;
  const { horizonMs } = popularity;
  const first = (ms: number) => pane + 1 - Math.ceil(ms / tickMs);
  return {
    // A request closes one horizon after its lists, and includes the rewards until then.
    rows: first(longestWindow(times) + attributionTtlMs + (joinedRequests(times)?.horizonMs ?? 0)),
    users: first(horizonMs + bucketMs(horizonMs, tickMs)),
  };
}

/** Length of the longest window, ms. */
export function longestWindow({ windows }: Pick<Times, 'windows'>): number {
  return Math.max(...windows.map(({ ms }) => ms));
}
