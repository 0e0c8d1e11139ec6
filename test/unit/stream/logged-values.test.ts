import { describe, expect, it } from 'vitest';
import { v1Value } from '../../../src/features/values/v1.js';
import type { ValueOptions } from '../../../src/features/values/value-options.js';
import type { ValueRow } from '../../../src/features/values/value-row.js';
import { goldenSingles, goldenSlates, SLATES } from '../../support/golden-loggers.js';
import { type Event, feed, smallOptions } from '../../support/log.js';
import { evaluated } from '../../support/request-events.js';

const DIGITS = 6;
const THETA = [1, 1 / 2];
const KNOWN: ValueOptions = {
  horizonMs: 50,
  unit: 'request',
  theta: THETA,
  shrinkage: 1,
  isJudged: false,
};
const options = (value: ValueOptions) =>
  smallOptions({
    value,
    windows: [{ name: 'w', ms: 1000 }],
    estimates: { ...smallOptions().estimates, metrics: ['recall'], ks: [1], estimators: ['naive'] },
  });
const valuesOf = async (events: readonly Event[], value = KNOWN) =>
  (await evaluated(events, options(value))).windows[0].values ?? [];
const find = (rows: readonly ValueRow[], model: string, estimator: string) =>
  rows.find((each) => each.model === model && each.estimator === estimator) ??
  expect.fail(`${estimator} of ${model} is missing`);
/** The values in the last pane that has any. */
function streamed(events: readonly Event[], partitions: number): readonly ValueRow[] {
  const ts = Math.max(...events.map((event) => Number(event.ts))) + 200;
  const later: Event = { type: 'interaction', id: 'later', ts, user: 'u0', item: 'x', value: 0 };
  const { snapshots } = feed([...events, later], options(KNOWN), {
    partitions,
    batchSize: 3,
    run: 1,
  });
  return snapshots.flatMap(({ windows }) => (windows[0].values ? [windows[0].values] : [])).at(-1)!;
}

describe('single positions with weights 1/2, 1, 2 and 1', () => {
  it.each([
    ['ips', 5 / 8, 43 / 192],
    ['snips', 5 / 9, 472 / 6561],
    ['dr', 19 / 32, undefined],
    ['dros', 27 / 80, undefined],
  ])(
    'have the exact value by %s, in an evaluation and in a stream',
    async (form, value, variance) => {
      const events = goldenSingles();
      const own = find(await valuesOf(events), 'S', `logged_slot_${form}`);
      expect(own.value).toBeCloseTo(value, DIGITS);
      if (variance !== undefined) expect(own.stdErr ** 2).toBeCloseTo(variance, DIGITS);
      const live = find(streamed(events, 1), 'S', `logged_slot_${form}`);
      expect(live.value).toBeCloseTo(value, DIGITS);
    },
  );

  it('give no dros without λ', async () => {
    const { shrinkage: _, ...plain } = KNOWN;
    const rows = await valuesOf(goldenSingles(), plain);
    const names = rows.filter(({ model }) => model === 'S').map(({ estimator }) => estimator);
    expect(names.filter((name) => name.startsWith('logged'))).toEqual([
      'logged_slot_ips',
      'logged_slot_snips',
      'logged_slot_dr',
    ]);
  });
});

describe('slates of a Plackett–Luce logger', () => {
  it.each([
    ['all four', SLATES, { list: 1, prefix: 3 / 2, slot: 2, item: 33 / 20 }, 3 / 2],
    [
      'the first three',
      SLATES.slice(0, 3),
      { list: 4 / 3, prefix: 2, slot: 5 / 3, item: 9 / 5 },
      23 / 12,
    ],
  ] as const)(
    '%s have the exact value by list, prefix, slot and item',
    async (_, slates, wanted, cascade) => {
      for (const of of ['slot', 'conditional', 'item'] as const) {
        const rows = await valuesOf(goldenSlates(of, THETA, 1, slates));
        for (const [unit, value] of Object.entries(wanted)) {
          const ips = rows.find((each) => {
            return each.model === 'S' && each.estimator === `logged_${unit}_ips`;
          });
          if (ips !== undefined) expect(ips.value, unit).toBeCloseTo(value, DIGITS);
        }
        if (of !== 'conditional') continue;
        expect(find(rows, 'S', 'logged_prefix_dr').value).toBeCloseTo(cascade, DIGITS);
      }
    },
  );
});

describe('logged values with validity checks', () => {
  const judged = { ...KNOWN, isJudged: true };

  it('are refused for dros alone if shrinking the weights has biased them', async () => {
    const rows = await valuesOf(goldenSingles(28), { ...judged, shrinkage: 0.01 });
    const dros = find(rows, 'S', 'logged_slot_dros');
    expect(v1Value(dros)).toMatchObject({ value: Number.NaN, withheld: 'weights_shrunk' });
    const [{ figures }] = dros.reasons;
    expect(figures).toEqual({ shrinkage: 0.01, z: expect.any(Number), most: 3 });
    expect((figures as { z: number }).z).toBeLessThan(-3);
    expect(find(rows, 'S', 'logged_slot_dr').status === 'refused').toBe(false);
  });
});
