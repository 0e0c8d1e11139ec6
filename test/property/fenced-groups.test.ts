import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Pipeline } from '../../src/stream/pipeline.js';
import type { Snapshot } from '../../src/stream/snapshot.js';
import { mulberry32 } from '../bench/synthetic-log.js';
import { itAtNight } from '../support/at-night.js';
import { differences } from '../support/compare.js';
import { type Connected, FrozenStore } from '../support/frozen-store.js';
import { feed, quickDecoder, quickOptions, threeModels } from '../support/log.js';
import { ModelGroup, type ModelMember } from '../support/model-group.js';
import { paneSeries } from '../support/pane-series.js';
import { IS_LONG } from '../support/repetitions.js';

const PARTITIONS = 4;
const TOPICS = { exposures: 'e', interactions: 'i' };
const log = threeModels(240);
const OPTIONS = quickOptions();
const wanted = feed(log, OPTIONS, { partitions: 1, batchSize: 1000, run: 1 }).snapshots;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const seconds = (from: number, to: number) => fc.integer({ min: from * 1000, max: to * 1000 });
/** How late each member learns of a change. */
const late = fc.array(fc.oneof(fc.constant(0), seconds(0, 12)), { minLength: 4, maxLength: 4 });
const aSchedule = fc.record({
  seed: fc.nat(),
  /** Whether the store takes its time from the first question on. */
  isSlowAtOnce: fc.boolean(),
  /** How often checkpoints are made, ms. */
  everyMs: fc.constantFrom(500, 2_000, 15_000),
  /** When the store stands still, and for how long. */
  freezes: fc.array(fc.record({ at: seconds(1, 25), forMs: seconds(1, 15) }), { maxLength: 2 }),
  /** When workers come, and go without telling anybody. */
  changes: fc.array(
    fc.record({
      at: seconds(1, 30),
      who: fc.integer({ min: 1, max: 3 }),
      is: fc.constantFrom('here' as const, 'here' as const, 'gone' as const),
      late,
    }),
    { minLength: 2, maxLength: 4 },
  ),
  /** When a worker stands still, and for how long: after a while the group gives it up. */
  sleeps: fc.array(fc.record({ at: seconds(1, 20), who: fc.nat(3), forMs: seconds(1, 20), late }), {
    maxLength: 2,
  }),
});
type Schedule = typeof aSchedule extends fc.Arbitrary<infer S> ? S : never;
const SESSION_MS = 6_000;
/** As long as the slowest schedule takes; a group that is stuck is so for good. */
const PATIENCE_S = 200;

interface Worker {
  readonly member: ModelMember;
  readonly pipeline: Pipeline;
  readonly connected: Connected;
}

class ModelRun {
  readonly snapshots: Snapshot[] = [];
  readonly failures: unknown[] = [];
  readonly #workers: Worker[] = [];
  readonly #schedule: Schedule;
  readonly #store: FrozenStore;
  readonly #group = new ModelGroup(log, PARTITIONS);

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
    this.#store = new FrozenStore(mulberry32(schedule.seed));
  }

  async run(): Promise<void> {
    const { isSlowAtOnce, freezes, changes, sleeps } = this.#schedule;
    if (isSlowAtOnce) this.#store.begin();
    for (let n = 0; n < 4; n++) this.#workers.push(await this.#begin(`${n}`));
    this.#store.begin();
    this.#group.change(this.#workers[0]!.member, 'here', []);
    for (const { at, forMs } of freezes) {
      setTimeout(() => this.#store.freeze(), at);
      setTimeout(() => this.#store.thaw(), at + forMs);
    }
    for (const { at, who, is, late } of changes) {
      setTimeout(() => this.#group.change(this.#workers[who]!.member, is, late), at);
    }
    for (const sleep of sleeps) this.#sleep(sleep);
    for (let s = 0; s < PATIENCE_S && !this.#isDone; s++) await vi.advanceTimersByTimeAsync(1_000);
  }

  async stop(): Promise<void> {
    await passTimeUntil(Promise.all(this.#workers.map(({ pipeline }) => pipeline.stop())));
  }

  get #isDone(): boolean {
    const { paneEnd } = wanted.at(-1)!;
    return this.failures.length > 0 || this.snapshots.some((each) => each.paneEnd >= paneEnd);
  }

  #sleep({ at, who, forMs, late }: Schedule['sleeps'][number]): void {
    const { member, connected } = this.#workers[who]!;
    const stand = (isStill: boolean) => {
      member.isFrozen = isStill;
      connected.hold(isStill);
    };
    setTimeout(() => stand(true), at);
    setTimeout(() => stand(false), at + forMs);
    if (forMs <= SESSION_MS) return;
    setTimeout(() => this.#group.change(member, 'gone', late), at + SESSION_MS);
    setTimeout(() => this.#group.change(member, 'here', late), at + forMs + 500);
  }

  async #begin(name: string): Promise<Worker> {
    const member = this.#group.source(name);
    const connected = this.#store.connect();
    const { store, sums } = connected;
    const { everyMs } = this.#schedule;
    const pipeline = new Pipeline(member, {
      monitor: OPTIONS,
      decoder: quickDecoder(),
      topics: TOPICS,
      start: 'earliest',
      idleMs: 3_000,
      turns: { now: () => Date.now(), next: () => Promise.resolve() },
      now: () => Date.now(),
      sums: { log: sums, rules: 'all' },
      checkpoints: { store, everyMs, written: async () => {}, stopMs: 2_000 },
    });
    pipeline.panes$.subscribe({
      next: ({ snapshot }) => this.snapshots.push(snapshot),
      error: (error) => this.failures.push(error),
    });
    await passTimeUntil(pipeline.start());
    return { member, pipeline, connected };
  }
}

/** Lets time pass in small steps until it is done. */
async function passTimeUntil(done: Promise<unknown>): Promise<void> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  done.then(end, end);
  // What waits for no timer needs no time.
  await vi.advanceTimersByTimeAsync(0);
  while (!isDone) await vi.advanceTimersByTimeAsync(20);
  await done;
}

async function disturbed(schedule: Schedule): Promise<void> {
  const run = new ModelRun(schedule);
  await run.run();
  await run.stop();
  expect(run.failures).toEqual([]);
  expect(differences(paneSeries(run.snapshots), wanted, 1e-9)).toEqual([]);
}

const USUAL = { seed: 1, isSlowAtOnce: false, everyMs: 2_000 as const };

describe('a group gives the panes of an undisturbed worker', () => {
  itAtNight('whose store stands still while two workers join', async () => {
    const joins = [6_000, 9_000].map((at, n) => {
      return { at, who: n + 1, is: 'here' as const, late: [3_000, 3_000, 0, 0] };
    });
    const freezes = [{ at: 5_000, forMs: 14_000 }];
    await disturbed({ ...USUAL, freezes, changes: joins, sleeps: [] });
  });

  it('of which one that stood still comes back to the partitions that others have kept meanwhile', async () => {
    const joins = [1_000, 1_500].map((at, n) => {
      return { at, who: n + 1, is: 'here' as const, late: [] };
    });
    const sleeps = [{ at: 4_000, who: 0, forMs: 22_000, late: [] }];
    // At once, its progress is looked at just before it starts again, and its records just after.
    for (const isSlowAtOnce of IS_LONG ? [false, true] : [true]) {
      await disturbed({ ...USUAL, isSlowAtOnce, freezes: [], changes: joins, sleeps });
    }
  });

  itAtNight('of which one goes on alone with partitions that had no events of late', async () => {
    const joins = [{ at: 1_012, who: 2, is: 'here' as const, late: [] }];
    const freezes = [{ at: 9_903, forMs: 1_006 }];
    const sleeps = [{ at: 10_229, who: 2, forMs: 11_289, late: [] }];
    await disturbed({
      seed: 22,
      isSlowAtOnce: false,
      everyMs: 500,
      freezes,
      changes: joins,
      sleeps,
    });
  });

  itAtNight(
    'whose store and workers stand still, and whose members learn late of changes',
    async () => {
      await fc.assert(fc.asyncProperty(aSchedule, disturbed), {
        // Each takes seconds; random-schedules plays more of them in a model that is cheaper.
        numRuns: 3,
        endOnFailure: true,
      });
    },
    1_800_000,
  );
});
