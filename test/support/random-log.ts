import fc from 'fast-check';
import type { Event } from './log.js';

const ITEMS = ['i0', 'i1', 'i2', 'i3', 'i4', 'i5'];
const USERS = ['u0', 'u1', 'u2', 'u3', 'u4', '__proto__'];
const MODELS = ['a', 'b', 'constructor'];

const anEventOf = (users: readonly string[]) =>
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('exposure' as const),
        step: fc.nat(6),
        user: fc.constantFrom(...users),
        model: fc.constantFrom(...MODELS),
        items: fc.shuffledSubarray(ITEMS, { minLength: 1 }),
        shown: fc.boolean(),
        randomized: fc.boolean(),
        isLogged: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('interaction' as const),
        step: fc.nat(6),
        user: fc.constantFrom(...users),
        item: fc.constantFrom(...ITEMS),
        value: fc.constantFrom(0, 1),
      }),
    },
  );

/** A log in event-time order: nothing in it is late, however it is divided. */
export const aLogOf = (maxLength: number, users: readonly string[] = USERS, minLength = 1) =>
  fc.array(anEventOf(users), { minLength, maxLength, size: 'max' }).map((drawn) => {
    let ts = 1000;
    return drawn.map((event, n): Event => {
      ts += event.step;
      if (event.kind === 'exposure') {
        const { user, model, items, shown, randomized, isLogged } = event;
        const propensities = items.map((_, rank) => 1 / (rank + 2));
        return {
          type: 'exposure',
          id: `e${n}`,
          ts,
          user,
          model,
          items,
          shown,
          randomized,
          ...(isLogged ? { propensities, scores: propensities.map((p) => 2 * p) } : {}),
          ...(n % 3 === 0 ? { request: `q${n % 7}`, share: 0.5, depth: items.length } : {}),
        };
      }
      const { user, item, value } = event;
      return { type: 'interaction', id: `x${n}`, ts, user, item, value };
    });
  });

/**
 * The same where half of the users and items are others from one stretch of events to the next, and
 * nothing happens for a while between two: so that lists expire, which they do many at a time.
 */
export const aChurningLogOf = (
  length: { readonly min: number; readonly max: number },
  stretch: number,
  silenceMs: number,
) =>
  aLogOf(length.max, undefined, length.min).map((log) =>
    log.map((event, n): Event => {
      const epoch = Math.floor(n / stretch);
      const ts = (event.ts as number) + epoch * silenceMs;
      const renamed = (id: string) => (/[024]$/.test(id) ? `${id}@${epoch}` : id);
      const user = renamed(event.user);
      return event.type === 'exposure'
        ? { ...event, ts, user, items: event.items.map(renamed) }
        : { ...event, ts, user, item: renamed(event.item) };
    }),
  );
