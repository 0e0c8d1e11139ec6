import {
  type ItemCounts,
  LIST_PARTIAL,
  NOT_IN_LIST,
  type WindowPart,
} from '../../src/state/panes/window-part.js';

/**
 * Windows of two models whose truth is known. Relevance is uniform over items, but an item is
 * observed in proportion to n^1.5, as γ = 2 says. Model a hits popular items more often, b all
 * items alike; some users are hit more often than others, by both models.
 */
const ITEMS = 80;
const MODELS = ['a', 'b'];

const popularity = Float64Array.from({ length: ITEMS }, (_, i) => 1 + Math.floor(60 / (i + 1)));
const observed = popularity.map((n) => n ** 1.5);
const hitRates = [
  popularity.map((n) => 0.1 + 0.4 * Math.min(1, Math.log(n) / Math.log(61))),
  popularity.map(() => 0.22),
];

/** Mean rate over items, each as likely as `weight` says. */
function meanRate(model: string, weight: Float64Array): number {
  const rates = hitRates[MODELS.indexOf(model)];
  const total = weight.reduce((a, b) => a + b, 0);
  return rates.reduce((sum, rate, i) => sum + rate * weight[i], 0) / total;
}

/** What the metric would be if every item were observed alike, and what naive tends to. */
export const trueRecall = (model: string) => meanRate(model, new Float64Array(ITEMS).fill(1));
export const naiveRecall = (model: string) => meanRate(model, observed);

export const simulatedModels = MODELS;

export const simulatedCounts: ItemCounts = {
  items: ITEMS,
  popularity,
  interactions: popularity,
  randomized: new Float64Array(ITEMS),
  compareIds: (a, b) => a - b,
};

const ends = observed.slice();
for (let i = 1; i < ITEMS; i++) ends[i] += ends[i - 1];

function drawItem(random: () => number): number {
  const at = random() * ends[ITEMS - 1];
  let low = 0;
  let high = ITEMS - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Users of 2 to 11 rows each; a hit stands at rank 0. */
export function simulateWindow(users: number, random: () => number): WindowPart {
  const userStart = new Int32Array(users + 1);
  for (let u = 0; u < users; u++) userStart[u + 1] = userStart[u] + 2 + Math.floor(random() * 10);
  const rows = userStart[users];
  const item = new Int32Array(rows);
  const ranks = MODELS.map(() => new Uint16Array(rows).fill(NOT_IN_LIST));
  for (let u = 0; u < users; u++) {
    const eagerness = random() < 0.5 ? 0.3 : 1.7;
    for (let r = userStart[u]; r < userStart[u + 1]; r++) {
      item[r] = drawItem(random);
      // What one model hits, the other tends to hit as well: half of the time they share the draw.
      const shared = random();
      const isShared = random() < 0.5;
      ranks.forEach((own, m) => {
        const luck = isShared ? shared : random();
        if (luck < hitRates[m][item[r]] * eagerness) own[r] = 0;
      });
    }
  }
  return {
    users,
    userStart,
    userCount: Float64Array.from({ length: users }, (_, u) => userStart[u + 1] - userStart[u]),
    userRandomized: new Float64Array(users),
    userKey: Int32Array.from({ length: users }, () => Math.floor(random() * 2 ** 32) | 0),
    randomizedUsers: 0,
    randomizedItems: 0,
    rows,
    item,
    positive: new Uint8Array(rows).fill(1),
    traffic: new Uint8Array(rows).fill(1),
    ranks,
    lists: MODELS.map(() => new Uint16Array(rows).fill(LIST_PARTIAL | 50)),
  };
}
