import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chaosSeeds } from '../support/chaos-seeds.js';
import { differences } from '../support/compare.js';
import { valuesGiven } from '../support/estimate-lines.js';
import { ChaosRig } from '../support/random-chaos.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';

/** One that failed is played alone by `npm run test:chaos -- --schedule random --seed N`. */
const SEEDS = chaosSeeds(repetitions(3, 20));
const STEPS = IS_LONG ? 10 : 4;
/** In the short form one after the other on the same group: to begin and to settle takes longest. */
const PLAYS = IS_LONG ? SEEDS.map((seed) => [seed]) : [SEEDS];

let rig: ChaosRig;
beforeAll(async () => {
  rig = await ChaosRig.start();
}, 600_000);
afterAll(() => rig?.stop());

describe('whatever happens to a group of three workers', () => {
  it.each(PLAYS.map((seeds) => ({ seeds })))(
    'its windows are those of one undisturbed worker: schedule $seeds',
    async ({ seeds }) => {
      const { found, wanted, text } = await rig.play(seeds, STEPS);
      expect(wanted.lines.length).toBeGreaterThan(10);
      expect(valuesGiven(wanted.lines)).toBeGreaterThan(5);
      expect(found.accounts, text).toEqual(wanted.accounts);
      expect(differences(found.lines, wanted.lines, 1e-9), text).toEqual([]);
    },
    900_000,
  );
});
