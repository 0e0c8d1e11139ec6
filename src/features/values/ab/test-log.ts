import { type ExperimentEvents, NO_LIST } from '../../../state/panes/experiment-events.js';

/** Share of served lists below which a model is not an arm unless configured; it is probably a fallback. */
const LEAST_LISTS = 0.01;

/**
 * Served lists and rewards of all partitions, with users numbered across partitions. Arms are
 * indices into `arms`.
 */
export interface TestLog {
  readonly users: number;
  /** Names of the compared models. */
  readonly arms: readonly string[];
  readonly lists: {
    readonly length: number;
    readonly user: Int32Array;
    readonly ts: Float64Array;
    /** Index of the arm; −1 for another model. */
    readonly arm: Int16Array;
    readonly share: Float64Array;
    /** By segment dimension: code of each list's value, the same in all partitions. */
    readonly codes: readonly Uint16Array[];
  };
  readonly rewards: {
    readonly length: number;
    readonly user: Int32Array;
    readonly ts: Float64Array;
    readonly worth: Float64Array;
    readonly isPositive: Uint8Array;
    /** Index of the arm whose list the reward is attributed to by id; −1 for none. */
    readonly arm: Int16Array;
    /** Time at which the list that the reward is attributed to was served. */
    readonly listTs: Float64Array;
    /** 1 if the list to which the reward is attributed contains the item. */
    readonly isListed: Uint8Array;
    /**
     * Reward added to the list to which the interaction is attributed; only the best action on an
     * item counts.
     */
    readonly credit: Float64Array;
  };
  readonly dimensions: readonly {
    readonly name: string;
    readonly values: readonly string[];
  }[];
  readonly hasOtherActions: boolean;
}

/** A model: its name, and the number that stands for it in lists. */
interface Named {
  readonly id: number;
  readonly name: string;
}

/**
 * Merge the events of all partitions into the log of a test.
 *
 * @param stated models of a declared split, which are then the only arms. @returns undefined if
 * fewer than two models served lists.
 */
export function testLog(
  parts: readonly (readonly ExperimentEvents[])[],
  models: readonly Named[],
  stated: readonly string[] | undefined,
): TestLog | undefined {
  const events = parts.flat();
  const length = sum(events, ({ lists }) => lists.user.length);
  const counts = new Map<number, number>();
  for (const { lists } of events) {
    for (const model of lists.model) {
      counts.set(model, (counts.get(model) ?? 0) + 1);
    }
  }
  const isArm = ({ id, name }: Named) =>
    stated?.includes(name) ?? (counts.get(id) ?? 0) >= LEAST_LISTS * length;
  const arms = models.filter((each) => counts.has(each.id) && isArm(each));
  if (arms.length < 2) return undefined;
  const placeOf = new Int16Array(NO_LIST + 1).fill(-1);
  for (const [place, { id }] of arms.entries()) {
    placeOf[id] = place;
  }
  const offsets: number[] = [];
  let users = 0;
  for (const part of parts) {
    let most = -1;
    for (const { lists, rewards } of part) {
      for (const user of lists.user) {
        if (user > most) {
          most = user;
        }
      }
      for (const user of rewards.user) {
        if (user > most) {
          most = user;
        }
      }
    }
    offsets.push(users);
    users += most + 1;
  }
  const offsetOf = parts.flatMap((part, p) => part.map(() => offsets[p]));
  const named = events.find(({ lists }) => lists.segments !== undefined)?.lists.segments;
  const rewards = sum(events, (each) => each.rewards.user.length);
  return {
    users,
    arms: arms.map(({ name }) => name),
    lists: {
      length,
      user: joined(new Int32Array(length), events, (each, e) =>
        moved(each.lists.user, offsetOf[e]),
      ),
      ts: joined(new Float64Array(length), events, (each) => each.lists.ts),
      arm: joined(new Int16Array(length), events, (each) => placed(each.lists.model, placeOf)),
      share: joined(new Float64Array(length), events, (each) => each.lists.share),
      codes: (named?.dimensions ?? []).map((_, d) =>
        joined(new Uint16Array(length), events, (each) => each.lists.segments!.codes[d]),
      ),
    },
    rewards: {
      length: rewards,
      user: joined(new Int32Array(rewards), events, (each, e) =>
        moved(each.rewards.user, offsetOf[e]),
      ),
      ts: joined(new Float64Array(rewards), events, (each) => each.rewards.ts),
      worth: joined(new Float64Array(rewards), events, (each) => each.rewards.worth),
      isPositive: joined(new Uint8Array(rewards), events, (each) => each.rewards.isPositive),
      arm: joined(new Int16Array(rewards), events, (each) => placed(each.rewards.model, placeOf)),
      listTs: joined(new Float64Array(rewards), events, (each) => each.rewards.listTs),
      isListed: joined(new Uint8Array(rewards), events, (each) => each.rewards.isListed),
      credit: joined(new Float64Array(rewards), events, (each) => each.rewards.credit),
    },
    dimensions: (named?.dimensions ?? []).map((name, d) => ({
      name,
      values: named!.names[d],
    })),
    hasOtherActions: events.some((each) => each.hasOtherActions),
  };
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, each) => total + of(each), 0);
}

type Numbers = Int16Array | Int32Array | Uint8Array | Uint16Array | Float64Array;

function joined<T extends Numbers>(
  into: T,
  events: readonly ExperimentEvents[],
  columnOf: (events: ExperimentEvents, place: number) => ArrayLike<number>,
): T {
  let at = 0;
  for (const [e, each] of events.entries()) {
    const column = columnOf(each, e);
    into.set(column, at);
    at += column.length;
  }
  return into;
}

function moved(users: Int32Array, by: number): Int32Array {
  return by === 0 ? users : users.map((user) => user + by);
}

function placed(models: Uint16Array, placeOf: Int16Array): Int16Array {
  const places = new Int16Array(models.length);
  for (let r = 0; r < models.length; r++) {
    places[r] = placeOf[models[r]];
  }
  return places;
}
