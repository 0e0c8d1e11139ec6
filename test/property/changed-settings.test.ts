import { describe, expect, it } from 'vitest';
import { KEY_INDEX } from '../../src/config.js';
import type { RatingScale } from '../../src/events/rating-scale.js';
import { SETTING_EFFECTS } from '../../src/stream/checkpoint/changed-settings.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { differences } from '../support/compare.js';
import { type Event, quickOptions, threeModels } from '../support/log.js';
import { paneSeries } from '../support/pane-series.js';
import { IS_LONG } from '../support/repetitions.js';
import { RestartedReader } from '../support/restarts.js';

const PARTITIONS = 2;
const ROLES = ['exposures', 'interactions'] as const;
/** Each list is a request of its own, which only those ask for who value lists. */
const logOf = (events: number): readonly Event[] =>
  threeModels(events).map((event) =>
    event.type === 'exposure' ? { ...event, request: event.id, share: 1 } : event,
  );
const LOG = logOf(330);
/** Turns of reading after which there is more than any window and horizon here. */
const TURNS = 7;
const READ_A_TURN = 16;
/** An event comes every 3 ms: what is read first, what has to settle, and some panes after it. */
const logUntil = (settledMs: number) => logOf(TURNS * READ_A_TURN + settledMs / 3 + 60);
const HORIZON_MS = 240;

const windows = (...lengths: number[]) => ({
  windows: lengths.map((ms) => ({ name: `${ms}ms`, ms })),
});
const counted = (ms: number) => ({ popularity: { ...BASE.popularity, horizonMs: ms } });
const rule = (changed: Partial<MonitorOptions['popularity']>) => ({
  popularity: { ...BASE.popularity, ...changed },
});
const gamma = (changed: Partial<MonitorOptions['gamma']>) => ({
  gamma: { ...BASE.gamma, ...changed },
});
const valued = (horizonMs: number): Partial<MonitorOptions> => ({
  value: { horizonMs, unit: 'request', theta: [1], isJudged: false },
});
const feedback = (mode: 'ignore' | 'withhold') => ({
  estimates: { ...BASE.estimates, feedback: mode },
});

const scale = (changed: Partial<RatingScale>) => ({
  ratings: { ...QUICK.ratings!, scale: { ...QUICK.ratings!.scale, ...changed } },
});

/** Few estimates: the counts and rows that they are made of are what may differ. */
const FEW = { metrics: ['dcg'], estimators: ['naive', 'snips'] } as const;

const QUICK = quickOptions({
  windows: [{ name: '60ms', ms: 60 }],
  attributionTtlMs: 50,
  popularity: { horizonMs: HORIZON_MS, of: 'positive', userCap: 4 },
  gamma: { use: 1, fit: 'ols', default: 2, periodMs: 60 },
});
const BASE: MonitorOptions = { ...QUICK, estimates: { ...QUICK.estimates, ...FEW } };

interface Case {
  readonly made?: Partial<MonitorOptions>;
  readonly now: Partial<MonitorOptions>;
  /** How much event time later all is as if the new value had always been; `never`: refused. */
  readonly settledMs: number | 'never';
}

const CASES: Readonly<Record<keyof typeof SETTING_EFFECTS, readonly Case[]>> = {
  'time.tick': [{ now: { tickMs: 20 }, settledMs: 'never' }],
  'time.windows': [
    // Of what is shorter than the longest all is there.
    { now: windows(20, 60), settledMs: 0 },
    { made: windows(20, 60), now: windows(60), settledMs: 0 },
    { made: windows(40, 60), now: windows(20, 60), settledMs: 0 },
    // A cap on users holds in stretches as long as the longest window.
    { made: rule({ userCap: 0 }), now: { ...rule({ userCap: 0 }), ...windows(30) }, settledMs: 0 },
    {
      made: rule({ userCap: 0 }),
      now: { ...rule({ userCap: 0 }), ...windows(120) },
      settledMs: 120,
    },
    { now: windows(120), settledMs: HORIZON_MS + 120 },
  ],
  'time.lateness': [
    { now: { latenessMs: 25 }, settledMs: 0 },
    { made: { latenessMs: 25 }, now: { latenessMs: 0 }, settledMs: 0 },
  ],
  'dedupe.ttl': [
    { now: { dedupeTtlMs: 30 }, settledMs: 0 },
    { now: { dedupeTtlMs: 90_000 }, settledMs: 0 },
  ],
  'attribution.ttl': [
    { now: { attributionTtlMs: 20 }, settledMs: 60 },
    { now: { attributionTtlMs: 110_000 }, settledMs: 400 },
  ],
  // An interaction that was, or was not, put at the time of its list stays where it is.
  'attribution.clockSkew': [
    { now: { clockSkewMs: 10 }, settledMs: HORIZON_MS },
    { made: { clockSkewMs: 10 }, now: { clockSkewMs: 0 }, settledMs: HORIZON_MS },
  ],
  'popularity.horizon': [
    { now: counted(120), settledMs: 0 },
    { made: counted(120), now: counted(HORIZON_MS), settledMs: HORIZON_MS },
    // In buckets of more than a pane an edge is exact to a bucket.
    { made: counted(4_800), now: counted(120), settledMs: 120 + 20 },
  ],
  gammaPeriod: [
    { now: gamma({ periodMs: 30 }), settledMs: 0 },
    { now: gamma({ periodMs: 100 }), settledMs: 0 },
  ],
  gammaFit: [{ now: gamma({ fit: 'poisson' }), settledMs: 0 }],
  'popularity.of': [{ now: rule({ of: 'all' }), settledMs: 'never' }],
  'popularity.randomized': [{ now: rule({ randomized: 'ignore' }), settledMs: 'never' }],
  'popularity.caused': [{ now: rule({ caused: 'ignore' }), settledMs: 'never' }],
  'popularity.userCap': [
    { now: rule({ userCap: 2 }), settledMs: HORIZON_MS + 60 },
    { now: rule({ userCap: 0 }), settledMs: 'never' },
    { made: rule({ userCap: 0 }), now: rule({ userCap: 2 }), settledMs: 'never' },
  ],
  'positive.minValue': [{ now: { positiveMinValue: 2 }, settledMs: 'never' }],
  'estimates.feedback': [
    { now: feedback('withhold'), settledMs: 'never' },
    { made: feedback('withhold'), now: feedback('ignore'), settledMs: 'never' },
  ],
  'events.actions': [{ now: { actions: { click: 0 } }, settledMs: 'never' }],
  'ratings.lowest': [{ now: scale({ lowest: -1 }), settledMs: 60 }],
  'ratings.highest': [{ now: scale({ highest: 2 }), settledMs: 60 }],
  'ratings.step': [{ now: scale({ step: 0.5 }), settledMs: 60 }],
  // Requests that are open close when they would have, and then leave the window.
  'value.horizon': [
    { made: valued(50), now: valued(20), settledMs: 50 + 60 },
    { made: valued(20), now: valued(50), settledMs: 50 + 60 },
  ],
};

function readOf(
  reader: {
    read(role: 'exposures' | 'interactions', p: number, n: number): boolean;
  },
  turns: number,
) {
  for (let turn = 0; turn < turns; turn++) {
    for (const role of ROLES) for (let p = 0; p < PARTITIONS; p++) reader.read(role, p, 4);
  }
}

const undisturbedOf = (log: readonly Event[], options: MonitorOptions): Snapshot[] => {
  const reader = new RestartedReader(log, options, PARTITIONS);
  reader.finish();
  return paneSeries(reader.snapshots);
};

/** What a process goes on with that has other settings than the one before. */
function changed(
  log: readonly Event[],
  made: MonitorOptions,
  now: MonitorOptions,
  turns = TURNS,
): RestartedReader {
  const before = new RestartedReader(log, made, PARTITIONS);
  readOf(before, turns);
  for (let p = 0; p < PARTITIONS; p++) before.checkpoint(p);
  const after = new RestartedReader(log, now, PARTITIONS);
  for (const [p, bytes] of before.checkpoints) after.checkpoints.set(p, bytes);
  after.restart();
  return after;
}

const all = Object.entries(CASES).flatMap(([name, cases]) =>
  cases.map(({ made, now, settledMs }, n) => ({
    name,
    n,
    made: { ...BASE, ...made },
    now: { ...BASE, ...now },
    settledMs,
  })),
);

/** Changes of a scale of which another of the same says the same. */
const SAME_BY_DAY = ['ratings.highest', 'ratings.step'];
/** In the short form the first change of each. */
const isOfDay = ({ name, n }: { name: string; n: number }) =>
  n === 0 && !SAME_BY_DAY.includes(name);

describe('a state saved with other settings', () => {
  it.each(all.filter((own) => own.settledMs !== 'never' && (IS_LONG || isOfDay(own))))(
    'is used with a changed $name ($n), and after $settledMs ms gives the undisturbed panes',
    ({ made, now, settledMs }) => {
      const log = logUntil(settledMs as number);
      const after = changed(log, made, now);
      const from = after.snapshots[0]!.paneEnd;
      after.finish();
      const isSettled = ({ paneEnd }: Snapshot) => paneEnd >= from + (settledMs as number);
      const wanted = undisturbedOf(log, now).filter(isSettled);
      expect(wanted.length).toBeGreaterThan(10);
      expect(differences(paneSeries(after.snapshots).filter(isSettled), wanted, 1e-9)).toEqual([]);
    },
  );

  it.each(all.filter(({ settledMs }) => settledMs === 'never'))(
    'is rejected with a changed $name ($n), in a line that says what to do',
    ({ name, made, now }) => {
      const named = name.replaceAll('.', '\\.');
      // With which settings it was made it says from the first pane on.
      expect(() => changed(LOG, made, now, 3)).toThrow(
        new RegExp(
          `^the checkpoint of partition 0 was made with ${named} .+, which is now .+: set it back, or start from scratch with another kafka\\.groupId$`,
        ),
      );
    },
  );

  it('is documented by each configuration key as it is treated', () => {
    for (const [name, effect] of Object.entries(SETTING_EFFECTS)) {
      const isRefused = CASES[name as keyof typeof CASES].every(
        ({ settledMs }) => settledMs === 'never',
      );
      expect({ name, isRefused }).toEqual({ name, isRefused: effect === 'refused' });
      expect({ name, effect: KEY_INDEX.byPath.get(name)!.state?.effect }).toEqual({ name, effect });
    }
  });
});
