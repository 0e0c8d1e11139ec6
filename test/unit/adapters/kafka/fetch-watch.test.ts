import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FetchWatch } from '../../../../src/adapters/kafka/group-session.js';

describe('the watch over fetches', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'], now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['doubts the log after a long fetch', 2_500, 0, 1],
    ['doubts the log after a long fetch although the clock was set back', 2_500, -600_000, 1],
    ['does not doubt the log if only the clock was set forward', 500, 600_000, 0],
  ])('%s', (_, silentMs, step, doubts) => {
    let doubted = 0;
    const watch = new FetchWatch(() => {
      doubted++;
    });
    watch.asked('1');
    watch.answered('1');
    watch.asked('1');
    vi.advanceTimersByTime(silentMs);
    vi.setSystemTime(Date.now() + step);
    watch.answered('1');
    expect(doubted).toBe(doubts);
  });

  it('doubts the log at once if an unanswered fetch is repeated', () => {
    let doubted = 0;
    const watch = new FetchWatch(() => {
      doubted++;
    });
    watch.asked('1');
    watch.asked('2');
    expect(doubted).toBe(0);
    watch.asked('1');
    expect(doubted).toBe(1);
  });
});
