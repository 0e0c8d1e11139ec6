import { describe, expect, it } from 'vitest';
import type { OnPolicyReport } from '../../../src/features/on-policy/report.js';
import { type Event, feed, smallOptions } from '../../support/log.js';

const BASE = smallOptions();
const ACTIONS = { view: 0, click: 1, purchase: 5 };

/** Options with panes of one minute and an attribution TTL of three. */
type Actions = Readonly<Record<string, number>> | undefined;
const options = (actions: Actions) =>
  smallOptions({
    tickMs: 60_000,
    latenessMs: 1000,
    dedupeTtlMs: 600_000,
    attributionTtlMs: 180_000,
    windows: [{ name: 'w', ms: 240_000 }],
    popularity: { horizonMs: 2_400_000, of: 'positive' },
    gamma: { ...BASE.gamma, use: 2, periodMs: 240_000 },
    actions,
    estimates: {
      ...BASE.estimates,
      metrics: ['recall'],
      ks: [2],
      estimators: ['naive'],
      feedback: 'withhold',
    },
  });

const list = (id: string, user: string, model: string, ts: number, more: object = {}): Event => ({
  type: 'exposure',
  id,
  ts,
  user,
  model,
  items: ['a', 'b'],
  ...more,
});
const act = (
  id: string,
  user: string,
  ts: number,
  exposure: string | undefined,
  more: object = {},
): Event => ({
  type: 'interaction',
  id,
  ts,
  user,
  item: 'a',
  ...(exposure && { exposure }),
  ...more,
});

const inTime = (log: readonly Event[]) => [...log].sort((a, b) => Number(a.ts) - Number(b.ts));

/** The last window that ends within the first four minutes. */
function reportOf(
  log: readonly Event[],
  how: Partial<{ partitions: number; actions: Actions }> = {},
): OnPolicyReport {
  const asked = { partitions: 1, actions: ACTIONS, ...how };
  const { snapshots } = feed(inTime(log), options(asked.actions), {
    ...asked,
    batchSize: 2,
    run: 1,
  });
  const { onPolicy } = snapshots.filter(({ paneEnd }) => paneEnd <= 240_000).at(-1)!.windows[0];
  return onPolicy!;
}

const rewards = (report: OnPolicyReport) =>
  Object.fromEntries(
    report.values.map(({ model, value, counts: { lists } }) => [model, [value, lists]]),
  );

describe('the reward per served list', () => {
  const lists = [list('m1', 'u', 'm', 1000), list('m2', 'v', 'm', 1000)];

  it('ignores a click that is attributed to a hidden list', () => {
    const log = [
      ...lists,
      list('h', 'u', 'hidden', 1000, { shown: false }),
      act('1', 'u', 2000, 'h'),
      act('2', 'v', 2000, 'm2'),
    ];
    const report = reportOf(log);
    expect(rewards(report)).toEqual({ m: [0.5, 2] });
    expect(report).toMatchObject({ named: 1, elsewhere: 0 });
  });
});

it('an action of weight 0 is not a positive, even with feedback ignored', () => {
  const log = [
    list('m1', 'u', 'm', 1000),
    act('1', 'u', 2000, undefined, { action: 'view' }),
    act('2', 'u', 3000, undefined, { item: 'b' }),
  ];
  const counts = (actions: Actions) => {
    const { estimates, ...rest } = options(actions);
    const asked = { ...rest, estimates: { ...estimates, feedback: 'ignore' as const } };
    const how = { partitions: 1, batchSize: 9, run: 1, actions };
    const [window] = feed(log, asked, how).snapshots[0].windows;
    expect(window.onPolicy).toBeUndefined();
    return window.counts.positives;
  };
  expect(counts(ACTIONS)).toBe(1);
  expect(counts(undefined)).toBe(2);
});
