import type { PropensityOf, TargetedLists } from '../../src/features/values/logged/logged-lists.js';
import { type PlackettLuce, propensitiesOf } from '../oracle/value-lists.js';

export interface Slate {
  readonly list: readonly string[];
  readonly rewards: readonly number[];
  readonly cluster?: number;
}

/** Columns of lists that a logger drew, for a target that is a list. */
export function slates(
  logger: PlackettLuce,
  drawn: readonly Slate[],
  target: readonly string[],
  propensityOf: PropensityOf,
  { theta = [1], q = undefined as ((item: string, rank: number) => number) | undefined } = {},
): TargetedLists {
  const rows = drawn.flatMap(({ list, rewards }, request) => {
    const chances = propensitiesOf(logger, list, propensityOf, theta);
    return list.map((item, rank) => {
      const isThere = target[rank] === item ? 1 : 0;
      const own = target.indexOf(item);
      const look = own < 0 ? 0 : (theta[own] ?? 0);
      return {
        request,
        rank,
        reward: rewards[rank],
        propensity: chances[rank],
        target: propensityOf === 'item' ? look : isThere,
        predicted: q?.(item, rank) ?? 0,
        expected: q?.(target[rank], rank) ?? 0,
      };
    });
  });
  const cluster = drawn.map((each, request) => each.cluster ?? request);
  return {
    requests: drawn.length,
    cluster,
    clusters: Math.max(...cluster) + 1,
    places: logger.places,
    length: rows.length,
    propensityOf,
    theta,
    request: rows.map(({ request }) => request),
    rank: rows.map(({ rank }) => rank),
    reward: rows.map(({ reward }) => reward),
    propensity: rows.map(({ propensity }) => propensity),
    target: rows.map((row) => row.target),
    ...(q === undefined
      ? {}
      : {
          predicted: rows.map(({ predicted }) => predicted),
          expected: rows.map(({ expected }) => expected),
        }),
  };
}
