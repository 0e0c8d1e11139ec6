import {
  EARNS,
  type ExposureColumns,
  HAS_REQUEST,
  type InteractionColumns,
  POSITIVE,
  RANDOMIZED,
  SHOWN,
  SHOWN_BEFORE,
} from '../../events/columns.js';
import { IdLog, IdSet } from '../../events/id-log.js';
import { UserDepths, type UserIds } from '../../state/ids/user-depths.js';
import { OpenPane } from '../../state/panes/open-pane.js';
import { type PaneLimits, UNLIMITED } from '../../state/panes/sample-level.js';
import type { FeatureOptions } from '../feature-types.js';
import { actionWorths, earningValues } from '../options.js';
import type { Outcomes } from '../outcomes.js';

/** Place of an event that was dropped. The place of any other event is 2 · shard + part. */
const NOWHERE = 255;

/**
 * Ids and shards of all events in order of arrival, from which duplicates are found after the last
 * event.
 */
class Arrivals {
  readonly #ids = new IdLog();
  readonly #places: Uint8Array[] = [];

  /**
   * Add the first `length` events of a batch.
   *
   * @param places where each event was stored, 2 · shard + part, or `NOWHERE`
   */
  add(high: Int32Array, low: Int32Array, places: Uint8Array, length: number): void {
    this.#ids.add(high, low, length);
    this.#places.push(places.slice(0, length));
  }

  /**
   * Visit all events in order of arrival, unless all ids are distinct.
   *
   * @returns whether any id occurs twice
   */
  visitIfRepeated(visit: (place: number, isRepeated: boolean) => void): boolean {
    const repeats = this.#ids.repeats();
    if (repeats === undefined) return false;
    let at = 0;
    for (const places of this.#places) {
      for (const place of places) {
        visit(place, repeats[at++] === 1);
      }
    }
    return true;
  }
}

/** Part of an evaluation: events that only provide popularity and lists, or events to evaluate. */
export type EvaluationPart = 'train' | 'events';
type Role = 'exposures' | 'interactions';

/**
 * Number of shards. The state of one shard should fit the processor's cache, but every shard adds
 * overhead.
 */
const SHARDS = 16;

export interface IntakeOptions extends FeatureOptions {
  readonly positiveMinValue: number;
  /** Rewards of actions; 1 each by default. */
  readonly actions?: Readonly<Record<string, number>> | undefined;
  readonly maxModels: number;
  /** Memory limits for each part; none by default. */
  readonly limits?: PaneLimits | undefined;
  /** Ids of the users; needed only for sampling under limits. */
  readonly users?: UserIds | undefined;
}

/**
 * Receives the events of an evaluation: partitions them by user into shards, and counts every event
 * id once.
 *
 * The number of shards is fixed, so that sums are always formed in the same order and results are
 * reproducible to the bit.
 *
 * Duplicates are removed at the end. With memory limits there is only one shard, and duplicates are
 * detected on arrival, since events of users outside the sample are only counted and could not be
 * removed later.
 */
export class EvaluationIntake {
  readonly limits: PaneLimits | undefined;
  readonly depths: UserDepths | undefined;
  /** The events of each shard, by part. User u within shard s is user u · shards + s overall. */
  readonly shards: readonly {
    readonly train: OpenPane;
    readonly events: OpenPane;
  }[];
  /** Upper bound (exclusive) of the user numbers within each shard. */
  readonly users: number[];
  /** Numbers of the models that have lists. */
  readonly models = new Set<number>();
  /** Numbers of the models left out because there are more than `maxModels`. */
  readonly modelsLeftOut = new Set<number>();
  /** Numbers of the models with a list that was shown, other than a randomised one. */
  readonly servedModels = new Set<number>();
  /** Whether there is a train part. */
  isTrained = false;
  /** Whether an evaluated list has a request id. */
  hasRequests = false;

  readonly #options: IntakeOptions;
  /** For each action code plus one: whether the action has a reward; undefined if all have. */
  readonly #isWorth: Uint8Array | undefined;
  /**
   * For each action code plus one: whether the value of an event is its reward; see
   * `earningValues`.
   */
  readonly #earns: Uint8Array | undefined;
  readonly #outcomes: Outcomes;
  readonly #seen: Record<Role, IdSet> | undefined;
  readonly #arrivals = {
    exposures: new Arrivals(),
    interactions: new Arrivals(),
  };
  readonly #spans = {
    exposures: new Span(),
    interactions: new Span(),
  };
  /** By row of the current batch: 1 if the id of the event occurred before, otherwise 0. */
  #repeated = new Uint8Array(0);
  /** By row of the current batch: flags of the event, with `POSITIVE` and `EARNS` set here. */
  #flags = new Uint8Array(0);
  /** Where the rows of the current batch are stored: 2 · shard + part, or `NOWHERE`. */
  #places = new Uint8Array(0);
  /** Rows of the current batch by shard. */
  #rows: Int32Array[] = [];

  constructor(options: IntakeOptions, outcomes: Outcomes) {
    const { limits, users, actions } = options;
    this.#options = options;
    this.#isWorth = actions && actionWorths(options).worthwhile();
    this.#earns = earningValues(options);
    this.#outcomes = outcomes;
    this.limits = limits;
    this.depths = limits && users && new UserDepths(users);
    this.#seen = limits && {
      exposures: new IdSet(),
      interactions: new IdSet(),
    };
    const pane = () => new OpenPane(limits ?? UNLIMITED, this.depths);
    const shards = limits === undefined ? SHARDS : 1;
    this.shards = Array.from({ length: shards }, () => ({
      train: pane(),
      events: pane(),
    }));
    this.users = this.shards.map(() => 0);
    this.#rows = this.shards.map(() => new Int32Array(0));
  }

  /**
   * Event times of the first and last event of the evaluated part, ms; from Infinity to −Infinity
   * if there is none.
   */
  get span(): {
    readonly from: number;
    readonly to: number;
  } {
    const { exposures, interactions } = this.#spans;
    return {
      from: Math.min(exposures.from, interactions.from),
      to: Math.max(exposures.to, interactions.to),
    };
  }

  /**
   * Add events of a part, in any order. The user columns are overwritten by numbers within the
   * shards.
   *
   * @param share share of the part read so far, including these; 1 if unknown.
   */
  accept(
    part: EvaluationPart,
    interactions: InteractionColumns,
    exposures: ExposureColumns,
    share: number,
  ): void {
    this.isTrained ||= part === 'train';
    this.#reserve(Math.max(interactions.length, exposures.length));
    // With limits only a sample is stored, so its size cannot be predicted.
    const known = this.limits === undefined ? share : 1;
    this.#acceptInteractions(part, interactions, known);
    this.#acceptExposures(part, exposures, known);
  }

  /** Remove duplicates; to be called once, after the last event. */
  settle(): void {
    if (this.#seen !== undefined) return;
    this.#settleInteractions();
    this.#settleExposures();
  }

  #acceptInteractions(part: EvaluationPart, interactions: InteractionColumns, share: number): void {
    const { length, ts, value, flags, action, user, idHigh, idLow } = interactions;
    const isWorth = this.#isWorth;
    const earns = this.#earns;
    this.#count('interactions', interactions);
    const { positiveMinValue } = this.#options;
    const span = part === 'events' ? this.#spans.interactions : undefined;
    const sizes = this.#divide(part, user, length);
    for (let r = 0; r < length; r++) {
      this.#flags[r] = value[r] >= positiveMinValue ? flags[r] | POSITIVE : flags[r];
      if (isWorth !== undefined && isWorth[action[r] + 1] === 0) {
        this.#flags[r] &= ~POSITIVE;
      }
      if (earns !== undefined && earns[action[r] + 1] === 1) {
        this.#flags[r] |= EARNS;
      }
      if (this.#places[r] !== NOWHERE) {
        span?.add(ts[r]);
      }
    }
    this.shards.forEach((shard, s) => {
      const rows = this.#rows[s].subarray(0, sizes[s]);
      shard[part].pending.interactions.reserve(rows.length, share);
      shard[part].addInteractions(interactions, rows, this.#flags);
    });
    if (this.#seen === undefined) {
      this.#arrivals.interactions.add(idHigh, idLow, this.#places, length);
    }
  }

  #acceptExposures(part: EvaluationPart, exposures: ExposureColumns, share: number): void {
    const { length, ts, model, flags, user, idHigh, idLow } = exposures;
    this.#count('exposures', exposures);
    const sizes = this.#divide(part, user, length);
    const items = length === 0 ? 0 : exposures.listStart[length] / length;
    this.shards.forEach(({ events }, s) => {
      events.pending.exposures.reserve(sizes[s], Math.ceil(sizes[s] * items), share);
    });
    const span = part === 'events' ? this.#spans.exposures : undefined;
    // A list of the train part may rank evaluated interactions, but is not an evaluated exposure.
    for (let r = 0; r < length; r++) {
      if (this.#places[r] === NOWHERE) continue;
      if (model[r] >= this.#options.maxModels) {
        this.#outcomes.modelOverCap++;
        this.modelsLeftOut.add(model[r]);
        this.#places[r] = NOWHERE;
        continue;
      }
      this.models.add(model[r]);
      if ((flags[r] & (SHOWN | RANDOMIZED)) === SHOWN) {
        this.servedModels.add(model[r]);
      }
      const shown = part === 'train' ? shownBefore(flags[r]) : flags[r];
      this.hasRequests ||= (shown & HAS_REQUEST) !== 0;
      this.shards[this.#places[r] >>> 1].events.addExposure(exposures, r, shown);
      span?.add(ts[r]);
    }
    if (this.#seen === undefined) {
      this.#arrivals.exposures.add(idHigh, idLow, this.#places, length);
    }
  }

  /**
   * Replace users by their numbers within the shards, and determine where each row is stored (2 ·
   * shard + part) and which rows each shard gets.
   *
   * @returns number of rows by shard
   */
  #divide(part: EvaluationPart, user: Int32Array, length: number): number[] {
    const shards = this.shards.length;
    const sizes = this.shards.map(() => 0);
    const partBit = part === 'events' ? 1 : 0;
    for (let r = 0; r < length; r++) {
      const s = user[r] % shards;
      user[r] = (user[r] - s) / shards;
      if (user[r] >= this.users[s]) {
        this.users[s] = user[r] + 1;
      }
      if (this.#seen !== undefined && this.#repeated[r] === 1) {
        this.#places[r] = NOWHERE;
        continue;
      }
      this.#places[r] = 2 * s + partBit;
      this.#rows[s][sizes[s]++] = r;
    }
    return sizes;
  }

  #count(role: Role, { idHigh, idLow, length }: InteractionColumns | ExposureColumns): void {
    const repeats = this.#seen?.[role].addAll(idHigh, idLow, length, this.#repeated) ?? 0;
    this.#outcomes.duplicate += repeats;
    this.#outcomes.accepted += length - repeats;
  }

  #settleInteractions(): void {
    const repeated = new Repetitions(2 * this.shards.length);
    const span = new Span();
    const found = this.#arrivals.interactions.visitIfRepeated((place, isRepeated) => {
      const at = repeated.add(place, isRepeated);
      if (isRepeated) {
        this.#countRepetition();
      } else if ((place & 1) === 1) {
        span.add(this.shards[place >>> 1].events.pending.interactions.ts[at]);
      }
    });
    if (!found) return;
    this.#spans.interactions = span;
    this.shards.forEach(({ train, events }, s) => {
      train.pending.interactions.remove(repeated.of(2 * s));
      events.pending.interactions.remove(repeated.of(2 * s + 1));
    });
  }

  #settleExposures(): void {
    const repeated = new Repetitions(this.shards.length);
    const span = new Span();
    const found = this.#arrivals.exposures.visitIfRepeated((place, isRepeated) => {
      if (isRepeated) {
        this.#countRepetition();
      }
      if (place === NOWHERE) {
        if (isRepeated) {
          this.#outcomes.modelOverCap--;
        }
        return;
      }
      const shard = place >>> 1;
      const at = repeated.add(shard, isRepeated);
      if (!isRepeated && (place & 1) === 1) {
        span.add(this.shards[shard].events.pending.exposures.ts[at]);
      }
    });
    if (!found) return;
    this.#spans.exposures = span;
    this.shards.forEach(({ events }, s) => {
      events.pending.exposures.remove(repeated.of(s));
    });
  }

  #countRepetition(): void {
    this.#outcomes.duplicate++;
    this.#outcomes.accepted--;
  }

  #reserve(length: number): void {
    if (length <= this.#flags.length) return;
    const capacity = 2 * length;
    this.#repeated = new Uint8Array(capacity);
    this.#flags = new Uint8Array(capacity);
    this.#places = new Uint8Array(capacity);
    this.#rows = this.shards.map(() => new Int32Array(capacity));
  }
}

function shownBefore(flags: number): number {
  const known = flags & ~HAS_REQUEST;
  return (known & SHOWN) === 0 ? known : (known & ~SHOWN) | SHOWN_BEFORE;
}

/** Range of event times. */
class Span {
  from = Number.POSITIVE_INFINITY;
  to = Number.NEGATIVE_INFINITY;

  add(ts: number): void {
    if (ts < this.from) {
      this.from = ts;
    }
    if (ts > this.to) {
      this.to = ts;
    }
  }
}

/** Collects the positions of duplicates within each of several sequences of events. */
class Repetitions {
  readonly #rows: number[][];
  readonly #sizes: number[];

  constructor(places: number) {
    this.#rows = Array.from({ length: places }, () => []);
    this.#sizes = this.#rows.map(() => 0);
  }

  /**
   * Add the next event of a sequence.
   *
   * @returns index of the event in its sequence
   */
  add(row: number, isRepeated: boolean): number {
    const at = this.#sizes[row]++;
    if (isRepeated) {
      this.#rows[row].push(at);
    }
    return at;
  }

  of(row: number): readonly number[] {
    return this.#rows[row];
  }
}
