import { describe, expect, it } from 'vitest';
import { Outcomes } from '../../../src/stream/outcomes.js';
import { FOUR_REQUESTS, HALF_AND_HALF, TWO_PLACES } from '../../support/golden-arms.js';
import { goldenSlates } from '../../support/golden-loggers.js';
import { type Event, feed, smallOptions } from '../../support/log.js';
import { evaluated, requestEvents } from '../../support/request-events.js';

const value = { horizonMs: 50, unit: 'request', theta: TWO_PLACES, isJudged: false } as const;
const options = smallOptions({
  value,
  windows: [{ name: 'w', ms: 1000 }],
  actions: { view: 0, click: 1, purchase: 5 },
  estimates: { ...smallOptions().estimates, metrics: ['recall'], ks: [1], estimators: ['naive'] },
});
const golden = { models: HALF_AND_HALF.models, shares: [[1 / 2, 1 / 2, undefined]] };
const ARMS = requestEvents(FOUR_REQUESTS, golden);
const LOGGED = goldenSlates('slot', TWO_PLACES);

/** A user who has a valid request too: without any, requests are not expected. */
const TS = 1_000_001;
const USER = ARMS[0].user;
const list = (more: Readonly<Record<string, unknown>>): Event => ({
  type: 'exposure',
  id: 'bad-A',
  ts: TS,
  user: USER,
  model: 'A',
  items: ['x', 'y'],
  request: 'bad',
  ...more,
});
const click = (more: Readonly<Record<string, unknown>> = {}): Event => ({
  type: 'interaction',
  id: 'bad-click',
  ts: TS + 1,
  user: USER,
  item: 'x',
  exposure: 'bad-A',
  ...more,
});
const other = { id: 'bad-B', model: 'B' };

const ofOther = (events: readonly Event[]) => {
  return events.map((event) => ({ ...event, user: LOGGED[0].user }) as Event);
};

/** Invalid requests, and the valid ones in the same log. */
const FAULTS: readonly (readonly [string, readonly Event[], readonly Event[]])[] = [
  [
    'shares_over_one',
    ARMS,
    [list({ share: 0.7 }), list({ ...other, share: 0.7, shown: false }), click()],
  ],
  ['two_served', ARMS, [list({ share: 0.5 }), list({ ...other, share: 0.5 }), click()]],
  ['two_served', LOGGED, ofOther([logged(0.5), list(other), click()])],
  ['share_too_small', ARMS, [list({ share: 1e-10 }), list({ ...other, share: 1 }), click()]],
  ['served_without_request', ARMS, [list({ request: undefined }), click()]],
  ['propensity_too_small', LOGGED, ofOther([logged(1e-9), click()])],
  ['propensity_too_small', LOGGED, ofOther([logged(1e-12), click()])],
];

function logged(propensity: number): Event {
  return list({ model: 'L', propensities: [propensity, 0.5], propensityOf: 'slot' });
}

async function outcomeOf(events: readonly Event[]) {
  const outcomes = new Outcomes();
  const { windows } = await evaluated(inOrder(events), options, [], outcomes);
  return { values: windows[0].values, faults: [...outcomes.requestFaults] };
}

const inOrder = (events: readonly Event[]) =>
  [...events].sort((a, b) => Number(a.ts) - Number(b.ts));

/** The request faults that all panes of a stream report in total. */
function toldLive(events: readonly Event[]): readonly (readonly [string, number])[] {
  const ts = Math.max(...events.map((event) => Number(event.ts))) + 200;
  const later: Event = { type: 'interaction', id: 'later', ts, user: 'u0', item: 'x', value: 0 };
  const { outcomes } = feed([...inOrder(events), later], options, {
    partitions: 2,
    batchSize: 3,
    run: 1,
    actions: options.actions!,
  });
  return [...outcomes.requestFaults];
}

describe('an invalid request', () => {
  it.each(FAULTS)('with %s counts once and moves no value (%#)', async (fault, sound, wrong) => {
    const before = await outcomeOf(sound);
    expect(before.faults).toEqual([]);
    const after = await outcomeOf([...sound, ...wrong]);
    expect(after.faults).toEqual([[fault, 1]]);
    expect(after.values).toEqual(before.values);
    expect(toldLive([...sound, ...wrong])).toEqual([[fault, 1]]);
  });

  it('with an unknown action is counted, and its reward counts 1', async () => {
    const named = [...ARMS, list({ share: 1 }), click()];
    const unnamed = [...ARMS, list({ share: 1 }), click({ action: 'clik' })];
    const plain = await outcomeOf(named);
    const counted = await outcomeOf(unnamed);
    expect(plain.faults).toEqual([]);
    expect(counted.faults).toEqual([['unknown_action', 1]]);
    expect(counted.values).toEqual(plain.values);
    expect(toldLive(unnamed)).toEqual([['unknown_action', 1]]);
  });
});
