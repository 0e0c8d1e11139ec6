import type { LevelDetector } from '../../../../src/features/drift/detector.js';
import { newRankedSeries, observeRanked } from '../../../../src/features/drift/ranked-series.js';
import { normals } from '../../../oracle/normal.js';
import { seeded } from '../../../oracle/random.js';

/** A value and the effective number of observations behind it. */
export type Drawn = readonly [value: number, weight: number];
/** Panes of a series without a change, one a call. */
export type World = (seed: number) => () => Drawn;

/** Successes of this many trials, by the gaps between them. */
function binomial(random: () => number, trials: number, share: number): number {
  const gap = () => Math.floor(Math.log(random()) / Math.log(1 - share));
  let found = 0;
  for (let at = gap(); at < trials; at += 1 + gap()) found++;
  return found;
}

/** A share of this many users, who are 30 % more or fewer from pane to pane. */
export const shareOf =
  (users: number, share: number): World =>
  (seed) => {
    const random = seeded(seed);
    return () => {
      const now = Math.round(users * (0.7 + 0.6 * random()));
      return [binomial(random, now, share) / now, now];
    };
  };

/** Normal values with AR(1) correlation. */
export const correlated =
  (phi: number): World =>
  (seed) => {
    const random = normals(seed);
    let x = random();
    return () => {
      x = phi * x + Math.sqrt(1 - phi * phi) * random();
      return [0.3 + 0.02 * x, 200];
    };
  };

/** Student's t with four degrees of freedom. */
export const heavyTailed: World = (seed) => {
  const random = normals(seed);
  return () => {
    const squares = random() ** 2 + random() ** 2 + random() ** 2 + random() ** 2;
    return [0.3 + (0.02 * random()) / Math.sqrt(squares / 4), 200];
  };
};

/** Few users cause most of the weight now and then, and values are counts of a skewed kind. */
export const burstyUsers: World = (seed) => {
  const random = seeded(seed);
  return () => {
    const weight = 40 / (0.1 + 3 * random() ** 2);
    const rate = -Math.log(random()) - Math.log(random());
    return [0.02 * (1 + (rate - 2) / Math.sqrt(weight / 10)), weight];
  };
};

/** Ten scores a minute apart of a series that falls to `after` from pane `at` on: the pane that is named. */
export function panesToAlarm(
  world: World,
  seed: number,
  detector: LevelDetector,
  {
    threshold,
    most,
    change,
    seasonSlots = 1,
  }: {
    readonly threshold: number;
    readonly most: number;
    readonly change?: { readonly at: number; readonly value: number };
    readonly seasonSlots?: number;
  },
): number | undefined {
  const options = {
    ...{ detectors: [detector], allowance: 0.5, threshold: 5, guarantee: 500, learn: 24 },
    ...{ standardisation: 'ranks' as const, seasonMs: seasonSlots === 1 ? null : seasonSlots },
  } as const;
  const state = newRankedSeries();
  const next = world(seed);
  for (let t = 0; t < most; t++) {
    const [value, weight] = next();
    const isChanged = change !== undefined && t >= change.at;
    const drawn = { value: isChanged ? change.value : value, weight, teaches: true };
    const pane = { from: t, to: t + 1, slot: t % seasonSlots };
    const score = observeRanked(state, drawn, pane, options)?.get(detector)?.score ?? 0;
    if (score >= threshold) return t + 1;
  }
  return undefined;
}
