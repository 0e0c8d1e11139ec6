import { type PlackettLuce, propensitiesOf } from '../oracle/value-lists.js';
import type { Event } from './log.js';
import { clusterOfUser } from './request-events.js';

type Of = 'slot' | 'conditional' | 'item';

/** a ½, b ¼, c ¼, two places. */
export const SLATE_LOGGER: PlackettLuce = {
  items: ['a', 'b', 'c'],
  weights: [2, 1, 1],
  places: 2,
};

/** What the logger drew, and whether each of its places was clicked. */
export const SLATES: readonly (readonly [string, string])[] = [
  ['ab', '01'],
  ['ac', '10'],
  ['ba', '11'],
  ['cb', '01'],
];

const START = 1_000_000;

/** Names of users of one half of all users. */
function* usersOfHalf(half: number): Generator<string> {
  for (let n = 0; ; n++) if ((clusterOfUser(`u${n}`) & 1) === half) yield `u${n}`;
}

interface Written {
  readonly logger: string;
  readonly list: readonly string[];
  readonly propensities: readonly number[];
  readonly propensityOf: Of;
  readonly clicked: readonly string[];
  /** Another model's list, and what else it says. */
  readonly target?: Readonly<Record<string, unknown>>;
}

function events(requests: readonly Written[], users: Iterator<string>, name: string): Event[] {
  return requests.flatMap((each, q): Event[] => {
    const { logger, list, propensities, propensityOf, clicked, target } = each;
    const ts = START + q * 10;
    const id = `${name}${q}`;
    const own = { ts, user: users.next().value, request: id };
    const given = { ...own, type: 'exposure' } as const;
    return [
      ...(target === undefined ? [] : [{ ...given, id: `${id}-S`, ...target } as Event]),
      { ...given, id, model: logger, items: [...list], propensities, propensityOf } as Event,
      ...clicked.map((item): Event => {
        const place = { type: 'interaction', id: `${id}-${item}`, item, exposure: id } as const;
        return { ...place, ts: ts + 1, user: own.user };
      }),
    ];
  });
}

/**
 * Four slates, so many times, for the target `ab` of the model S; all in one half of the users, the
 * others of which say that each item earns 1/4 at each place.
 */
export function goldenSlates(
  of: Of,
  theta: readonly number[],
  times = 1,
  slates = SLATES,
): Event[] {
  const target = { model: 'S', items: ['a', 'b'], shown: false };
  const drawn = Array.from({ length: times }, () => slates).flat();
  const written = drawn.map(([list, clicks]): Written => {
    const items = [...list];
    return {
      logger: 'L',
      list: items,
      propensityOf: of,
      target,
      propensities: propensitiesOf(SLATE_LOGGER, items, of, theta),
      clicked: items.filter((_, k) => clicks[k] === '1'),
    };
  });
  return inOrder([
    ...events(written, usersOfHalf(0), 'q'),
    ...aQuarterEach(['ab', 'bc', 'ca'], of),
  ]);
}

/** Weights of 1/2, 1, 2 and 1 on single places that earn 1, 0, 1 and 0, so many times. */
export function goldenSingles(times = 1): Event[] {
  const chances = [1 / 2, 1 / 4, 1 / 8, 1 / 4];
  const items = ['a', 'b', 'c', 'd'];
  const drawn = Array.from({ length: times }, () => chances).flat();
  const written = drawn.map((chance, q): Written => {
    const list = [items[q % 4]];
    // What it draws is told apart from what was shown.
    const target = { items: [items[(q + 1) % 4]], randomized: true, candidates: 4 };
    return {
      logger: 'L',
      list,
      propensities: [chance],
      propensityOf: 'slot',
      clicked: q % 2 === 0 ? list : [],
      target: { model: 'S', shown: false, ...target },
    };
  });
  return inOrder([...events(written, usersOfHalf(0), 'q'), ...aQuarterEach(items, 'slot')]);
}

function inOrder(events: Event[]): Event[] {
  return events.sort((a, b) => Number(a.ts) - Number(b.ts));
}

/** Requests of the other half of the users, which S was served itself and is not weighed by. */
function aQuarterEach(lists: readonly string[], of: Of): Event[] {
  const written = lists.flatMap((list) =>
    Array.from({ length: 4 }, (_, n): Written => {
      const items = [...list];
      const clicked = items.filter((_, k) => n === k);
      const propensities = items.map(() => 1 / 2);
      return { logger: 'S', list: items, propensities, propensityOf: of, clicked };
    }),
  );
  return events(written, usersOfHalf(1), 'p');
}
