import { describe, expect, it } from 'vitest';
import { calibration } from '../../../../src/estimators/propensity/calibration.js';
import { poisson } from '../../../oracle/poisson.js';
import { seeded } from '../../../oracle/random.js';
import { IS_LONG, repetitions } from '../../../support/repetitions.js';

const ITEMS = 2000;
const ORGANIC = 30_000;

interface World {
  /** Expected organic and randomised positives per item. */
  readonly organic: readonly number[];
  readonly randomized: readonly number[];
}

function scaled(values: readonly number[], total: number): number[] {
  const sum = values.reduce((a, b) => a + b, 0);
  return values.map((value) => (value * total) / sum);
}

/** Organic positives by Zipf's law, and randomised ones as relevance is where β made the former. */
function world(beta: number, zipf: number, randomized: number, organic = ORGANIC): World {
  const sizes = scaled(
    Array.from({ length: ITEMS }, (_, i) => (i + 1) ** -zipf),
    organic,
  );
  return {
    organic: sizes,
    randomized: scaled(
      sizes.map((size) => size ** (1 - beta)),
      randomized,
    ),
  };
}

type Draw = (random: () => number) => readonly [ArrayLike<number>, ArrayLike<number>];

const counted =
  ({ organic, randomized }: World): Draw =>
  (random) => [
    organic.map((mean) => poisson(mean, random)),
    randomized.map((mean) => poisson(mean, random)),
  ];

/** Mean of β̂ and how often its interval leaves out β, over the runs that were not refused. */
function measured(beta: number, runs: number, draw: Draw) {
  const random = seeded(Math.round(1000 * beta) + runs);
  let sum = 0;
  let squares = 0;
  let answered = 0;
  let missed = 0;
  for (let run = 0; run < runs; run++) {
    const found = calibration(...draw(random), ITEMS);
    if (found.status !== 'ok') continue;
    answered++;
    sum += found.beta;
    squares += found.beta ** 2;
    if (found.lower > beta || found.upper < beta) missed++;
  }
  const mean = sum / answered;
  const error = Math.sqrt((squares / answered - mean ** 2) / answered);
  return { mean, error, size: missed / answered, refused: 1 - answered / runs };
}

// 24 runs still find the bias of a regression on the counts (.18 and more) and errors half as large.
const RUNS = repetitions(24, 1000);

function expectBounds(beta: number, draw: Draw) {
  const { mean, error, size } = measured(beta, RUNS, draw);
  expect(Math.abs(mean - beta)).toBeLessThanOrEqual(0.04 + (IS_LONG ? 0 : 3 * error));
  expect(size).toBeLessThanOrEqual(IS_LONG ? 0.11 : 0.26);
}

describe('the exponent from randomised traffic', () => {
  for (const rows of [300, 3000]) {
    for (const zipf of [0.3, 0.7, 1]) {
      it(`is found at β = 1.5 from ${rows} positives, Zipf ${zipf}`, () => {
        expectBounds(1.5, counted(world(1.5, zipf, rows)));
      });
    }
  }

  it('is biased if randomised positives are counted as organic', () => {
    // What counting them apart is for: the two are then not independent, and a true β is refuted.
    const both = counted(world(1.5, 0.3, 3000));
    const { mean, size } = measured(1.5, RUNS, (random) => {
      const [organic, randomized] = both(random);
      return [Array.from(organic, (n, i) => n + randomized[i]), randomized];
    });
    expect(size).toBeGreaterThan(0.6);
    expect(mean).toBeLessThan(1.4);
  });

  it('is biased towards 1 if events are clustered', () => {
    // Every organic positive comes three times: the noise is that of a third of the counts.
    const { organic, randomized } = world(1.5, 0.3, 3000);
    const { mean, size } = measured(1.5, RUNS, (random) => [
      organic.map((value) => 3 * poisson(value / 3, random)),
      randomized.map((value) => poisson(value, random)),
    ]);
    expect(mean).toBeGreaterThan(1);
    expect(mean).toBeLessThan(1.4);
    expect(size).toBeGreaterThan(0.5);
  });

  it('comes with its numbers of items and positives', () => {
    const found = calibration([40, 0, 90, 60], [9, 5, 12, 10], 4);
    expect(found).toMatchObject({ status: 'ok', items: 3, organic: 190, randomized: 31 });
  });
});
