import type { Random } from '../../src/estimators/mathematics/random.js';
import type { LoggedLists, PropensityOf } from '../../src/features/values/logged/logged-lists.js';
import { allLists, nextChance, type PlackettLuce } from '../oracle/value-lists.js';

/** A log as Open Bandit Pipeline is given it, and as we are. */
export interface LogForBoth {
  readonly theirs: Readonly<Record<string, unknown>>;
  readonly ours: Partial<Record<PropensityOf, LoggedLists>>;
  /** Weights are cut, or shrunk by it. */
  readonly cap: number;
}

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
const some = (random: Random, least: number, most: number) =>
  least + random.below(most - least + 1);

/** A policy that draws lists, or always shows one: the items of largest weight. */
interface Policy extends PlackettLuce {
  readonly fixed?: readonly string[];
}

function aPolicy(random: Random, items: readonly string[], places: number): Policy {
  return { items, places, weights: items.map(() => Math.exp(1.2 * random.normal())) };
}

function fixedPolicy(policy: Policy): Policy {
  const weightOf = (item: string) => policy.weights[policy.items.indexOf(item)];
  const best = [...policy.items].sort((a, b) => weightOf(b) - weightOf(a));
  return { ...policy, fixed: best.slice(0, policy.places) };
}

/** P(item at the next place | items above). */
function chanceOf(policy: Policy, above: readonly string[], item: string): number {
  if (policy.fixed === undefined) return nextChance(policy, above, item);
  return policy.fixed[above.length] === item ? 1 : 0;
}

/** By rank and item: P(item stands there). */
function slotChances(policy: Policy): number[][] {
  const { fixed, items, places } = policy;
  const lists = fixed === undefined ? allLists(policy) : [{ list: fixed, chance: 1 }];
  return Array.from({ length: places }, (_, rank) =>
    items.map((item) => sum(lists.map(({ list, chance }) => (list[rank] === item ? chance : 0)))),
  );
}

function drawn(random: Random, policy: Policy): string[] {
  const list: string[] = [];
  while (list.length < policy.places) {
    let left = random.next();
    const next = policy.items.find((item) => {
      left -= chanceOf(policy, list, item);
      return left < 0;
    });
    // Rounding may leave a little of the last item's chance.
    list.push(next ?? policy.items.findLast((item) => !list.includes(item))!);
  }
  return list;
}

/** Lists of two or three places, of three to six items, with rewards that are not all 0 or 1. */
export function aLogOfLists(random: Random): LogForBoth {
  const places = some(random, 2, 3);
  const items = Array.from({ length: some(random, places, 6) }, (_, i) => `i${i}`);
  const logger = aPolicy(random, items, places);
  const target = aPolicy(random, items, places);
  return listsOf(random, logger, random.next() < 0.5 ? target : fixedPolicy(target));
}

function listsOf(random: Random, logger: Policy, target: Policy): LogForBoth {
  const { items, places } = logger;
  const requests = some(random, 20, 120);
  const slots = slotChances(logger);
  const ownSlots = slotChances(target);
  const rows = Array.from({ length: requests }, (_, request) => {
    const list = drawn(random, logger);
    return list.map((item, rank) => {
      const above = list.slice(0, rank);
      const q = items.map(() => random.next());
      const dist = items.map((each) => chanceOf(target, above, each));
      const action = items.indexOf(item);
      return {
        request,
        rank,
        action,
        q,
        dist,
        reward: random.next() < 0.5 ? 0 : random.next(),
        slot: slots[rank][action],
        ownSlot: ownSlots[rank][action],
        next: nextChance(logger, above, item),
        ownNext: dist[action],
      };
    });
  });
  const all = rows.flat();
  /** Products from the top to each place, or over the whole list. */
  const joint = (of: 'next' | 'ownNext', isWhole: boolean) =>
    rows.flatMap((list) =>
      list.map((_, rank) =>
        list.slice(0, isWhole ? places : rank + 1).reduce((product, row) => product * row[of], 1),
      ),
    );
  const theirs = {
    places,
    items: items.length,
    slateId: all.map(({ request }) => request),
    position: all.map(({ rank }) => rank),
    action: all.map(({ action }) => action),
    reward: all.map(({ reward }) => reward),
    pscoreItem: all.map(({ slot }) => slot),
    ownItem: all.map(({ ownSlot }) => ownSlot),
    pscoreCascade: joint('next', false),
    ownCascade: joint('ownNext', false),
    pscore: joint('next', true),
    own: joint('ownNext', true),
    q: all.flatMap(({ q }) => q),
    dist: all.flatMap(({ dist }) => dist),
  };
  const common = {
    requests,
    clusters: requests,
    places,
    length: all.length,
    cluster: Array.from({ length: requests }, (_, q) => q),
    request: theirs.slateId,
    rank: theirs.position,
    reward: theirs.reward,
  };
  const conditional: LoggedLists = {
    ...common,
    propensityOf: 'conditional',
    propensity: all.map(({ next }) => next),
    target: all.map(({ ownNext }) => ownNext),
    predicted: all.map(({ q, action }) => q[action]),
    expected: all.map(({ q, dist }) => sum(q.map((each, i) => each * dist[i]))),
  };
  const slot: LoggedLists = {
    ...common,
    propensityOf: 'slot',
    propensity: theirs.pscoreItem,
    target: theirs.ownItem,
  };
  return { theirs, ours: { slot, conditional }, cap: 1 };
}

/** Single places, of two to ten items. */
export function aLogOfActions(random: Random): LogForBoth {
  const items = Array.from({ length: some(random, 2, 10) }, (_, i) => `i${i}`);
  const logger = aPolicy(random, items, 1);
  const drawing = aPolicy(random, items, 1);
  const target = random.next() < 0.5 ? drawing : fixedPolicy(drawing);
  const cap = 0.2 + 4 * random.next();
  const rows = Array.from({ length: some(random, 20, 200) }, () => {
    const action = items.indexOf(drawn(random, logger)[0]);
    const q = items.map(() => random.next());
    return { action, q, reward: random.next() < 0.5 ? 0 : random.next() };
  });
  const dist = items.map((item) => chanceOf(target, [], item));
  const chances = items.map((item) => nextChance(logger, [], item));
  const index = rows.map((_, n) => n);
  const reward = rows.map((row) => row.reward);
  const action = rows.map((row) => row.action);
  const pscore = action.map((each) => chances[each]);
  const slot: LoggedLists = {
    requests: rows.length,
    cluster: index,
    clusters: rows.length,
    places: 1,
    length: rows.length,
    request: index,
    rank: index.map(() => 0),
    reward,
    propensity: pscore,
    propensityOf: 'slot',
    target: action.map((each) => dist[each]),
    predicted: rows.map(({ q, action: own }) => q[own]),
    expected: rows.map(({ q }) => sum(q.map((each, i) => each * dist[i]))),
  };
  const theirs = {
    reward,
    action,
    pscore,
    actionDist: rows.map(() => dist),
    q: rows.map((r) => r.q),
    cap,
  };
  return { theirs, ours: { slot }, cap };
}
