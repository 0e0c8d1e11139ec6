import { expect, it } from 'vitest';
import type { SimulationOptions } from '../../../src/simulation/options.js';
import { saidOf, simulated } from '../../support/first-line.js';
import { IS_LONG, repetitions } from '../../support/repetitions.js';

/** A size that is off by so much of the truth is none. */
const MOST_OFF = 0.1;
const NO_SIZE =
  /^personal leads blend by recall@10, .* By how much is not known: \d+\s% of what users found were repeats/;
/** Hours for which users come, and what each of them likes of how many items. */
const WORLDS: readonly [hours: number, more: Partial<SimulationOptions>][] = IS_LONG
  ? [1, 2, 3, 5, 8, 12, 20, 30, 45, 60].flatMap((hours): (typeof WORLDS)[number][] => [
      [hours, {}],
      [hours, { items: 400, relevantPerUser: 120, listLength: 20 }],
    ])
  : [
      [1, {}],
      [40, {}],
    ];
const SEEDS = repetitions(1, 3);

it('says no size where users have found most of what they like, and one where they have not', async ({
  annotate,
}) => {
  const rates = { off: 0, offWithSize: 0, right: 0, rightWithoutSize: 0 };
  for (const [hours, more] of WORLDS) {
    let [value, truth, withSize] = [0, 0, 0];
    for (let seed = 1; seed <= SEEDS; seed++) {
      const users = hours === 1 ? 1000 : 120;
      const { simulation, train, events } = simulated({ users, seed, ...more }, hours + 1);
      const before = simulation.options.startMs + 3_600_000;
      const all = [...train, ...events];
      const { found } = await saidOf(
        all.filter(({ ts }) => ts >= before),
        { gamma: '2', 'decision.metric': 'recall@10' },
        all.filter(({ ts }) => ts < before),
      );
      const own = found.find(
        ({ subject: { models = [] } }) => models.includes('personal') && models.includes('blend'),
      )!;
      const trueOf = (model: string) =>
        simulation
          .truth(simulation.options.startMs, [10])
          .find(
            (each) =>
              each.model === model && each.metric === 'recall' && each.aggregation === 'pooled',
          )!.value;
      value += own.figures.value! / SEEDS;
      truth += (trueOf('personal') - trueOf('blend')) / SEEDS;
      if (!NO_SIZE.test(own.text)) withSize++;
    }
    const isOff = Math.abs(value / truth - 1) > MOST_OFF;
    await annotate(`${hours} h, ${value.toFixed(4)} of ${truth.toFixed(4)}, ${withSize} sizes`);
    if (isOff) {
      rates.off++;
      rates.offWithSize += withSize / SEEDS;
    } else {
      rates.right++;
      rates.rightWithoutSize += 1 - withSize / SEEDS;
    }
  }
  await annotate(JSON.stringify(rates));
  expect(rates.off).toBeGreaterThan(0);
  expect(rates.right).toBeGreaterThan(0);
  expect(rates.offWithSize / rates.off).toBeLessThanOrEqual(0.05);
  expect(rates.rightWithoutSize / rates.right).toBeLessThan(0.34);
}, 1_800_000);
