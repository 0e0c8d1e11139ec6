import { UnskewError } from '../errors.js';
import { Random } from '../estimators/mathematics/random.js';
import { type Causation, causation, type ServedList } from './causation.js';
import { LoggingPolicy } from './logging-policy.js';
import {
  checkOptions,
  DEFAULT_OPTIONS,
  LOGGING_MODEL,
  nameOf,
  type RankerName,
  type SimulationOptions,
  UNIFORM_MODEL,
} from './options.js';
import { epsilonList, type Lists, rankLists } from './rankers.js';
import { type SessionEvent, SessionMaker } from './session.js';
import { type TrueValue, trueValues } from './truth.js';
import { createWorld, type World } from './world.js';

/**
 * Priority queue of future events by time. Events of the same time leave it in the order of
 * arrival.
 */
export class EventQueue<Event extends { readonly ts: number }> {
  // A binary heap in two parallel arrays: heap[i] is not later than heap[2i+1] and heap[2i+2].
  readonly #heap: Event[] = [];
  readonly #sequence: number[] = [];
  #next = 0;

  /** Time of the earliest event; Infinity if the queue is empty. */
  get earliest(): number {
    return this.#heap.length === 0 ? Number.POSITIVE_INFINITY : this.#heap[0].ts;
  }

  push(event: Event): void {
    const sequence = this.#next++;
    let hole = this.#heap.length;
    this.#heap.push(event);
    this.#sequence.push(sequence);
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      if (this.#heap[parent].ts <= event.ts) break;
      this.#place(hole, this.#heap[parent], this.#sequence[parent]);
      hole = parent;
    }
    this.#place(hole, event, sequence);
  }

  /** Remove the earliest event and return it; undefined if the queue is empty. */
  pop(): Event | undefined {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    const sequence = this.#sequence.pop();
    if (last === undefined || sequence === undefined || this.#heap.length === 0) return first;
    let hole = 0;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= this.#heap.length) break;
      if (child + 1 < this.#heap.length && this.#precedes(child + 1, child)) {
        child++;
      }
      if (!this.#isBefore(child, last.ts, sequence)) break;
      this.#place(hole, this.#heap[child], this.#sequence[child]);
      hole = child;
    }
    this.#place(hole, last, sequence);
    return first;
  }

  #place(index: number, event: Event, sequence: number): void {
    this.#heap[index] = event;
    this.#sequence[index] = sequence;
  }

  #precedes(a: number, b: number): boolean {
    return this.#isBefore(a, this.#heap[b].ts, this.#sequence[b]);
  }

  #isBefore(index: number, ts: number, sequence: number): boolean {
    const own = this.#heap[index].ts;
    return own < ts || (own === ts && this.#sequence[index] < sequence);
  }
}

/**
 * Create the clicks of all crawlers in one cycle, evenly spread. Each crawler visits the whole
 * catalogue in turn, so rare items get as many clicks as popular ones. Crawlers get no lists: their
 * clicks count towards popularity, but are not evaluated.
 */
function* crawl(
  { bots = 0, botClicks = DEFAULT_BOT_CLICKS, cycleMs, startMs }: SimulationOptions,
  itemIds: readonly string[],
  cycle: number,
): Generator<SessionEvent, void, undefined> {
  const before = Math.max(0, ((cycle - startMs) / cycleMs) * botClicks);
  for (let bot = 0; bot < bots; bot++) {
    for (let n = 0; n < botClicks; n++) {
      const item = (bot + before + n) % itemIds.length;
      const ts = cycle + Math.floor(((n + 0.5) * cycleMs) / botClicks);
      yield {
        ts,
        positiveItem: item,
        event: {
          type: 'interaction',
          id: `bot${bot}-${cycle.toString(36)}-${n}`,
          ts,
          user: `bot${bot}`,
          item: itemIds[item],
          action: 'click',
          value: 1,
        },
      };
    }
  }
}

const DEFAULT_BOT_CLICKS = 100;

/** An event in canonical form; `ts` is its time, ms. */
export type SimulatedEvent = SessionEvent['event'];

/** Default cut-offs k of true values. */
const DEFAULT_KS = [5, 10, 20];

/**
 * Simulated traffic of a recommender whose true metric values are known.
 *
 * Every user has one session per cycle. It shows a list of the logging policy (exposure ∝ n_i^γ on
 * lagged counts), logs each ranker's list as a shadow exposure, and observes each relevant pair
 * with probability P_i ∝ (n*_i)^((γ+1)/2). So observed pairs favour popular items, and naive
 * metrics favour the rankers that rank popular items high. `truth` returns the true values.
 *
 * Whether a pair is observed does not depend on the list shown in the session, unless lists drive a
 * share of the positive interactions (`causedShare`). `naming` selects the interactions that have
 * the id of the shown list; by default those that the list drove.
 *
 * If rankers serve users (`arms`), a session is a request: its exposures have a request id, and
 * those of an arm have the probability of its assignment. With a stochastic logger (`logger`) a
 * session is a request too, and the shown list has propensities. θ is `examination`, and `rewards`
 * returns the true rewards of lists.
 *
 * The true values hold for windows of about one cycle. In a longer window, a pair has several
 * chances to be observed but counts once: popular pairs saturate, and weights based on P_i correct
 * too much.
 *
 * @example
 * const simulation = new Simulation({ seed: 7, durationMs: 600_000 });
 * [...simulation.events()].length > 0; // true
 * simulation.truth(simulation.options.startMs).length > 0; // true: recall, dcg, mrr of each ranker
 */
export class Simulation {
  readonly options: SimulationOptions;
  readonly world: World;
  readonly #lists = new Map<string, Lists>();
  /** Lists by ranker after the drift. */
  readonly #drifted: ReadonlyMap<string, Lists>;
  /** Lists by ranker before the change of the ranker `drift.earlier`, if there is one. */
  readonly #before: ReadonlyMap<string, Lists>;
  /**
   * Users in the order of their sessions within a cycle; `#phase` has the offset of each user's
   * session.
   */
  readonly #users: Int32Array;
  readonly #phase: Float64Array;
  readonly #causation: Causation;
  readonly #guests = new Map<string, Lists>();

  /**
   * Create the simulated users, items and lists. @throws UnskewError USAGE if an option is out of
   * its range.
   */
  constructor(options: Partial<SimulationOptions> = {}) {
    this.options = {
      ...DEFAULT_OPTIONS,
      ...options,
    };
    checkOptions(this.options);
    const { seed, rankers, drift, users, cycleMs, sessionMs } = this.options;
    this.world = createWorld(this.options, new Random(seed, 'world'));
    for (const ranker of rankers) {
      const random = new Random(seed, `ranker ${ranker}`);
      this.#lists.set(nameOf(this.options, ranker), this.#listsOf(ranker, ranker, random));
    }
    const chasing = (ranker: RankerName) => {
      const random = new Random(seed, `drifted ${ranker}`);
      const lists = this.#listsOf(ranker, 'popular', random);
      return new Map(this.#lists).set(nameOf(this.options, ranker), lists);
    };
    this.#drifted = drift === undefined ? this.#lists : chasing(drift.ranker);
    this.#before = drift?.earlier === undefined ? this.#lists : chasing(drift.earlier.ranker);
    // Sessions end within their cycle, so that a window of whole cycles contains whole sessions.
    const random = new Random(seed, 'sessions');
    this.#phase = Float64Array.from({ length: users }, () => random.below(cycleMs - sessionMs + 1));
    this.#users = Int32Array.from({ length: users }, (_, u) => u);
    this.#users.sort((a, b) => this.#phase[a] - this.#phase[b] || a - b);
    this.#causation = causation(this.world, this.options, this.#sampleOfServed());
  }

  /**
   * Generate the log in event-time order, without end if `durationMs` is not set. Each call
   * generates the same events. Memory: users × rankers × listLength, and the open sessions.
   */
  *events(): Generator<SimulatedEvent, void, undefined> {
    const { startMs, durationMs, cycleMs, sessionMs, history } = this.options;
    const end = durationMs === undefined ? Number.POSITIVE_INFINITY : startMs + durationMs;
    const policy = new LoggingPolicy(this.world, this.options);
    const random = new Random(this.options.seed, 'events');
    const sessions = new SessionMaker(this.world, this.options, policy, random, this.#causation);
    const queue = new EventQueue<SessionEvent>();
    for (const cycle of this.#cycles(end)) {
      for (const event of crawl(this.options, this.world.itemIds, cycle)) {
        queue.push(event);
      }
      const isHistory = history !== undefined && cycle < startMs;
      const pace = isHistory ? (history.cycleMs - sessionMs) / (cycleMs - sessionMs) : 1;
      for (const user of this.#users) {
        const start = cycle + Math.floor(pace * this.#phase[user]);
        if (start >= end) break;
        yield* released(queue, start, policy);
        policy.advanceTo(start);
        const events = sessions.make(user, start, this.#rankersAt(start), this.#guests);
        for (const event of events) {
          queue.push(event);
        }
      }
    }
    yield* released(queue, Number.POSITIVE_INFINITY, policy);
  }

  *#cycles(end: number): Generator<number, void, undefined> {
    const { startMs, cycleMs, history } = this.options;
    yield* history?.starts ?? [];
    for (let cycle = startMs; cycle < end; cycle += cycleMs) {
      yield cycle;
    }
  }

  /**
   * Add a shadow model: its lists are logged in each session and never shown. All other events stay
   * the same.
   *
   * @param lists item indices per user, one list for each. @throws UnskewError USAGE for a name
   * that is another model's
   */
  add(model: string, lists: Lists): void {
    const { rankers } = this.options;
    const own = [...rankers, LOGGING_MODEL, UNIFORM_MODEL] as const;
    if (this.#guests.has(model) || own.some((each) => nameOf(this.options, each) === model)) {
      throw new UnskewError('USAGE', `simulation: two models are called ${model}`);
    }
    this.#guests.set(model, lists);
  }

  /**
   * Lists of each model at an event time, by the model's name in the log: the rankers in the order
   * of `options.rankers`, then the added models.
   */
  listsAt(atMs: number): ReadonlyMap<string, Lists> {
    return new Map([...this.#rankersAt(atMs), ...this.#guests]);
  }

  #rankersAt(atMs: number): ReadonlyMap<string, Lists> {
    const { drift } = this.options;
    if (drift === undefined) return this.#lists;
    if (atMs >= drift.atMs) return this.#drifted;
    const { untilMs = Number.NEGATIVE_INFINITY } = drift.earlier ?? {};
    return atMs < untilMs ? this.#before : this.#lists;
  }

  /**
   * Compute the true values of every metric for each model at an event time: over all relevant
   * pairs of all users, observed or not. The logging policy has none, since its lists change with
   * every session.
   */
  truth(atMs: number, ks: readonly number[] = DEFAULT_KS): TrueValue[] {
    return [...this.listsAt(atMs)].flatMap(([ranker, lists]) =>
      trueValues(ranker, this.world.relevant, lists, ks, this.options.items),
    );
  }

  /**
   * Compute the true reward of each model at an event time: the clicks that one served list drives.
   * Empty if lists drive none. A shadow model gets the reward that it would have if it were served.
   */
  rewards(atMs: number): TrueReward[] {
    if (this.#causation.attraction === 0) return [];
    return [...this.listsAt(atMs)].map(([ranker, lists]) =>
      trueReward(ranker, this.world, lists, this.#causation),
    );
  }

  /** Event times at which the true values change, ms: the start, and changes of lists. */
  truthChanges(): number[] {
    const { startMs, drift, history } = this.options;
    const begin = history?.starts[0] ?? startMs;
    const turns = drift === undefined ? [] : [drift.earlier?.untilMs ?? begin, drift.atMs];
    return [begin, ...turns.filter((ms) => ms > begin)];
  }
  /**
   * Compute the lists of a ranker, with the tastes of the ranker `like`. If the ranker serves
   * users, its lists are cut at the shown length.
   */
  #listsOf(ranker: RankerName, like: RankerName, random: Random): Lists {
    const { rankers, arms = 0, shownLength } = this.options;
    const lists = rankLists(like, this.world, this.options, random);
    const isArm = rankers.indexOf(ranker) < arms;
    return isArm ? lists.map((list) => list.subarray(0, shownLength)) : lists;
  }

  /**
   * Sample served lists for each user. If rankers serve users, these are the lists of all such
   * rankers; otherwise one list of the stochastic logger or of the logging policy.
   */
  *#sampleOfServed(): Generator<ServedList, void, undefined> {
    const { seed, users, arms = 0, logger = 0, shownLength } = this.options;
    const policy = new LoggingPolicy(this.world, this.options);
    const random = new Random(seed, 'served');
    for (let user = 0; user < users; user++) {
      if (logger > 0) {
        const how = {
          epsilon: logger,
          places: shownLength,
        };
        yield {
          user,
          list: epsilonList(random, this.#lists, user, how).list,
        };
      } else if (arms === 0) {
        yield {
          user,
          list: policy.draw(random),
        };
      } else {
        for (const lists of [...this.#lists.values()].slice(0, arms)) {
          yield {
            user,
            list: lists[user],
          };
        }
      }
    }
  }
}

/** Yield the events before `until`, and count their positive interactions in the logging policy. */
function* released(
  queue: EventQueue<SessionEvent>,
  until: number,
  policy: LoggingPolicy,
): Generator<SimulatedEvent, void, undefined> {
  while (queue.earliest < until) {
    const { ts, positiveItem, event } = queue.pop() as SessionEvent;
    policy.advanceTo(ts);
    if (positiveItem >= 0) {
      policy.countPositive(positiveItem);
    }
    yield event;
  }
}

/** Reward that a model's lists would have if they were served. */
interface TrueReward {
  readonly model: string;
  /** Expected number of clicks that one served list drives. */
  readonly caused: number;
}

/**
 * Compute the true reward of a model: V(m) = mean over users of Σ_k α θ_k (1 − τ P_i) 1{i ∈ S_u},
 * with i the item at position k of m's list. A list drives no click on an item that the session has
 * already found organically.
 *
 * @param lists the model's list per user, best first
 * @returns 0 if lists cause nothing; NaN without users
 */
function trueReward(
  model: string,
  { relevant, propensity }: Pick<World, 'relevant' | 'propensity'>,
  lists: Lists,
  { attraction, ownInitiative, examination }: Causation,
): TrueReward {
  let sum = 0;
  relevant.forEach((items, user) => {
    const own = new Set(items);
    lists[user].subarray(0, examination.length).forEach((item, k) => {
      if (own.has(item)) {
        sum += examination[k] * (1 - ownInitiative * propensity[item]);
      }
    });
  });
  return {
    model,
    caused: (attraction * sum) / relevant.length,
  };
}
