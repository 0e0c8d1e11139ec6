import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chaosSeeds } from '../support/chaos-seeds.js';
import { differences } from '../support/compare.js';
import { valuesGiven } from '../support/estimate-lines.js';
import { ChaosRig } from '../support/random-chaos.js';

/** One that failed is played alone by `npm run test:chaos -- --schedule random --seed N`. */
const SEEDS = chaosSeeds(20);
const STEPS = 10;

let rig: ChaosRig;
beforeAll(async () => {
  rig = await ChaosRig.start();
}, 600_000);
afterAll(() => rig?.stop());

describe('three readers and two tickers under random disturbances', () => {
  it.each(SEEDS)(
    'give the windows of one undisturbed process: schedule %i',
    async (seed) => {
      const { found, wanted, text } = await rig.play(seed, STEPS);
      expect(wanted.lines.length).toBeGreaterThan(10);
      expect(valuesGiven(wanted.lines)).toBeGreaterThan(5);
      expect(found.accounts, text).toEqual(wanted.accounts);
      expect(differences(found.lines, wanted.lines, 1e-9), text).toEqual([]);
    },
    900_000,
  );
});
