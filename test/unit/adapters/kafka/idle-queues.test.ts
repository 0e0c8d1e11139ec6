import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import { afterEach, expect, it, vi } from 'vitest';
import { kafkaClient } from '../../../../src/adapters/kafka/options.js';

const NO_LOG = { debug() {}, warn() {} };

function queue(): RequestQueue {
  kafkaClient({ brokers: ['localhost:9092'], clientId: 'c' });
  return new RequestQueue({ maxInFlightRequests: null, requestTimeout: 1000, logger: NO_LOG });
}

afterEach(() => vi.useRealTimers());

it('a connection without waiting requests sets no timer', () => {
  vi.useFakeTimers();
  const idle = queue();
  idle.checkPendingRequests();
  expect(vi.getTimerCount()).toBe(0);
});

it('a throttled request is sent when throttling ends, and leaves no timer', () => {
  vi.useFakeTimers();
  const throttled = queue();
  const sent: number[] = [];
  throttled.throttledUntil = Date.now() + 500;
  const end = throttled.throttledUntil;
  throttled.push({
    entry: { correlationId: 1, resolve() {} },
    expectResponse: false,
    sendRequest: () => sent.push(Date.now()),
  });
  vi.advanceTimersByTime(499);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(20);
  expect(sent).toEqual([end]);
  expect(vi.getTimerCount()).toBe(0);
});
