import { Decoder } from '../../src/events/decode.js';
import { encodeEvent } from '../../src/events/encode.js';
import type { AskedLookup } from '../../src/stream/flow.js';
import { Ingest } from '../../src/stream/read/ingest.js';
import { PaneCloser } from '../../src/stream/read/pane-closer.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { TickHost } from '../../src/stream/tick-host.js';
import { ticksHere } from '../../src/stream/ticks.js';
import { type Event, smallOptions } from './log.js';

const click = (n: number, user: string, item: string): Event => ({
  type: 'interaction',
  id: `x${n}`,
  ts: 1001 + n,
  user,
  item,
});

/** What can be looked up: item a has 4 clicks, b 1; u1 has 3 interactions, u2 2; c is only shown. */
export async function smallLookup(): Promise<AskedLookup> {
  const monitor = smallOptions();
  const topics = { exposures: 'e', interactions: 'i' };
  const ingest = new Ingest(monitor, new Decoder({ maxFutureMs: 1e15 }), topics);
  const turns = { now: () => performance.now(), next: async () => {} };
  const ticks = ticksHere(new TickHost({ monitor, topics, now: turns.now }));
  const closer = new PaneCloser(ingest, ticks, { turns, now: Date.now });
  await closer.begin(new Map([[0, undefined]]));
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
  await closer.flush();
  return ticks;
}
