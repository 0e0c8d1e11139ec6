import { expect, it } from 'vitest';
import { saidOf, simulated } from '../../support/first-line.js';
import { IS_LONG, repetitions } from '../../support/repetitions.js';

/** A size is wrong if it is off by more than this share of the truth. */
const MOST_OFF = 0.1;
const NO_SIZE = /By how much is not known: \d+\s% of the interactions were repeats/;
/** Lengths of logs in hours; each user comes once an hour, to 200 items. */
const HOURS = IS_LONG ? [1, 2, 3, 4, 6, 10, 20, 40, 60] : [1, 20];
const SEEDS = repetitions(1, 3);

/** The true lead of personal over blend in a log of so many hours, and the verdict on it. */
async function said(hours: number, seed: number) {
  const users = hours <= 4 ? 1000 : 120;
  const { simulation, train, events } = simulated({ users, seed }, hours + 1);
  const { startMs, cycleMs } = simulation.options;
  const all = [...train, ...events];
  const { verdicts, differences } = await saidOf(
    all.filter(({ ts }) => ts >= startMs + cycleMs),
    { gamma: 'fit' },
    all.filter(({ ts }) => ts < startMs + cycleMs),
  );
  const found = differences.find(
    (own) =>
      own.model === 'personal' &&
      own.reference === 'blend' &&
      own.estimator === 'snips' &&
      own.aggregation === 'pooled',
  )!;
  const truth = simulation.truth(startMs, [10]);
  const [personal, blend] = ['personal', 'blend'].map(
    (model) =>
      truth.find(
        (own) =>
          own.model === model &&
          own.metric === 'recall' &&
          own.k === 10 &&
          own.aggregation === 'pooled',
      )!.value,
  );
  const text = verdicts.find((own) => /personal.*blend|blend.*personal/.test(own))!;
  return { value: found.value, truth: personal! - blend!, text };
}

it('the size of a lead is not reported once users have found most relevant items', async ({
  annotate,
}) => {
  const rates = { off: 0, offWithSize: 0, right: 0, rightWithoutSize: 0 };
  for (const hours of HOURS) {
    let value = 0;
    let truth = 0;
    let sizes = 0;
    let repeats = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const own = await said(hours, seed);
      value += own.value / SEEDS;
      truth += own.truth / SEEDS;
      if (/recall@10 [+−]0\.\d/.test(own.text)) sizes++;
      if (NO_SIZE.test(own.text)) repeats++;
    }
    await annotate(
      `${hours} h: ${value.toFixed(4)} of ${truth.toFixed(4)}, ${sizes} sizes, ${repeats} without`,
    );
    if (Math.abs(value / truth - 1) > MOST_OFF) {
      rates.off++;
      rates.offWithSize += sizes / SEEDS;
    } else {
      rates.right++;
      rates.rightWithoutSize += repeats / SEEDS;
    }
  }
  await annotate(JSON.stringify(rates));
  expect(rates.off).toBeGreaterThan(0);
  expect(rates.right).toBeGreaterThan(0);
  expect(rates.offWithSize / rates.off).toBeLessThanOrEqual(0.05);
  expect(rates.rightWithoutSize / rates.right).toBeLessThan(0.34);
}, 1_800_000);
