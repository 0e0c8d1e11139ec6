import { UnskewError } from '../../errors.js';
import { interventionOf } from '../../estimators/registry/registry.js';
import type { LearnedPropensities } from '../../propensity/learned/learned-propensities.js';
import {
  inclusionProbability,
  samplingTime,
  type WeightCells,
} from '../../sampling/expected-inclusion.js';
import { isInTrainPart, splitSeed } from '../../sampling/hash-split.js';
import { KeyTally } from '../../sampling/key-tally.js';
import { weightSummary } from '../../sampling/sample-distance.js';
import { samplingKey } from '../../sampling/sampling-key.js';
import { WeightTally } from '../../sampling/weight-tally.js';
import { runAtOnce } from '../../stream/sliced.js';
import { CanonicalRows } from '../rows/canonical-rows.js';
import type { SetIds } from '../rows/hashed-ids.js';
import { RowBatch } from '../rows/row-batch.js';
import { PARTITIONS, type RowStore } from '../rows/row-store.js';
import { type Rows, TRAIN } from '../rows/rows.js';
import type { RowSink } from '../rows/set-rows.js';
import { LearnedWeights } from './learned-weights.js';
import { PairCounts, SideCounts } from './pair-counts.js';
import { type PairWeights, pairWeights } from './pair-weights.js';
import { rakedWeights } from './raked-weights.js';
import { isTargeted, type SetPlan } from './set-plan.js';
import type { SetSummary } from './set-summary.js';
import { distanceToTarget, lorenzOf, spreadOf } from './spread.js';
import { weightQuantiles } from './weight-quantiles.js';

/** The passes over the rows, to show progress. */
export type DrawStep = 'counting' | 'weighing' | 'drawing' | 'writing';

/** Where the rows of a draw go. */
export interface SetSinks {
  readonly set: RowSink;
  /** All rows of the train part. */
  readonly train?: RowSink;
}

/**
 * Draws a set from stored interactions: the k rows with the smallest exponential keys.
 *
 * Passes over the partitions, one in memory at a time: each pair once and counted; weights and keys
 * tallied; the k-th smallest key found; rows written in the order of their pairs' hashes. Keys are
 * computed again in each pass, so that nothing is kept for a row, and everything follows from the ids
 * and the seed.
 * Source: Carraro & Bridge 2020, sections 4 and 5; keys of Efraimidis & Spirakis 2006.
 *
 * @param learned that weigh each pair, if the plan names any; see `LearnedWeights`.
 * @throws UnskewError SET if there is nothing to draw from, or less than was asked for.
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

/** Rows of the set, and those that are expected, by user and by item. */
interface Written {
  readonly after: SideCounts;
  readonly expected: SideCounts;
}

/** The largest key that is taken, and how many of those that equal it. */
interface KeyCut {
  readonly key: number;
  readonly equals: number;
}

class Draw {
  readonly #store: RowStore;
  readonly #ids: SetIds;
  readonly #plan: SetPlan;
  readonly #onStep: (step: DrawStep, done: number, total: number) => void;
  readonly #counts: PairCounts;
  readonly #canonical: CanonicalRows;
  readonly #learned: LearnedWeights | undefined;
  #weights!: PairWeights;
  #raking: SetSummary['raking'];

  constructor(
    store: RowStore,
    ids: SetIds,
    plan: SetPlan,
    onStep: (step: DrawStep, done: number, total: number) => void,
    learned: LearnedPropensities | undefined,
  ) {
    // What the plan says is what makes the set again.
    if ((learned === undefined) !== (plan.propensities === undefined)) {
      throw new RangeError('A plan and its propensities go together.');
    }
    this.#learned = learned && new LearnedWeights(ids, learned);
    this.#store = store;
    this.#ids = ids;
    this.#plan = plan;
    this.#onStep = onStep;
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
    const time = runAtOnce(samplingTime(cells, k));
    const written = await this.#write(sinks, cut, time);
    return this.#summary(cells, tally.zeros, time, written);
  }

  /** Each pair once, in its part, and the counts of all. */
  async #count(): Promise<void> {
    const { split, seed, part } = this.#plan;
    const splitBy = splitSeed(seed);
    const counts = this.#counts;
    for (let p = 0; p < PARTITIONS; p++) {
      this.#onStep('counting', p, PARTITIONS);
      const raw = await this.#store.read(p);
      this.#canonical.find(raw);
      const { rows, randomized } = this.#canonical;
      for (let r = 0; r < randomized.length; r++) {
        counts.randomized.add(randomized.user(r), randomized.item(r));
      }
      for (let r = 0; r < rows.length; r++) {
        const [high, low] = [rows.idHigh(r), rows.idLow(r)];
        const isTrain =
          split === null ? (rows.flags(r) & TRAIN) !== 0 : isInTrainPart(splitBy, high, low, split);
        rows.settle(r, high, low, isTrain ? TRAIN : 0);
        if (isTrain) {
          counts.known.add(rows.user(r), rows.item(r));
          counts.trainRows++;
        } else counts.testRows++;
        if (isTrain === (part === 'train')) counts.sampled.add(rows.user(r), rows.item(r));
      }
      await this.#store.replace(p, rows);
    }
  }

  #requireRows(): void {
    const { trainRows, testRows, sampled, randomized } = this.#counts;
    const { part, strategy } = this.#plan;
    if (trainRows + testRows === 0) {
      throw new UnskewError(
        'SET',
        `there is nothing to draw from: no interaction${this.#rangeWords()}`,
      );
    }
    if (sampled.rows === 0) {
      throw new UnskewError('SET', `the ${part} part is empty: all rows are in the other part`);
    }
    if (isTargeted(strategy) && randomized.rows === 0) {
      throw new UnskewError(
        'SET',
        `${strategy} takes its targets from randomised traffic, and there is none; wtd_h assumes uniform ones`,
      );
    }
  }

  #rangeWords(): string {
    const { from, to } = this.#plan;
    const at = (ms: number): string => new Date(ms).toISOString();
    if (from !== null && to !== null) return ` from ${at(from)} to ${at(to)}`;
    if (from !== null) return ` from ${at(from)} on`;
    return to === null ? '' : ` before ${at(to)}`;
  }

  async #weigh(): Promise<void> {
    if (this.#learned !== undefined) return;
    const { weights } = interventionOf(this.#plan.strategy);
    if (weights !== 'raked') {
      this.#weights = pairWeights(weights, this.#counts, this.#plan);
      return;
    }
    const raked = await rakedWeights(this.#ids, this.#counts.sampled.user, (visit) =>
      this.#eachSampled('weighing', (rows, r) => visit(rows.user(r), rows.item(r))),
    );
    this.#weights = raked;
    this.#raking = { components: raked.components, isDamped: raked.isDamped };
  }

  #weightOf(rows: Rows, r: number): number {
    const [user, item] = [rows.user(r), rows.item(r)];
    if (this.#learned !== undefined) return this.#learned.of(user, item, rows.value(r));
    return this.#weights.userSide[user] * this.#weights.itemSide[item];
  }

  /** Of the user and of the item; what was learned of the pair has no sides, and counts as the item's. */
  #sidesOf(user: number, item: number, weight: number): readonly [number, number] {
    if (this.#learned !== undefined) return [1, weight];
    return [this.#weights.userSide[user], this.#weights.itemSide[item]];
  }

  #keyOf(rows: Rows, r: number, weight: number): number {
    return samplingKey(this.#plan.seed, rows.idHigh(r), rows.idLow(r), weight);
  }

  async #eachSampled(step: DrawStep, visit: (rows: Rows, r: number) => void): Promise<void> {
    const flag = this.#plan.part === 'train' ? TRAIN : 0;
    for (let p = 0; p < PARTITIONS; p++) {
      this.#onStep(step, p, PARTITIONS);
      const rows = await this.#store.read(p);
      for (let r = 0; r < rows.length; r++) if (rows.flags(r) === flag) visit(rows, r);
    }
  }

  /** k, checked against the rows that can be drawn. */
  #wanted(drawable: number, zeros: number): number {
    const { size, part } = this.#plan;
    const rows = this.#counts.sampled.rows;
    const asked = 'rows' in size ? size.rows : Math.round(size.share * rows);
    if (asked < 1) {
      throw new UnskewError('SET', `the size comes to no row: the ${part} part has ${rows}`);
    }
    if (asked > drawable) {
      const why = this.#learned === undefined ? 'a weight of 0' : 'no propensity in the file';
      const left = zeros === 0 ? '' : `, and ${zeros} of its rows have ${why}`;
      throw new UnskewError(
        'SET',
        `${asked} rows are asked for, but ${drawable} can be drawn: the ${part} part has ${rows}${left}`,
      );
    }
    return asked;
  }

  async #cut(keys: KeyTally, k: number): Promise<KeyCut> {
    const { bin, below } = keys.binOf(k);
    const near: number[] = [];
    await this.#eachSampled('drawing', (rows, r) => {
      const key = this.#keyOf(rows, r, this.#weightOf(rows, r));
      if (key < Number.POSITIVE_INFINITY && keys.bin(key) === bin) near.push(key);
    });
    const sorted = Float64Array.from(near).sort();
    const key = sorted[k - below - 1];
    return { key, equals: k - below - sorted.indexOf(key) };
  }

  async #write({ set, train }: SetSinks, cut: KeyCut | undefined, time: number): Promise<Written> {
    const { part } = this.#plan;
    const { users, items } = this.#ids;
    const after = new SideCounts(users.size, items.size);
    const expected = new SideCounts(users.size, items.size);
    const drawn = new RowBatch(this.#ids, set);
    const all = train === undefined ? undefined : new RowBatch(this.#ids, train);
    let equals = cut?.equals ?? 0;
    for (let p = 0; p < PARTITIONS; p++) {
      this.#onStep('writing', p, PARTITIONS);
      const rows = await this.#store.read(p);
      for (let r = 0; r < rows.length; r++) {
        const isTrain = rows.flags(r) === TRAIN;
        if (isTrain && all !== undefined) {
          all.add(rows, r, 1, 1, 1, 1);
          if (all.isFull) await all.flush();
        }
        if (isTrain !== (part === 'train')) continue;
        const weight = this.#weightOf(rows, r);
        const key = this.#keyOf(rows, r, weight);
        if (!(key < Number.POSITIVE_INFINITY)) continue;
        const [user, item] = [rows.user(r), rows.item(r)];
        const chance = inclusionProbability(weight, time);
        expected.add(user, item, chance);
        if (cut !== undefined && (key > cut.key || (key === cut.key && equals-- <= 0))) continue;
        after.add(user, item);
        const [userSide, itemSide] = this.#sidesOf(user, item, weight);
        drawn.add(rows, r, weight, chance, userSide, itemSide);
        if (drawn.isFull) await drawn.flush();
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
      pairs: { train: trainRows, test: testRows, randomized: randomized.rows },
      sampled: sampled.rows,
      zeroWeight,
      drawn: after.rows,
      weights: {
        ...runAtOnce(weightSummary(cells, time)),
        quantiles: weightQuantiles(cells),
        time: Number.isFinite(time) ? time : null,
      },
      users: spread('user', users),
      items: spread('item', items),
      ...(isTargeted(this.#plan.strategy)
        ? { target: { user: target('user'), item: target('item') } }
        : {}),
      ...(this.#raking === undefined ? {} : { raking: this.#raking }),
      lorenz: {
        users: lorenz('user', users),
        items: lorenz('item', items),
      },
    };
  }
}
