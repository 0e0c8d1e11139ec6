import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Random } from '../../src/estimators/mathematics/random.js';
import { NumberReader, NumberWriter } from '../../src/state/binary/numbers.js';
import { Popularity } from '../../src/state/counts/popularity.js';
import { PopularityShare } from '../../src/state/counts/popularity-share.js';
import { NO_COUNTS, type SparseCounts } from '../../src/state/counts/sparse-counts.js';
import { NONE_UNPLACED } from '../../src/state/ids/heard-models.js';
import { Interner } from '../../src/state/ids/interner.js';
import type { PaneCounts } from '../../src/state/panes/pane-content.js';
import { markCounted } from '../../src/stream/partitions.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { ItemTotals, taken } from '../../src/stream/sums/item-totals.js';
import { repetitions } from '../support/repetitions.js';

const PANE_MS = 10;
const OPTIONS = {
  paneMs: PANE_MS,
  horizonMs: 200,
  gammaPeriodMs: 40,
  windowsMs: [20, 60],
  of: 'positive' as const,
};
const PARTITIONS = 4;
const SHAPE = 1;

/** What a pane of a partition adds, by the ids of items and models. */
interface Added {
  readonly interactions: ReadonlyMap<string, number>;
  readonly positives: ReadonlyMap<string, number>;
  readonly listed: ReadonlyMap<string, number>;
  readonly exposures: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Numbers items and models in its own way, and forgets those that nothing refers to. */
class Process {
  readonly items = new Interner();
  readonly models = new Interner();
  own = new Popularity(OPTIONS);
  shares = new Map<number, PopularityShare>();
  totals: ItemTotals;

  constructor(skipped: number) {
    for (let n = 0; n < skipped; n++) taken(this.items, `other ${n}`);
    this.totals = new ItemTotals(this.own, this, 10);
  }

  /** Begins again with these partitions, from all that was ever in them. */
  take(partitions: readonly number[], history: readonly (readonly Added[])[]): void {
    this.own = new Popularity(OPTIONS);
    this.totals = new ItemTotals(this.own, this, 10);
    this.shares = new Map(partitions.map((p) => [p, new PopularityShare(this.own)]));
    for (const [pane, added] of history.entries()) this.close(pane, added);
  }

  close(pane: number, added: readonly Added[]): void {
    for (const [p, share] of this.shares) {
      const { interactions, positives, listed, exposures } = added[p];
      const of = (counts: ReadonlyMap<string, number>): SparseCounts => ({
        ids: Int32Array.from(counts.keys(), (id) => taken(this.items, id)),
        counts: Int32Array.from(counts.values()),
      });
      const byModel: SparseCounts[] = [];
      for (const [name, counts] of exposures) byModel[taken(this.models, name)] = of(counts);
      const counts: PaneCounts = {
        interactions: of(interactions),
        positives: of(positives),
        listed: of(listed),
        randomized: NO_COUNTS,
        randomizedPositives: NO_COUNTS,
        leftOut: NO_COUNTS,
        exposures: Array.from(byModel, (own) => own ?? NO_COUNTS),
        overUserCap: 0,
        unranked: 0,
        sampledOut: { interactions: 0, exposures: 0 },
        listing: [],
        lists: [],
        unplaced: NONE_UNPLACED,
      };
      const end = (pane + 1) * PANE_MS;
      share.addInteractions(counts, end);
      share.addExposures(counts, end);
      share.advance(end);
    }
  }

  said(): Uint8Array {
    const to = new NumberWriter();
    this.totals.write(to);
    return to.seal(SHAPE);
  }

  forget(): void {
    const flags = this.items.mark();
    runAtOnce(this.own.markItems(flags));
    runAtOnce(this.totals.popularity.markItems(flags));
    runAtOnce(this.items.sweep());
    const models = this.models.mark();
    markCounted(this.totals.popularity, models);
    runAtOnce(this.models.sweep());
  }
}

/** All counts by the texts of ids; those of 0 are left out. */
function byId(popularity: Popularity, { items, models }: Pick<Process, 'items' | 'models'>) {
  const found: Record<string, number> = {};
  const note = (name: string, counts: { counts: Int32Array; size: number }) => {
    for (let item = 0; item < counts.size; item++) {
      if (counts.counts[item] !== 0) found[`${name} ${items.text(item)}`] = counts.counts[item];
    }
  };
  for (const [n, counts] of popularity.ofAll.entries()) note(`${n}`, counts);
  for (let model = 0; model < popularity.models; model++) {
    for (const [n, counts] of popularity.ofModel(model).entries()) {
      if (counts.isCounted) note(`${models.text(model)} ${n}`, counts);
    }
  }
  return found;
}

function randomCounts(random: Random, pane: number): Map<string, number> {
  // Items come into fashion and go, so that ids are forgotten and numbers given again.
  const item = () => `item ${Math.floor(pane / 30) * 5 + random.below(12)}`;
  return new Map(Array.from({ length: random.below(5) }, () => [item(), 1 + random.below(400)]));
}

it('of all partitions are what one process counts, in all of them and in every pane', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000), (seed) => {
      const random = new Random(seed, 'totals');
      const processes = [0, 3, 7].map((skipped) => new Process(skipped));
      const one = new Process(1);
      one.take([0, 1, 2, 3], []);
      const history: Added[][] = [];
      const deal = () => {
        const owner = Array.from({ length: PARTITIONS }, () => random.below(3));
        for (const [n, process] of processes.entries()) {
          const own = owner.flatMap((of, p) => (of === n ? [p] : []));
          process.take(own, history);
        }
      };
      deal();
      for (let pane = 0; pane < repetitions(100, 1_000); pane++) {
        const added = Array.from({ length: PARTITIONS }, (): Added => {
          const interactions = randomCounts(random, pane);
          const models = Array.from({ length: random.below(3) }, () => {
            return `model ${Math.floor(pane / 50) + random.below(2)}`;
          });
          return {
            interactions,
            positives: interactions,
            listed: randomCounts(random, pane),
            exposures: new Map(models.map((name) => [name, randomCounts(random, pane)])),
          };
        });
        // A generation begins: partitions go to others, and all is said again.
        if (random.below(12) === 0) deal();
        history.push(added);
        for (const process of [...processes, one]) process.close(pane, added);
        const said = processes.map((process) => process.said());
        const wanted = byId(one.own, one);
        for (const process of processes) {
          const records = said.map((bytes) => new NumberReader(bytes, SHAPE, 1 << 24));
          process.totals.take(records);
          for (const record of records) record.finish();
          expect(byId(process.totals.popularity, process)).toEqual(wanted);
          if (random.below(4) === 0) process.forget();
        }
        const called = processes.map(({ totals, items }) => {
          const { names } = totals;
          const never = taken(items, 'never said ✓');
          expect(names.called).not.toContain(never);
          expect(names.itemOf(names.textOf(never))).toBe(never);
          return Array.from(names.called, (item) => (item < 0 ? '' : items.text(item)));
        });
        const known = (n: number) => called.map((texts) => texts[n]).filter((text) => text !== '');
        expect(new Set(called.map((texts) => texts.length)).size).toBe(1);
        for (const n of called[0]!.keys()) expect(new Set(known(n)).size).toBeLessThan(2);
      }
    }),
    { numRuns: 1 },
  );
}, 120_000);
