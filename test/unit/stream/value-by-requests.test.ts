import { describe, expect, it } from 'vitest';
import type { ValueOptions } from '../../../src/features/values/value-options.js';
import type { ValueRow } from '../../../src/features/values/value-row.js';
import { reasonOf } from '../../../src/rows/reading.js';
import type { MonitorOptions } from '../../../src/stream/options.js';
import { differences } from '../../support/compare.js';
import { FOUR_REQUESTS, HALF_AND_HALF, TWO_PLACES } from '../../support/golden-arms.js';
import { type Event, feed, smallOptions } from '../../support/log.js';
import { evaluated, requestEvents } from '../../support/request-events.js';

const DIGITS = 13;
const KNOWN: ValueOptions = { horizonMs: 50, unit: 'request', theta: TWO_PLACES, isJudged: false };
const options = (value: ValueOptions | undefined, more: Partial<MonitorOptions> = {}) =>
  smallOptions({
    value,
    windows: [{ name: 'w', ms: 1000 }],
    estimates: { ...smallOptions().estimates, metrics: ['recall'], ks: [1], estimators: ['naive'] },
    ...more,
  });
const golden = { models: HALF_AND_HALF.models, shares: [[1 / 2, 1 / 2, undefined]] };
const GOLDEN = requestEvents(FOUR_REQUESTS, golden);
/** An event so late that all horizons have passed. */
const later = (events: readonly Event[]): Event => {
  const ts = Math.max(...events.map((event) => Number(event.ts))) + 200;
  return { type: 'interaction', id: 'later', ts, user: 'u0', item: 'x', value: 0 };
};
const find = (rows: readonly ValueRow[] | undefined, model: string, estimator: string) =>
  rows?.find((each) => each.model === model && each.estimator === estimator) ??
  expect.fail(`${estimator} of ${model} is missing`);
const valuesOf = async (events: readonly Event[], value = KNOWN) =>
  (await evaluated(events, options(value))).windows[0].values;
/** The values in the last pane that has any. */
function streamed(events: readonly Event[], value = KNOWN, partitions = 1): readonly ValueRow[] {
  const log = [...events, later(events)];
  const { snapshots } = feed(log, options(value), { partitions, batchSize: 3, run: 1 });
  return snapshots.flatMap(({ windows }) => (windows[0].values ? [windows[0].values] : [])).at(-1)!;
}

describe('four requests of two arms', () => {
  it.each([
    ['A', 'arms_ips', 2 / 3],
    ['B', 'arms_ips', 5 / 6],
    ['S', 'arms_ips', 13 / 12],
    ['S', 'arms_snips', 13 / 16],
    ['A', 'on_policy', 1],
    ['B', 'on_policy', 1 / 2],
  ])('give %s by %s the value %d, in an evaluation and in a stream', async (model, form, value) => {
    expect(find(await valuesOf(GOLDEN), model, form).value).toBeCloseTo(value, DIGITS);
    expect(find(streamed(GOLDEN), model, form).value).toBeCloseTo(value, DIGITS);
  });
});

it('served lists are valued by their own rewards if no others are logged', async () => {
  const served = GOLDEN.flatMap((event): Event[] => {
    if (event.type !== 'exposure') return [event];
    const { share: _, ...rest } = event as Event & { readonly share?: number; shown?: boolean };
    return rest.shown === true ? [rest as Event] : [];
  });
  const rows = await valuesOf(served, { ...KNOWN, isJudged: true });
  expect(find(rows, 'A', 'on_policy')).toMatchObject({ status: 'given', value: 1 });
  expect(find(rows, 'B', 'on_policy')).toMatchObject({ status: 'given', value: 1 / 2 });
});

describe('target models', () => {
  const judged = { ...KNOWN, isJudged: true };

  it('are refused with reason no_lists if no request has their lists', async () => {
    const rows = (await valuesOf(GOLDEN, { ...judged, targets: ['S', 'Z'] }))!;
    expect(rows.map(({ model }) => model)).toEqual(['S', 'S', 'S', 'Z']);
    expect(rows[3]).toMatchObject({ status: 'refused', value: Number.NaN });
    expect(reasonOf(rows[3]!)).toBe('no_lists');
  });
});

describe('requests that lack lists', () => {
  /** So many requests of an experiment, with what is left of the events. */
  const judged = { ...KNOWN, isJudged: true };
  const many = Array.from({ length: 40 }, (_, q) => FOUR_REQUESTS[q % 4]).map((each, cluster) => ({
    ...each,
    cluster,
  }));
  const log = requestEvents(many, golden);
  const without = (isLost: (event: Event, q: number) => boolean) =>
    log.filter((event) => !isLost(event, Number(/^q(\d+)-/.exec(event.id)![1])));
  const codesOf = ({ reasons }: ValueRow) => reasons.map(({ code }) => code);
  const isOf = (event: Event, model: string) => event.type === 'exposure' && event.model === model;

  it('of arms are incomplete, and all models are refused', async () => {
    const lost = without((event, q) => isOf(event, 'B') && q % 8 === 0);
    for (const row of (await valuesOf(lost, judged))!) {
      expect(codesOf(row)).toContain('incomplete_requests');
      expect([row.status === 'refused', row.value]).toEqual([true, Number.NaN]);
    }
  });

  it('of a challenger are incomplete for it alone, and others keep their values', async () => {
    const whole = (await valuesOf(log, judged))!;
    const lost = (await valuesOf(
      without((event, q) => isOf(event, 'S') && q < 10),
      judged,
    ))!;
    expect(codesOf(find(lost, 'S', 'arms_ips'))).toContain('incomplete_requests');
    const ofArms = (rows: readonly ValueRow[]) => rows.filter(({ model }) => model !== 'S');
    expect(differences(ofArms(lost), ofArms(whole), 1e-12)).toEqual([]);
  });
});

describe('examination', () => {
  it('that is uncertain refuses off-policy values, and keeps on-policy ones', async () => {
    const fitted: ValueOptions = { horizonMs: 50, unit: 'request' };
    const rows = (await valuesOf(GOLDEN, fitted))!;
    const { reasons, status } = find(rows, 'S', 'arms_ips');
    expect(status).toBe('refused');
    expect(reasons.map(({ code }) => code)).toContain('examination_uncertain');
    expect(find(rows, 'A', 'on_policy').value).toBeCloseTo(1, DIGITS);
  });
});
