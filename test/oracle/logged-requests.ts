import type { PropensityOf } from '../../src/events/field.js';

/** A request that a logger was served, written out. Items are numbers. */
export interface SlowLoggedRequest {
  readonly user: number;
  readonly logger: number;
  readonly propensityOf: PropensityOf;
  /** Places of the page above the logger's list. */
  readonly firstRank: number;
  readonly shown: readonly { readonly item: number; readonly propensity: number }[];
  /** Items that were rewarded, with 1 each. */
  readonly clicked: ReadonlySet<number>;
  /** By model: its list from the first place of the page, or from how many items it was drawn. */
  readonly lists: ReadonlyMap<number, readonly number[] | { readonly candidates: number }>;
}

/** What a list that is drawn holds in these worlds, from the first place of the page. */
export const DRAWN_LIST = [1, 2];

type Unit = 'slot' | 'prefix' | 'list' | 'item';

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
const product = (values: readonly number[]) => values.reduce((total, each) => total * each, 1);

/**
 * Value of a target from the definition, request by request: ips, and snips by place (`item`: by
 * Σ wc / Σ θw · Σθ / Q). Propensities as they are kept, in single precision.
 */
export function loggedByDefinition(
  all: readonly SlowLoggedRequest[],
  target: number,
  unit: Unit,
  theta: readonly number[],
): { ips: number; snips: number; ess: number; requests: number } {
  const of = unit === 'slot' ? 'slot' : unit === 'item' ? 'item' : 'conditional';
  const own = all.filter((each) => {
    return each.propensityOf === of && each.logger !== target && each.lists.has(target);
  });
  const weighed = own.map((request) => weights(request, target, unit, theta));
  const rewards = own.map(({ shown, clicked }) => shown.map(({ item }) => +clicked.has(item)));
  const gains = weighed.map((each, q) => each.map((weight, k) => weight * rewards[q][k]));
  const total = sum(gains.map(sum));
  const places = Math.max(0, ...weighed.map(({ length }) => length));
  let snips = 0;
  if (unit === 'item') {
    const seen = (q: number) => own[q].shown.map((_, k) => theta[own[q].firstRank + k]);
    const control = sum(weighed.map((each, q) => sum(each.map((w, k) => w * seen(q)[k]))));
    const looked = sum(own.map((_, q) => sum(seen(q))));
    snips = ((total / control) * looked) / own.length;
  } else {
    for (let k = 0; k < places; k++) {
      const bottom = sum(weighed.map((each) => each[k] ?? 0));
      if (bottom > 0) snips += sum(gains.map((each) => each[k] ?? 0)) / bottom;
    }
  }
  const squares = sum(gains.flat().map((each) => each * each));
  return { ips: total / own.length, snips, ess: total ** 2 / squares, requests: own.length };
}

function weights(
  { shown, firstRank, lists }: SlowLoggedRequest,
  target: number,
  unit: Unit,
  theta: readonly number[],
): number[] {
  const list = lists.get(target)!;
  const chances = shown.map(({ item }, k) => {
    if ('candidates' in list) {
      if (unit === 'slot') return 1 / list.candidates;
      // Nobody sees a place behind the last that was served.
      const seen = Math.min(LOOKED_AT, firstRank + shown.length);
      if (unit === 'item') return sum(theta.slice(0, seen)) / list.candidates;
      return 1 / (list.candidates - k);
    }
    if (unit !== 'item') return list[firstRank + k] === item ? 1 : 0;
    const rank = list.indexOf(item);
    return rank < 0 || rank >= firstRank + shown.length ? 0 : theta[rank];
  });
  const ratios = shown.map(({ propensity }, k) => chances[k] / Math.fround(propensity));
  if (unit === 'list') return ratios.map(() => product(ratios));
  if (unit === 'prefix') return ratios.map((_, k) => product(ratios.slice(0, k + 1)));
  return ratios;
}

/** Places that a drawn list fills in these worlds. */
export const LOOKED_AT = DRAWN_LIST.length;

/**
 * Doubly robust from the definition, request by request: Σ_k w (c − q̂) + v b, q̂ = e_k r̂_i from the
 * requests of users of the other parity; and the same with λ w / (w² + λ) for w.
 */
export function doublyRobustByDefinition(
  all: readonly SlowLoggedRequest[],
  target: number,
  unit: Unit,
  theta: readonly number[],
  shrinkage: number,
): { dr: number; dros: number } {
  const of = unit === 'slot' ? 'slot' : unit === 'item' ? 'item' : 'conditional';
  const own = all.filter((each) => {
    return each.propensityOf === of && each.logger !== target && each.lists.has(target);
  });
  let dr = 0;
  let dros = 0;
  for (const request of own) {
    const { shown, clicked, firstRank } = request;
    const others = all.filter(({ user }) => user % 2 !== request.user % 2);
    const expected = predictedByDefinition(others, unit === 'item' ? theta : undefined);
    const ws = weights(request, target, unit, theta);
    const given = request.lists.get(target)!;
    const list = 'candidates' in given ? DRAWN_LIST : given;
    for (const [k, { item }] of shown.entries()) {
      const beyond = +clicked.has(item) - expected(item, firstRank + k);
      const above = unit === 'prefix' && k > 0 ? ws[k - 1] : 1;
      let own = list[firstRank + k];
      if ('candidates' in given && unit === 'prefix' && own !== undefined) {
        const isAbove = (each: number) => shown.slice(0, k).some((other) => other.item === each);
        own = list.find((each) => !isAbove(each)) ?? own;
      }
      const gain = own === undefined || unit === 'item' ? 0 : above * expected(own, firstRank + k);
      dr += ws[k] * beyond + gain;
      dros += ((shrinkage * ws[k]) / (ws[k] ** 2 + shrinkage)) * beyond + gain;
    }
    if (unit !== 'item') continue;
    const looked = list.slice(0, firstRank + shown.length);
    const gain = sum(looked.map((item, rank) => expected(item, rank)));
    dr += gain;
    dros += gain;
  }
  return { dr: dr / own.length, dros: dros / own.length };
}

/** What other users' requests say that an item gains at a rank. */
function predictedByDefinition(
  others: readonly SlowLoggedRequest[],
  theta: readonly number[] | undefined,
): (item: number, rank: number) => number {
  const places = others.flatMap(({ shown, firstRank, clicked }) =>
    shown.map(({ item }, k) => ({ item, rank: firstRank + k, reward: +clicked.has(item) })),
  );
  const shrunk = (own: typeof places, looks: number, common: number) =>
    (sum(own.map(({ reward }) => reward)) + 20 * common) / (looks + 20);
  const perPlace = sum(places.map(({ reward }) => reward)) / Math.max(1, places.length);
  const at = (rank: number) => {
    const own = places.filter((each) => each.rank === rank);
    return shrunk(own, own.length, perPlace);
  };
  const look = (rank: number) => theta?.[rank] ?? (perPlace > 0 ? at(rank) / at(0) : 1);
  const looks = (own: typeof places) => sum(own.map(({ rank }) => look(rank)));
  if (places.length === 0) return () => 0;
  const perLook = sum(places.map(({ reward }) => reward)) / looks(places);
  return (item, rank) => {
    const own = places.filter((each) => each.item === item);
    return look(rank) * shrunk(own, looks(own), perLook);
  };
}
