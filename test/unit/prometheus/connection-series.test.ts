import { Registry } from 'prom-client';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { registerConnections } from '../../../src/outputs/prometheus/connection-series.js';
import { StreamSeries } from '../../../src/outputs/prometheus/stream-series.js';
import type { Flow } from '../../../src/stream/flow.js';
import { LogContact } from '../../../src/stream/read/log-contact.js';
import { parseExposition } from './exposition.js';

const TOPICS = { exposures: 'e', interactions: 'i' };
const NEVER = { subscribe: () => {} };

function aProcess() {
  let elapsed = 0;
  const contact = new LogContact(
    () => 1_000_000 + elapsed,
    () => elapsed,
  );
  const streams = {
    applied$: NEVER,
    gaps$: NEVER,
    logChanges$: NEVER,
    ticks$: NEVER,
    assigned$: NEVER,
  };
  const store = { isReachable: true, events$: NEVER };
  const sharing = { isMixed: false };
  const lostPanes$ = new Subject<{ partition: number; pane: number }>();
  const group = { sharing, lostPanes$ };
  const state = { contact, clockSkewMs: 0, checkpointer: store, ...streams, ...group };
  const pipeline = state as unknown as Flow;
  const registry = new Registry();
  const series = new StreamSeries(registry, ['e', 'i']);
  series.follow(pipeline, TOPICS);
  let isReady = true;
  const schemas: { trouble: string | undefined } = { trouble: undefined };
  registerConnections(registry, { pipeline, topics: TOPICS, isReady: () => isReady, schemas });
  const scrape = async () => parseExposition(await registry.metrics());
  return {
    contact,
    state,
    store,
    schemas,
    pass: (ms: number) => {
      elapsed += ms;
    },
    become: (ready: boolean) => {
      isReady = ready;
    },
    read: async (name: string, labels: Record<string, string> = {}) =>
      (await scrape()).find(
        (one) => one.name === name && Object.entries(labels).every(([k, v]) => one.labels[k] === v),
      )?.value,
  };
}

const ENDS = [
  { role: 'exposures', partition: 0, next: 5, end: 5 },
  { role: 'interactions', partition: 0, next: 3, end: 10 },
] as const;

describe('the metrics of connections', () => {
  it('exist from the first scrape on', async () => {
    const { read } = aProcess();
    expect(await read('unskew_connected', { to: 'broker' })).toBe(0);
    expect(await read('unskew_connected', { to: 'state_store' })).toBe(1);
    expect(await read('unskew_ready')).toBe(1);
    expect(await read('unskew_clock_skew_seconds')).toBe(0);
  });

  it('report whether the schema registry answers', async () => {
    const { schemas, read } = aProcess();
    expect(await read('unskew_connected', { to: 'schema_registry' })).toBe(1);
    schemas.trouble = 'it cannot be reached';
    expect(await read('unskew_connected', { to: 'schema_registry' })).toBe(0);
  });

  it('report a broker that stops answering as disconnected, even without a closed connection', async () => {
    const { contact, read, pass } = aProcess();
    contact.state('connected');
    contact.ends(ENDS);
    pass(15_000);
    expect(await read('unskew_connected', { to: 'broker' })).toBe(1);
    pass(1);
    expect(await read('unskew_connected', { to: 'broker' })).toBe(0);
    contact.ends([]);
    expect(await read('unskew_connected', { to: 'broker' })).toBe(0);
    contact.ends(ENDS);
    expect(await read('unskew_connected', { to: 'broker' })).toBe(1);
  });

  it('show an unknown lag as NaN, not as 0', async () => {
    const { contact, read, pass } = aProcess();
    contact.state('connected');
    contact.ends(ENDS);
    const lag = (topic: string) => read('unskew_consumer_lag_records', { topic, partition: '0' });
    expect([await lag('e'), await lag('i')]).toEqual([0, 7]);
    pass(20_000);
    expect([await lag('e'), await lag('i')]).toEqual([Number.NaN, Number.NaN]);
    contact.records('interactions', 0, 2);
    expect([await lag('e'), await lag('i')]).toEqual([0, 2]);
    contact.state('disconnected');
    expect([await lag('e'), await lag('i')]).toEqual([Number.NaN, Number.NaN]);
  });

  it('count a fetch if it gave records or reached the end of the partition', async () => {
    const { contact, read, pass } = aProcess();
    contact.state('connected');
    contact.ends(ENDS);
    pass(8_000);
    contact.ends(ENDS);
    const at = (topic: string) => read('unskew_last_fetch_seconds', { topic, partition: '0' });
    expect([await at('e'), await at('i')]).toEqual([1008, 1000]);
    contact.records('interactions', 0, 2);
    expect(await at('i')).toBe(1008);
    contact.assigned([]);
    expect(await at('i')).toBeUndefined();
  });

  it('follow readiness, the store and the clock', async () => {
    const { state, store, read, become } = aProcess();
    become(false);
    store.isReachable = false;
    state.clockSkewMs = -600_000;
    expect(await read('unskew_ready')).toBe(0);
    expect(await read('unskew_connected', { to: 'state_store' })).toBe(0);
    expect(await read('unskew_clock_skew_seconds')).toBe(-600);
  });

  it('report differing workers and lost panes', async () => {
    const { read, state } = aProcess();
    expect(await read('unskew_workers_differ')).toBe(0);
    expect(await read('unskew_panes_lost_total')).toBe(0);
    state.sharing.isMixed = true;
    state.lostPanes$.next({ partition: 1, pane: 7 });
    expect(await read('unskew_workers_differ')).toBe(1);
    expect(await read('unskew_panes_lost_total')).toBe(1);
  });
});
