import { describe, expect, it } from 'vitest';
import { seeded } from '../../oracle/random.js';
import { type Event, feed, smallOptions } from '../../support/log.js';

/** 60 users, each with a list and a few interactions, some of them on the list. */
function makeLog(): Event[] {
  const random = seeded(9);
  const item = () => `i${Math.floor(random() * 12)}`;
  return Array.from({ length: 60 }, (_, u): Event[] => {
    const user = `user-${u}`;
    const items = [...new Set([item(), item(), item()])];
    return [
      { type: 'exposure', id: `e${u}`, ts: 1000, user, model: 'm', items },
      ...Array.from({ length: 3 }, (_, n): Event => {
        return { type: 'interaction', id: `x${u}-${n}`, ts: 1001 + n, user, item: item() };
      }),
    ];
  }).flat();
}

describe('the bootstrap of a stream', () => {
  const { estimates } = smallOptions();
  const run = (interval: 't-logit' | 'bootstrap', partitions: number) =>
    feed(makeLog(), smallOptions({ estimates: { ...estimates, interval } }), {
      partitions,
      batchSize: 50,
      run: 1,
    }).snapshots.at(-1)!.windows[1].results;

  it('gives the same standard errors for any number of partitions', () => {
    const one = run('bootstrap', 1);
    const many = run('bootstrap', 5);
    expect(one.length).toBeGreaterThan(0);
    one.forEach(({ stdErr }, i) => {
      expect(many[i].stdErr).toBeCloseTo(stdErr, 12);
    });
  });
});
