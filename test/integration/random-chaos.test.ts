import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chaosSeeds } from '../support/chaos-seeds.js';
import { differences } from '../support/compare.js';
import { ChaosRig, type Told } from '../support/random-chaos.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';

/** One that failed is played alone by `npm run test:chaos -- --schedule random --seed N`. */
const SEEDS = chaosSeeds(repetitions(1, 20));
const STEPS = IS_LONG ? 10 : 5;

let rig: ChaosRig;
let wanted: Told;
beforeAll(async () => {
  rig = await ChaosRig.start();
  wanted = await rig.undisturbed();
}, 600_000);
afterAll(() => rig?.stop());

describe('whatever happens to a group of three workers', () => {
  it.each(SEEDS)(
    'its windows are those of one undisturbed worker: schedule %i',
    async (seed) => {
      const { lines, accounts, schedule } = await rig.disturbed(seed, STEPS);
      expect(wanted.lines.length).toBeGreaterThan(50);
      expect(differences(lines, wanted.lines, 1e-9), `seed ${seed}:\n${schedule}`).toEqual([]);
      expect(accounts, `seed ${seed}:\n${schedule}`).toEqual(wanted.accounts);
    },
    900_000,
  );
});
