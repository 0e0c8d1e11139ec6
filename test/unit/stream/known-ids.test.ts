import { describe, expect, it } from 'vitest';
import { Decoder } from '../../../src/events/decode.js';
import { encodeEvent } from '../../../src/events/encode.js';
import type { MonitorOptions } from '../../../src/stream/options.js';
import type { TopicRole } from '../../../src/stream/ports.js';
import { Ingest } from '../../../src/stream/read/ingest.js';
import { runAtOnce } from '../../../src/stream/sliced.js';
import type { Snapshot } from '../../../src/stream/tick/snapshot.js';
import { type Event, quickOptions, roleOf, withNaive } from '../../support/log.js';
import { TOPICS } from '../../support/restarts.js';

const OPTIONS = quickOptions({
  ...withNaive(),
  windows: [{ name: 'only', ms: 60 }],
  popularity: { horizonMs: 200, of: 'all' },
  attributionTtlMs: 50,
});

/** One partition that is read as events are made, and closed and swept as in the service. */
class Reader {
  readonly ingest: Ingest;
  readonly snapshots: Snapshot[] = [];
  readonly outcomes: Record<string, number> = {};
  readonly #offsets: Record<TopicRole, number> = { exposures: 0, interactions: 0 };

  constructor(options: MonitorOptions) {
    this.ingest = new Ingest(options, new Decoder({ maxFutureMs: 1e15 }), TOPICS);
    for (const role of ['exposures', 'interactions'] as const) {
      this.ingest.monitor.watermarks.expect(role, 0);
    }
  }

  take(...events: Event[]): void {
    for (const event of events) {
      const role = roleOf(event);
      const offsets = Float64Array.of(this.#offsets[role]++);
      const values = [Buffer.from(encodeEvent(event))];
      const batch = {
        role,
        partition: 0,
        offsets,
        values,
        recordTs: new Float64Array(1),
        highWatermark: this.#offsets[role],
      };
      const { outcomes } = runAtOnce(this.ingest.apply(batch, () => Number.POSITIVE_INFINITY));
      outcomes.forEach((outcome, count) => {
        this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + count;
      });
    }
  }

  close(flush = false): void {
    const { ingest } = this;
    for (;;) {
      const pane = ingest.monitor.closable(flush);
      if (pane === undefined) return;
      const closed = runAtOnce(ingest.monitor.close(pane));
      if (closed !== undefined) this.snapshots.push(closed.snapshot);
      for (let due = ingest.dueSweep(); due; due = ingest.dueSweep()) runAtOnce(due.run());
    }
  }
}

const list = (ts: number, user: string, items: string[], model = 'm'): Event => ({
  type: 'exposure',
  id: `e${ts}${user}${model}`,
  ts,
  user,
  model,
  items,
});
const click = (ts: number, user: string, item: string): Event => ({
  type: 'interaction',
  id: `x${ts}${user}${item}`,
  ts,
  user,
  item,
});

describe('users and items that are never seen again', () => {
  it('are kept as long as a list contains them', () => {
    const reader = new Reader({
      ...OPTIONS,
      popularity: { horizonMs: 60, of: 'all' },
      attributionTtlMs: 1000,
      ids: { sweepFrom: 0, growth: 1 },
    });
    reader.take(list(1000, 'u', ['a', 'b']), click(1000, 'v', 'c'));
    // If a and b were forgotten, new items would get their numbers, and with them their ranks.
    const fresh = Array.from({ length: 12 }, (_, n) => `new ${n}`);
    for (const [n, item] of fresh.entries()) {
      reader.take(click(1200 + n * 10, 'v', item), list(1200 + n * 10, 'v', ['c']));
      reader.close();
    }
    reader.take(...fresh.map((item, n) => click(1400 + n, 'u', item)));
    reader.close(true);
    const { results } = reader.snapshots.at(-1)!.windows[0]!;
    const naive = results.find((r) => r.estimator === 'naive' && r.metric === 'dcg')!;
    expect(naive).toMatchObject({ model: 'm', value: 0, counts: { users: 1, rows: 12 } });
  });
});
