import { describe, expect, it } from 'vitest';
import { Decoder } from '../../../src/events/decode.js';
import { encodeEvent } from '../../../src/events/encode.js';
import { Ingest } from '../../../src/stream/ingest.js';
import type { MonitorOptions } from '../../../src/stream/options.js';
import type { TopicRole } from '../../../src/stream/ports.js';
import { runAtOnce } from '../../../src/stream/sliced.js';
import type { Snapshot } from '../../../src/stream/snapshot.js';
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
        ...{ role, partition: 0, offsets, values, recordTs: new Float64Array(1) },
        highWatermark: this.#offsets[role],
      };
      const { outcomes } = runAtOnce(this.ingest.apply(batch, () => 0));
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
  ...{ type: 'exposure', id: `e${ts}${user}${model}`, ts, user, model, items },
});
const click = (ts: number, user: string, item: string): Event => ({
  ...{ type: 'interaction', id: `x${ts}${user}${item}`, ts, user, item },
});

describe('users and items that are never seen again', () => {
  it('are kept for about a horizon, however many come', () => {
    const reader = new Reader({ ...OPTIONS, ids: { sweepFrom: 50 } });
    let most = { user: 0, item: 0 };
    const perHorizon = OPTIONS.popularity.horizonMs;
    for (let horizon = 0; horizon < 25; horizon++) {
      for (let n = 0; n < perHorizon; n++) {
        const ts = 1000 + horizon * perHorizon + n;
        const [user, item] = [`u${horizon}-${n}`, `i${horizon}-${n}`];
        // Lists are dropped many at a time, so here they are of old friends.
        reader.take(list(ts, 'u', ['a', 'b']), click(ts, user, item));
        reader.close();
        const known = reader.ingest.knownIds;
        most = { user: Math.max(most.user, known.user), item: Math.max(most.item, known.item) };
      }
    }
    // In use are those of one horizon and of what is open; a table is swept when it has doubled.
    for (const kind of ['user', 'item'] as const) {
      expect(most[kind]).toBeGreaterThan(perHorizon);
      expect(most[kind]).toBeLessThan(2.5 * perHorizon);
    }
  });

  it('are kept for as long as a list names them, which may be longer', () => {
    const reader = new Reader({
      ...OPTIONS,
      ...{ popularity: { horizonMs: 60, of: 'all' }, attributionTtlMs: 1000 },
      ids: { sweepFrom: 0, growth: 1 },
    });
    reader.take(list(1000, 'u', ['a', 'b']), click(1000, 'v', 'c'));
    // One of them would take the numbers of a and b, if they were forgotten, and so their ranks.
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

  it('are kept while they are in the catalogue, though only lists that were not shown named them', () => {
    const reader = new Reader({
      ...OPTIONS,
      ...{ popularity: { horizonMs: 400, of: 'all' }, attributionTtlMs: 10 },
      ids: { sweepFrom: 0, growth: 1 },
    });
    reader.take({ ...list(1000, 'u', ['a', 'b']), shown: false } as Event);
    for (let n = 0; n < 20; n++) {
      // A list of its own, so that the one before is dropped.
      reader.take(click(1050 + n * 15, 'v', `i${n}`), list(1050 + n * 15, 'w', [`i${n}`]));
      reader.close();
    }
    reader.close(true);
    expect(reader.snapshots.at(-1)!.catalogueSize).toBe(22);
  });

  it('are all kept where tables are not swept', () => {
    const reader = new Reader(OPTIONS);
    for (let n = 0; n < 1000; n++) {
      reader.take(list(1000 + n, `u${n}`, ['a', 'b']), click(1000 + n, `u${n}`, `i${n}`));
      reader.close();
    }
    expect(reader.ingest.knownIds).toEqual({ user: 1000, item: 1002, model: 1 });
  });
});

describe('what is looked up', () => {
  it('is a user or item of the horizon, whether others are still known or not', () => {
    for (const ids of [{}, { sweepFrom: 0, growth: 1 }]) {
      const reader = new Reader({ ...OPTIONS, ids });
      reader.take(list(1000, 'u', ['a']), click(1000, 'gone', 'old'), list(1001, 'lists', ['a']));
      for (let ts = 1060; ts < 1500; ts += 60) {
        reader.take(list(ts, 'u', ['a']), click(ts, 'u', `i${ts}`), click(ts, `v${ts}`, 'b'));
        reader.close();
      }
      const { lookup, knownIds } = reader.ingest;
      const found = ['u', 'lists', 'gone', 'nobody'].map((user) => lookup.user(user)?.count);
      expect(found).toEqual([3, undefined, undefined, undefined]);
      const item = (name: string) => runAtOnce(lookup.item(name, 1))?.count;
      expect(['a', 'i1420', 'old'].map(item)).toEqual([0, 1, undefined]);
      if ('growth' in ids) expect(knownIds.user).toBeLessThan(8);
      else expect(knownIds.user).toBe(11);
    }
  });
});

describe('models', () => {
  it('are known up to the most that are kept, whatever comes', () => {
    const reader = new Reader({ ...OPTIONS, maxModels: 2 });
    for (let n = 0; n < 40; n++) reader.take(list(1000 + n, 'u', ['a', 'b'], `m${n % 20}`));
    reader.take(click(1041, 'u', 'a'), click(1042, 'u', 'b'));
    reader.close(true);
    expect(reader.snapshots.at(-1)!.models).toEqual(['m0', 'm1']);
    expect(reader.outcomes).toEqual({ accepted: 42 });
  });
});

describe('the limit of items', () => {
  it('leaves out events that name another one, and counts them as nothing else', () => {
    const reader = new Reader({ ...OPTIONS, ids: { maxItems: 3 } });
    reader.take(
      list(1000, 'u', ['a', 'b', 'c']),
      list(1001, 'v', ['a', 'new', 'b']),
      click(1002, 'v', 'another'),
      click(1003, 'v', 'b'),
      click(1004, 'u', 'c'),
    );
    expect(reader.outcomes).toEqual({ accepted: 3, over_item_limit: 2 });
    reader.close(true);
    const snapshot = reader.snapshots.at(-1)!;
    expect(snapshot.catalogueSize).toBe(3);
    expect(snapshot.popularity.interactions.total).toBe(2);
    expect(snapshot.windows[0]!.counts).toMatchObject({ interactions: 2, users: 2 });
    // The click of v has no list: the one that was made is left out.
    const recall = snapshot.windows[0]!.results.find(
      (r) => r.estimator === 'naive' && r.form === 'pooled' && r.metric === 'dcg',
    );
    expect(recall).toMatchObject({ counts: { rows: 1 } });
  });

  it('has room again for new items when others were not named for a horizon', () => {
    const reader = new Reader({ ...OPTIONS, ids: { maxItems: 3 } });
    const at = (ts: number, item: string) => {
      reader.take(list(ts, 'u', [item]), click(ts, 'u', item));
      reader.close();
    };
    for (const [n, item] of ['a', 'b', 'c', 'd'].entries()) at(1000 + n, item);
    expect(reader.outcomes['over_item_limit']).toBe(2);
    // Lists are dropped many at a time, when nothing has come for as long as they are known.
    for (let ts = 1060; ts < 1400; ts += 60) at(ts, 'c');
    for (const [n, item] of ['d', 'e', 'f'].entries()) at(1400 + n, item);
    expect(reader.ingest.knownIds.item).toBe(3);
    // d and e have taken the places of a and b; there is none for f.
    expect(reader.outcomes['over_item_limit']).toBe(4);
  });
});
