import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Decoder } from '../../src/events/decode.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { Pipeline } from '../../src/stream/pipeline.js';
import type { TimedPane } from '../../src/stream/read/pane-closer.js';
import { differences } from '../support/compare.js';
import { CutWorld, type Phase, STEP_MS } from '../support/cut-world.js';
import { feed, quickOptions } from '../support/log.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';

const PARTITIONS = 2;
const LATENESS_MS = 500;
const IDLE_MS = 1_000;
const QUICK = quickOptions();
const OPTIONS = quickOptions({
  // A tick of every estimator takes longer than all that is tested here.
  estimates: { ...QUICK.estimates, estimators: ['snips'] },
  tickMs: 1_000,
  windows: [
    { name: 'short', ms: 2_000 },
    { name: 'long', ms: 6_000 },
  ],
  latenessMs: LATENESS_MS,
  dedupeTtlMs: 10_000,
  attributionTtlMs: 5_000,
  popularity: { horizonMs: 60_000, of: 'positive' },
  gamma: { use: 2, fit: 'ols', default: 2, periodMs: 6_000 },
});
/** Everything is read and silent in the end. */
const STEP = 600_000;
const ALL = (1 << (2 * PARTITIONS)) - 1;
/** Both topics of one partition. */
const ONE = 0b0101;
/** Of the last log alone. */
const LAST = 1 << (2 * PARTITIONS - 1);
/** Long enough to read and close what the longest cuts have left: a pane takes a step or more. */
const CALM: Phase = {
  connection: 'up',
  ms: repetitions(15_000, 30_000),
  traffic: 0,
  reads: ALL,
  fetched: 1,
};

/** Everything is read, and nothing comes. */
const CALM_A_WHILE: Phase = { ...CALM, ms: 500 };

beforeEach(() => {
  const toFake = ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const;
  vi.useFakeTimers({ toFake: [...toFake, 'Date', 'performance'], now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** How far the process's clock is off, ms. */
let clockOff = 0;
beforeEach(() => {
  clockOff = 0;
});

interface Run {
  readonly world: CutWorld;
  readonly panes: readonly (TimedPane & { readonly closedAt: number })[];
  readonly outcomes: Outcomes;
  /** How far off the clock was found, after each phase, ms. */
  readonly skews: readonly number[];
}

/** Runs the pipeline in a world of these phases, and then in calm until all is closed. */
async function run(
  seed: number,
  phases: readonly Phase[],
  delayMs: number,
  monitor = OPTIONS,
  world = new CutWorld(PARTITIONS, seed, delayMs),
  begin: (phase: Phase) => void = () => {},
): Promise<Run> {
  const pipeline = new Pipeline(world, {
    monitor,
    decoder: new Decoder({ maxFutureMs: 60_000 }),
    maxFutureMs: 60_000,
    topics: { exposures: 'e', interactions: 'i' },
    start: 'earliest',
    idleMs: IDLE_MS,
    turns: { now: () => performance.now(), next: async () => {} },
    now: () => Date.now() + clockOff,
  });
  const panes: (TimedPane & { closedAt: number })[] = [];
  const outcomes = new Outcomes();
  pipeline.panes$.subscribe((pane) => panes.push({ ...pane, closedAt: Date.now() }));
  pipeline.applied$.subscribe((applied) => outcomes.add(applied.outcomes));
  await pipeline.start();
  const skews: number[] = [];
  for (const phase of [...phases, CALM]) {
    clockOff = phase.clockOff ?? 0;
    begin(phase);
    await world.enter(phase);
    for (let ms = 0; ms < phase.ms; ms += STEP_MS) {
      world.step(phase, Date.now());
      await vi.advanceTimersByTimeAsync(STEP_MS);
    }
    skews.push(pipeline.clockSkewMs);
  }
  await pipeline.stop();
  return { world, panes, outcomes, skews };
}

function expectUndisturbed({ world, panes, outcomes }: Run, monitor = OPTIONS): void {
  const wanted = feed(world.written, monitor, { partitions: 1, batchSize: 1_000, run: 1 });
  expect(outcomes.late).toBe(0);
  expect(outcomes.accepted).toBe(world.written.length);
  const found = panes.map(({ snapshot }) => snapshot);
  expect(differences(found, wanted.snapshots, 1e-9)).toEqual([]);
  for (const { snapshot, closedAt } of panes) {
    expect(closedAt).toBeGreaterThanOrEqual(snapshot.paneEnd + LATENESS_MS);
  }
}

const aPhase = fc.record({
  connection: fc.constantFrom('up' as const, 'up' as const, 'frozen' as const, 'ended' as const),
  ms: fc.constantFrom(0.5, 1, 3, 10).map((times) => times * IDLE_MS),
  traffic: fc.oneof(fc.constant(ALL), fc.integer({ min: 0, max: ALL })),
  reads: fc.oneof(fc.constant(ALL), fc.integer({ min: 0, max: ALL })),
  fetched: fc.constantFrom(1, 0.6, 0.2),
});
const phases = fc.array(aPhase, { minLength: 2, maxLength: 8 });
const steppingPhases = fc.array(
  fc.tuple(aPhase, fc.constantFrom(0, 0, -STEP, STEP)).map(([p, off]) => ({ ...p, clockOff: off })),
  { minLength: 1, maxLength: 6 },
);

describe('progress under cuts, silences and slow reading', () => {
  it('loses no event to lateness and gives the panes of an undisturbed reader', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), phases, async (seed, schedule) => {
        expectUndisturbed(await run(seed, schedule, LATENESS_MS * 0.8));
      }),
      { numRuns: repetitions(2, 400) },
    );
  });

  it.each(IS_LONG ? [0.5, 1, 3, 10] : [1, 10])(
    'waits for records written during a cut of %f × idle',
    async (times) => {
      for (const connection of ['frozen', 'ended'] as const) {
        const usual = { ms: 3_000, traffic: ALL, reads: ALL, fetched: 1 };
        const cut: Phase = { ...usual, connection, ms: times * IDLE_MS };
        const first: Phase = { ...usual, connection: 'up', reads: ONE };
        expectUndisturbed(await run(7, [{ ...usual, connection: 'up' }, cut, first], 100));
      }
    },
  );

  it('treats an answer as no newer than its question', async () => {
    const up: Phase = { connection: 'up', ms: 2_000, traffic: ALL, reads: ALL, fetched: 1 };
    // Asked at the beginning of a cut, while there was nothing to read, and answered at its end.
    const asked: Phase = { ...up, connection: 'frozen', ms: 500, traffic: 0 };
    const cut: Phase = { ...up, connection: 'frozen', ms: 5 * IDLE_MS };
    expectUndisturbed(await run(7, [up, asked, cut, { ...up, reads: ONE }], 100));
  });

  it.each([
    ['shorter', 40],
    ['as long again before it is read', 15],
  ])('does not count a log that lost its end and is %s as fully read', async (_, records) => {
    const world = new CutWorld(PARTITIONS, 17, 100);
    const up: Phase = { ...CALM, ms: 15_000, traffic: ALL };
    // The fetch hangs at a leader that was cut off; where the log ends is asked of the other one.
    const hung: Phase = { ...up, ms: 6 * IDLE_MS, reads: ALL & ~LAST };
    const lose: Phase = { ...hung, ms: STEP_MS, traffic: 0 };
    const losing = (phase: Phase) => {
      if (phase === lose) world.loseEnd('interactions', PARTITIONS - 1, records);
    };
    const phases = [up, CALM_A_WHILE, lose, hung, up];
    expectUndisturbed(await run(17, phases, 100, OPTIONS, world, losing));
  });

  it('does not close a pane longer than the idle time before it ends', async () => {
    const tickMs = 6 * IDLE_MS;
    const windows = [{ name: 'one', ms: tickMs }];
    const long = quickOptions({ ...OPTIONS, tickMs, windows });
    const burst: Phase = { ...CALM, ms: 500, traffic: ALL };
    const silence: Phase = { ...burst, ms: 2 * IDLE_MS, traffic: 0 };
    const phases = [burst, silence, burst, silence, burst];
    expectUndisturbed(await run(3, phases, 100, long), long);
  });

  it('counts events beyond the lateness as late and loses none', async () => {
    const half: Phase = { ...CALM, ms: 2_000, traffic: ONE };
    const { world, outcomes } = await run(5, [half, { ...half, traffic: ALL }], 4 * LATENESS_MS);
    expect(outcomes.late).toBeGreaterThan(0);
    expect(outcomes.accepted + outcomes.late).toBe(world.written.length);
  });
});

describe('progress under a wrong clock', () => {
  const usual: Phase = { ...CALM, ms: 3_000, traffic: ALL };
  const found = (off: number, skew: number) => Math.abs(skew + off) < 1_000;

  it.each([
    ['behind', -STEP],
    ['ahead', STEP],
  ])('counts all events if it is %s for a while, and reports the skew', async (_, off) => {
    const isOff = { ...usual, clockOff: off };
    const silent = { ...isOff, traffic: ONE };
    const done = await run(11, [usual, isOff, silent, isOff, usual], 100);
    expectUndisturbed(done);
    expect(done.skews[0]).toBe(0);
    expect(done.skews.slice(1, 4).every((skew) => found(off, skew))).toBe(true);
    expect(done.skews.slice(4)).toEqual([0, 0]);
  });

  it('counts all events if it steps at any moment after it was right', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), steppingPhases, async (seed, schedule) => {
        expectUndisturbed(await run(seed, [usual, ...schedule, usual], LATENESS_MS * 0.8));
      }),
      { numRuns: repetitions(1, 400) },
    );
  });

  it.each([40_000, -25_000])('closes no pane early if it is off by %i ms', async (off) => {
    const tickMs = 60_000;
    const windows = [{ name: 'one', ms: tickMs }];
    const long = quickOptions({ ...OPTIONS, tickMs, windows });
    const isOff = { ...usual, clockOff: off };
    // Silent until shortly before the pane's end, by the clock that is right: it began at 1,000 s.
    const silent = { ...isOff, ms: 14_000, traffic: 0 };
    const done = await run(
      19,
      [isOff, silent, isOff, { ...isOff, ms: 70_000, traffic: 0 }],
      100,
      long,
    );
    expectUndisturbed(done, long);
    expect(done.skews).toEqual([0, 0, 0, 0, 0]);
  });

  it('closes the last panes in time if it is ahead and traffic has stopped', async () => {
    const ahead = { ...usual, clockOff: STEP };
    const done = await run(29, [usual, ahead, { ...ahead, ms: 30_000, traffic: 0 }], 100);
    expectUndisturbed(done);
    expect(found(STEP, done.skews[2]!)).toBe(true);
    for (const { snapshot, closedAt } of done.panes) {
      expect(closedAt).toBeLessThan(snapshot.paneEnd + 5 * IDLE_MS);
    }
  });

  it('closes a pane early by at most its lead if nothing was written meanwhile', async () => {
    const tickMs = 60_000;
    const windows = [{ name: 'one', ms: tickMs }];
    const long = quickOptions({ ...OPTIONS, tickMs, windows });
    const isOff = { ...usual, clockOff: 40_000 };
    const unread: Phase = { ...isOff, connection: 'ended' };
    const silent = { ...isOff, ms: 60_000, traffic: 0 };
    const { panes, outcomes, skews } = await run(23, [unread, silent], 100, long);
    expect(skews).toEqual([0, 0, 0]);
    expect(outcomes.late).toBe(0);
    const { snapshot, closedAt } = panes[0]!;
    expect(closedAt).toBeLessThan(snapshot.paneEnd);
    expect(closedAt).toBeGreaterThanOrEqual(snapshot.paneEnd + LATENESS_MS - 40_000);
  });

  it('ignores an answer to a question asked before the clock was corrected', async () => {
    const frozen: Phase = { ...usual, connection: 'frozen', ms: 1_000, reads: 1, clockOff: STEP };
    const back: Phase = { ...usual, ms: 500, reads: 0 };
    const part = { reads: 9, fetched: 0.6, clockOff: -STEP };
    const gone: Phase = { ...usual, connection: 'ended', ms: 500, ...part };
    const still: Phase = { ...usual, connection: 'frozen' };
    expectUndisturbed(await run(505199584, [usual, frozen, back, gone, still, usual], 400));
  });

  it('rejects nothing if it is behind from the start with a backlog to read', async () => {
    const unread = { ...usual, reads: 0, clockOff: -STEP };
    const done = await run(12, [unread, { ...usual, clockOff: -STEP }, usual], 100);
    expectUndisturbed(done);
    // No less than that: the newest record is a while old.
    expect(done.skews[1]).toBeGreaterThan(STEP - 10_000);
  });

  it('rejects the events of a producer whose clock is ahead, and reports no skew', async () => {
    const world = new CutWorld(PARTITIONS, 13, 100);
    world.oneWrongIn = 4;
    const done = await run(
      13,
      [usual, usual, { ...usual, ms: 500, reads: ONE }],
      100,
      OPTIONS,
      world,
    );
    expectUndisturbed(done);
    expect(done.skews).toEqual([0, 0, 0, 0]);
    expect(done.outcomes.faults.reduce((sum, count) => sum + count, 0)).toBe(world.wrong);
    expect(world.wrong).toBeGreaterThan(10);
  });
});
