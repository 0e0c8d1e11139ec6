import { describe, expect, it } from 'vitest';
import { seeded } from '../../oracle/random.js';
import { type Event, feed, smallOptions } from '../../support/log.js';

/** Users with a list and a few interactions each, some of them on the list. */
function makeLog(users: number): Event[] {
  const random = seeded(9);
  const item = () => `i${Math.floor(random() * 12)}`;
  return Array.from({ length: users }, (_, u): Event[] => {
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
  const run = (users: number, partitions: number) =>
    feed(makeLog(users), smallOptions({ estimates: { ...estimates, interval: 'bootstrap' } }), {
      partitions,
      batchSize: 50,
      run: 1,
    }).snapshots.at(-1)!.windows[1].results;

  // Of 1,000 users a single partition has more rows than are weighed at once.
  it.each([60, 1000])(
    'of %i users gives the same standard errors for any number of partitions',
    (users) => {
      const one = run(users, 1);
      const many = run(users, 5);
      expect(one.length).toBeGreaterThan(0);
      one.forEach(({ stdErr }, i) => {
        expect(many[i].stdErr).toBeCloseTo(stdErr, 12);
      });
    },
  );
});
