import { Random } from '../../src/estimators/mathematics/random.js';
import { PROPENSITY_KINDS } from '../../src/events/field.js';
import { byPair, judge } from '../../src/features/judge.js';
import { valueOfWindows } from '../../src/features/values/value-of-windows.js';
import type { ValueOptions } from '../../src/features/values/value-options.js';
import type { WindowValues } from '../../src/features/values/window-values.js';
import type { PairVerdict } from '../../src/features/verdict.js';
import type { WindowRequests } from '../../src/state/requests/pane-requests.js';
import { requestKinds } from '../../src/state/requests/request-kinds.js';
import { type Behaviour, clicksOn, KINDS, listOf, normal, tastes } from './arm-world.js';

/** A logger that shows its best list or, half of the time, one drawn at random, and logs by what chance. */
export interface LoggedWorld {
  readonly seed: number;
  readonly behaviour: Behaviour;
  /** What its propensities are of. */
  readonly of: 'slot' | 'conditional';
  readonly requests?: number;
  /** Noise of the logger's own lists. */
  readonly noise?: number;
  /** Noise of the challenger's; without it, it draws its lists as the logger does. */
  readonly challenger?: number;
  /** How many items there are, 6, and places, 3. */
  readonly items?: number;
  readonly places?: number;
  /** How many models draw lists, in turn. */
  readonly loggers?: 1 | 2;
  /** What is logged is so many times the chance. */
  readonly logs?: number;
  /** Share of the requests without a list of the challenger, and of those without propensities. */
  readonly lacks?: number;
  readonly isLost?: number;
  readonly targets?: readonly string[];
}

const USERS = 400;
const NONE = 0xffff;

/**
 * The verdict on a challenger from a logger's requests, and each model's mean reward per request.
 */
export function loggedVerdict(world: LoggedWorld): {
  verdict: PairVerdict;
  values: WindowValues;
  truth: { readonly logger: number; readonly chal: number };
} {
  const { pane, truth } = loggedRequests(world);
  const options: ValueOptions = {
    horizonMs: 0,
    unit: 'request',
    theta: [1, 0.7, 0.5],
    targets: world.targets,
  };
  const valued = valueOfWindows([pane], ['logger', 'chal', 'other'], options);
  const values = valued({ firstPane: 0, lastPane: 0, to: 1e9 });
  const [verdict] = judge(byPair(values.evidence), { from: 0, to: 1e9 });
  return { verdict: verdict!, values, truth };
}

function loggedRequests({ seed, behaviour, of, ...world }: LoggedWorld) {
  const { requests = 6000, noise = 1, challenger, items: all = 6, places = 3 } = world;
  const { loggers = 1, logs = 1, lacks = 0, isLost = 0 } = world;
  const random = new Random(seed, 'logged');
  const liked = tastes(random, all);
  const user = Int32Array.from({ length: requests }, () => random.below(USERS));
  const firstItem = new Int32Array(requests + 1);
  const items: number[] = [];
  const rewards: number[] = [];
  const propensity: number[] = [];
  const ranks: number[][] = [[], []];
  const kinds: number[] = [];
  const logged: number[] = [];
  const truth = { logger: 0, chal: 0 };
  const draw = (own: readonly number[]) =>
    random.next() < 0.5 ? [...own] : anyList(random, all, places);
  for (let q = 0; q < requests; q++) {
    const taste = liked[user[q]! % KINDS]!;
    const mood = Math.exp(0.5 * normal(random) - 0.125);
    const own = listOf(noise, taste, random, places);
    const shown = draw(own);
    const other = challenger === undefined ? draw(own) : listOf(challenger, taste, random, places);
    const hasOther = random.next() >= lacks;
    const isLogged = random.next() >= isLost;
    const clicked = clicksOn(shown, taste, mood, behaviour, random);
    truth.logger += clicked.length / requests;
    truth.chal += clicksOn(other, taste, mood, behaviour, random).length / requests;
    const chances = chancesOf(shown, own, of, all).map((chance) => logs * chance);
    // What was shown comes first, from the top.
    kinds.push(hasOther ? 1 : 0);
    logged.push(isLogged ? 1 + PROPENSITY_KINDS.indexOf(of) : 0);
    for (const item of new Set([...shown, ...(hasOther ? other : [])])) {
      const place = shown.indexOf(item);
      items.push(item);
      for (const [m, list] of [shown, other].entries()) {
        const rank = m === 0 || hasOther ? list.indexOf(item) : -1;
        ranks[m]!.push(rank < 0 ? NONE : rank);
      }
      rewards.push(clicked.includes(place) ? 1 : 0);
      propensity.push(place < 0 || !isLogged ? 0 : chances[place]!);
    }
    firstItem[q + 1] = items.length;
  }
  const pane: WindowRequests = {
    pane: 0,
    level: 0,
    listedLevel: 0,
    places,
    length: requests,
    user,
    kind: Int32Array.from(kinds),
    firstItem,
    // One more that draws them is in the place behind the challenger.
    served: Uint16Array.from({ length: requests }, (_, q) => (q % loggers === 0 ? 0 : 2)),
    cluster: Uint8Array.from(user, (u) => (u * 40503) & 63),
    userHash: Int32Array.from(user, (u) => Math.imul(u + 1, 2654435761)),
    ts: Float64Array.from({ length: requests }, (_, q) => q),
    depth: new Uint8Array(requests),
    kinds: requestKinds(
      [[0], [0, 1]].map((own) => {
        const listed = loggers === 2 ? [...own, 2] : own;
        return { models: listed, shares: listed.map(() => Number.NaN) };
      }),
    ),
    items: {
      length: items.length,
      item: Int32Array.from(items),
      reward: Float64Array.from(rewards),
      ranks: [...ranks, ranks[0]!].map((column) => Uint16Array.from(column)),
    },
    logged: {
      kind: Uint8Array.from(logged),
      propensity: Float32Array.from(propensity),
      wholeLevel: 0,
    },
  };
  return { pane, truth };
}

function anyList(random: Random, items: number, places: number): number[] {
  const left = Array.from({ length: items }, (_, item) => item);
  return Array.from({ length: places }, () => left.splice(random.below(left.length), 1)[0]!);
}

/** By place the chance of its item, at any list or given those above. */
function chancesOf(
  shown: readonly number[],
  own: readonly number[],
  of: LoggedWorld['of'],
  items: number,
): number[] {
  if (of === 'slot') {
    return shown.map((item, k) => 0.5 / items + (own[k] === item ? 0.5 : 0));
  }
  let isOwn = true;
  let byChance = 1;
  let before = 1;
  return shown.map((item, k) => {
    isOwn &&= own[k] === item;
    byChance /= items - k;
    const all = 0.5 * byChance + (isOwn ? 0.5 : 0);
    const given = all / before;
    before = all;
    return given;
  });
}
