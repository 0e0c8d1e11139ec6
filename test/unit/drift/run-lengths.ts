import {
  cusum,
  eCusum,
  eShiryaevRoberts,
  newCusum,
  newECusum,
  newEShiryaevRoberts,
} from '../../../src/features/drift/level-detectors.js';

/** A detector that starts from scratch: fed with scores, it says when it fires. */
export const DETECTORS: Readonly<Record<string, () => (z: number) => boolean>> = {
  CUSUM: () => {
    const state = newCusum();
    return (z) => cusum(state, z, 0, 0.5).score >= 5;
  },
  'e-CUSUM': () => {
    const state = newECusum();
    return (z) => eCusum(state, z, 0).score >= 500;
  },
  'e-SR': () => {
    const state = newEShiryaevRoberts();
    return (z) => eShiryaevRoberts(state, z, 0).score >= 500;
  },
};

/** Mean panes to a false alarm, and to an alarm after a change of 1σ: (false alarm, delay). */
export const PUBLISHED: Readonly<Record<string, readonly [number, number]>> = {
  CUSUM: [479, 10.4],
  'e-CUSUM': [4355, 16.6],
  'e-SR': [827, 13.9],
};
