import { expect, it } from 'vitest';
import { Decoder } from '../../src/events/decode.js';
import { type ExposureEvent, encodeEvent } from '../../src/events/encode.js';
import { Ingest } from '../../src/stream/read/ingest.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { mulberry32 } from '../bench/synthetic-log.js';
import { differences } from '../support/compare.js';
import { type Event, quickOptions, roleOf } from '../support/log.js';
import { mutated } from '../support/mutation.js';
import { repetitions } from '../support/repetitions.js';

/** `npm run test:fuzz` runs a million mutants. */
const ROUNDS = repetitions(1, 100);
const EVENTS = 1_000;
const MUTANTS_EACH = 10;
const FUTURE_MS = 50;

function aLog(random: () => number): Event[] {
  return Array.from({ length: EVENTS }, (_, n): Event => {
    const user = `u${Math.floor(random() * 30)}`;
    const ts = 1_000 + n;
    const item = () => `i${Math.floor(random() ** 2 * 40)}`;
    if (n % 3 > 0) return { type: 'interaction', id: `x${n}`, ts, user, item: item(), value: 1 };
    const items = [...new Set(Array.from({ length: 6 }, item))];
    return {
      type: 'exposure',
      id: `e${n}`,
      ts,
      user,
      model: `m${n % 2}`,
      items,
      scores: items.map(() => 1),
      ...(n % 2 === 0 ? {} : ofRequest(n, items)),
    };
  });
}

function ofRequest(n: number, { length }: readonly string[]): Partial<ExposureEvent> {
  const propensities = Array.from({ length }, (_, rank) => 0.5 ** rank);
  const place = { depth: length, firstRank: n % 5, propensityOf: 'conditional' } as const;
  return { request: `q${n >> 2}`, share: 0.25, propensities, ...place };
}

/** A process that is given records one batch after the other. */
class Reader {
  readonly snapshots: Snapshot[] = [];
  readonly counts = new Map<string, number>();
  readonly #ingest = new Ingest(quickOptions(), new Decoder({ maxFutureMs: FUTURE_MS }), {
    exposures: 'e',
    interactions: 'i',
  });
  readonly #next = { exposures: 0, interactions: 0 };

  constructor() {
    for (const role of ['exposures', 'interactions'] as const) {
      this.#ingest.monitor.watermarks.expect(role, 0);
    }
  }

  /** @returns which of the records were refused */
  read(
    role: 'exposures' | 'interactions',
    values: readonly Uint8Array[],
    now: number,
  ): Set<number> {
    const from = this.#next[role];
    this.#next[role] += values.length;
    const offsets = Float64Array.from(values, (_, r) => from + r);
    const recordTs = new Float64Array(values.length);
    const batch = { role, partition: 0, offsets, values, recordTs, highWatermark: 1e9 };
    const { outcomes, deadLetters } = runAtOnce(this.#ingest.apply(batch, () => now));
    outcomes.forEach((outcome, count) => {
      this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + count);
    });
    expect(outcomes.unaccounted).toBe(0);
    this.close(false);
    return new Set(deadLetters.map(({ offset }) => offset - from));
  }

  close(flush: boolean): void {
    const { monitor } = this.#ingest;
    for (let pane = monitor.closable(flush); pane !== undefined; pane = monitor.closable(flush)) {
      const closed = runAtOnce(monitor.close(pane));
      if (closed) this.snapshots.push(closed.snapshot);
    }
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }
}

it(`${ROUNDS * EVENTS * MUTANTS_EACH} mutated events are each counted, and rejected ones change no number`, () => {
  const reasons = new Set<string>();
  let refused = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const random = mulberry32(1_000 + round);
    const log = aLog(random);
    const sound = log.map((event) => Buffer.from(encodeEvent(event)));
    const fuzzed = new Reader();
    const clean = new Reader();
    let given = 0;
    log.forEach((event, n) => {
      const values: Buffer[] = [sound[n]!];
      for (let m = 0; m < MUTANTS_EACH; m++) {
        const other = sound[Math.floor(random() * sound.length)]!;
        values.push(mutated(sound[n]!, other, random));
      }
      given += values.length;
      const dead = fuzzed.read(roleOf(event), values, event.ts as number);
      expect(dead.has(0)).toBe(false);
      refused += dead.size;
      // Without those that were refused, as if they had never been written.
      clean.read(
        roleOf(event),
        values.filter((_, r) => !dead.has(r)),
        event.ts as number,
      );
    });
    fuzzed.close(true);
    clean.close(true);
    expect(fuzzed.total).toBe(given);
    expect(fuzzed.snapshots.length).toBeGreaterThan(50);
    expect(differences(fuzzed.snapshots, clean.snapshots, 0)).toEqual([]);
    for (const reason of fuzzed.counts.keys()) reasons.add(reason);
    for (const reason of clean.counts.keys()) {
      expect(['accepted', 'duplicate', 'late']).toContain(reason);
    }
  }
  // Most do not survive, and they fail in many ways.
  expect(refused).toBeGreaterThan((ROUNDS * EVENTS * MUTANTS_EACH) / 2);
  expect(reasons.size).toBeGreaterThan(10);
}, 1_200_000);
