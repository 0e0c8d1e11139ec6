import { UnskewError } from '../errors.js';
import { KeyTally } from '../estimators/interventions/drawn-sets.js';
import {
  inclusionProbability,
  samplingTime,
  type WeightCells,
} from '../estimators/interventions/expected-inclusion.js';
import { rake, type UserRows } from '../estimators/interventions/raking.js';
import { weightSummary } from '../estimators/interventions/sample-distance.js';
import { isInTrainPart, samplingKey, splitSeed } from '../estimators/interventions/sampling-key.js';
import { WeightTally } from '../estimators/interventions/weight-tally.js';
import type { LearnedPropensities } from '../estimators/propensity/learned-propensities.js';
import { interventionOf } from '../estimators/rules/registry.js';
import { CanonicalRows } from './canonical-rows.js';
import type { SetIds } from './hashed-ids.js';
import { PairCounts, type PairWeights, pairWeights, SideCounts } from './pair-counts.js';
import { PARTITIONS, type RowStore } from './row-store.js';
import { type Rows, TRAIN } from './rows.js';
import { type RowSink, SetRows } from './set-encoder.js';
import { isTargeted, type SetPlan } from './set-plan.js';
import type { SetSummary, WeightQuantile } from './set-summary.js';
import { distanceToTarget, lorenzOf, spreadOf } from './spread.js';

const PROBABILITIES = [0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1];

/**
 * Quantiles of the weights of all rows with a positive weight: for each share p, the smallest
 * weight that at least this share of rows does not exceed.
 */
function weightQuantiles({ cells, weight, rows }: WeightCells): readonly WeightQuantile[] {
  if (cells === 0) return [];
  const total = rows.reduce((sum, n) => sum + n, 0);
  let cell = 0;
  let upTo = rows[0];
  return PROBABILITIES.map((p) => {
    while (upTo < p * total && cell < cells - 1) {
      upTo += rows[++cell];
    }
    return {
      p,
      weight: weight[cell],
    };
  });
}

/** Number of rows written to a sink at a time. */
const BATCH_ROWS = 65_536;

/** Rows to be written to a sink, with the texts of their ids. */
class RowBatch {
  readonly #rows = new SetRows();

  constructor(
    private readonly ids: SetIds,
    private readonly sink: RowSink,
  ) {}

  get isFull(): boolean {
    return this.#rows.length >= BATCH_ROWS;
  }

  add(
    from: Rows,
    r: number,
    weight: number,
    inclusion: number,
    userSide: number,
    itemSide: number,
  ): void {
    const rows = this.#rows;
    const { users, items, actions } = this.ids;
    rows.user.push(users.ids.text(from.user(r)));
    rows.item.push(items.ids.text(from.item(r)));
    rows.ts.push(from.ts(r));
    rows.value.push(from.value(r));
    rows.action.push(actions.text(from.action(r)));
    rows.weight.push(weight);
    rows.inclusion.push(inclusion);
    rows.userSide.push(userSide);
    rows.itemSide.push(itemSide);
  }

  async flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    await this.sink.write(this.#rows);
    this.#rows.clear();
  }
}

/**
 * Compute the weights of wtd_ipf: every user and every item of the sampled rows carries the same
 * weight.
 *
 * Users and items are numbered in the order of their ids before raking, since the rounding of sums
 * in raking depends on this order.
 *
 * @param userCounts sampled rows of each user. @param rows visits every sampled row, in the same
 * order each time.
 */
async function rakedWeights(
  ids: SetIds,
  userCounts: Float64Array,
  rows: (visit: (user: number, item: number) => void) => Promise<void>,
): Promise<
  PairWeights & {
    readonly components: number;
    readonly isDamped: boolean;
  }
> {
  const userPlaces = ids.users.places();
  const itemPlaces = ids.items.places();
  const userStart = new Int32Array(userPlaces.length + 1);
  userCounts.forEach((count, user) => {
    userStart[userPlaces[user] + 1] = count;
  });
  for (let place = 1; place < userStart.length; place++) {
    userStart[place] += userStart[place - 1];
  }
  const item = new Int32Array(userStart[userStart.length - 1]);
  const next = userStart.slice();
  await rows((user, i) => {
    item[next[userPlaces[user]]++] = itemPlaces[i];
  });
  const part: UserRows = {
    users: userPlaces.length,
    userStart,
    item,
  };
  const raking = rake(part, itemPlaces.length);
  return {
    userSide: Float64Array.from(userPlaces, (place) => raking.userSide[place]),
    itemSide: Float64Array.from(itemPlaces, (place) => raking.itemSide[place]),
    components: raking.components,
    isDamped: raking.isDamped,
  };
}

/**
 * Sampling weights of pairs by learned propensities: w = 1 / P, where P is the probability that the
 * pair is observed.
 *
 * As in wtd_h, the target is that each pair of a user and an item is equally likely. So w =
 * P_mar(u, i | O) / P_mnar(u, i | O), with the same numerator for all pairs. The denominator
 * follows from the learned propensity of the pair, P(u, i | O) ∝ P(O | u, i), where wtd_h assumes
 * that user and item are independent and counts each. A split takes the same share of all pairs, so
 * P of all data also applies to each part. Only ratios matter.
 *
 * **Source**: Carraro & Bridge 2020, eqs. 11 to 14, for the weights; Schnabel et al. 2016, section
 * 5, for the propensities. Memory: 4 bytes per user and per item.
 */
class LearnedWeights {
  readonly #users: Int32Array;
  readonly #items: Int32Array;

  /** @param ids all users and items of the rows. */
  constructor(
    { users, items }: SetIds,
    private readonly learned: LearnedPropensities,
  ) {
    this.#users = Int32Array.from({ length: users.size }, (_, id) =>
      learned.userOf(users.ids.text(id)),
    );
    this.#items = Int32Array.from({ length: items.size }, (_, id) =>
      learned.itemOf(items.ids.text(id)),
    );
  }

  /**
   * Weight of a pair, given the numbers of its user and item and the value of its row. A pair with
   * an unknown propensity has weight 0, so it is never drawn.
   */
  of(user: number, item: number, value: number): number {
    const propensity = this.learned.propensity(this.#users[user], this.#items[item], value);
    return propensity > 0 ? 1 / propensity : 0;
  }
}

/** Step of a draw, each one or more passes over the rows; shown as progress. */
export type DrawStep = 'counting' | 'weighing' | 'drawing' | 'writing';

/** Sinks for the rows of a draw. */
export interface SetSinks {
  readonly set: RowSink;
  /** Receives all rows of the train part, if they are written too. */
  readonly train?: RowSink;
}

/**
 * Draw a set from stored interactions: the k rows with the smallest exponential keys.
 *
 * Each step passes over the partitions, with one in memory at a time: find each pair once and count
 * it; tally weights and keys; find the k-th smallest key; write rows in the order of their pairs'
 * hashes. Each pass computes the keys again, so no memory is needed per row, and the result depends
 * only on the ids and the seed. Source: Carraro & Bridge 2020, sections 4 and 5; keys of Efraimidis
 * & Spirakis 2006.
 *
 * @param learned propensities that weight each pair, if the plan has any; see `LearnedWeights`.
 * @throws UnskewError SET if there is nothing to draw from, or fewer rows than requested.
 */
export async function drawSet(
  store: RowStore,
  ids: SetIds,
  plan: SetPlan,
  sinks: SetSinks,
  onStep: (step: DrawStep, done: number, total: number) => void = () => {},
  learned?: LearnedPropensities,
): Promise<SetSummary> {
  return new Draw(store, ids, plan, onStep, learned).run(sinks);
}

/**
 * Number of rows by user and by item: in the set as drawn, and as expected by inclusion
 * probability.
 */
interface Written {
  readonly after: SideCounts;
  readonly expected: SideCounts;
}

/** The largest key that is drawn, and how many rows with this key are drawn. */
interface KeyCut {
  readonly key: number;
  readonly equals: number;
}

class Draw {
  readonly #counts: PairCounts;
  readonly #canonical: CanonicalRows;
  readonly #learned: LearnedWeights | undefined;
  #weights!: PairWeights;
  #raking: SetSummary['raking'];

  constructor(
    private readonly store: RowStore,
    private readonly ids: SetIds,
    private readonly plan: SetPlan,
    private readonly onStep: (step: DrawStep, done: number, total: number) => void,
    learned: LearnedPropensities | undefined,
  ) {
    // The plan must describe everything needed to make the set again.
    if ((learned === undefined) !== (plan.propensities === undefined)) {
      throw new RangeError(
        'a plan that names propensities needs these propensities, and only such a plan may have them',
      );
    }
    this.#learned = learned && new LearnedWeights(ids, learned);
    this.#canonical = new CanonicalRows(ids);
    this.#counts = new PairCounts(ids.users.size, ids.items.size);
  }

  async run(sinks: SetSinks): Promise<SetSummary> {
    await this.#count();
    this.#requireRows();
    await this.#weigh();
    const tally = new WeightTally();
    const keys = new KeyTally(this.#counts.sampled.rows);
    await this.#eachSampled('weighing', (rows, r) => {
      const weight = this.#weightOf(rows, r);
      tally.add(weight);
      keys.add(this.#keyOf(rows, r, weight));
    });
    const k = this.#wanted(keys.total, tally.zeros);
    const cut = k === keys.total ? undefined : await this.#cut(keys, k);
    const cells = tally.cells();
    const time = samplingTime(cells, k);
    const written = await this.#write(sinks, cut, time);
    return this.#summary(cells, tally.zeros, time, written);
  }

  /** Find each pair once, assign it to its part, and count all pairs. */
  async #count(): Promise<void> {
    const { split, seed, part } = this.plan;
    const splitBy = splitSeed(seed);
    const counts = this.#counts;
    for (let p = 0; p < PARTITIONS; p++) {
      this.onStep('counting', p, PARTITIONS);
      const raw = await this.store.read(p);
      this.#canonical.find(raw);
      const { rows, randomized } = this.#canonical;
      for (let r = 0; r < randomized.length; r++) {
        counts.randomized.add(randomized.user(r), randomized.item(r));
      }
      for (let r = 0; r < rows.length; r++) {
        const high = rows.idHigh(r);
        const low = rows.idLow(r);
        const isTrain =
          split === null ? (rows.flags(r) & TRAIN) !== 0 : isInTrainPart(splitBy, high, low, split);
        rows.settle(r, high, low, isTrain ? TRAIN : 0);
        if (isTrain) {
          counts.known.add(rows.user(r), rows.item(r));
          counts.trainRows++;
        } else {
          counts.testRows++;
        }
        if (isTrain === (part === 'train')) {
          counts.sampled.add(rows.user(r), rows.item(r));
        }
      }
      await this.store.replace(p, rows);
    }
  }

  #requireRows(): void {
    const { trainRows, testRows, sampled, randomized } = this.#counts;
    const { part, strategy } = this.plan;
    if (trainRows + testRows === 0) {
      throw new UnskewError(
        'SET',
        `there is nothing to draw from: the log has no interaction${this.#rangeWords()}`,
      );
    }
    if (sampled.rows === 0) {
      throw new UnskewError('SET', `the ${part} part is empty: all rows are in the other part`);
    }
    if (isTargeted(strategy) && randomized.rows === 0) {
      throw new UnskewError(
        'SET',
        `${strategy} takes its targets from randomised traffic, but the log has none; use wtd_h, which assumes uniform targets`,
      );
    }
  }

  #rangeWords(): string {
    const { from, to } = this.plan;
    const at = (ms: number): string => new Date(ms).toISOString();
    if (from !== null && to !== null) return ` from ${at(from)} to ${at(to)}`;
    if (from !== null) return ` from ${at(from)} on`;
    return to === null ? '' : ` before ${at(to)}`;
  }

  async #weigh(): Promise<void> {
    if (this.#learned !== undefined) return;
    const { weights } = interventionOf(this.plan.strategy);
    if (weights !== 'raked') {
      this.#weights = pairWeights(weights, this.#counts, this.plan);
      return;
    }
    const raked = await rakedWeights(this.ids, this.#counts.sampled.user, (visit) =>
      this.#eachSampled('weighing', (rows, r) => visit(rows.user(r), rows.item(r))),
    );
    this.#weights = raked;
    this.#raking = {
      components: raked.components,
      isDamped: raked.isDamped,
    };
  }

  #weightOf(rows: Rows, r: number): number {
    const user = rows.user(r);
    const item = rows.item(r);
    if (this.#learned !== undefined) return this.#learned.of(user, item, rows.value(r));
    return this.#weights.userSide[user] * this.#weights.itemSide[item];
  }

  /**
   * Factors of a row's weight: the user's, then the item's. A learned weight has no factors; it is
   * returned as the item's factor, with 1 as the user's.
   */
  #sidesOf(user: number, item: number, weight: number): readonly [number, number] {
    if (this.#learned !== undefined) return [1, weight];
    return [this.#weights.userSide[user], this.#weights.itemSide[item]];
  }

  #keyOf(rows: Rows, r: number, weight: number): number {
    return samplingKey(this.plan.seed, rows.idHigh(r), rows.idLow(r), weight);
  }

  async #eachSampled(step: DrawStep, visit: (rows: Rows, r: number) => void): Promise<void> {
    const flag = this.plan.part === 'train' ? TRAIN : 0;
    for (let p = 0; p < PARTITIONS; p++) {
      this.onStep(step, p, PARTITIONS);
      const rows = await this.store.read(p);
      for (let r = 0; r < rows.length; r++) {
        if (rows.flags(r) === flag) {
          visit(rows, r);
        }
      }
    }
  }

  /** Number of rows to draw, checked against the rows that can be drawn. */
  #wanted(drawable: number, zeros: number): number {
    const { size, part } = this.plan;
    const rows = this.#counts.sampled.rows;
    const asked = 'rows' in size ? size.rows : Math.round(size.share * rows);
    if (asked < 1) {
      throw new UnskewError(
        'SET',
        `the requested size is less than one row: the ${part} part has ${rows} rows`,
      );
    }
    if (asked > drawable) {
      const why = this.#learned === undefined ? 'a weight of 0' : 'no propensity in the file';
      const left = zeros === 0 ? '' : `, and ${zeros} of them have ${why}`;
      throw new UnskewError(
        'SET',
        `${asked} rows were requested, but only ${drawable} can be drawn: the ${part} part has ${rows} rows${left}`,
      );
    }
    return asked;
  }

  async #cut(keys: KeyTally, k: number): Promise<KeyCut> {
    const { bin, below } = keys.binOf(k);
    const near: number[] = [];
    await this.#eachSampled('drawing', (rows, r) => {
      const key = this.#keyOf(rows, r, this.#weightOf(rows, r));
      if (key < Number.POSITIVE_INFINITY && keys.bin(key) === bin) {
        near.push(key);
      }
    });
    const sorted = Float64Array.from(near).sort();
    const key = sorted[k - below - 1];
    return {
      key,
      equals: k - below - sorted.indexOf(key),
    };
  }

  async #write({ set, train }: SetSinks, cut: KeyCut | undefined, time: number): Promise<Written> {
    const { part } = this.plan;
    const { users, items } = this.ids;
    const after = new SideCounts(users.size, items.size);
    const expected = new SideCounts(users.size, items.size);
    const drawn = new RowBatch(this.ids, set);
    const all = train === undefined ? undefined : new RowBatch(this.ids, train);
    let equals = cut?.equals ?? 0;
    for (let p = 0; p < PARTITIONS; p++) {
      this.onStep('writing', p, PARTITIONS);
      const rows = await this.store.read(p);
      for (let r = 0; r < rows.length; r++) {
        const isTrain = rows.flags(r) === TRAIN;
        if (isTrain && all !== undefined) {
          all.add(rows, r, 1, 1, 1, 1);
          if (all.isFull) {
            await all.flush();
          }
        }
        if (isTrain !== (part === 'train')) continue;
        const weight = this.#weightOf(rows, r);
        const key = this.#keyOf(rows, r, weight);
        if (!(key < Number.POSITIVE_INFINITY)) continue;
        const user = rows.user(r);
        const item = rows.item(r);
        const chance = inclusionProbability(weight, time);
        expected.add(user, item, chance);
        if (cut !== undefined && (key > cut.key || (key === cut.key && equals-- <= 0))) continue;
        after.add(user, item);
        const [userSide, itemSide] = this.#sidesOf(user, item, weight);
        drawn.add(rows, r, weight, chance, userSide, itemSide);
        if (drawn.isFull) {
          await drawn.flush();
        }
      }
    }
    await drawn.flush();
    await all?.flush();
    return { after, expected };
  }

  #summary(
    cells: WeightCells,
    zeroWeight: number,
    time: number,
    { after, expected }: Written,
  ): SetSummary {
    const { sampled, randomized, trainRows, testRows } = this.#counts;
    const users = sampled.user.reduce((sum, n) => sum + Number(n > 0), 0);
    const items = sampled.item.reduce((sum, n) => sum + Number(n > 0), 0);
    const spread = (side: 'user' | 'item', size: number) => ({
      before: spreadOf(sampled[side], size),
      expected: spreadOf(expected[side], size),
      after: spreadOf(after[side], size),
    });
    const lorenz = (side: 'user' | 'item', size: number) => ({
      before: lorenzOf(sampled[side], size),
      expected: lorenzOf(expected[side], size),
    });
    const target = (side: 'user' | 'item') => ({
      before: distanceToTarget(sampled[side], randomized[side]),
      after: distanceToTarget(after[side], randomized[side]),
    });
    return {
      leftOut: this.#canonical.leftOut,
      pairs: {
        train: trainRows,
        test: testRows,
        randomized: randomized.rows,
      },
      sampled: sampled.rows,
      zeroWeight,
      drawn: after.rows,
      weights: {
        ...weightSummary(cells, time),
        quantiles: weightQuantiles(cells),
        time: Number.isFinite(time) ? time : null,
      },
      users: spread('user', users),
      items: spread('item', items),
      ...(isTargeted(this.plan.strategy)
        ? {
            target: {
              user: target('user'),
              item: target('item'),
            },
          }
        : {}),
      ...(this.#raking === undefined ? {} : { raking: this.#raking }),
      lorenz: {
        users: lorenz('user', users),
        items: lorenz('item', items),
      },
    };
  }
}
