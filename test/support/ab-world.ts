import { Random } from '../../src/estimators/mathematics/random.js';
import type { ExposureEvent, InteractionEvent } from '../../src/events/encode.js';

const DAY = 86_400_000;
/** A Monday, UTC. */
const START = Date.UTC(2026, 8, 21);

/** A test of two models, and how its log is wrong. */
export interface AbWorld {
  readonly seed: number;
  readonly users?: number;
  readonly days?: number;
  /** Mean lists of a user in all days, spread as a lognormal. */
  readonly lists?: number;
  /** Chance of a click on a list. */
  readonly rate?: number;
  readonly unit?: 'user' | 'request';
  /** Share of b; by day and by surface if these say so. */
  readonly share?: number;
  readonly shareOf?: (of: { readonly day: number; readonly surface: string }) => number;
  /** Chance of a click on a list of b against one of a; by day. */
  readonly better?: (of: { readonly day: number; readonly surface: string }) => number;
  /** Lists of b's users against those of a's. */
  readonly moreLists?: number;
  /** Chance that a list of b is logged twice, under another id. */
  readonly twice?: number;
  /** Lists are logged only if this says so: by arm and whether it was clicked. */
  readonly isLogged?: (of: {
    readonly arm: string;
    readonly isClicked: boolean;
    readonly chance: number;
  }) => boolean;
  /** How long after its list a click comes, ms: by arm. */
  readonly delay?: (arm: string, chance: number) => number;
  /** Lists of this arm hold only so many items in the log. */
  readonly cut?: { readonly arm: string; readonly items: number };
  /** Rare purchases of so much, with that chance a list. */
  readonly purchases?: { readonly chance: number; readonly value: number };
  /** Organic clicks against those on lists, and how many of b's more clicks are taken from these. */
  readonly organic?: number;
  readonly moved?: number;
  /** Days before the test with organic clicks. */
  readonly history?: number;
  /** Clicks that name their list: by arm. */
  readonly names?: (arm: string) => boolean;
  /** Two surfaces, each with its share of the users. */
  readonly hasSurfaces?: boolean;
  /** A user whose lists are so many: a crawler, in b. */
  readonly crawler?: number;
}

type Event = ExposureEvent | InteractionEvent;

const ITEMS = Array.from({ length: 10 }, (_, n) => `i${n}`);

/**
 * The log of a world, in order of time. A user comes by a list of which nothing is clicked: so who takes part
 * does not hang on the arm, and what arms earn per user is as the world says.
 */
export function abLog(world: AbWorld): Event[] {
  const random = new Random(world.seed, 'ab');
  const events: Event[] = [];
  for (let u = 0; u < (world.users ?? 1000); u++) events.push(...ofUser(world, u, random));
  if (world.crawler !== undefined) {
    for (let n = 0; n < world.crawler; n++) {
      const ts = START + Math.floor((n * DAY) / world.crawler);
      events.push(listOf(`c${n}`, ts, 'crawler', 'b', {}));
    }
  }
  return events.sort((a, b) => (a.ts as number) - (b.ts as number) || rank(a) - rank(b));
}

const rank = ({ type }: Event) => (type === 'exposure' ? 0 : 1);

function listOf(id: string, ts: number, user: string, model: string, more: object): ExposureEvent {
  return { type: 'exposure', id, ts, user, model, items: ITEMS, ...more };
}

function* ofUser(world: AbWorld, u: number, random: Random): Generator<Event> {
  const { days = 7, lists = 6, unit = 'user', better = () => 1, rate = 0.3 } = world;
  const user = `u${u}`;
  const surface = world.hasSurfaces === true && random.next() < 0.3 ? 'app' : 'web';
  const activity = Math.exp(random.normal() - 0.5);
  const joins = random.next() < 0.4 ? 0 : random.next() * days;
  const shareAt = (day: number) => world.shareOf?.({ day, surface }) ?? world.share ?? 0.5;
  const kept = random.next() < shareAt(Math.floor(joins)) ? 'b' : 'a';
  for (let n = count(random, (world.history ?? 0) * activity); n > 0; n--) {
    const ts = START - 1 - Math.floor(random.next() * (world.history ?? 1) * DAY);
    yield { type: 'interaction', id: `h${u}-${n}`, ts, user, item: ITEMS[random.below(10)]! };
  }
  const more = kept === 'b' ? (world.moreLists ?? 1) : 1;
  const joined = START + Math.floor(joins * DAY);
  const said = world.hasSurfaces === true ? { segments: { surface } } : {};
  const whole = { items: ITEMS.slice(0, world.cut?.arm === kept ? world.cut.items : 10) };
  yield listOf(`f${u}`, joined, user, kept, { ...whole, ...said });
  const times = Array.from({ length: count(random, lists * activity * more) }, () =>
    random.next(),
  ).sort((a, b) => a - b);
  for (const [n, part] of times.entries()) {
    const at = joins + part * (days - joins);
    const day = Math.floor(at);
    const ts = START + Math.floor(at * DAY);
    const arm = unit === 'user' ? kept : random.next() < shareAt(day) ? 'b' : 'a';
    const id = `l${u}-${n}`;
    const chance = rate * (arm === 'b' ? better({ day, surface }) : 1);
    const isClicked = random.next() < chance;
    const seen = random.next();
    if (world.isLogged?.({ arm, isClicked, chance: seen }) === false) continue;
    const items = world.cut?.arm === arm ? ITEMS.slice(0, world.cut.items) : ITEMS;
    yield listOf(id, ts, user, arm, { items, ...said });
    if (arm === 'b' && random.next() < (world.twice ?? 0)) {
      yield listOf(`${id}-again`, ts + 1, user, arm, { items, ...said });
    }
    const item = ITEMS[random.below(10)]!;
    const named = world.names?.(arm) === false ? {} : { exposure: id };
    const delay = world.delay?.(arm, random.next()) ?? 5000;
    if (isClicked) {
      yield { type: 'interaction', id: `k${u}-${n}`, ts: ts + delay, user, item, ...named };
    }
    const { chance: buys = 0, value = 1 } = world.purchases ?? {};
    if (random.next() < buys) {
      yield {
        type: 'interaction',
        id: `p${u}-${n}`,
        ts: ts + 9000,
        user,
        item,
        action: 'purchase',
        value,
        ...named,
      };
    }
  }
  const taken = kept === 'b' ? (world.moved ?? 0) * rate * (better({ day: 0, surface }) - 1) : 0;
  const found = Math.max(0, (world.organic ?? 0) * rate - taken) * lists * activity;
  for (let n = count(random, found); n > 0; n--) {
    const ts = START + Math.floor((joins + random.next() * (days - joins)) * DAY);
    yield { type: 'interaction', id: `o${u}-${n}`, ts, user, item: ITEMS[random.below(10)]! };
  }
}

/** A Poisson count. */
function count(random: Random, mean: number): number {
  const least = Math.exp(-mean);
  let product = random.next();
  let found = 0;
  while (product > least) {
    product *= random.next();
    found++;
  }
  return found;
}
