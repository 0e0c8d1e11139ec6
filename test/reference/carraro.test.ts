import { describe, expect, it } from 'vitest';
import { rake } from '../../src/estimators/interventions/raking.js';
import { samplingKey } from '../../src/estimators/interventions/sampling-key.js';
import { estimate, type PlainWindow, toPart } from '../oracle/window.js';
import { needsData, publishedData } from '../support/published-data.js';
import { repetitions } from '../support/repetitions.js';
import { heldOutWindow, type Ranker, randomHalves } from './carraro-protocol.js';
import { CARRARO_ESTIMATORS, CARRARO_MEASURED, carraroTable2 } from './carraro-table-2.js';
import { coatRatings } from './coat.js';

/** The known deviations are of a mean of ten splits, so 10 are the least that is held to 2.5 of them. */
const SPLITS = repetitions(10, 300);

describe('Carraro & Bridge, Table 2 on Coat', needsData('coat'), () => {
  for (const ranker of ['posPop', 'avgRating'] satisfies Ranker[]) {
    it(`puts every intervention inside 2.5 sd of the known deviation for ${ranker}`, () => {
      const found = carraroTable2(ranker, SPLITS);
      for (const column of ['truth', ...CARRARO_ESTIMATORS] as const) {
        const [mean, sd] = CARRARO_MEASURED[ranker][column];
        const value = found[column];
        expect(Math.abs(value - mean), `${column}: ${value}`).toBeLessThan(2.5 * sd);
      }
    });
  }
});

describe('interventions on half of Coat', needsData('coat'), () => {
  const hasCoat = publishedData('coat') !== undefined;
  const halves = hasCoat ? randomHalves(coatRatings('train')) : undefined;
  const window = halves && heldOutWindow('posPop', halves[0], halves[1], halves[0]);
  // All MNAR rows: in a held-out part some users hold the only rows of several items.
  const train = hasCoat ? coatRatings('train') : undefined;
  const whole = train && heldOutWindow('posPop', train, train, train);
  const options = { metrics: ['recall' as const], ks: [10], estimators: ['wtd_h' as const] };

  it('give wtd_h the value and the error of drawn test sets', () => {
    const rows = rowsOf(window!);
    const keep = Math.round(rows.length / 2);
    const draws = repetitions(300, 4000);
    const pooled: number[] = [];
    const perUser: number[] = [];
    for (let seed = 0; seed < draws; seed++) {
      const { mean, userMean } = drawnRecall(rows, keep, seed);
      pooled.push(mean);
      perUser.push(userMean);
    }
    const { results } = estimate(window!, options);
    const expected = (aggregation: string) => results.find((row) => row.form === aggregation)!;
    for (const [values, row] of [
      [pooled, expected('pooled')],
      [perUser, expected('user')],
    ] as const) {
      const { mean, sd } = meanAndSd(values);
      expect(Math.abs(row.value - mean)).toBeLessThan((3 * sd) / Math.sqrt(draws));
    }
    const drawnError = meanAndSd(pooled).sd;
    expect(Math.abs(expected('pooled').more.samplingStdErr! / drawnError - 1)).toBeLessThan(
      // Four standard errors of a standard deviation, and 1.5 % that the approximation may be off.
      4 / Math.sqrt(2 * draws) + 0.015,
    );
    expect(expected('user').more.samplingStdErr).toBeUndefined();
  });

  it('rake both margins of the MNAR rows to uniform within 1e-9', () => {
    const part = toPart(whole!.users, 1);
    const items = whole!.popularity.length;
    const { userSide, itemSide, components, isDamped } = rake(part, items);
    expect({ components, isDamped }).toEqual({ components: 1, isDamped: false });
    const users = new Float64Array(part.users);
    const columns = new Float64Array(items);
    for (let u = 0; u < part.users; u++) {
      for (let r = part.userStart[u]; r < part.userStart[u + 1]; r++) {
        const weight = userSide[u] * itemSide[part.item[r]];
        users[u] += weight;
        columns[part.item[r]] += weight;
      }
    }
    for (const margin of [users, columns]) {
      const used = margin.filter((sum) => sum > 0);
      const total = used.reduce((a, b) => a + b, 0);
      for (const sum of used) expect(Math.abs(sum / total - 1 / used.length)).toBeLessThan(1e-9);
    }
  });

  it('report the effect of each intervention on the rows', () => {
    const { interventions } = estimate(whole!, { ...options, estimators: ['wtd_h', 'wtd_ipf'] });
    const [wtdH, ipf] = interventions;
    expect(wtdH.ess).toBeLessThan(ipf.ess);
    expect(ipf.margins.user.weights).toBeLessThan(1e-9);
    expect(ipf.margins.item.weights).toBeLessThan(1e-9);
    expect(wtdH.margins.item.weights).toBeGreaterThan(0.1);
    expect(wtdH.sample.gini).toBeLessThan(wtdH.before.gini);
    expect(Math.abs(wtdH.expected - wtdH.rows / 2)).toBeLessThan(1e-6);
  });
});

interface Row {
  user: number;
  id: number;
  weight: number;
  positive: boolean;
  hit: boolean;
}

function rowsOf(window: PlainWindow): Row[] {
  let id = 0;
  return window.users.flatMap((user, u) =>
    user.rows.map((row) => ({
      user: u,
      id: id++,
      weight: 1 / ((user.count + 0.5) * (window.interactions[row.item] + 0.5) ** 2),
      positive: row.positive,
      hit: Number(row.ranks[0]) < 10,
    })),
  );
}

/** Recall@10 on one drawn test set, over all its positive rows and as a mean over users. */
function drawnRecall(rows: readonly Row[], keep: number, seed: number) {
  const order = rows
    .map((row) => ({ row, key: samplingKey(seed, 0, row.id, row.weight) }))
    .sort((a, b) => a.key - b.key);
  const byUser = new Map<number, { hits: number; size: number }>();
  for (const { row } of order.slice(0, keep)) {
    if (!row.positive) continue;
    const own = byUser.get(row.user) ?? { hits: 0, size: 0 };
    byUser.set(row.user, { hits: own.hits + Number(row.hit), size: own.size + 1 });
  }
  const users = [...byUser.values()];
  const sum = (of: (own: { hits: number; size: number }) => number) =>
    users.reduce((total, own) => total + of(own), 0);
  return {
    mean: sum(({ hits }) => hits) / sum(({ size }) => size),
    userMean: sum(({ hits, size }) => hits / size) / users.length,
  };
}

function meanAndSd(values: readonly number[]) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, sd: Math.sqrt(squares / (values.length - 1)) };
}
