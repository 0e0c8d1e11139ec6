import { describe, expect, it } from 'vitest';
import { SetIds } from '../../src/export/hashed-ids.js';
import { needsData } from '../support/published-data.js';
import { repetitions } from '../support/repetitions.js';
import { decodedRows, drawnFrom, type PlainRow } from '../support/sets.js';
import { ranksOf, splitRatings } from './carraro-protocol.js';
import { asEvents, carraroSets } from './carraro-sets.js';
import { CARRARO_ESTIMATORS, CARRARO_MEASURED } from './carraro-table-2.js';
import { coatRatings } from './coat.js';

/**
 * The known deviations are of a mean of ten: over 6 seeds chance is 1.3 of one, and a draw that is
 * off by six of them is noticed for sure; over 300 the bound of 2.5 is nearly all bias.
 */
const SEEDS = repetitions(6, 300);

describe('Carraro & Bridge, Table 2 on sets drawn from Coat', needsData('coat'), () => {
  it(`has every deviation inside 2.5 sd over ${SEEDS} seeds, wtd_h nearer than full and reg`, async () => {
    const found = await carraroSets(SEEDS);
    for (const ranker of ['posPop', 'avgRating'] as const) {
      for (const column of ['truth', ...CARRARO_ESTIMATORS] as const) {
        const [mean, sd] = CARRARO_MEASURED[ranker][column];
        const value = found[ranker][column];
        expect(Math.abs(value - mean), `${ranker} ${column}: ${value}`).toBeLessThan(2.5 * sd);
      }
      const { full, reg, wtd_h } = found[ranker];
      expect(Math.abs(wtd_h)).toBeLessThan(Math.min(Math.abs(full), Math.abs(reg)));
    }
  });
});

describe('sets drawn from one half of Coat', needsData('coat'), () => {
  it('have a mean recall within three standard errors of the expected value', async () => {
    const halves = splitRatings(coatRatings('train'), [0.6, 0.4], 1);
    const ids = new SetIds();
    const [train, held] = halves.map((half) => asEvents(half));
    const batches = [
      { rows: decodedRows(train, ids), isTrain: true },
      { rows: decodedRows(held, ids), isTrain: false },
    ];
    const rank = ranksOf('posPop', halves[0]);
    const isHit = ({ user, item }: PlainRow) => rank(Number(user), Number(item)) < 10;
    const plan = { strategy: 'wtd_h', split: null } as const;
    const draws = repetitions(50, 400);
    const values: number[] = [];
    const chances = new Map<string, { chance: number; isHit: boolean }>();
    for (let seed = 0; seed < draws; seed++) {
      const { rows } = await drawnFrom(ids, batches, { ...plan, seed });
      const positive = rows.filter(({ value }) => value > 3);
      values.push(positive.filter(isHit).length / positive.length);
      for (const row of positive) {
        const known = { chance: row.inclusion, isHit: isHit(row) };
        chances.set(`${row.user}/${row.item}`, known);
      }
    }
    const mean = values.reduce((a, b) => a + b, 0) / draws;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (draws - 1);
    // Σ πλ / Σ π over the positive rows; in as many draws nearly each of them came up.
    const positives = held.filter(({ value = 0 }) => value > 3).length;
    expect(chances.size).toBeGreaterThan(0.99 * positives);
    let numerator = 0;
    let denominator = 0;
    for (const { chance, isHit: hit } of chances.values()) {
      numerator += hit ? chance : 0;
      denominator += chance;
    }
    const error = Math.abs(mean - numerator / denominator);
    expect(error).toBeLessThan(3 * Math.sqrt(variance / draws));
  });
});

describe('the inclusion probabilities of a drawn set', () => {
  it('equal how often its rows are drawn', async () => {
    const interactions = Array.from({ length: 360 }, (_, n) => ({
      type: 'interaction' as const,
      id: `e${n}`,
      ts: n,
      user: `u${n % 24}`,
      item: `i${Math.floor(40 * ((n * 0.618) % 1) ** 2)}`,
    }));
    const ids = new SetIds();
    const batches = [
      { rows: decodedRows(interactions.slice(0, 180), ids), isTrain: true },
      { rows: decodedRows(interactions.slice(180), ids), isTrain: false },
    ];
    // The scores are standard normal at any number; a π that is off by a tenth gives a mean square
    // of 1 + .01 n π / (1 − π): at 400 seeds 2 where π is a fifth, and 5 where it is a half.
    const seeds = repetitions(400, 5000);
    const taken = new Map<string, { count: number; chance: number }>();
    for (let seed = 0; seed < seeds; seed++) {
      const { rows } = await drawnFrom(ids, batches, { strategy: 'wtd_h', split: null, seed });
      for (const { user, item, inclusion } of rows) {
        const name = `${user}/${item}`;
        const count = (taken.get(name)?.count ?? 0) + 1;
        taken.set(name, { count, chance: inclusion });
      }
    }
    const scores = [...taken.values()].map(
      ({ count, chance }) =>
        (count - seeds * chance) / Math.sqrt(seeds * chance * (1 - chance) + 1e-9),
    );
    // π is exact up to 1/k; what is left is chance: standard normal, so with a mean square of 1.
    const squares = scores.reduce((sum, z) => sum + z * z, 0) / scores.length;
    expect(squares).toBeLessThan(1.5);
    expect(Math.max(...scores.map(Math.abs))).toBeLessThan(4.5);
    const total = [...taken.values()].reduce((sum, { chance }) => sum + chance, 0);
    const drawnRows = [...taken.values()].reduce((sum, { count }) => sum + count, 0) / seeds;
    expect(total).toBeCloseTo(drawnRows, 1);
  });
});
