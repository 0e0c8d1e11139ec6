import { seeded } from '../oracle/random.js';
import type { Event } from './log.js';

/** Traffic of which the exponent of the propensity is known, with rankers in shadow. */
export interface TrustWorld {
  readonly users: number;
  readonly items: number;
  /** Organic positives of a user, and those of randomised traffic. */
  readonly organic: number;
  readonly randomized: number;
  /** Organic shares are ∝ rank^(−zipf); relevance is ∝ these to the power 1 − β. */
  readonly zipf: number;
  readonly beta: number;
  /** Chances of a model to have a pair among its ten, whatever the item; `popular`: the ten of the head. */
  readonly models: Readonly<Record<string, number | 'popular'>>;
  /** Share of the organic positives that a shown list caused, of the first model's. */
  readonly caused?: number;
  /** So many models are shown, the users in turn; one where nothing is said. */
  readonly arms?: number;
  /** Share of the driven interactions that give their list's id; all by default. */
  readonly named?: number;
  /** Chances are multiplied by this much for every second item, whatever its popularity. */
  readonly favour?: number;
  /** How often a user comes back to each item that they found; once is the find alone. */
  readonly visits?: number;
  readonly seed?: number;
}

const START = 1_700_000_000_000;
const PLACES = 10;

/** Events of such traffic: every user's lists first, then what was found. */
export function trustLog(world: TrustWorld): Event[] {
  const random = seeded(world.seed ?? 1);
  const { items, users, zipf, beta, favour = 1, arms = 1, named = 1 } = world;
  const shares = Array.from({ length: items }, (_, i) => (i + 1) ** -zipf);
  const drawOrganic = drawer(
    shares.map((share, i) => share * (i % 2 === 0 ? favour : 1)),
    random,
  );
  const drawRelevant = drawer(
    shares.map((share) => share ** (1 - beta)),
    random,
  );
  const log: Event[] = [];
  for (let u = 0; u < users; u++) {
    const ts = START + 1000 * u;
    const found = new Set<number>();
    while (found.size < world.organic) found.add(drawOrganic());
    const user = `u${u}`;
    const caused = new Set([...found].filter(() => random() < (world.caused ?? 0)));
    Object.entries(world.models).forEach(([model, chance], m) => {
      const isShown = m === u % arms && world.caused !== undefined;
      const own = listOf(chance, [...found], items, random);
      const clicked = isShown ? [...caused].map((item) => `i${item}`) : [];
      const list = [...new Set([...clicked, ...own])].slice(0, PLACES);
      log.push({ type: 'exposure', id: `${u}-${m}`, ts, user, model, items: list, shown: isShown });
    });
    [...found].forEach((item, n) => {
      const click = { type: 'interaction' as const, id: `${u}:${n}`, ts: ts + 1 + n, user };
      const isNamed = caused.has(item) && (named === 1 || random() < named);
      log.push({ ...click, item: `i${item}`, ...(isNamed && { exposure: `${u}-${u % arms}` }) });
      for (let visit = 1; visit < (world.visits ?? 1); visit++) {
        const id = `${u}:${n}:${visit}`;
        log.push({ ...click, id, ts: ts + 100 * visit + n, item: `i${item}` });
      }
    });
    for (let n = 0; n < world.randomized; n++) {
      const item = `i${drawRelevant()}`;
      const at = ts + 500 + n;
      log.push({ type: 'interaction', id: `${u}r${n}`, ts: at, user, item, randomized: true });
    }
  }
  return log;
}

function drawer(weights: readonly number[], random: () => number): () => number {
  let sum = 0;
  const sums = weights.map((weight) => {
    sum += weight;
    return sum;
  });
  return () => {
    const at = random() * sum;
    let first = 0;
    let last = weights.length - 1;
    while (first < last) {
      const middle = (first + last) >> 1;
      if (at < sums[middle]!) last = middle;
      else first = middle + 1;
    }
    return first;
  };
}

/** Ten items: of the user's own each with the model's chance, the rest from beyond the catalogue's head. */
function listOf(
  chance: number | 'popular',
  found: readonly number[],
  items: number,
  random: () => number,
): string[] {
  if (chance === 'popular') return Array.from({ length: PLACES }, (_, i) => `i${i}`);
  const own = found.filter(() => random() < chance).slice(0, PLACES);
  const list = new Set(own);
  while (list.size < PLACES) {
    const filler = Math.floor(random() * items);
    if (!found.includes(filler)) list.add(filler);
  }
  return [...list].map((item) => `i${item}`);
}
