import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fitExamination } from '../../src/features/values/fit-examination.js';
import { RankPatterns } from '../../src/features/values/rank-patterns.js';

const RANKS = 4;

interface Click {
  readonly chances: readonly number[];
  readonly rank: number;
  readonly cluster: number;
}

/** Clicks on items that could stand at two ranks or more, and one each way between neighbours. */
const clicks = fc
  .array(
    fc.record({
      ranks: fc.shuffledSubarray([0, 1, 2, 3], { minLength: 2 }),
      share: fc.double({ min: 0.2, max: 0.8, noNaN: true }),
      cluster: fc.nat(5),
    }),
    { minLength: 4, maxLength: 25 },
  )
  .map((drawn): Click[] => {
    const some = drawn.map(({ ranks, share, cluster }) => {
      const at = (k: number) => (k === ranks[0] ? share : ranks.includes(k) ? 1 - share : 0);
      return { chances: [0, 1, 2, 3].map(at), rank: ranks[0], cluster };
    });
    const joined = [0, 1, 2].flatMap((k) => {
      const chances = [0, 1, 2, 3].map((each) => (each === k || each === k + 1 ? 0.5 : 0));
      return [k, k + 1].map((rank) => ({ chances, rank, cluster: k }));
    });
    return [...some, ...joined];
  });

const patternsOf = (all: readonly Click[]) => {
  const patterns = new RankPatterns(RANKS, 6);
  for (const { chances, rank, cluster } of all) patterns.add(chances, rank, cluster);
  return patterns;
};

/** Σ log(θ_k p_k / Σ_j θ_j p_j). */
function logLikelihood(all: readonly Click[], logTheta: readonly number[]): number {
  return all.reduce((sum, { chances, rank }) => {
    const looks = chances.map((chance, k) => chance * Math.exp(logTheta[k]));
    return sum + Math.log(looks[rank] / looks.reduce((total, each) => total + each, 0));
  }, 0);
}

/** Derivatives by log θ_k, k ≥ 1, as a small change shows them. */
function slopes(of: (logTheta: readonly number[]) => number, at: readonly number[]): number[] {
  const step = 1e-5;
  return [1, 2, 3].map((k) => {
    const moved = (by: number) => of(at.map((each, l) => (l === k ? each + by : each)));
    return (moved(step) - moved(-step)) / (2 * step);
  });
}

it('the examination fit maximises the likelihood and has the clustered covariance', () => {
  fc.assert(
    fc.property(clicks, (all) => {
      const { theta, covariance, identified } = fitExamination(patternsOf(all));
      expect(identified).toBe(RANKS);
      const at = [...theta].map(Math.log);
      for (const slope of slopes((own) => logLikelihood(all, own), at)) {
        expect(Math.abs(slope)).toBeLessThan(1e-6);
      }
      // Σ = H⁻¹ S H⁻¹, so H Σ H = S.
      const h = [1, 2, 3].map((k) =>
        slopes((own) => -slopes((one) => logLikelihood(all, one), own)[k - 1], at),
      );
      const scores = [0, 1, 2, 3, 4, 5].map((cluster) => {
        const own = all.filter((click) => click.cluster === cluster);
        return slopes((one) => logLikelihood(own, one), at);
      });
      const sigma = [1, 2, 3].map((k) => [1, 2, 3].map((l) => covariance.values[k * RANKS + l]));
      const times = (a: readonly (readonly number[])[], b: readonly (readonly number[])[]) =>
        a.map((row) => [0, 1, 2].map((c) => row.reduce((sum, each, k) => sum + each * b[k][c], 0)));
      const product = times(times(h, sigma), h);
      for (const k of [0, 1, 2]) {
        for (const l of [0, 1, 2]) {
          const s = scores.reduce((sum, score) => sum + score[k] * score[l], 0);
          expect(Math.abs(product[k][l] - s)).toBeLessThan(1e-3 * Math.max(1, Math.abs(s)));
        }
      }
    }),
  );
});
