import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import { Ingest } from '../../src/stream/read/ingest.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import type { Lookup } from '../../src/stream/tick/lookup.js';
import { type Event, smallOptions } from './log.js';

const click = (n: number, user: string, item: string): Event => ({
  type: 'interaction',
  id: `x${n}`,
  ts: 1001 + n,
  user,
  item,
});

/** What can be looked up: item a has 4 clicks, b 1; u1 has 3 interactions, u2 2; c is only shown. */
export function smallLookup(): Lookup | undefined {
  const ingest = new Ingest(smallOptions(), new Decoder({ maxFutureMs: 1e15 }), {
    exposures: 'e',
    interactions: 'i',
  });
  const lists: Event[] = ['u1', 'u2'].map((user, n) => ({
    type: 'exposure',
    id: `e${n}`,
    ts: 1000,
    user,
    model: 'm',
    items: ['a', 'b', 'ç/c'],
  }));
  const clicks = [
    ...['a', 'b', 'a'].map((item, n) => click(n, 'u1', item)),
    ...['a', 'a'].map((item, n) => click(3 + n, 'u2', item)),
  ];
  for (const [role, events] of [
    ['exposures', lists],
    ['interactions', clicks],
  ] as const) {
    const values = events.map((event) => Buffer.from(encodeEvent(event)));
    const batch = {
      role,
      partition: 0,
      values,
      highWatermark: values.length,
      offsets: Float64Array.from(values, (_, r) => r),
      recordTs: new Float64Array(values.length),
    };
    runAtOnce(ingest.apply(batch, () => Number.POSITIVE_INFINITY));
  }
  runAtOnce(ingest.monitor.close(ingest.monitor.closable(true)!));
  return ingest.lookup;
}
