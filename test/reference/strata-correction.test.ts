import { describe, expect, it } from 'vitest';
import { estimateWindow } from '../../src/estimators/lanes/estimate-window.js';
import type { EstimateOptions, StrataScheme } from '../../src/estimators/options.js';
import { normals } from '../oracle/normal.js';
import { seeded } from '../oracle/random.js';
import { DEFAULTS } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';
import { drawRareWindow, RARE_MODELS, type RareWorld, rareCounts } from './rare-hits-window.js';

const ITEMS = 200;
const BETA = 1.5;

/** 3,000 rows; model a hits what is popular, model b what is not: σ(±z − 3), z the standardised ln n. */
function worldOf(skew: number): RareWorld {
  return worldWith(Array.from({ length: ITEMS }, (_, i) => Math.round(5000 * (i + 1) ** -skew)));
}

function worldWith(popularity: readonly number[]): RareWorld {
  const logs = popularity.map(Math.log);
  const mean = logs.reduce((a, b) => a + b) / ITEMS;
  const deviation = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / ITEMS);
  const rate = (sign: number) => (n: number) =>
    1 / (1 + Math.exp(3 - (sign * (Math.log(n) - mean)) / deviation));
  return {
    users: 400,
    rows: [5, 10],
    popularity,
    exponent: BETA,
    spread: 0,
    shared: 0,
    rates: [rate(1), rate(-1)],
  };
}

/** Share of the way from naive to the truth that pooled gs goes, by model, then by draw. */
function draws(world: RareWorld, strataScheme: StrataScheme): number[][] {
  const random = seeded(41);
  const runs = repetitions(15, 1000);
  const options: EstimateOptions = {
    ...DEFAULTS,
    metrics: ['recall'],
    ks: [1],
    estimators: ['gs'],
    strata: 5,
    gamma: 2,
    strataScheme,
  };
  const values: number[][] = [[], []];
  for (let run = 0; run < runs; run++) {
    const part = drawRareWindow(world, random);
    const { results } = estimateWindow({
      part,
      counts: rareCounts(world),
      models: RARE_MODELS,
      options,
    });
    for (const { model, form: aggregation, value } of results) {
      if (aggregation === 'pooled') values[RARE_MODELS.indexOf(model)].push(value);
    }
  }
  return world.rates.map((rate, m) => {
    const mean = (exponent: number) => {
      const weights = world.popularity.map((n) => n ** exponent);
      const total = weights.reduce((a, b) => a + b);
      return weights.reduce((sum, w, i) => sum + w * rate(world.popularity[i]), 0) / total;
    };
    const naive = mean(BETA);
    const truth = mean(0);
    return values[m].map((value) => (value - naive) / (truth - naive));
  });
}

/** The same in the mean over draws. */
function shares(world: RareWorld, strataScheme: StrataScheme): number[] {
  return draws(world, strataScheme).map(
    (own) => own.reduce((sum, share) => sum + share, 0) / own.length,
  );
}

describe('gs by strata on ln n', () => {
  it.each([{ skew: 0.3 }, { skew: 0.7 }, { skew: 1 }])(
    'makes at least 75 % of the correction at Zipf $skew',
    ({ skew }) => {
      const [popular, tail] = shares(worldOf(skew), 'log');
      expect(popular).toBeGreaterThan(0.85);
      expect(tail).toBeGreaterThan(0.75);
      for (const share of [popular, tail]) expect(share).toBeLessThan(1.1);
    },
  );

  it('makes at least 75 % of the correction if popularity is log-normal', () => {
    const normal = normals(8);
    const popularity = Array.from({ length: ITEMS }, () => Math.ceil(300 * Math.exp(normal())));
    const [popular, tail] = shares(worldWith(popularity), 'log');
    for (const share of [popular, tail]) {
      expect(share).toBeGreaterThan(0.75);
      expect(share).toBeLessThan(1.1);
    }
  });

  it('corrects more than strata by width, which correct less the more skewed popularity is', () => {
    for (const [skew, most] of [
      [0.7, 0.85],
      [1, 0.7],
    ]) {
      const byWidth = shares(worldOf(skew), 'popularity-width');
      const byLog = shares(worldOf(skew), 'log');
      expect(byWidth[0]).toBeLessThan(most);
      expect(byWidth[1]).toBeLessThan(0.45);
      byLog.forEach((share, m) => {
        expect(share).toBeGreaterThan(byWidth[m] + 0.1);
      });
    }
  });

  it('corrects the tail by less than 75 % in over a third of draws at Zipf 1.3', () => {
    const [popular, tail] = draws(worldOf(1.3), 'log').map(
      (own) => own.filter((share) => share < 0.75).length / own.length,
    );
    // Of the least popular items 3,000 rows show a handful or none.
    expect(tail).toBeGreaterThan(0.35);
    expect(popular).toBeLessThan(0.1);
  });

  it('corrects less than strata by rank for the tail, and more for the head', () => {
    const log = shares(worldOf(0.7), 'log');
    const rank = shares(worldOf(0.7), 'popularity-rank');
    expect(log[0]).toBeGreaterThan(rank[0] + 0.05);
    expect(log[1]).toBeLessThan(rank[1]);
  });
});
