import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import type { IdKind } from '../../src/stream/id-tables.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { Ingest } from '../../src/stream/read/ingest.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { differences } from '../support/compare.js';
import { driftOptions } from '../support/drift.js';
import { type Event, feed, quickOptions, roleOf, withNaive } from '../support/log.js';
import { paneSeries } from '../support/pane-series.js';
import { aChurningLogOf } from '../support/random-log.js';
import { repetitions } from '../support/repetitions.js';
import { RestartedReader, TOPICS } from '../support/restarts.js';
import { throughRecords } from '../support/through-records.js';

/** Tables are swept as soon as they hold anything new. */
const AT_ONCE = { sweepFrom: 0, growth: 1 };
/** Nothing is ever forgotten. */
const KEEPING = quickOptions({
  ...withNaive(),
  popularity: { horizonMs: 120, of: 'positive' },
  attributionTtlMs: 50,
  gamma: { use: 'fit', fit: 'poisson', default: 2, periodMs: 60 },
  drift: driftOptions({ windowMs: 20, metric: { metric: 'dcg', k: 2 }, learn: 3, hold: 2 }),
  baseline: 'popularity',
});
const FORGETTING: MonitorOptions = { ...KEEPING, ids: AT_ONCE };
/** The bootstrap and the drawn sets look at the texts of users and items. */
const BY_TEXT = { ...KEEPING.estimates, interval: 'bootstrap' as const, draws: 1, seed: 3 };

/** Above these users are sampled: who is in the sample must not depend on whose number one has. */
const LIMITS = { rows: 24, listEntries: 60, users: 8 };

const ROLES = ['exposures', 'interactions'] as const;
/** Its ids come and go all along: a number given again too early shows in nearly every log. */
const aLog = aChurningLogOf({ min: repetitions(50, 1), max: repetitions(64, 160) }, 16, 60);

/** Reads a log while sweeps go on, some steps of them between two batches. */
class SweptReader {
  readonly ingest: Ingest;
  readonly snapshots: Snapshot[] = [];
  readonly forgotten: Record<IdKind, number> = { user: 0, item: 0, model: 0 };
  readonly #queues: Record<(typeof ROLES)[number], Uint8Array[]>;
  #sweep: { readonly kind: IdKind; readonly steps: Generator<void, number> } | undefined;

  constructor(log: readonly Event[], options: MonitorOptions) {
    this.ingest = new Ingest(
      options,
      new Decoder({
        maxFutureMs: 1e15,
        ...(options.ratings && { ratings: options.ratings.scale }),
      }),
      TOPICS,
    );
    const of = (role: (typeof ROLES)[number]) =>
      log.filter((event) => roleOf(event) === role).map((event) => Buffer.from(encodeEvent(event)));
    this.#queues = { exposures: of('exposures'), interactions: of('interactions') };
    for (const role of ROLES) this.ingest.monitor.watermarks.expect(role, 0);
  }

  read(role: (typeof ROLES)[number], count: number): boolean {
    const all = this.#queues[role];
    const from = this.ingest.records.nextOffset(role, 0) ?? 0;
    const values = all.slice(from, from + count);
    const offsets = Float64Array.from(values, (_, r) => from + r);
    const recordTs = new Float64Array(values.length);
    const batch = { role, partition: 0, offsets, values, recordTs, highWatermark: all.length };
    runAtOnce(this.ingest.apply(batch, () => Number.POSITIVE_INFINITY));
    if (from + count >= all.length) this.ingest.monitor.watermarks.setIdle(role, 0);
    return values.length > 0;
  }

  /** Closes panes and sweeps, in at most this many steps. */
  move(steps: number, flush = false): void {
    const { monitor } = this.ingest;
    for (let left = steps; ; left--) {
      if (this.#sweep === undefined) {
        const pane = monitor.closable(flush);
        if (pane === undefined) return;
        const closed = runAtOnce(monitor.close(pane));
        if (closed !== undefined) this.snapshots.push(closed.snapshot);
        const due = this.ingest.dueSweep();
        if (due !== undefined) this.#sweep = { kind: due.kind, steps: due.run() };
        continue;
      }
      if (left <= 0) return;
      const { done, value } = this.#sweep.steps.next();
      if (done !== true) continue;
      this.forgotten[this.#sweep.kind] += value;
      const due = this.ingest.dueSweep();
      this.#sweep = due && { kind: due.kind, steps: due.run() };
    }
  }

  finish(): void {
    let left = true;
    while (left) {
      left = false;
      for (const role of ROLES) left = this.read(role, 10) || left;
      this.move(400);
    }
    this.move(Number.POSITIVE_INFINITY, true);
  }
}

const readings = fc.array(
  fc.record({
    role: fc.constantFrom(...ROLES),
    count: fc.integer({ min: 1, max: 12 }),
    steps: fc.nat(300),
  }),
  { minLength: 10, maxLength: 60 },
);

describe('a stream that drops unused ids', () => {
  it('gives the numbers of one that keeps all ids', () => {
    let forgotten = 0;
    fc.assert(
      fc.property(aLog, readings, fc.nat(5), (log, script, kind) => {
        // The bootstrap takes its time.
        const texts = kind === 0 ? { ...KEEPING, estimates: BY_TEXT } : KEEPING;
        const options = kind < 3 ? { ...texts, limits: LIMITS } : texts;
        const wanted = feed(log, options, { partitions: 1, batchSize: 1000, run: 1 });
        const reader = new SweptReader(log, { ...options, ids: AT_ONCE });
        for (const { role, count, steps } of script) {
          reader.read(role, count);
          reader.move(steps);
        }
        reader.finish();
        expect(differences(reader.snapshots, wanted.snapshots, 1e-9)).toEqual([]);
        forgotten += reader.forgotten.user + reader.forgotten.item;
      }),
      { numRuns: repetitions(2, 20), endOnFailure: true },
    );
    expect(forgotten).toBeGreaterThan(repetitions(0, 100));
  });

  it('gives the same numbers across restarts with several partitions', () => {
    const steps = fc.array(
      fc.record({
        role: fc.constantFrom(...ROLES),
        partition: fc.nat(2),
        count: fc.integer({ min: 1, max: 12 }),
        next: fc.constantFrom('nothing', 'nothing', 'checkpoint', 'restart'),
      }),
      { minLength: 10, maxLength: 60 },
    );
    fc.assert(
      fc.property(aLog, steps, fc.boolean(), (log, script, isLimited) => {
        const limits = isLimited ? LIMITS : undefined;
        const wanted = new RestartedReader(log, { ...KEEPING, limits }, 3);
        wanted.finish();
        const reader = new RestartedReader(log, { ...FORGETTING, limits }, 3);
        for (const { role, partition, count, next } of script) {
          reader.read(role, partition, count);
          if (next === 'checkpoint') reader.checkpoint(partition);
          if (next === 'restart') reader.restart();
        }
        reader.finish();
        expect(
          differences(paneSeries(reader.snapshots), paneSeries(wanted.snapshots), 1e-9),
        ).toEqual([]);
      }),
      { numRuns: repetitions(1, 15), endOnFailure: true },
    );
  });

  it('gives the same numbers if other processes close the panes', () => {
    fc.assert(
      fc.property(aLog, fc.boolean(), (log, isLimited) => {
        const limits = isLimited ? LIMITS : undefined;
        const alone = feed(log, { ...KEEPING, limits }, { partitions: 6, batchSize: 1000, run: 1 });
        const found = throughRecords(log, { ...FORGETTING, limits }, 6).snapshots;
        expect(differences(found, alone.snapshots, 1e-9)).toEqual([]);
      }),
      { numRuns: repetitions(1, 10), endOnFailure: true },
    );
  });
});
