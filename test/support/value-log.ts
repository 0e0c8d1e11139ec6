import type { ServedLog } from '../../src/features/values/arms/served-log.js';
import { NOT_IN_LIST } from '../../src/state/panes/window-part.js';

/** One request: every model's list, best first, the arm that was served, and rewards by item. */
export interface LoggedRequest {
  readonly lists: readonly (readonly string[])[];
  readonly arm: number;
  readonly rewards?: Readonly<Record<string, number>>;
  readonly stratum?: number;
  readonly cluster?: number;
  readonly candidates?: number;
  /** Ranks that a list drawn at random fills: from, and up to without it; all if left out. */
  readonly drawn?: readonly [number, number];
}

/** Columns of requests that are written out; each its own cluster where none is given. */
export function servedLog(
  requests: readonly LoggedRequest[],
  design: Pick<ServedLog, 'models' | 'arms' | 'shares'>,
  predicted?: number | ((item: string) => number),
): ServedLog {
  const rows = requests.flatMap(({ lists, rewards = {} }, request) => {
    const items = [...new Set([...lists.flat(), ...Object.keys(rewards)])];
    return items.map((item) => ({ request, item, lists, reward: rewards[item] ?? 0 }));
  });
  const rankOf = (list: readonly string[], item: string) => {
    const rank = list.indexOf(item);
    return rank < 0 ? NOT_IN_LIST : rank;
  };
  const expected = typeof predicted === 'function' ? predicted : () => predicted ?? 0;
  const cluster = requests.map((each, q) => each.cluster ?? q);
  return {
    ...design,
    clusters: Math.max(-1, ...cluster) + 1,
    requests: {
      length: requests.length,
      arm: requests.map(({ arm }) => arm),
      stratum: requests.map(({ stratum }) => stratum ?? 0),
      cluster,
      candidates: requests.map(({ candidates }) => candidates ?? 0),
      ...(requests.some(({ drawn }) => drawn !== undefined) && {
        drawnStart: requests.map(({ drawn = [0, 0] }) => drawn[0]),
        drawnEnd: requests.map(({ drawn = [0, 0] }) => drawn[1]),
      }),
    },
    items: {
      length: rows.length,
      request: rows.map(({ request }) => request),
      reward: rows.map(({ reward }) => reward),
      ranks: design.models.map((_, m) => rows.map(({ lists, item }) => rankOf(lists[m], item))),
      ...(predicted === undefined ? {} : { predicted: rows.map(({ item }) => expected(item)) }),
    },
  };
}
