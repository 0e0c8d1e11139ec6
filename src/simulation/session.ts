import type { Random } from '../estimators/mathematics/random.js';
import type { ExposureEvent, InteractionEvent } from '../events/encode.js';
import type { Causation } from './causation.js';
import type { LoggingPolicy } from './logging-policy.js';
import {
  LOGGING_MODEL,
  nameOf,
  type SimulatedModel,
  type SimulationOptions,
  UNIFORM_MODEL,
} from './options.js';
import { epsilonList, type Lists } from './rankers.js';
import type { World } from './world.js';

/**
 * An event of the log. `positiveItem` is the index of the item of a positive interaction; −1 for
 * other events.
 */
export interface SessionEvent {
  readonly ts: number;
  readonly positiveItem: number;
  readonly event: (ExposureEvent | InteractionEvent) & { readonly ts: number };
}

/** Collects the events of one session: exposures, then interactions. */
class SessionLog {
  readonly events: SessionEvent[] = [];
  readonly #itemIds: readonly string[];
  readonly #user: string;
  readonly #start: number;
  /** Unique name of the session, from user and start. */
  readonly name: string;
  #interactions = 0;

  constructor(itemIds: readonly string[], user: string, start: number) {
    this.#itemIds = itemIds;
    this.#user = user;
    this.#start = start;
    this.name = `${user}-${start.toString(36)}`;
  }

  /** Add an exposure at the start of the session. @returns its id */
  expose(model: string, list: ArrayLike<number>, flags: ExposureFlags): string {
    const id = `${this.name}-${model}`;
    const ts = this.#start;
    const items = Array.from(list, (item) => this.#itemIds[item]);
    this.events.push({
      ts,
      positiveItem: -1,
      event: {
        type: 'exposure',
        id,
        ts,
        user: this.#user,
        model,
        items,
        ...flags,
      },
    });
    return id;
  }

  interact(item: number, isPositive: boolean, ts: number, exposure: string | undefined): void {
    this.events.push({
      ts,
      positiveItem: isPositive ? item : -1,
      event: {
        type: 'interaction',
        id: `${this.name}-${this.#interactions++}`,
        ts,
        user: this.#user,
        item: this.#itemIds[item],
        action: isPositive ? 'click' : 'view',
        value: isPositive ? 1 : 0,
        ...(exposure === undefined ? {} : { exposure }),
      },
    });
  }
}

type ExposureFlags = Pick<ExposureEvent, 'shown' | 'randomized' | 'candidates' | OfRequest>;
type OfRequest = 'request' | 'share' | 'depth' | 'propensities' | 'propensityOf';

/** Lists of several models, by the model's name in the log. */
type NamedLists = ReadonlyMap<string, Lists>;

/** Probability that a user interacts with a relevant item of a uniformly random list. */
const UNIFORM_RESPONSE = 0.5;

/** Creates sessions one after another, with shared buffers. */
export class SessionMaker {
  readonly #world: World;
  readonly #options: SimulationOptions;
  readonly #policy: LoggingPolicy;
  readonly #random: Random;
  /** Cumulative target popularity, to draw viewed items by. */
  readonly #cumulative: Float64Array;
  /** For each item, the number of the last session in which the item was relevant or viewed. */
  readonly #taken: Int32Array;
  readonly #order: Int32Array;
  readonly #causation: Causation;
  readonly #naming: 'shown' | 'caused' | 'none';
  /**
   * For each item, the number of the last session in which the user of the session interacted with
   * the item positively.
   */
  readonly #found: Int32Array;
  #session = 0;

  constructor(
    world: World,
    options: SimulationOptions,
    policy: LoggingPolicy,
    random: Random,
    causation: Causation,
  ) {
    this.#world = world;
    this.#causation = causation;
    this.#naming = options.naming ?? 'caused';
    this.#found = new Int32Array(options.items);
    this.#options = options;
    this.#policy = policy;
    this.#random = random;
    let sum = 0;
    this.#cumulative = world.targetPopularity.map((n) => {
      sum += n;
      return sum;
    });
    this.#taken = new Int32Array(options.items);
    this.#order = Int32Array.from({ length: options.items }, (_, i) => i);
  }

  /**
   * Create the events of a session: exposures at `start`, and interactions before start +
   * sessionMs.
   *
   * @param guests lists of further shadow models, which do not change any other event
   */
  make(user: number, start: number, rankers: NamedLists, guests: NamedLists): SessionEvent[] {
    this.#session++;
    const { userIds, itemIds, relevant, propensity } = this.#world;
    const log = new SessionLog(itemIds, userIds[user], start);
    const { list, id } = this.#expose(log, user, rankers, guests);
    const shownId = (item: number) =>
      this.#naming === 'shown' && list.includes(item) ? id : undefined;
    for (const item of relevant[user]) {
      this.#taken[item] = this.#session;
      if (this.#random.next() >= propensity[item] * this.#causation.ownInitiative) continue;
      this.#found[item] = this.#session;
      log.interact(item, true, this.#within(start), shownId(item));
    }
    if (this.#causation.attraction > 0) {
      this.#click(log, start, list, id);
    }
    if (this.#random.next() < this.#options.randomizedShare) {
      this.#randomize(log, start);
    }
    for (const item of this.#drawViews(relevant[user].length)) {
      log.interact(item, false, this.#within(start), shownId(item));
    }
    return log.events;
  }

  /** Add the exposures of all rankers. @returns the shown list and the id of its exposure. */
  #expose(log: SessionLog, user: number, rankers: NamedLists, guests: NamedLists) {
    const { items: candidates, arms = 0, randomArm = 0, logger = 0 } = this.#options;
    const { shownLength: depth } = this.#options;
    const drawn = randomArm > 0 ? this.#drawUniform() : undefined;
    const servesDrawn = drawn !== undefined && this.#random.next() < randomArm;
    const served = arms > 0 && !servesDrawn ? this.#random.below(arms) : -1;
    let shown:
      | {
          list: ArrayLike<number>;
          id: string;
        }
      | undefined;
    let place = 0;
    for (const [ranker, lists] of [...rankers, ...guests]) {
      const list = lists[user];
      const share = place < arms ? { share: (1 - randomArm) / arms } : {};
      const request =
        arms > 0 || logger > 0
          ? {
              request: log.name,
              ...share,
              depth,
            }
          : {};
      if (place++ !== served) {
        log.expose(ranker, list, {
          shown: false,
          candidates,
          ...request,
        });
      } else {
        shown = {
          list,
          id: log.expose(ranker, list, {
            candidates,
            ...request,
          }),
        };
      }
    }
    if (drawn !== undefined) {
      const share = {
        request: log.name,
        share: randomArm,
        depth,
      };
      const flags = {
        ...(servesDrawn ? {} : { shown: false }),
        randomized: true,
        candidates,
      };
      const id = log.expose(this.#nameOf(UNIFORM_MODEL), drawn, {
        ...flags,
        ...share,
      });
      if (servesDrawn) {
        shown = {
          list: drawn,
          id,
        };
      }
    }
    if (logger > 0) {
      const drawn = epsilonList(this.#random, rankers, user, {
        epsilon: logger,
        places: depth,
      });
      const flags = {
        candidates,
        request: log.name,
        depth,
        propensityOf: 'slot' as const,
      };
      const { list, propensities } = drawn;
      shown = {
        list,
        id: log.expose(this.#nameOf(LOGGING_MODEL), list, {
          ...flags,
          propensities,
        }),
      };
    }
    if (shown === undefined) {
      const list = this.#policy.draw(this.#random);
      shown = {
        list,
        id: log.expose(this.#nameOf(LOGGING_MODEL), list, { candidates }),
      };
    }
    return {
      id: shown.id,
      list: Array.from(shown.list),
    };
  }

  /**
   * Add the clicks that the served list drives: on relevant items without an interaction in the
   * session.
   */
  #click(log: SessionLog, start: number, list: readonly number[], id: string): void {
    const { attraction, examination } = this.#causation;
    const exposure = this.#naming === 'none' ? undefined : id;
    list.slice(0, examination.length).forEach((item, k) => {
      const isOpen = this.#taken[item] === this.#session && this.#found[item] !== this.#session;
      if (!isOpen || this.#random.next() >= attraction * examination[k]) return;
      this.#found[item] = this.#session;
      log.interact(item, true, this.#within(start), exposure);
    });
  }

  #nameOf(model: SimulatedModel): string {
    return nameOf(this.#options, model);
  }

  /**
   * Show a uniformly random list. Interactions with it depend on relevance only, not on popularity.
   */
  #randomize(log: SessionLog, start: number): void {
    const drawn = this.#drawUniform();
    const candidates = this.#options.items;
    const id = log.expose(this.#nameOf(UNIFORM_MODEL), drawn, {
      randomized: true,
      candidates,
    });
    for (const item of drawn) {
      const isRelevant = this.#taken[item] === this.#session;
      if (isRelevant && this.#random.next() < UNIFORM_RESPONSE) {
        log.interact(item, true, this.#within(start), id);
      }
    }
  }

  /** Draw a random time within the session, after its exposures. */
  #within(start: number): number {
    return start + 1 + this.#random.below(this.#options.sessionMs - 1);
  }

  #drawUniform(): Int32Array {
    const { shownLength } = this.#options;
    const order = this.#order;
    // First steps of a Fisher–Yates shuffle. The sample is uniform, whatever the order was before.
    for (let i = 0; i < shownLength; i++) {
      const j = i + this.#random.below(order.length - i);
      const kept = order[i];
      order[i] = order[j];
      order[j] = kept;
    }
    return order.slice(0, shownLength);
  }

  /** Draw distinct items that are not relevant, by target popularity. */
  #drawViews(relevant: number): number[] {
    const wanted = Math.floor(this.#options.viewsPerSession + this.#random.next());
    const total = this.#cumulative[this.#cumulative.length - 1];
    const drawn: number[] = [];
    while (drawn.length < Math.min(wanted, this.#options.items - relevant)) {
      const item = firstAbove(this.#cumulative, this.#random.next() * total);
      if (this.#taken[item] === this.#session) continue;
      this.#taken[item] = this.#session;
      drawn.push(item);
    }
    return drawn;
  }
}

/** Find the index of the first value above `x` in ascending values. */
function firstAbove(ascending: Float64Array, x: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ascending[middle] > x) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}
