import { beforeAll, describe, expect, test } from 'vitest';
import { Simulation } from '../../../src/simulation/simulation.js';
import { IS_LONG } from '../../support/repetitions.js';
import { isPositive, logOf } from './log.js';

const CYCLES = 8;
const SEEDS = IS_LONG ? [1, 2, 3] : [1];

interface Means {
  truth: number;
  naive: number;
  snips: number;
}

/** Slow per-user naive and SNIPS over the last cycle, averaged over a few seeds. */
function meansOf(model: string, metric: 'recall' | 'dcg', k: number | null): Means {
  const sums: Means = { truth: 0, naive: 0, snips: 0 };
  for (const seed of SEEDS) {
    const { simulation, counts, lists, observed } = windows.get(seed) as Window;
    const beta = (simulation.options.gamma + 1) / 2;
    const gain = (z: number) => {
      if (z < 0 || (k !== null && z >= k)) return 0;
      return metric === 'recall' ? 1 : 1 / Math.log2(z + 2);
    };
    let naive = 0;
    let snips = 0;
    for (const [user, items] of observed) {
      const list = lists.get(`${model} ${user}`) ?? [];
      const gains = [...items].map((item) => gain(list.indexOf(item)));
      const weights = [...items].map((item) => (counts.get(item) as number) ** -beta);
      naive += gains.reduce((a, b) => a + b) / items.size;
      snips +=
        gains.reduce((sum, g, i) => sum + g * weights[i], 0) / weights.reduce((a, b) => a + b);
    }
    sums.naive += naive / observed.size / SEEDS.length;
    sums.snips += snips / observed.size / SEEDS.length;
    const truth = simulation
      .truth(simulation.options.startMs)
      .find(
        (v) => v.model === model && v.metric === metric && v.k === k && v.aggregation === 'user',
      );
    sums.truth += (truth?.value ?? Number.NaN) / SEEDS.length;
  }
  return sums;
}

interface Window {
  readonly simulation: Simulation;
  /** Positive interactions per item in the whole log. */
  readonly counts: Map<string, number>;
  readonly lists: Map<string, readonly string[]>;
  /** Positive items per user in the last cycle. */
  readonly observed: Map<string, Set<string>>;
}

const windows = new Map<number, Window>();

beforeAll(() => {
  for (const seed of SEEDS) {
    const cycleMs = 3_600_000;
    const simulation = new Simulation({ seed, durationMs: CYCLES * cycleMs });
    const from = simulation.options.startMs + (CYCLES - 1) * cycleMs;
    const { exposures, interactions } = logOf(simulation.events());
    const lists = new Map(exposures.map((e) => [`${e.model} ${e.user}`, e.items]));
    const counts = new Map<string, number>();
    const observed = new Map<string, Set<string>>();
    for (const event of interactions.filter(isPositive)) {
      counts.set(event.item, (counts.get(event.item) ?? 0) + 1);
      if (event.ts < from) continue;
      observed.set(event.user, (observed.get(event.user) ?? new Set()).add(event.item));
    }
    windows.set(seed, { simulation, counts, lists, observed });
  }
});

describe.each([
  ['recall', 10],
  ['dcg', null],
] as const)('%s at %s with the default options', (metric, k) => {
  test('naive more than doubles the value of the popularity ranker, snips comes near it', () => {
    const { truth, naive, snips } = meansOf('popular', metric, k);
    expect(naive).toBeGreaterThan(2 * truth);
    expect(Math.abs(snips - truth)).toBeLessThan(0.25 * Math.abs(naive - truth));
  });

  test('naive understates the personal ranker, snips comes near its truth', () => {
    const { truth, naive, snips } = meansOf('personal', metric, k);
    expect(naive).toBeLessThan(0.9 * truth);
    expect(Math.abs(snips - truth)).toBeLessThan(0.4 * Math.abs(naive - truth));
  });

  test('naive ranks the blend above the personal ranker, snips and the truth do not', () => {
    const personal = meansOf('personal', metric, k);
    const blend = meansOf('blend', metric, k);
    expect(blend.naive).toBeGreaterThan(personal.naive);
    expect(blend.snips).toBeLessThan(personal.snips);
    expect(blend.truth).toBeLessThan(personal.truth);
  });
});

test('a user has a mean of 5 to 15 positives in a window', () => {
  for (const { observed } of windows.values()) {
    const sizes = [...observed.values()].map((items) => items.size);
    const mean = sizes.reduce((a, b) => a + b) / sizes.length;
    expect(mean).toBeGreaterThan(5);
    expect(mean).toBeLessThan(15);
  }
});
