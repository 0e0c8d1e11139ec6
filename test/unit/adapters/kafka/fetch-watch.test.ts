import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FetchWatch } from '../../../../src/adapters/kafka/group-session.js';

describe('a stretch without an answer', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'], now: 1_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['is noticed', 2_500, 0, 1],
    ['is noticed though the clock is set back meanwhile', 2_500, -600_000, 1],
    ['is none where only the clock is set forward', 500, 600_000, 0],
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

  it('is not needed to doubt where a fetch is asked again that was not answered', () => {
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
