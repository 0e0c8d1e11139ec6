import { expect, it } from 'vitest';
import { Decoder } from '../../../../src/events/decode.js';
import { Shuffle } from '../../../../src/stream/intake/shuffle.js';
import { Ingest } from '../../../../src/stream/read/ingest.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';
import { smallOptions } from '../../../support/log.js';

const CLICK = new TextEncoder().encode(
  JSON.stringify({ type: 'interaction', id: 'x', ts: 5, user: 'u', item: 'a' }),
);

it('a record without a value counts as a tombstone, not as a dead letter', () => {
  const topics = { exposures: 'e', interactions: 'i' };
  const ingest = new Ingest(smallOptions(), new Decoder({ maxFutureMs: 1e15 }), topics);
  const values = [CLICK, null, new Uint8Array(0)];
  const batch = {
    role: 'interactions' as const,
    partition: 0,
    offsets: Float64Array.from(values, (_, r) => r),
    values,
    recordTs: new Float64Array(values.length),
    highWatermark: values.length,
  };
  const { outcomes, deadLetters } = runAtOnce(ingest.apply(batch, () => Number.POSITIVE_INFINITY));
  const counted: Record<string, number> = {};
  outcomes.forEach((outcome, count) => {
    counted[outcome] = count;
  });
  // An empty value is something else: it should be an event.
  expect(counted).toEqual({ accepted: 1, tombstone: 1, not_json: 1 });
  expect(deadLetters.map(({ offset }) => offset)).toEqual([2]);
});

it('the intake skips and counts a tombstone', () => {
  const reading = { events: 'mixed' as const, maxEventBytes: 1000, maxFutureMs: 1e15 };
  const shuffle = new Shuffle([{ topic: 't', ...reading }]);
  const from = { topic: 't', partition: 0, offset: '0', key: null, headers: {} };
  const { outcomes, letters } = shuffle.read('t', 0, [{ from, value: null, ts: 5 }], () => 5);
  expect([...outcomes]).toEqual([['tombstone', 1]]);
  expect(letters).toEqual([]);
});
