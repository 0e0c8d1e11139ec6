import { Random } from '../../src/estimators/mathematics/random.js';
import { FIRST_VALUE } from '../../src/events/dimensions.js';
import { byPair, judge } from '../../src/features/judge.js';
import { valueOfWindows } from '../../src/features/values/value-of-windows.js';
import type { ValueOptions } from '../../src/features/values/value-options.js';
import type { WindowValues } from '../../src/features/values/window-values.js';
import type { PairVerdict } from '../../src/features/verdict.js';
import { historyCode, type WindowRequests } from '../../src/state/requests/pane-requests.js';
import { requestKinds } from '../../src/state/requests/request-kinds.js';

/**
 * How users go through a list: each place on its own; from the top until most stop at a click, or half
 * do; by what the whole list is worth; at most one click, by choice among what is shown.
 */
export type Behaviour = 'places' | 'cascade' | 'half cascade' | 'slate' | 'choice';

/** By how they go from the top, the chance that a click is the last one. */
const STOPS: Readonly<Partial<Record<Behaviour, number>>> = { cascade: 0.8, 'half cascade': 0.5 };

/** Who decides which arm a request is served. */
export type Draw =
  | 'request'
  | 'user'
  | 'taste'
  | 'kept taste'
  | 'weak kept taste'
  | 'mood'
  | 'sessions'
  | 'by turns';

/** A model: how much noise its scores have; the less, the better its lists. */
export interface WorldModel {
  readonly name: string;
  readonly noise: number;
  /** That for users on a desktop, where it is another. */
  readonly onDesktop?: number;
  /** Share of the requests that it serves; 0 for a challenger. */
  readonly share: number;
  /** The share that its lists state, where that is another. */
  readonly states?: number;
  /** Its lists are drawn at random. */
  readonly isRandom?: boolean;
  /** Lists of this model, or its own, with the places behind the first `keeps` drawn again. */
  readonly like?: string;
  readonly keeps?: number;
  /** Its list is that of the arm, whichever is drawn. */
  readonly followsArm?: boolean;
  /** Share of requests without its list; `poor`: those where little is earned. */
  readonly lacks?: number;
  readonly lacksWhere?: 'anywhere' | 'poor';
}

export interface ArmWorld {
  readonly seed: number;
  readonly behaviour?: Behaviour;
  readonly draw?: Draw;
  readonly requests?: number;
  readonly users?: number;
  readonly models: readonly WorldModel[];
  /** Whether lists state their shares. */
  readonly isStated?: boolean;
  /** Share of users who click on whatever they are shown. */
  readonly clickers?: number;
  /** So many clicks a user has for all lists together: what one list takes, the next lacks. */
  readonly budget?: number;
  /** How much all users click at a time, a stretch of requests each: its spread as a logarithm. */
  readonly tides?: number;
  /** Requests of one crawler, which clicks on nothing or on everything. */
  readonly crawler?: number;
  /** Items that lists drawn at random say they are of; 40 are right. */
  readonly candidates?: number;
  /** What is known of users: how much they did before, and whether active kinds have another device. */
  readonly knows?: 'history' | 'device';
  readonly options?: Partial<ValueOptions>;
  /** How deep hashes of requests lie of which all lists are kept. */
  readonly listedLevel?: number;
}

const ITEMS = 40;
export const KINDS = 7;
const PLACES = 5;
const LOOKS = [1, 0.7, 0.5, 0.4, 0.3];
const NONE = 0xffff;
/** Requests of a stretch of time, which one arm serves where arms take turns. */
const TURN = 100;

/** What each kind of user likes: the chance of a click where an item is looked at. */
export function tastes(random: Random, items = ITEMS): Float64Array[] {
  return Array.from({ length: KINDS }, () =>
    Float64Array.from({ length: items }, () => Math.min(0.9, 0.08 * Math.exp(normal(random)))),
  );
}

export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** The chance that exactly these places are clicked is not needed: one draw of the clicked places. */
export function clicksOn(
  list: readonly number[],
  taste: Float64Array,
  mood: number,
  behaviour: Behaviour,
  random: Random,
): number[] {
  const likes = list.map((item) => Math.min(0.95, mood * taste[item]!));
  const clicked: number[] = [];
  if (behaviour === 'choice') {
    let left = random.next() * (0.6 + likes.reduce((sum, like) => sum + like, 0));
    for (const [k, like] of likes.entries()) {
      left -= like;
      if (left < 0) return [k];
    }
    return [];
  }
  // A list that is good as a whole makes users look further.
  const worth = likes.reduce((sum, like) => sum + like, 0) / list.length;
  const stops = STOPS[behaviour];
  for (const [k, like] of likes.entries()) {
    const look =
      stops !== undefined
        ? 1
        : behaviour === 'slate'
          ? LOOKS[k]! * Math.min(1, 6 * worth)
          : LOOKS[k]!;
    if (random.next() >= look * like) continue;
    clicked.push(k);
    if (stops !== undefined && random.next() < stops) return clicked;
  }
  return clicked;
}

/** Logarithms of tastes: each list of a user takes all. */
const logs = new WeakMap<Float64Array, Float64Array>();

function logsOf(taste: Float64Array): Float64Array {
  const found = logs.get(taste) ?? taste.map(Math.log);
  logs.set(taste, found);
  return found;
}

export function listOf(
  noise: number,
  taste: Float64Array,
  random: Random,
  places = PLACES,
): number[] {
  const list: number[] = Array(places).fill(-1);
  const scores = new Float64Array(places).fill(Number.NEGATIVE_INFINITY);
  const liked = logsOf(taste);
  for (let item = 0; item < taste.length; item++) {
    const score = liked[item]! + noise * normal(random);
    let k = places - 1;
    if (score <= scores[k]!) continue;
    for (; k > 0 && score > scores[k - 1]!; k--) {
      list[k] = list[k - 1]!;
      scores[k] = scores[k - 1]!;
    }
    list[k] = item;
    scores[k] = score;
  }
  return list;
}

/** The first places of another list, and others behind them. */
function tailOf(
  list: readonly number[],
  keeps: number,
  noise: number,
  taste: Float64Array,
  random: Random,
) {
  const head = list.slice(0, keeps);
  const rest = listOf(noise, taste, random).filter((item) => !head.includes(item));
  const more = Array.from({ length: ITEMS }, (_, item) => item).filter(
    (item) => !head.includes(item) && !rest.includes(item),
  );
  return [...head, ...rest, ...more].slice(0, PLACES);
}

/** The requests of a world, and each model's mean reward per request. */
export function armRequests(world: ArmWorld): {
  pane: WindowRequests;
  truth: ReadonlyMap<string, number>;
} {
  const {
    seed,
    behaviour = 'places',
    draw = 'request',
    requests = 2800,
    users = 400,
    models,
  } = world;
  const { candidates = ITEMS, tides = 0 } = world;
  const ofTime = new Random(seed, 'tides');
  let tide = 1;
  const { isStated = true, crawler = 0, clickers = 0, budget = Number.POSITIVE_INFINITY } = world;
  const spent = new Map<number, number>();
  const random = new Random(seed, 'world');
  const liked = tastes(random);
  const total = requests + crawler;
  const known = knownUsers(seed, users + 1);
  const user = new Int32Array(total);
  const served = new Uint16Array(total);
  const kind = new Int32Array(total);
  const firstItem = new Int32Array(total + 1);
  const items: number[] = [];
  const rewards: number[] = [];
  const ranks: number[][] = models.map(() => []);
  const shares = models.map(({ share, states = share }) =>
    isStated && share > 0 ? states : Number.NaN,
  );
  const arms = models.map((_, m) => m).filter((m) => models[m]!.share > 0);
  const kept = new Map<number, number>();
  const truth = new Map<string, number>();
  const kinds: { models: number[]; shares: number[] }[] = [];
  const kindOf = new Map<string, number>();
  const drawn = {
    model: new Uint16Array(total).fill(NONE),
    candidates: new Int32Array(total),
    start: new Uint8Array(total),
    end: new Uint8Array(total).fill(PLACES),
  };
  const byShare = (value: number) => {
    let left = value;
    for (const m of arms) {
      left -= models[m]!.share;
      if (left < 0) return m;
    }
    return arms.at(-1)!;
  };
  for (let q = 0; q < total; q++) {
    const isCrawler = q >= requests;
    const u = isCrawler ? users : random.below(users);
    user[q] = u;
    const of = u % KINDS;
    const taste = liked[of]!;
    if (tides > 0 && q % TURN === 0) tide = Math.exp(tides * normal(ofTime));
    const mood = tide * Math.exp(0.5 * normal(random) - 0.125);
    const lists: (number[] | undefined)[] = [];
    const whole: number[][] = [];
    for (const [m, model] of models.entries()) {
      const { noise, onDesktop = noise } = model;
      const own = { ...model, noise: known[u]!.isDesktop ? onDesktop : noise };
      const like = models.findIndex(({ name }) => name === own.like);
      const list =
        own.isRandom === true
          ? shuffled(random).slice(0, PLACES)
          : like >= 0 || own.keeps !== undefined
            ? tailOf(
                whole[like] ?? listOf(own.noise, taste, random),
                own.keeps ?? PLACES,
                own.noise,
                taste,
                random,
              )
            : listOf(own.noise, taste, random);
      const isLost =
        own.lacksWhere === 'poor'
          ? mood < 0.65 && random.next() < (own.lacks ?? 0) * 3
          : random.next() < (own.lacks ?? 0);
      whole[m] = list;
      lists[m] = isLost ? undefined : list;
      const earned = clicksOn(list, taste, mood, behaviour, random).length / requests;
      if (!isCrawler) truth.set(own.name, (truth.get(own.name) ?? 0) + earned);
    }
    const arm = armOf(draw, { u, of, mood, q, random, byShare, kept, arms });
    served[q] = arm;
    // What is served is logged.
    lists[arm] = whole[arm];
    for (const [m, { followsArm }] of models.entries()) if (followsArm) lists[m] = whole[arm];
    const list = whole[arm]!;
    const clicksAll = isCrawler || u < clickers * users;
    const wanted = clicksAll ? [0, 1, 2, 3, 4] : clicksOn(list, taste, mood, behaviour, random);
    const clicked = wanted.slice(0, Math.max(0, budget - (spent.get(u) ?? 0)));
    spent.set(u, (spent.get(u) ?? 0) + clicked.length);
    const named: number[] = [];
    for (let m = 0; m < lists.length; m++) if (lists[m] !== undefined) named.push(m);
    const name = named.join();
    if (!kindOf.has(name))
      kindOf.set(name, kinds.push({ models: named, shares: named.map((m) => shares[m]!) }) - 1);
    kind[q] = kindOf.get(name)!;
    for (const own of lists) {
      for (const item of own ?? []) {
        if (items.indexOf(item, firstItem[q]) >= 0) continue;
        items.push(item);
        for (let m = 0; m < lists.length; m++) {
          const rank = lists[m]?.indexOf(item) ?? -1;
          ranks[m]!.push(rank < 0 ? NONE : rank);
        }
        const place = list.indexOf(item);
        rewards.push(place >= 0 && clicked.includes(place) ? 1 : 0);
      }
    }
    firstItem[q + 1] = items.length;
    const random0 = models.findIndex(({ isRandom }) => isRandom === true);
    if (random0 >= 0) {
      drawn.model[q] = random0;
      drawn.candidates[q] = candidates;
    }
  }
  const pane: WindowRequests = {
    pane: 0,
    level: 0,
    listedLevel: world.listedLevel ?? 0,
    places: PLACES,
    length: total,
    user,
    served,
    kind,
    firstItem,
    cluster: Uint8Array.from(user, (u) => (u * 40503) & 63),
    ts: Float64Array.from({ length: total }, (_, q) => q),
    ...knownOf(world, user, known),
    depth: new Uint8Array(total),
    kinds: requestKinds(kinds),
    items: {
      length: items.length,
      item: Int32Array.from(items),
      reward: Float64Array.from(rewards),
      ranks: ranks.map((own) => Uint16Array.from(own)),
    },
    ...(models.some(({ isRandom }) => isRandom) && { drawn }),
  };
  return { pane, truth };
}

/** Active kinds did more before, and are more often on a desktop. */
function knownUsers(seed: number, users: number) {
  const random = new Random(seed, 'known');
  return Array.from({ length: users }, (_, u) => {
    const isActive = u % KINDS >= 4;
    const history = Math.floor((isActive ? 8 : 4) * -Math.log(1 - random.next()));
    return { history, isDesktop: random.next() < (isActive ? 0.8 : 0.2) };
  });
}

function knownOf(
  { knows }: ArmWorld,
  user: Int32Array,
  known: ReturnType<typeof knownUsers>,
): Partial<WindowRequests> {
  if (knows === 'history')
    return { history: Uint8Array.from(user, (u) => historyCode(known[u]!.history)) };
  if (knows === undefined) return {};
  const codes = [Uint16Array.from(user, (u) => FIRST_VALUE + (known[u]!.isDesktop ? 1 : 0))];
  return {
    segments: { dimensions: ['device'], names: [['', '', 'mobile', 'desktop']], codes },
  };
}

function shuffled(random: Random): number[] {
  const all = Array.from({ length: ITEMS }, (_, item) => item);
  for (let i = 0; i < PLACES; i++) {
    const j = i + random.below(ITEMS - i);
    [all[i], all[j]] = [all[j]!, all[i]!];
  }
  return all;
}

interface Drawing {
  u: number;
  of: number;
  mood: number;
  q: number;
  random: Random;
  byShare: (value: number) => number;
  kept: Map<number, number>;
  arms: readonly number[];
}

/** Active kinds take the last arm more often, or each user keeps what they took; or the mood decides. */
function armOf(draw: Draw, { u, of, mood, q, random, byShare, kept, arms }: Drawing): number {
  const keep = (arm: () => number) => {
    if (!kept.has(u)) kept.set(u, arm());
    return kept.get(u)!;
  };
  const byTaste = (weak = 0) =>
    random.next() < (of < 4 ? 0.25 + weak : 0.75 - weak) ? arms[0]! : arms[1]!;
  switch (draw) {
    case 'request':
      return byShare(random.next());
    case 'user':
      return keep(() => byShare(random.next()));
    case 'taste':
      return byTaste();
    case 'kept taste':
      return keep(byTaste);
    case 'weak kept taste':
      return keep(() => byTaste(0.15));
    case 'by turns':
      return arms[Math.floor(q / TURN) % arms.length]!;
    case 'mood':
      return random.next() < (mood > 0.9 ? 0.7 : 0.3) ? arms[0]! : arms[1]!;
    case 'sessions':
      return (Math.imul(u + 1, 2654435761) ^ Math.imul(Math.floor(q / 700) + 1, 40503)) & 64
        ? arms[0]!
        : arms[1]!;
  }
}

/** What one look at all requests of a world says. */
export function verdictsOn(world: ArmWorld): {
  verdicts: PairVerdict[];
  values: WindowValues;
  truth: ReadonlyMap<string, number>;
} {
  const { pane, truth } = armRequests(world);
  const names = world.models.map(({ name }) => name);
  const given: ValueOptions = {
    horizonMs: 0,
    unit: 'request',
    isWholeLog: true,
    ...world.options,
  };
  const valued = valueOfWindows([pane], names, given);
  const values = valued({ firstPane: 0, lastPane: 0, to: 1e9 });
  return { verdicts: judge(byPair(values.evidence), { from: 0, to: 1e9 }), values, truth };
}
