import { describe, expect, it } from 'vitest';
import { valueByArms } from '../../../src/features/values/arms/value-by-arms.js';
import { v1Value, v1ValueDifference } from '../../../src/features/values/v1.js';
import type { ValueOptions } from '../../../src/features/values/value-options.js';
import type { ValueRow } from '../../../src/features/values/value-row.js';
import { isDecisive, reasonOf } from '../../../src/rows/reading.js';
import type { MonitorOptions } from '../../../src/stream/options.js';
import { differences } from '../../support/compare.js';
import { FOUR_REQUESTS, HALF_AND_HALF, TWO_PLACES } from '../../support/golden-arms.js';
import { type Event, feed, smallOptions } from '../../support/log.js';
import { evaluated, requestEvents } from '../../support/request-events.js';
import { type LoggedRequest, servedLog } from '../../support/value-log.js';

const DIGITS = 13;
const KNOWN: ValueOptions = { horizonMs: 50, unit: 'request', theta: TWO_PLACES, isJudged: false };
const options = (value: ValueOptions | undefined, more: Partial<MonitorOptions> = {}) =>
  smallOptions({
    ...{ value, windows: [{ name: 'w', ms: 1000 }] },
    estimates: { ...smallOptions().estimates, metrics: ['recall'], ks: [1], estimators: ['naive'] },
    ...more,
  });
const golden = { models: HALF_AND_HALF.models, shares: [[1 / 2, 1 / 2, undefined]] };
const GOLDEN = requestEvents(FOUR_REQUESTS, golden);
/** Something that comes so late that all horizons have passed. */
const later = (events: readonly Event[]): Event => {
  const ts = Math.max(...events.map((event) => Number(event.ts))) + 200;
  return { type: 'interaction', id: 'later', ts, user: 'u0', item: 'x', value: 0 };
};

const closeTo = (value: number) => expect.closeTo(value, DIGITS);
const find = (rows: readonly ValueRow[] | undefined, model: string, estimator: string) =>
  rows?.find((each) => each.model === model && each.estimator === estimator) ??
  expect.fail(`${estimator} of ${model} is missing`);
const valuesOf = async (events: readonly Event[], value = KNOWN) =>
  (await evaluated(events, options(value))).windows[0].values;
/** Of the last pane in which something is valued. */
function streamed(events: readonly Event[], value = KNOWN, partitions = 1): readonly ValueRow[] {
  const log = [...events, later(events)];
  const { snapshots } = feed(log, options(value), { partitions, batchSize: 3, run: 1 });
  return snapshots.flatMap(({ windows }) => (windows[0].values ? [windows[0].values] : [])).at(-1)!;
}

describe('four requests of two arms, written as events', () => {
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

  it('give the challenger its error, coverage and effective rewards', async () => {
    const {
      stdErr,
      more: { coverage },
      ess,
    } = find(await valuesOf(GOLDEN), 'S', 'arms_ips');
    expect(stdErr ** 2).toBeCloseTo(37 / 216, DIGITS);
    expect([coverage, ess]).toEqual([
      expect.closeTo(3 / 4, DIGITS),
      expect.closeTo(169 / 61, DIGITS),
    ]);
    const snips = find(await valuesOf(GOLDEN), 'S', 'arms_snips');
    expect(snips.stdErr ** 2).toBeCloseTo(1583 / 27648, DIGITS);
  });

  it('are bounded from above by what unsupported places may be worth', async () => {
    const {
      more: { bound },
    } = find(await valuesOf(GOLDEN, { ...KNOWN, mostReward: 2 }), 'S', 'arms_ips');
    expect(bound).toBeCloseTo(13 / 12 + 3 / 4, DIGITS);
  });

  it('give the same in one partition and in several', () => {
    expect(differences(streamed(GOLDEN, KNOWN, 3), streamed(GOLDEN), 1e-12)).toEqual([]);
  });

  it('are not valued where nobody asks, and neither are lists that name no request', async () => {
    const unasked = await evaluated(GOLDEN, options(undefined));
    expect(unasked.windows[0].values).toBeUndefined();
    const plain = GOLDEN.map((event) => ({ ...event, request: undefined }) as unknown as Event);
    expect(await valuesOf(plain)).toBeUndefined();
    const known = await evaluated([later(GOLDEN)], options(KNOWN), GOLDEN);
    expect(known.windows[0].values).toBeUndefined();
  });
});

it('lists that were served are worth what came of them, where no others are logged', async () => {
  const served = GOLDEN.flatMap((event): Event[] => {
    if (event.type !== 'exposure') return [event];
    const { share: _, ...rest } = event as Event & { readonly share?: number; shown?: boolean };
    return rest.shown === true ? [rest as Event] : [];
  });
  const rows = await valuesOf(served, { ...KNOWN, isJudged: true });
  expect(find(rows, 'A', 'on_policy')).toMatchObject({ isRefused: false, value: 1 });
  expect(find(rows, 'B', 'on_policy')).toMatchObject({ isRefused: false, value: 1 / 2 });
});

it('a log that ends before rewards can have come says so, and one that goes on does not', async () => {
  const judged = { ...KNOWN, isJudged: true };
  const codes = (rows: readonly ValueRow[] | undefined) =>
    find(rows, 'A', 'on_policy').reasons.map(({ code }) => code);
  const cut = await valuesOf(GOLDEN, judged);
  expect(codes(cut)).toContain('rewards_pending');
  expect(find(cut, 'A', 'on_policy').value).toBeCloseTo(1, DIGITS);
  expect(codes(await valuesOf([...GOLDEN, later(GOLDEN)], judged))).not.toContain(
    'rewards_pending',
  );
  expect(codes(streamed(GOLDEN, judged))).not.toContain('rewards_pending');
});

it('nothing is decided on requests of one group of users, whose spread nobody knows', async () => {
  const alone = FOUR_REQUESTS.map((each) => ({ ...each, cluster: 0 }));
  const many = Array.from({ length: 40 }, () => alone).flat();
  const rows = await valuesOf(requestEvents(many, golden), { ...KNOWN, isJudged: true });
  const own = find(rows, 'A', 'on_policy');
  expect([own.stdErr, own.ess > 30, isDecisive(own)]).toEqual([Number.NaN, true, false]);
});

describe('shares that each request has of its own', () => {
  /** B is clicked in every other request of those who are rarely served it, and in none of the others. */
  const own = Array.from({ length: 400 }, (_, q): LoggedRequest => {
    const arm = q % 4 === (q < 200 ? 0 : 3) ? Number(q < 200) : Number(q >= 200);
    const rewards = arm === 1 && q < 200 && q % 8 === 0 ? { b: 1 } : { ...(arm === 0 && { a: 1 }) };
    return {
      lists: [
        ['a', 'b'],
        ['b', 'c'],
      ],
      arm,
      stratum: q,
      cluster: q % 20,
      rewards,
    };
  });
  const shares = own.map((_, q) => (q < 200 ? 0.25 : 0.75) + ((q % 100) - 50) / 1000);
  const design = { models: ['A', 'B'], shares: shares.map((share) => [1 - share, share]) };
  const how = { ...KNOWN, isJudged: true };

  it('weigh it by them, in an evaluation and in a stream of several partitions', async () => {
    const some = own.slice(140, 260);
    const log = servedLog(some, {
      models: ['A', 'B'],
      arms: [{ list: 0 }, { list: 1 }],
      shares: [],
    });
    const requests = { ...log.requests, share: design.shares.slice(140, 260).flat() };
    const wanted = valueByArms({ ...log, requests }, { theta: TWO_PLACES, isJudged: false });
    const events = requestEvents(some, { ...design, stepMs: 5 });
    const written = [...events, later(events)];
    expect(wanted).toHaveLength(6);
    for (const rows of [(await valuesOf(written))!, streamed(events, KNOWN, 3)]) {
      for (const { model, estimator, value, stdErr, ess } of wanted) {
        const row = find(rows, model, estimator);
        expect([row.value, row.ess]).toEqual([closeTo(value), closeTo(ess)]);
        // Users are named so that each is a group of its own.
        expect(row.stdErr).toEqual(closeTo(stdErr));
      }
    }
  });

  it('give an arm the mean of all requests, not of those that it is served most often', async () => {
    const rows = await valuesOf(requestEvents(own, design), how);
    // Half of the requests give 1/2 by B, the other half nothing; it served three times as many of these.
    expect(Math.abs(find(rows, 'B', 'on_policy').value - 0.25)).toBeLessThan(0.02);
  });

  it('are refused if arms were not served by them', async () => {
    const wrong = { ...design, shares: design.shares.map(([a, b]) => [b, a]) };
    for (const row of (await valuesOf(requestEvents(own, wrong), how))!) {
      expect(v1Value(row)).toMatchObject({ withheld: 'sample_ratio_mismatch', value: Number.NaN });
    }
  });
});

it('a model that is launched in the middle of a window is no arm whose values disagree', async () => {
  // A alone, then each to half: nothing of the first half shows what B is worth.
  const launch = Array.from({ length: 400 }, (_, q): LoggedRequest => {
    const arm = q < 200 ? 0 : q % 2;
    const rewards = arm === 1 && q % 4 === 1 ? { b: 1 } : arm === 0 && q % 3 === 0 ? { a: 1 } : {};
    return { lists: [['a'], ['b']], arm, stratum: q < 200 ? 0 : 1, cluster: q % 20, rewards };
  });
  const shares = [[1], [0.5, 0.5]];
  const events = requestEvents(launch, { models: ['A', 'B'], shares });
  const rows = await valuesOf(events, { ...KNOWN, theta: [1], isJudged: true });
  expect(find(rows, 'A', 'arms_ips').status === 'refused').toBe(false);
  const ofB = find(rows, 'B', 'arms_ips').reasons.map(({ code }) => code);
  expect(ofB).toContain('partly_supported');
  expect(ofB).not.toContain('arms_disagree');
});

/** A ramp: first half and half, then a quarter for the second arm; A alone is clicked. */
const ramp = [0, 0, 1, 1, 1, 1, 1, 0].map((arm, q): LoggedRequest => {
  const isClicked = q === 0 || q === 7;
  const rewards = isClicked ? { a: 1 } : {};
  return { lists: [['a'], ['b']], arm, stratum: q < 4 ? 0 : 1, rewards };
});
const RAMP = requestEvents(ramp, {
  models: ['A', 'B'],
  shares: [
    [0.5, 0.5],
    [0.25, 0.75],
  ],
});

it('shares that change are strata, each in which every arm was served twice', async () => {
  // The second stratum served A once: it stands alone only where that suffices.
  const rows = await valuesOf(RAMP, { ...KNOWN, theta: [1] });
  expect(find(rows, 'A', 'on_policy').value).toBeCloseTo(2 / 3, DIGITS);
  const twice = requestEvents([...ramp.slice(0, 4), ...ramp.slice(4), ...ramp.slice(4)], {
    models: ['A', 'B'],
    shares: [
      [0.5, 0.5],
      [0.25, 0.75],
    ],
  });
  // 4 requests worth 1/2 and 8 worth 1.
  expect(find(await valuesOf(twice, { ...KNOWN, theta: [1] }), 'A', 'on_policy').value).toBeCloseTo(
    (4 * (1 / 2) + 8) / 12,
    DIGITS,
  );
});

describe('models that are named as targets', () => {
  const judged = { ...KNOWN, isJudged: true };

  it('are valued as they are among all, and the others are not', async () => {
    const all = (await valuesOf(GOLDEN))!;
    const own = (await valuesOf(GOLDEN, { ...KNOWN, targets: ['S'] }))!;
    expect(own).toEqual(all.filter(({ model }) => model === 'S'));
    const arm = (await valuesOf(GOLDEN, { ...judged, targets: ['B'] }))!;
    const ofB = (await valuesOf(GOLDEN, judged))!.filter(({ model }) => model === 'B');
    expect(arm).toEqual(ofB);
    expect(streamed(GOLDEN, { ...KNOWN, targets: ['S'] })).toEqual(
      streamed(GOLDEN).filter(({ model }) => model === 'S'),
    );
  });

  it('are refused where no request has their lists, and that is said', async () => {
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

  it('of arms are incomplete: nothing is given for any model', async () => {
    const lost = without((event, q) => isOf(event, 'B') && q % 8 === 0);
    for (const row of (await valuesOf(lost, judged))!) {
      expect(codesOf(row)).toContain('incomplete_requests');
      expect([row.status === 'refused', row.value]).toEqual([true, Number.NaN]);
    }
  });

  it('of a challenger are its own: others keep their values', async () => {
    const whole = (await valuesOf(log, judged))!;
    const lost = (await valuesOf(
      without((event, q) => isOf(event, 'S') && q < 10),
      judged,
    ))!;
    expect(codesOf(find(lost, 'S', 'arms_ips'))).toContain('incomplete_requests');
    const ofArms = (rows: readonly ValueRow[]) => rows.filter(({ model }) => model !== 'S');
    expect(differences(ofArms(lost), ofArms(whole), 1e-12)).toEqual([]);
  });

  it('all of them leave refusals, and no silence', async () => {
    const rows = (await valuesOf(
      without((event) => event.type === 'exposure' && event.shown!),
      judged,
    ))!;
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(codesOf(row)).toContain('incomplete_requests');
  });

  it('and state no shares have values of what was served, and of nothing else', async () => {
    const unstated = log.map((event) => ({ ...event, share: undefined }) as unknown as Event);
    const rows = (await valuesOf(unstated, judged))!;
    expect(codesOf(find(rows, 'S', 'arms_ips'))).toContain('no_shares');
    expect(find(rows, 'S', 'arms_ips').status === 'refused').toBe(true);
    expect(find(rows, 'A', 'on_policy').value).toBeCloseTo(1, DIGITS);
  });

  it('have a share that no list may have: a model that was served without one is a mismatch', async () => {
    const served = log.map((event) =>
      isOf(event, 'S') && event.id === 'q0-S' ? ({ ...event, shown: true } as Event) : event,
    );
    const swapped = served.map((event) =>
      event.id === 'q0-A' ? ({ ...event, shown: false } as Event) : event,
    );
    const rows = (await valuesOf(swapped, judged))!;
    expect(codesOf(find(rows, 'A', 'on_policy'))).toContain('sample_ratio_mismatch');
  });
});

describe('examination', () => {
  it('is fitted to all that is kept, and values are refused where it is not known', async () => {
    const fitted: ValueOptions = { horizonMs: 50, unit: 'request' };
    const rows = (await valuesOf(GOLDEN, fitted))!;
    const { reasons, status } = find(rows, 'S', 'arms_ips');
    expect(status).toBe('refused');
    expect(reasons.map(({ code }) => code)).toContain('examination_uncertain');
    expect(find(rows, 'A', 'on_policy').value).toBeCloseTo(1, DIGITS);
  });
});

describe('values beside those of the control', () => {
  const windowOf = async (value: ValueOptions, events = GOLDEN) =>
    (await evaluated(events, options(value))).windows[0];

  it('are differences to the first arm by name, on policy of arms, if nothing is configured', async () => {
    const { valueDifferences } = await windowOf(KNOWN);
    expect(valueDifferences).toMatchObject([
      { model: 'B', reference: 'A', estimator: 'on_policy', value: closeTo(1 / 2 - 1) },
      { model: 'S', reference: 'A', estimator: 'arms_snips', value: closeTo(13 / 16 - 1) },
    ]);
  });

  it('are differences to the control that is configured, a challenger too', async () => {
    const { valueDifferences } = await windowOf({ ...KNOWN, control: 'S' });
    expect(valueDifferences).toMatchObject([
      { model: 'A', referenceEstimator: 'arms_snips', value: closeTo(1 - 13 / 16) },
      { model: 'B', reference: 'S', value: closeTo(1 / 2 - 13 / 16) },
    ]);
  });

  it.each(['A', 'B', 'x'])('are those of the targets, and no others: %s', async (control) => {
    const all = await windowOf({ ...KNOWN, control });
    const own = await windowOf({ ...KNOWN, control, targets: ['S'] });
    const ofS = ({ model }: { readonly model: string }) => model === 'S';
    expect(own.valueDifferences).toEqual(all.valueDifferences?.filter(ofS));
    expect(own.values).toEqual(all.values?.filter(ofS));
    expect(own.controlAway).toBe(control === 'x' ? 'x' : undefined);
    expect(own.valueDifferences).toHaveLength(control === 'x' ? 0 : 1);
  });

  it('are those of all targets to a control that is a challenger and none of them', async () => {
    const own = await windowOf({ ...KNOWN, control: 'S', targets: ['A', 'B'] });
    expect(own.valueDifferences?.map(({ model, reference }) => [model, reference])).toEqual([
      ...[
        ['A', 'S'],
        ['B', 'S'],
      ],
    ]);
    expect(own.values?.map(({ model }) => model)).not.toContain('S');
  });

  it('are none, and the control is named, where no request has a list of it', async () => {
    const away = await windowOf({ ...KNOWN, control: 'x' });
    expect(away.valueDifferences).toEqual([]);
    expect(away.controlAway).toBe('x');
    expect(await windowOf({ ...KNOWN, control: 'B' })).not.toHaveProperty('controlAway');
  });

  it('are refused with the values, all of them where no request can be used', async () => {
    const judged = { ...KNOWN, isJudged: true };
    const lost = GOLDEN.filter(({ id }) => !id.endsWith('-B'));
    const { valueDifferences } = await windowOf(judged, lost);
    expect(valueDifferences?.length).toBeGreaterThan(0);
    for (const row of valueDifferences!) {
      expect(v1ValueDifference(row)).toMatchObject({
        withheld: 'incomplete_requests',
        proved: null,
      });
      expect(row.value).toBeNaN();
    }
  });

  it('are the same in a stream, in one partition and in several', () => {
    const newest = (partitions: number) => {
      const how = { partitions, batchSize: 3, run: 1 };
      const { snapshots } = feed([...GOLDEN, later(GOLDEN)], options(KNOWN), how);
      return snapshots.flatMap(({ windows }) => windows[0].valueDifferences ?? []).slice(-2);
    };
    expect(newest(1).map(({ value }) => value)).toEqual([closeTo(-1 / 2), closeTo(-3 / 16)]);
    expect(differences(newest(3), newest(1), 1e-12)).toEqual([]);
  });

  it('come with the test of the shares, if shares are stated', async () => {
    const { sampleRatio } = await windowOf(KNOWN);
    // Two and two: as stated.
    expect(sampleRatio).toMatchObject({ chiSquare: 0, p: 1 });
    const many = Array.from({ length: 40 }, (_, q) => ({ ...FOUR_REQUESTS[0], cluster: q }));
    const { sampleRatio: wrong, valueDifferences } = await windowOf(
      { ...KNOWN, isJudged: true },
      requestEvents([...many, FOUR_REQUESTS[1]], golden),
    );
    // 40 and 1 of 20.5 each.
    expect(wrong?.chiSquare).toBeCloseTo((2 * 19.5 ** 2) / 20.5, DIGITS);
    expect([wrong?.freedom, wrong!.p < 0.001]).toEqual([1, true]);
    expect(valueDifferences?.map(reasonOf)).toEqual(new Array(2).fill('sample_ratio_mismatch'));
    const unstated = GOLDEN.map((event) => ({ ...event, share: undefined }) as unknown as Event);
    expect(await windowOf(KNOWN, unstated)).not.toHaveProperty('sampleRatio');
  });
});
