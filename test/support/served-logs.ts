import { Random } from '../../src/estimators/mathematics/random.js';

/** Lists of ten items, all of one model; three in ten are clicked, and the click names its list. */
export function servedBy(model: string) {
  const random = new Random(1, 'one model');
  return Array.from({ length: 900 }, (_, n) => {
    const items = new Set<string>();
    while (items.size < 10) items.add(`i${Math.floor(200 * random.next() * random.next())}`);
    const user = `u${n % 300}`;
    const ts = 1_700_000_000_000 + 200_000 * n;
    const list = { type: 'exposure', id: `e${n}`, ts, user, model, items: [...items] } as const;
    if (random.next() >= 0.3) return [list];
    const item = list.items[random.below(10)]!;
    const of = { id: `c${n}`, ts: ts + 5000, user, item, exposure: list.id };
    return [list, { type: 'interaction', ...of } as const];
  }).flat();
}

/** The same of two models that are shown beside each other: nobody was split between them. */
export function besideEachOther() {
  const events = ['a', 'b'].flatMap((model) =>
    servedBy(model).map((event) => {
      const own = { ...event, id: model + event.id };
      return own.type === 'exposure' ? own : { ...own, exposure: model + own.exposure };
    }),
  );
  return events.sort((one, other) => one.ts - other.ts);
}
