import { describe, expect, it } from 'vitest';
import {
  BOOTSTRAP_REPLICATES,
  fillWeights,
  replicateStdErr,
} from '../../../../src/estimators/uncertainty/poisson-bootstrap.js';
import { estimateWindow } from '../../../../src/estimators/window/estimate-window.js';
import { finish } from '../../../oracle/finish.js';
import { seeded } from '../../../oracle/random.js';
import { DEFAULTS } from '../../../oracle/window.js';
import {
  simulatedCounts,
  simulatedModels,
  simulateWindow,
} from '../../../reference/simulated-window.js';

const OPTIONS = {
  ...DEFAULTS,
  metrics: ['recall'] as const,
  ks: [1],
  interval: 'bootstrap' as const,
};

function weightsOf(key: number): number[] {
  const weights = new Uint8Array(BOOTSTRAP_REPLICATES);
  fillWeights(key, weights, 0);
  return [...weights];
}

describe('the weights of the bootstrap', () => {
  const users = Array.from({ length: 20_000 }, (_, key) => weightsOf(key));
  const all = users.flat();

  it('are Poisson(1), also for keys that follow each other', () => {
    for (const [count, chance] of [Math.exp(-1), Math.exp(-1), Math.exp(-1) / 2].entries()) {
      const share = all.filter((weight) => weight === count).length / all.length;
      expect(Math.abs(share - chance)).toBeLessThan(4 * Math.sqrt(chance / all.length));
    }
    const mean = all.reduce((a, b) => a + b, 0) / all.length;
    expect(Math.abs(mean - 1)).toBeLessThan(4 / Math.sqrt(all.length));
  });

  it('are uncorrelated between users and between replicates', () => {
    const correlation = (pairs: [number, number][]) =>
      pairs.reduce((sum, [a, b]) => sum + (a - 1) * (b - 1), 0) / pairs.length;
    const bound = 4 / Math.sqrt(users.length);
    for (const b of [0, 1, 2, 57]) {
      const nextUser = users.slice(1).map((own, u): [number, number] => [own[b], users[u][b]]);
      const nextReplicate = users.map((own): [number, number] => [own[b], own[b + 1]]);
      expect(Math.abs(correlation(nextUser))).toBeLessThan(bound);
      expect(Math.abs(correlation(nextReplicate))).toBeLessThan(bound);
    }
  });
});

describe('the bootstrap of a window', () => {
  const part = simulateWindow(2000, seeded(3));
  const estimate = (interval: 't-logit' | 'bootstrap', parts = [part]) =>
    finish(estimateWindow(parts, simulatedCounts, simulatedModels, { ...OPTIONS, interval }));

  it('gives about the errors of the jackknife, for values and for paired differences', () => {
    const [jackknife, bootstrap] = [estimate('t-logit'), estimate('bootstrap')];
    for (const kind of ['results', 'differences'] as const) {
      bootstrap[kind].forEach((row, i) => {
        // A standard deviation of 100 replicates has an error of 7 %.
        expect(row.value).toBe(jackknife[kind][i].value);
        expect(Math.abs(row.stdErr / jackknife[kind][i].stdErr - 1)).toBeLessThan(0.28);
      });
    }
  });

  it('does not depend on how users are divided into parts', () => {
    const at = 777;
    const { userStart } = part;
    const slice = (from: number, to: number) => ({
      ...part,
      users: to - from,
      userStart: userStart.slice(from, to + 1).map((start) => start - userStart[from]),
      userCount: part.userCount.slice(from, to),
      userKey: part.userKey!.slice(from, to),
      rows: userStart[to] - userStart[from],
      item: part.item.slice(userStart[from], userStart[to]),
      positive: part.positive.slice(userStart[from], userStart[to]),
      traffic: part.traffic.slice(userStart[from], userStart[to]),
      ranks: part.ranks.map((rank) => rank.slice(userStart[from], userStart[to])),
      lists: part.lists.map((list) => list.slice(userStart[from], userStart[to])),
    });
    const whole = estimate('bootstrap');
    const divided = estimate('bootstrap', [slice(at, part.users), slice(0, at)]);
    divided.results.forEach(({ stdErr }, i) => {
      expect(stdErr / whole.results[i].stdErr).toBeCloseTo(1, 9);
    });
  });

  it('gives a constant gain no width', () => {
    const constant = { ...part, ranks: part.ranks.map((rank) => rank.map(() => 0)) };
    for (const { lower, upper } of estimate('bootstrap', [constant]).results) {
      expect([lower, upper]).toEqual([1, 1]);
    }
  });

  it('says when users have no keys', () => {
    const { userKey: _, ...without } = part;
    expect(() => estimate('bootstrap', [without])).toThrow('keys of users');
  });
});

describe('replicateStdErr', () => {
  it('is the standard deviation of the replicates that are numbers', () => {
    expect(replicateStdErr(Float64Array.of(1, Number.NaN, 3, 5))).toBeCloseTo(2, 12);
    expect(replicateStdErr(Float64Array.of(1, Number.NaN))).toBeNaN();
  });
});
