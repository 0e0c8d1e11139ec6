import type { ModelMark } from '../../stream/feature-types.js';
import type { RestartCause } from '../verdict.js';
import type { DecisionOptions } from './decision-options.js';

/** Since when a model's rows count, and how often that began again. Plain, so that it can be stored. */
export interface ModelEpoch {
  /** Its place in the sums. */
  place: number;
  /** Event time, ms; a time of looks. */
  since: number;
  /** When it began again within the last week, event time, ms. */
  restarts: number[];
  /** Why, the last time; left out where it never did. */
  cause?: RestartCause;
  /** Effective users so far, at the looks; null where nobody returns. */
  users: {
    at: number;
    users: number | null;
  }[];
}

/** So many new starts in a week are one too many: chances of error are of one each. */
const RESTARTS = 4;
/** At most this many different starts are kept: each takes sums of its own. */
const STARTS = 4;
/** Effective users are remembered at so many looks, then at every other of them. */
const REMEMBERED = 64;

type Lengths = Pick<DecisionOptions, 'lookMs' | 'dayMs'>;

/** Models by name with their epochs: a new one begins at the next look, one that left is forgotten. */
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
   * Brings the models up to those that are evaluated.
   *
   * @returns places that models left, and those that new ones took.
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

  /** What was learned of a model holds no longer: a change of it, or of what it is measured by. */
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
   * Those that changed after they began, by what was said of them up to a time. One that has begun
   * again since is not named again, however often it is asked.
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

  /** Ascending, each once. */
  get starts(): number[] {
    return [...new Set([...this.byName.values()].map(({ since }) => since))].sort((a, b) => a - b);
  }

  #nextLook(at: number): number {
    return Math.ceil(at / this.#lookMs) * this.#lookMs;
  }

  /** Of too many starts the two that lie closest become the later one. */
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
