import { expect, test } from 'vitest';
import { Random } from '../../../src/estimators/mathematics/random.js';
import {
  inclusionProbabilities,
  systematicSample,
} from '../../../src/simulation/logging-policy.js';

test('below the cap, inclusion is proportional to weight', () => {
  const probabilities = inclusionProbabilities(Float64Array.of(1, 2, 3, 4), 2);
  expect([...probabilities]).toEqual([0.2, 0.4, 0.6, 0.8]);
});

test('an item above the cap is certain, also if it exceeds the cap only later', () => {
  // 2 of (10, 5, 1, …): the first is certain; of the rest 5/10 < 1, so it stays uncertain.
  const once = inclusionProbabilities(Float64Array.of(10, 5, 1, 1, 1, 2), 2);
  expect([...once]).toEqual([1, 0.5, 0.1, 0.1, 0.1, 0.2]);
  // 2 · 6/14 < 1, but once 100 is certain, 2 · 6/10 > 1.
  const twice = inclusionProbabilities(Float64Array.of(100, 6, 2, 2), 3);
  expect([...twice]).toEqual([1, 1, 0.5, 0.5]);
});

test('all items are certain if there are fewer than places; without weights none is drawn', () => {
  expect([...inclusionProbabilities(Float64Array.of(3, 0, 1), 5)]).toEqual([1, 0, 1]);
  expect([...inclusionProbabilities(new Float64Array(3), 2)]).toEqual([0, 0, 0]);
  expect(systematicSample(new Float64Array(3), Int32Array.of(0, 1, 2), new Random(1, 'x'))).toEqual(
    [],
  );
});

test('over many draws every item appears as often as its probability says', () => {
  const weights = Float64Array.from({ length: 12 }, (_, i) => (i + 1) ** 1.5);
  const probabilities = inclusionProbabilities(weights, 4);
  const order = Int32Array.from(weights.keys());
  const random = new Random(2, 'draws');
  const seen = new Float64Array(12);
  const draws = 20_000;
  for (let draw = 0; draw < draws; draw++) {
    for (const item of systematicSample(probabilities, order, random)) seen[item]++;
  }
  seen.forEach((count, item) => {
    const p = probabilities[item];
    const tolerance = 4.5 * Math.sqrt((p * (1 - p)) / draws) + 1e-12;
    expect(Math.abs(count / draws - p)).toBeLessThanOrEqual(tolerance);
  });
});
