import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../src/estimators/mathematics/random.js';
import { inclusionProbabilities, systematicSample } from '../../src/simulation/logging-policy.js';
import { EventQueue } from '../../src/simulation/simulation.js';

const weightsAndSize = fc
  .array(fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 1e6, noNaN: true })), {
    minLength: 1,
    maxLength: 40,
  })
  .chain((weights) =>
    fc.record({ weights: fc.constant(weights), size: fc.integer({ min: 1, max: weights.length }) }),
  );

test('inclusion probabilities sum to the size and are proportional to weights below 1', () => {
  fc.assert(
    fc.property(weightsAndSize, ({ weights, size }) => {
      const probabilities = inclusionProbabilities(Float64Array.from(weights), size);
      const positive = weights.filter((w) => w > 0).length;
      const sum = probabilities.reduce((total, p) => total + p, 0);
      expect(sum).toBeCloseTo(Math.min(size, positive), 6);
      const open = weights
        .map((weight, i) => ({ weight, p: probabilities[i] }))
        .filter(({ weight, p }) => weight > 0 && p < 1);
      for (const { weight, p } of open) {
        expect(p / weight / (open[0].p / open[0].weight)).toBeCloseTo(1, 6);
      }
      for (const [i, a] of weights.entries()) {
        for (const [j, b] of weights.entries()) {
          if (a < b) expect(probabilities[i]).toBeLessThanOrEqual(probabilities[j]);
        }
      }
    }),
  );
});

test('a systematic draw holds distinct items and every certain one', () => {
  fc.assert(
    fc.property(weightsAndSize, fc.nat(), ({ weights, size }, seed) => {
      const probabilities = inclusionProbabilities(Float64Array.from(weights), size);
      const order = Int32Array.from(weights.keys());
      const drawn = systematicSample(probabilities, order, new Random(seed, 'draw'));
      expect(new Set(drawn).size).toBe(drawn.length);
      const sum = probabilities.reduce((total, p) => total + p, 0);
      expect(Math.abs(drawn.length - sum)).toBeLessThan(1 + 1e-6);
      for (const item of drawn) expect(probabilities[item]).toBeGreaterThan(0);
      probabilities.forEach((p, item) => {
        if (p === 1) expect(drawn).toContain(item);
      });
    }),
  );
});

test('a queue returns events by time, and equal times in order of arrival', () => {
  const step = fc.oneof(fc.record({ push: fc.integer({ min: 0, max: 9 }) }), fc.constant('pop'));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const queue = new EventQueue<{ ts: number; n: number }>();
      const waiting: { ts: number; n: number }[] = [];
      steps.forEach((what, n) => {
        if (typeof what === 'string') {
          // The oracle: the first of the earliest, by a stable sort of all that wait.
          const first = [...waiting].sort((a, b) => a.ts - b.ts)[0];
          expect(queue.earliest).toBe(first?.ts ?? Number.POSITIVE_INFINITY);
          expect(queue.pop()).toBe(first);
          if (first !== undefined) waiting.splice(waiting.indexOf(first), 1);
        } else {
          const event = { ts: what.push, n };
          waiting.push(event);
          queue.push(event);
        }
      });
    }),
  );
});
