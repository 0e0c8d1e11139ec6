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
export const LOOKED_AT = 2;
