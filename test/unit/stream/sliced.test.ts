import { describe, expect, it } from 'vitest';
import { runAtOnce, runSliced } from '../../../src/stream/sliced.js';

function* steps(n: number, each: () => void): Generator<void, string> {
  for (let step = 0; step < n; step++) {
    each();
    yield;
  }
  return 'done';
}

describe('work in slices', () => {
  it('yields once a slice has taken long enough, and reports each slice', async () => {
    let now = 0;
    let turns = 0;
    const slices: number[] = [];
    const clock = {
      now: () => now,
      next: async () => {
        turns++;
        now += 1000; // What others do is not the slice's time.
      },
    };
    const result = await runSliced(
      steps(10, () => {
        now += 2;
      }),
      clock,
      (ms) => slices.push(ms),
    );
    expect(result).toBe('done');
    expect(turns).toBe(5);
    expect(slices).toEqual([4, 4, 4, 4, 4, 0]);
    expect(slices.reduce((a, b) => a + b, 0)).toBe(20);
  });

  it('can also be run at once', () => {
    let calls = 0;
    expect(runAtOnce(steps(5, () => calls++))).toBe('done');
    expect(calls).toBe(5);
  });
});
