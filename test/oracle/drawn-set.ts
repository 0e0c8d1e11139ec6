import { pairHash } from '../../src/estimators/interventions/pair-hash.js';
import {
  isInTrainPart,
  samplingKey,
  splitSeed,
} from '../../src/estimators/interventions/sampling-key.js';
import type { InteractionEvent } from '../../src/events/encode.js';
import { hash64 } from '../../src/events/hash.js';
import type { SetPlan } from '../../src/export/set-plan.js';

interface Pair {
  readonly user: string;
  readonly item: string;
  readonly high: number;
  readonly low: number;
  readonly event: InteractionEvent;
  readonly isTrain: boolean;
}

/**
 * The set by its definition, slowly: pairs in a map, weights from counts in maps, a sort by key. Only
 * the hashes are shared with the code; of wtd_ipf nothing.
 *
 * @param propensityOf of a pair by its ids and its row's value, where these weigh; 0 if it is not known.
 * @returns `user item` of each drawn pair with the time of its event and its weight, by pair
 */
export function drawnSet(
  events: readonly InteractionEvent[],
  plan: SetPlan,
  propensityOf?: (user: string, item: string, value: number) => number,
): { key: string; ts: number; weight: number }[] {
  const pairs = pairsOf(events, plan);
  const count = (side: 'user' | 'item', id: string) =>
    pairs.filter((pair) => pair.isTrain && pair[side] === id).length;
  const randomizedPairs = new Map(
    events
      .filter((event) => event.randomized && inRange(event, plan))
      .map(({ user, item }) => [JSON.stringify([user, item]), { user, item }]),
  );
  const target = (side: 'user' | 'item', id: string) =>
    [...randomizedPairs.values()].filter((pair) => pair[side] === id).length;
  const k = plan.smoothing;
  const inverse = (n: number, p: number) => (n + k > 0 ? 1 / (n + k) ** p : 0);
  const weightOf = ({ user, item, event: { value = 1 } }: Pair): number => {
    if (propensityOf !== undefined) {
      const propensity = propensityOf(user, item, value);
      return propensity > 0 ? 1 / propensity : 0;
    }
    const byUser = inverse(count('user', user), 1);
    const byItem = inverse(count('item', item), plan.exponent);
    switch (plan.strategy) {
      case 'skew':
        return inverse(count('item', item), 1);
      case 'wtd_h':
        return byUser * byItem;
      case 'wtd': {
        const targets = (target('user', user) + k) * (target('item', item) + k) ** plan.exponent;
        return targets * byUser * byItem;
      }
      default:
        return 1;
    }
  };
  const part = pairs.filter((pair) => pair.isTrain === (plan.part === 'train'));
  const keyed = part
    .map((pair) => ({ pair, weight: weightOf(pair) }))
    .map((row) => ({
      ...row,
      key: samplingKey(plan.seed, row.pair.high, row.pair.low, row.weight),
    }))
    .filter(({ key }) => Number.isFinite(key))
    .sort((a, b) => a.key - b.key);
  const size = 'rows' in plan.size ? plan.size.rows : Math.round(plan.size.share * part.length);
  return keyed
    .slice(0, size)
    .map(({ pair, weight }) => ({
      key: `${pair.user} ${pair.item}`,
      ts: Number(pair.event.ts),
      weight,
    }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

function inRange({ ts }: InteractionEvent, { from, to }: SetPlan): boolean {
  return Number(ts) >= (from ?? -Infinity) && Number(ts) < (to ?? Infinity);
}

/** The first positive interaction of each pair, else its first. */
function pairsOf(events: readonly InteractionEvent[], plan: SetPlan): Pair[] {
  const best = new Map<string, InteractionEvent>();
  const isPositive = (event: InteractionEvent) => (event.value ?? 1) >= plan.positiveMinValue;
  for (const event of events) {
    if (event.randomized || !inRange(event, plan)) continue;
    const name = JSON.stringify([event.user, event.item]);
    const other = best.get(name);
    const isBetter =
      other === undefined ||
      (isPositive(event) && !isPositive(other)) ||
      (isPositive(event) === isPositive(other) && event.ts < other.ts);
    if (isBetter) best.set(name, event);
  }
  return [...best.values()].map((event) => {
    const { user, item } = event;
    const [high, low] = pairHalves(user, item);
    const isTrain = isInTrainPart(splitSeed(plan.seed), high, low, plan.split ?? 0);
    return { user, item, high, low, event, isTrain };
  });
}

export function pairHalves(user: string, item: string): readonly [number, number] {
  const halves = new Int32Array(2);
  const userBytes = Buffer.from(user);
  const itemBytes = Buffer.from(item);
  hash64(userBytes, 0, userBytes.length, halves);
  const [userHigh, userLow] = halves;
  hash64(itemBytes, 0, itemBytes.length, halves);
  pairHash(userHigh, userLow, halves[0], halves[1], halves);
  return [halves[0], halves[1]];
}
