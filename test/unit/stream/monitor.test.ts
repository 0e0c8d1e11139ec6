import { describe, expect, it } from 'vitest';
import { Decoder } from '../../../src/events/decode.js';
import { encodeEvent } from '../../../src/events/encode.js';
import { Ingest } from '../../../src/stream/ingest.js';
import type { RecordBatch } from '../../../src/stream/ports.js';
import { runAtOnce } from '../../../src/stream/sliced.js';
import { type Event, feed, partitionOf, smallOptions } from '../../support/log.js';

const one = { partitions: 1, batchSize: 100, run: 1 };
const click = (id: string, ts: number, user = 'u', item = 'a'): Event => ({
  ...{ type: 'interaction', id, ts, user, item },
});
const list = (id: string, ts: number, user = 'u'): Event => ({
  ...{ type: 'exposure', id, ts, user, model: 'm', items: ['a', 'b'] },
});

describe('lateness', () => {
  it('is judged by the own partition, even while its pane is held open by another', () => {
    const users = ['v', 'w', 'x', 'y', 'z'];
    const slow = users.find((user) => partitionOf(user, 2) !== partitionOf('u', 2))!;
    // The slow user's partition keeps the pane of ts 1001 open when x2 arrives 19 ms behind x1.
    const log = [
      ...[list('e1', 1000), list('e2', 1000, slow), click('s1', 1000, slow)],
      ...[click('x1', 1020), click('x2', 1001)],
    ];
    const fed = feed(log, smallOptions(), { partitions: 2, batchSize: 100, run: 1 });
    expect(fed.outcomes).toMatchObject({ accepted: 4, late: 1 });
    const first = fed.snapshots[0]!;
    expect(first.paneEnd).toBe(1010);
    expect(first.windows[0]!.counts.interactions).toBe(1);
  });

  it('spares an event that is older than the newest by no more than the lateness', () => {
    const fed = feed([list('e', 1000), click('x1', 1020), click('x2', 1015)], smallOptions(), one);
    expect(fed.outcomes).toMatchObject({ accepted: 3, late: 0 });
  });
});

describe('models', () => {
  it('beyond the cap lose their lists, are counted, and change nothing else', () => {
    const other: Event = { ...list('e2', 1000), model: 'n' } as Event;
    const log = [list('e1', 1000), other, click('x', 1001)];
    const capped = feed(log, smallOptions({ maxModels: 1 }), one);
    expect(capped.snapshots.at(-1)!.models).toEqual(['m']);
    expect(feed(log, smallOptions(), one).snapshots.at(-1)!.models).toEqual(['m', 'n']);
  });
});

describe('records that come again', () => {
  it('are passed over by their offsets, and counted as replayed, not as duplicates', () => {
    const ingest = new Ingest(smallOptions(), new Decoder({ maxFutureMs: 1e15 }), {
      ...{ exposures: 'e', interactions: 'i' },
    });
    const batch = (from: number, to: number): RecordBatch => ({
      ...{ role: 'interactions', partition: 0, highWatermark: 100 },
      offsets: Float64Array.from({ length: to - from }, (_, n) => from + n),
      values: Array.from({ length: to - from }, (_, n) =>
        Buffer.from(encodeEvent(click(`x${from + n}`, 1000 + from + n))),
      ),
      recordTs: new Float64Array(to - from),
    });
    const apply = (from: number, to: number) => runAtOnce(ingest.apply(batch(from, to), () => 0));
    expect(apply(0, 10)).toMatchObject({ replayed: 0, nextOffset: 10 });
    const again = apply(4, 13);
    expect(again).toMatchObject({ replayed: 6, nextOffset: 13 });
    expect(again.outcomes).toMatchObject({ accepted: 3, duplicate: 0 });
    expect(apply(2, 5)).toMatchObject({ replayed: 3, nextOffset: 13 });
    ingest.records.rewind('interactions', 0, { found: 0 });
    expect(apply(0, 3).outcomes).toMatchObject({ accepted: 0, duplicate: 3 });
  });
});
