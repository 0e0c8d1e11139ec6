import { describe, expect, it } from 'vitest';
import type { Alarm } from '../../../../src/features/drift/alarm.js';
import { DriftMonitor } from '../../../../src/features/drift/drift-monitor.js';
import type { DriftOptions } from '../../../../src/features/drift/drift-options.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';
import type { Snapshot } from '../../../../src/stream/snapshot.js';
import { seeded } from '../../../oracle/random.js';
import { driftOptions, PANE_MS, paneSnapshot, sources } from '../../../support/drift.js';
import { repetitions } from '../../../support/repetitions.js';

const HOURS = 96;
const FAILS = 60;
const WEEK_MS = 168 * PANE_MS;
const OPTIONS: Partial<DriftOptions> = {
  ...{ detectors: ['cusum', 'e-sr', 'vanished'], standardisation: 'ranks', learn: 24 },
};

type Failure = 'wholly' | 'by sending no lists' | undefined;

/** Two models of 200 to 300 users an hour, each of whom finds what was wanted with such a chance. */
function hour(pane: number, random: () => number, failure: Failure): [Snapshot, string[]] {
  const hasFailed = pane >= FAILS;
  const users = 200 + Math.floor(100 * random());
  const share = (model: string) => {
    let hits = 0;
    const chance = model === 'b' && hasFailed && failure === 'wholly' ? 0 : 0.12;
    for (let user = 0; user < users; user++) if (random() < chance) hits++;
    return hits / users;
  };
  const shares = { a: share('a'), b: share('b') };
  const models = {
    a: { naive: shares.a, snips: 0.8 * shares.a, ess: users },
    b: { naive: shares.b, snips: 0.8 * shares.b, ess: users },
  };
  const snapshot = paneSnapshot(pane, { models, users });
  const [window] = snapshot.windows;
  const results = window!.results.map((row) => {
    const stdErr = Math.sqrt((row.value * (1 - row.value)) / row.ess);
    return { ...row, stdErr };
  });
  const isSilent = hasFailed && failure === 'by sending no lists';
  return [{ ...snapshot, windows: [{ ...window!, results }] }, isSilent ? ['a'] : ['a', 'b']];
}

function alarmsOf(seed: number, failure: Failure, options: Partial<DriftOptions>): Alarm[] {
  const monitor = new DriftMonitor(driftOptions({ ...OPTIONS, ...options }));
  const random = seeded(seed);
  return Array.from({ length: HOURS }, (_, pane) => {
    const [snapshot, listing] = hour(pane, random, failure);
    const seen = { ...sources(undefined, ['a', 'b']), listing };
    const { alarms, paneEnd } = runAtOnce(monitor.observe(snapshot, seen));
    return alarms.filter(({ at }) => at === paneEnd);
  }).flat();
}

describe('of two models one fails at hour 60 of the first week', () => {
  for (const seasonMs of [null, WEEK_MS]) {
    const season = seasonMs === null ? 'without a season' : 'with the season of a week';
    for (const failure of ['wholly', 'by sending no lists'] as const) {
      it(`${failure}, and is named within 5 panes ${season}`, () => {
        for (let seed = 1; seed <= repetitions(1, 50); seed++) {
          const alarms = alarmsOf(seed, failure, { seasonMs });
          const named = alarms.find(
            ({ models, since, suppressed }) =>
              models[0] === 'b' && suppressed === null && since >= (FAILS - 1) * PANE_MS,
          );
          expect(named!.at / PANE_MS - FAILS, `seed ${seed}`).toBeLessThanOrEqual(5);
          if (failure !== 'wholly') expect(named!.series).toBe('lists/b');
        }
      });
    }
  }

  it('completely, by each detector that goes by values', () => {
    // A rank among 60 can be no rarer than 1 in 60, so e-SR alone needs more panes.
    for (const [detector, within] of [
      ['cusum', 5],
      ['e-sr', 7],
    ] as const) {
      const [first] = alarmsOf(3, 'wholly', { detectors: [detector] }).filter(
        ({ models, at }) => models[0] === 'b' && at > FAILS * PANE_MS,
      );
      expect(first!.at / PANE_MS - FAILS, detector).toBeLessThanOrEqual(within);
      expect(first!.since / PANE_MS).toBe(FAILS);
      expect(first!.size, detector).toBeLessThan(-2);
    }
  });

  it('and with weights 1/SE² nothing says so', () => {
    const levels = { standardisation: 'levels', detectors: ['cusum', 'e-sr'] } as const;
    expect(alarmsOf(3, 'wholly', levels).filter(({ at }) => at > FAILS * PANE_MS)).toEqual([]);
  });
});

it('where nothing changes there are no more false alarms than are promised', () => {
  // Of 4 streams of 72 hours .6 alarms of a detector may come; five times as many are noticed.
  const streams = repetitions(4, 50);
  const found = new Map<string, number>();
  for (let seed = 101; seed <= 100 + streams; seed++) {
    for (const { detector } of alarmsOf(seed, undefined, { seasonMs: WEEK_MS })) {
      found.set(detector, (found.get(detector) ?? 0) + 1);
    }
  }
  const promised = (streams * (HOURS - 24)) / 500;
  for (const detector of ['cusum', 'e-sr', 'vanished']) {
    const most = promised + 3 * Math.sqrt(promised);
    expect(found.get(detector) ?? 0, detector).toBeLessThanOrEqual(most);
  }
});

describe('the state of detectors by ranks and of lists', () => {
  it('can be stored as JSON at any pane and restored, as if nothing had happened', () => {
    const panes = (() => {
      const random = seeded(9);
      return Array.from({ length: 80 }, (_, pane) => hour(pane, random, 'by sending no lists'));
    })();
    const options = driftOptions({
      ...OPTIONS,
      detectors: ['cusum', 'e-cusum', 'e-sr', 'vanished'],
    });
    const run = (monitor: DriftMonitor, part: typeof panes) =>
      part.map(([snapshot, listing]) =>
        runAtOnce(monitor.observe(snapshot, { ...sources(undefined, ['a', 'b']), listing })),
      );
    const uncut = new DriftMonitor(options);
    const whole = run(uncut, panes);
    for (const cut of [1, 25, 60, 61, 64]) {
      const first = new DriftMonitor(options);
      run(first, panes.slice(0, cut));
      const second = new DriftMonitor(options);
      second.restore(first.stored());
      expect(second.stored()).toBe(first.stored());
      // The newest tick is made again after a restart, and adds nothing.
      run(second, panes.slice(cut - 1, cut));
      expect(run(second, panes.slice(cut))).toEqual(whole.slice(cut));
      expect(second.stored()).toBe(uncut.stored());
    }
    expect(whole.some(({ alarms }) => alarms.some(({ series }) => series === 'lists/b'))).toBe(
      true,
    );
  });

  it('is not kept where nobody asks for it', () => {
    const monitor = new DriftMonitor(driftOptions());
    const [snapshot, listing] = hour(1, seeded(1), undefined);
    const seen = { ...sources(undefined, ['a', 'b']), listing };
    expect(runAtOnce(monitor.observe(snapshot, seen))).not.toHaveProperty('notices');
    expect(Object.keys(JSON.parse(monitor.stored()).state)).toEqual([
      ...['series', 'scores', 'held', 'observedTo', 'gammaSource'],
    ]);
    expect(monitor.stored()).not.toMatch(/lists|ranked/);
  });
});

it('a pane in which nobody does anything, or too few do, says nothing about lists', () => {
  const monitor = new DriftMonitor(driftOptions({ ...OPTIONS, learn: 5 }));
  const random = seeded(4);
  const alarms: Alarm[] = [];
  for (let pane = 0; pane < 40; pane++) {
    const [snapshot] = hour(pane, random, undefined);
    const isQuiet = pane >= 20 && pane < 30;
    const counts = { ...snapshot.windows[0]!.counts, ...(isQuiet ? { users: 20 } : {}) };
    const windows = [{ ...snapshot.windows[0]!, counts }];
    const listing = isQuiet ? [] : ['a', 'b'];
    const seen = { ...sources(undefined, ['a', 'b']), listing };
    alarms.push(...runAtOnce(monitor.observe({ ...snapshot, windows }, seen)).alarms);
  }
  expect(alarms.filter(({ detector }) => detector === 'vanished')).toEqual([]);
});

it('a model that begins later is a notice for a while and no alarm', () => {
  const monitor = new DriftMonitor(driftOptions({ ...OPTIONS, learn: 5, hold: 3 }));
  const random = seeded(4);
  const told = Array.from({ length: 30 }, (_, pane) => {
    const [snapshot] = hour(pane, random, undefined);
    const listing = ['a', ...(pane >= 2 ? ['b'] : []), ...(pane >= 20 ? ['c'] : [])];
    const seen = { ...sources(undefined, ['a', 'b', 'c']), listing };
    return runAtOnce(monitor.observe({ ...snapshot, models: ['a', 'b', 'c'] }, seen)).notices!;
  });
  // While all models are learned none is new.
  expect(told.slice(0, 20).flat()).toEqual([]);
  const at = { since: 20 * PANE_MS, at: 21 * PANE_MS };
  expect(told[20]).toEqual([{ kind: 'new_model', model: 'c', ...at }]);
  expect(told.map(({ length }) => length).slice(19, 25)).toEqual([0, 1, 1, 1, 0, 0]);
});
