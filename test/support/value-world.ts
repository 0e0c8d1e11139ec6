import { Random } from '../../src/estimators/mathematics/random.js';
import type { ServedLog } from '../../src/features/values/arms/served-log.js';
import { NOT_IN_LIST } from '../../src/state/panes/window-part.js';

/** Users who click each place on its own, who stop at a click, or who judge the list as a whole. */
export type Users = 'position' | 'cascade' | 'slate';

export interface WorldOptions {
  readonly seed: number;
  readonly requests: number;
  /** Requests of a user, on average. */
  readonly perUser?: number;
  readonly users?: Users;
  /** Shares that are really used, by stratum; strata are equally long. */
  readonly shares?: readonly (readonly number[])[];
  /** The shares that the log declares. */
  readonly declared?: readonly (readonly number[])[];
  readonly unit?: 'request' | 'user';
  /** Whether each user is a cluster, instead of 64 groups of them. */
  readonly isByUser?: boolean;
  /** How much clicks there are in all. */
  readonly level?: number;
  /** How much that grows from the first stratum to the last. */
  readonly trend?: number;
  /** The chance that the lists of a request are lost, where B is served. */
  readonly lost?: number;
  /** Share of requests whose list is drawn at random from all items. */
  readonly drawn?: number;
  /**
   * How far the share of A is above half for users who click much, and below for the others, and a
   * twentieth to and fro from request to request; shares by strata are not used then.
   */
  readonly personal?: number;
  /** The logged value of such a share. */
  readonly says?: (share: number) => number;
  /** Whether rewards are predicted: half of what an item earns of all users, and a tenth. */
  readonly isPredicted?: boolean;
  /** The chance that a challenger's list repeats what the user's arm shows: its history. */
  readonly follows?: number;
}

export const WORLD_THETA = [1, 0.7, 0.5, 0.35, 0.28, 0.22];
export const WORLD_MODELS = ['A', 'B', 'near', 'best', 'niche'];
const ARMS = 2;
const TYPES = 40;
const ITEMS = 14;
const PLACES = WORLD_THETA.length;
const GROUPS = 64;
const STEADINESS = [0.4, 1.6];

const EVERY_ITEM = [...new Array(ITEMS).keys()];
const NOWHERE = new Int32Array(ITEMS).fill(NOT_IN_LIST);

function ranksIn(list: Int32Array): Int32Array {
  const own = NOWHERE.slice();
  for (const [k, item] of list.entries()) own[item] = k;
  return own;
}

interface RequestType {
  readonly worth: Float64Array;
  /** By model: items, best first. */
  readonly lists: readonly Int32Array[];
  /** By model and item. */
  readonly ranks: readonly Int32Array[];
  /** Items of any list. */
  readonly listed: readonly number[];
}

/** The lists of forty kinds of requests: arms A (fair) and B (random), and three that are not served. */
function requestTypes(random: Random, level: number): RequestType[] {
  return Array.from({ length: TYPES }, () => {
    const worth = Float64Array.from({ length: ITEMS }, () => level * 0.5 * random.next() ** 2);
    const ranked = (score: (item: number) => number) => {
      const scores = Array.from({ length: ITEMS }, (_, item) => score(item));
      return Int32Array.from(scores.keys()).sort((i, j) => scores[j] - scores[i]);
    };
    const fair = ranked((item) => worth[item] + 0.15 * level * random.normal());
    const near = fair.slice();
    [near[0], near[3]] = [near[3], near[0]];
    const lists = [
      fair,
      ranked(() => random.next()),
      near,
      ranked((item) => worth[item]),
      ranked((item) => -worth[item]),
    ];
    const cut = lists.map((list) => list.slice(0, PLACES));
    const ranks = cut.map(ranksIn);
    return { worth, lists: cut, ranks, listed: [...new Set(cut.flatMap((list) => [...list]))] };
  });
}

/** Traffic with known truth; everything follows from the seed. */
export class ValueWorld {
  readonly options: Required<WorldOptions>;
  readonly #types: readonly RequestType[];
  readonly #random: Random;

  constructor(options: WorldOptions) {
    const shares = options.shares ?? [[0.5, 0.5]];
    this.options = {
      perUser: 4,
      users: 'position',
      unit: 'request',
      level: 0.3,
      trend: 0,
      lost: 0,
      follows: 0,
      drawn: 0,
      isByUser: false,
      personal: 0,
      isPredicted: false,
      says: (share: number) => share,
      declared: options.declared ?? shares,
      ...options,
      shares,
    };
    // The lists are the same in all replicates, so that the truth is.
    this.#types = requestTypes(new Random(7, 'types'), this.options.level);
    this.#random = new Random(options.seed, 'requests');
  }

  /** Expected reward of a request, for each model; or of its items that an arm shows. */
  truth(isSupported = false): number[] {
    return WORLD_MODELS.map((_, m) => {
      let sum = 0;
      for (const type of this.#types) {
        const shown = new Set([...type.lists[0], ...type.lists[1]]);
        for (const steadiness of STEADINESS) {
          const chances = this.#chances(type, type.lists[m], steadiness);
          for (const [k, chance] of chances.entries()) {
            if (!isSupported || this.options.drawn > 0 || shown.has(type.lists[m][k]))
              sum += chance;
          }
        }
      }
      // The trend is even around 1.
      return sum / (TYPES * STEADINESS.length);
    });
  }

  /** The requests whose lists are known, and the share of all that they are. */
  draw(): { log: ServedLog; complete: number } {
    const { requests, shares, declared, lost, drawn: random, isByUser, perUser } = this.options;
    const { personal, says, isPredicted } = this.options;
    const whole = () => new Int32Array(requests);
    const arm = whole();
    const stratum = whole();
    const cluster = whole();
    const most = requests * ITEMS;
    const request = new Int32Array(most);
    const reward = new Uint8Array(most);
    const names = random > 0 ? [...WORLD_MODELS, 'random'] : WORLD_MODELS;
    const ranks = names.map(() => new Uint16Array(most));
    const predicted = new Float64Array(isPredicted ? most : 0);
    const share = new Float64Array(personal > 0 ? ARMS * requests : 0);
    let length = 0;
    let kept = 0;
    for (let q = 0; q < requests; q++) {
      stratum[kept] = Math.floor((q * shares.length) / requests);
      const drawn = this.#request(stratum[kept]);
      if (drawn.arm === 1 && lost > 0 && this.#random.next() < lost) continue;
      arm[kept] = drawn.arm;
      cluster[kept] = drawn.cluster;
      if (personal > 0) share.set([says(drawn.share), 1 - says(drawn.share)], ARMS * kept);
      for (const item of random > 0 ? EVERY_ITEM : drawn.type.listed) {
        request[length] = kept;
        reward[length] = drawn.rewards[item];
        if (isPredicted) predicted[length] = 0.1 + 0.5 * drawn.type.worth[item];
        for (let m = 0; m < ranks.length; m++) ranks[m][length] = drawn.ranks[m][item];
        length++;
      }
      kept++;
    }
    const candidates = new Int32Array(kept).fill(ITEMS);
    if (random === 1) arm.fill(0);
    const clusters = isByUser ? Math.ceil(requests / perUser) : GROUPS;
    const log: ServedLog = {
      models: names,
      ...designOf(random, declared),
      clusters,
      requests: {
        length: kept,
        arm,
        stratum,
        cluster,
        candidates,
        ...(personal > 0 && { share: share.subarray(0, ARMS * kept) }),
      },
      items: { length, request, reward, ranks, ...(isPredicted && { predicted }) },
    };
    return { log, complete: kept / requests };
  }

  #request(stratum: number) {
    const { seed, requests, perUser, shares, unit, follows, trend, personal } = this.options;
    const random = this.#random;
    const user = random.below(Math.ceil(requests / perUser));
    const steadiness = STEADINESS[hash(seed, user, 'steadiness') < 0.5 ? 0 : 1];
    const cluster = this.options.isByUser ? user : Math.floor(GROUPS * hash(seed, user, 'cluster'));
    const type = this.#types[random.below(TYPES)];
    const at = unit === 'user' ? hash(seed, user, 'arm') : random.next();
    const isDrawn = this.options.drawn > 0 && random.next() < this.options.drawn;
    const towards = steadiness === STEADINESS[1] ? personal : -personal;
    // Another number for each request, so that no share comes twice.
    const own = personal > 0 ? 0.5 + towards + 0.1 * (random.next() - 0.5) : shares[stratum][0];
    const arm = isDrawn ? ARMS : at < own ? 0 : 1;
    const ranks = type.ranks.map((own, m) =>
      m >= ARMS && follows > 0 && random.next() < follows ? type.ranks[arm] : own,
    );
    const moved = 1 + trend * ((2 * stratum + 1) / shares.length - 1);
    const list = isDrawn ? this.#drawnList() : type.lists[arm];
    const rewards = this.#clicks(type, list, steadiness * moved);
    if (this.options.drawn > 0) ranks.push(isDrawn ? ranksIn(list) : NOWHERE);
    return { type, cluster, arm, ranks, rewards, share: own };
  }

  #drawnList(): Int32Array {
    const items = Int32Array.from(EVERY_ITEM);
    this.#random.shuffle(items);
    return items.slice(0, PLACES);
  }

  #clicks(type: RequestType, list: Int32Array, steadiness: number): Float64Array {
    const rewards = new Float64Array(ITEMS);
    const trust = this.#trust(type, list);
    const isCascade = this.options.users === 'cascade';
    for (let k = 0; k < list.length; k++) {
      const theta = isCascade ? 1 : WORLD_THETA[k];
      if (this.#random.next() >= trust * theta * steadiness * type.worth[list[k]]) continue;
      rewards[list[k]] = 1;
      if (isCascade) break;
    }
    return rewards;
  }

  /** The chance of a click at each place. */
  #chances(type: RequestType, list: Int32Array, steadiness: number): number[] {
    const own = [...list].map((item) => steadiness * type.worth[item]);
    if (this.options.users === 'cascade') {
      return own.map((each, k) => own.slice(0, k).reduce((left, one) => left * (1 - one), each));
    }
    const trust = this.#trust(type, list);
    return own.map((each, k) => Math.min(1, trust * WORLD_THETA[k] * each));
  }

  /** A good first place makes the whole list trusted, where it is judged as a whole. */
  #trust({ worth }: RequestType, list: Int32Array): number {
    if (this.options.users !== 'slate') return 1;
    return worth[list[0]] > 0.2 * this.options.level ? 1.2 : 0.6;
  }
}

/** The two arms, and lists drawn at random beside them, or alone. */
function designOf(
  random: number,
  declared: readonly (readonly number[])[],
): Pick<ServedLog, 'arms' | 'shares'> {
  const arms = [{ list: 0 }, { list: 1 }];
  const drawn = { list: WORLD_MODELS.length, isUniform: true };
  if (random === 0) return { arms, shares: declared };
  if (random === 1) return { arms: [drawn], shares: declared.map(() => [1]) };
  const shares = declared.map((each) => [...each.map((one) => one * (1 - random)), random]);
  return { arms: [...arms, drawn], shares };
}

/** A number in [0, 1) that stays with a user. */
function hash(seed: number, user: number, of: string): number {
  return new Random(seed * 1_000_003 + user, of).next();
}
