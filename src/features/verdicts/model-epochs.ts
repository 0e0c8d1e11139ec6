import type { ModelMark } from '../../stream/feature-types.js';
import type { RestartCause } from '../verdict.js';
import type { DecisionOptions } from './decision-options.js';

/** Start of a model's comparison and its restarts. Plain data that can be stored. */
export interface ModelEpoch {
  /** Index of the model in the sums. */
  place: number;
  /** Start of the comparison, event time, ms; always the time of a look. */
  since: number;
  /** Restarts within the last week, event time, ms. */
  restarts: number[];
  /** Cause of the last restart; undefined if there was none. */
  cause?: RestartCause;
  /** Effective users at past looks; null if nobody returns. */
  users: {
    at: number;
    users: number | null;
  }[];
}

/**
 * A model with at least this many restarts within a week has no verdict, since each start has its
 * own error probability.
 */
const RESTARTS = 4;
/** Maximum number of distinct starts over all models, since each start needs its own sums. */
const STARTS = 4;
/**
 * Most looks whose effective users are stored for a model; when there are more, every other look is
 * dropped.
 */
const REMEMBERED = 64;

type Lengths = Pick<DecisionOptions, 'lookMs' | 'dayMs'>;

/** Epochs of models by name. A new model begins at the next look; a removed model is dropped. */
export class ModelEpochs {
  readonly byName: Map<string, ModelEpoch>;
  readonly #lookMs: number;
  readonly #weekMs: number;

  constructor({ lookMs, dayMs }: Lengths, stored: readonly (readonly [string, ModelEpoch])[] = []) {
    this.#lookMs = lookMs;
    this.#weekMs = 7 * dayMs;
    this.byName = new Map(stored);
  }

  /**
   * Add the models that are new among those evaluated, and remove those that are not evaluated any
   * more.
   *
   * @returns indices of removed models, and of new ones.
   */
  follow(
    models: readonly string[],
    at: number,
  ): {
    left: number[];
    taken: number[];
  } {
    const left: number[] = [];
    for (const [name, { place }] of this.byName) {
      if (models.includes(name)) continue;
      this.byName.delete(name);
      left.push(place);
    }
    const taken: number[] = [];
    for (const name of models) {
      if (this.byName.has(name)) continue;
      const used = new Set([...this.byName.values()].map(({ place }) => place));
      let place = 0;
      while (used.has(place)) {
        place++;
      }
      taken.push(place);
      this.byName.set(name, {
        place,
        since: this.#nextLook(at),
        restarts: [],
        users: [],
      });
    }
    if (taken.length > 0) {
      this.#joinStarts();
    }
    return { left, taken };
  }

  /** Restart models after a change of these models or of the measure. */
  restart(names: Iterable<string>, at: number, cause: RestartCause): void {
    for (const name of new Set(names)) {
      const epoch = this.byName.get(name);
      if (epoch === undefined) continue;
      epoch.since = this.#nextLook(at);
      epoch.restarts = [...epoch.restarts.filter((time) => time > at - this.#weekMs), at];
      epoch.users = [];
      epoch.cause = cause;
    }
    this.#joinStarts();
  }

  /**
   * Models with a mark of a change between the start of their comparison and `at`. After a restart,
   * earlier marks of the model do not count.
   */
  changedSince(marks: readonly ModelMark[], at: number): Set<string> {
    const changed = marks.filter(({ model, time }) => {
      const epoch = this.byName.get(model);
      return epoch !== undefined && time < at && time > epoch.since;
    });
    return new Set(changed.map(({ model }) => model));
  }

  isUnsettled(name: string, at: number): boolean {
    const { restarts } = this.byName.get(name)!;
    return restarts.filter((time) => time > at - this.#weekMs).length >= RESTARTS;
  }

  remember(epoch: ModelEpoch, at: number, users: number): void {
    epoch.users.push({
      at,
      users: Number.isFinite(users) ? users : null,
    });
    if (epoch.users.length > REMEMBERED) {
      epoch.users = epoch.users.filter((_, n) => n % 2 === 1);
    }
  }

  /** Distinct starts, ascending. */
  get starts(): number[] {
    return [...new Set([...this.byName.values()].map(({ since }) => since))].sort((a, b) => a - b);
  }

  #nextLook(at: number): number {
    return Math.ceil(at / this.#lookMs) * this.#lookMs;
  }

  /** If there are too many starts, merge the two closest into the later one. */
  #joinStarts(): void {
    for (let { starts } = this; starts.length > STARTS; starts = this.starts) {
      const gaps = starts.slice(1).map((start, n) => start - starts[n]);
      const n = gaps.indexOf(Math.min(...gaps));
      for (const epoch of this.byName.values()) {
        if (epoch.since === starts[n]) {
          Object.assign(epoch, {
            since: starts[n + 1],
            users: [],
          });
        }
      }
    }
  }
}
