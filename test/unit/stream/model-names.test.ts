import { expect, it } from 'vitest';
import { Decoder } from '../../../src/events/decode.js';
import { encodeEvent } from '../../../src/events/encode.js';
import { MOST_MODEL_NAMES } from '../../../src/stream/id-tables.js';
import type { Outcomes } from '../../../src/stream/outcomes.js';
import { Ingest } from '../../../src/stream/read/ingest.js';
import { runAtOnce } from '../../../src/stream/sliced.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { quickOptions } from '../../support/log.js';

const TICK_MS = 1_000;
const TOO_MANY = 500;

/** One partition of a stream of lists, each of the model that it is given. */
class Lists {
  readonly ingest: Ingest;
  #offset = 0;

  constructor() {
    const options = quickOptions({ tickMs: TICK_MS, windows: [{ name: 'w', ms: 60_000 }] });
    const topics = { exposures: 'e', interactions: 'i' };
    this.ingest = new Ingest(options, new Decoder({ maxFutureMs: 1e15 }), topics);
    for (const role of ['exposures', 'interactions'] as const) {
      this.ingest.monitor.watermarks.expect(role, 0);
    }
  }

  take(models: readonly string[], ts: number): Outcomes {
    const from = this.#offset;
    this.#offset += models.length;
    const values = models.map((model, n) => {
      const event = { id: `e${from + n}`, ts, user: 'u', model, items: ['a', 'b'] };
      return Buffer.from(encodeEvent({ type: 'exposure', ...event }));
    });
    const offsets = Float64Array.from(models, (_, n) => from + n);
    const recordTs = new Float64Array(models.length);
    const batch = { partition: 0, offsets, values, recordTs, highWatermark: this.#offset };
    return runAtOnce(
      this.ingest.apply({ role: 'exposures', ...batch }, () => Number.POSITIVE_INFINITY),
    ).outcomes;
  }

  /** @returns what the newest pane gives, with ids forgotten as they are between panes */
  close(): Snapshot {
    const { monitor } = this.ingest;
    const closed = runAtOnce(monitor.close(monitor.closable(true)!));
    for (let due = this.ingest.dueSweep(); due; due = this.ingest.dueSweep()) {
      runAtOnce(due.run());
    }
    return closed!.snapshot;
  }
}

it('one-off model names are capped within a pane, and their lists are counted', () => {
  const lists = new Lists();
  lists.take(['steady'], 100);
  lists.close();
  const once = Array.from({ length: MOST_MODEL_NAMES + TOO_MANY - 1 }, (_, n) => `request-${n}`);
  const flooded = lists.take([...once, 'new', 'steady'], 1_100);
  expect(lists.ingest.knownIds.model).toBe(MOST_MODEL_NAMES);
  // The list of the known model is accepted, even though it comes last.
  expect(flooded.modelOverCap).toBe(TOO_MANY + 1);
  expect(flooded.accepted).toBe(once.length + 2);
  expect(lists.close().models).toContain('steady');
  expect(lists.ingest.knownIds.model).toBeLessThan(MOST_MODEL_NAMES / 8);
  // The model that was over the cap is evaluated with its lists from the next pane on.
  for (const ts of [2_100, 3_100]) expect(lists.take(['new', 'steady'], ts).modelOverCap).toBe(0);
  lists.close();
  expect(lists.close().models).toEqual(expect.arrayContaining(['new', 'steady']));
});

it('one-off model names make room for others once their panes close', () => {
  const lists = new Lists();
  const once = (count: number, pane: number) =>
    lists.take(
      Array.from({ length: count }, (_, n) => `request-${pane}-${n}`),
      100 + pane * TICK_MS,
    ).modelOverCap;
  // These fit. When the first pane has closed, 12,000 more do not fit beside the 22,000.
  expect([once(10_000, 0), once(22_000, 1)]).toEqual([0, 0]);
  lists.close();
  expect(once(12_000, 2)).toBeGreaterThan(0);
  lists.close();
  expect(once(10_000, 3)).toBe(0);
});
