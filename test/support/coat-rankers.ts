import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hash53 } from '../../src/estimators/interventions/sampling-key.js';
import { publishedData } from './published-data.js';

/** Users × items; 0 where there is no rating. */
export type Ratings = readonly (readonly number[])[];

/** Least rating that is a success. */
const LIKED = 4;
const NEIGHBOURS = 50;

export function coatPart(name: 'train' | 'test'): Ratings {
  const text = readFileSync(join(publishedData('coat')!, `${name}.ascii`), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number));
}

/** Both halves of the ratings, by a hash of user and item. */
export function halves(ratings: Ratings, seed: number): readonly [Ratings, Ratings] {
  const half = (first: boolean) =>
    ratings.map((row, user) =>
      row.map((rating, item) => (hash53(seed, user, item) / 2 ** 53 < 0.5 === first ? rating : 0)),
    );
  return [half(true), half(false)];
}

/** The higher, the better. */
export type Scores = (user: number, item: number) => number;

/** Rankers that score items, the same for every user. */
export function itemRankers(train: Ratings): Readonly<Record<string, Scores>> {
  const rated = columns(train).map((column) => column.filter((rating) => rating > 0));
  const liked = rated.map((ratings) => ratings.filter((rating) => rating >= LIKED).length);
  const overall = sum(rated.flat()) / rated.flat().length;
  const mean = (damping: number) =>
    rated.map((ratings) => (sum(ratings) + damping * overall) / (ratings.length + damping));
  const plain = mean(1e-9);
  const damped = mean(5);
  return {
    rated: (_, item) => rated[item]!.length,
    liked: (_, item) => liked[item]!,
    'mean-rating': (_, item) => plain[item]!,
    'damped-mean': (_, item) => damped[item]!,
    random: (user, item) => hash53(7, user, item),
  };
}

/** Rankers that go by what users with like ratings rated, or by items that like users rated. */
export function neighbourRankers(train: Ratings): Readonly<Record<string, Scores>> {
  const items = columns(train);
  return {
    'user-knn': neighbourhood(train, train),
    'item-knn': transposed(neighbourhood(items, items)),
  };
}

function columns(ratings: Ratings): Ratings {
  return ratings[0]!.map((_, item) => ratings.map((row) => row[item]!));
}

/** score(a, j) = Σ over the rows most like a of cosine × what the row has at j. */
function neighbourhood(rows: Ratings, values: Ratings): Scores {
  const norms = rows.map((row) => Math.hypot(...row));
  const near = rows.map((row, a) => {
    const likeness = rows.map((other, b) =>
      a === b || norms[a]! * norms[b]! === 0
        ? 0
        : row.reduce((dot, x, i) => dot + x * other[i]!, 0) / (norms[a]! * norms[b]!),
    );
    const order = likeness.map((_, b) => b).sort((b, c) => likeness[c]! - likeness[b]! || b - c);
    return order.slice(0, NEIGHBOURS).map((b) => ({ b, weight: likeness[b]! }));
  });
  return (a, j) => near[a]!.reduce((score, { b, weight }) => score + weight * values[b]![j]!, 0);
}

function transposed(scores: Scores): Scores {
  return (user, item) => scores(item, user);
}

/** A user's items but those that were learned from, best first. */
export function listFor(user: number, train: Ratings, scores: Scores): number[] {
  const candidates = train[user]!.flatMap((rating, item) => (rating === 0 ? [item] : []));
  const score = candidates.map((item) => scores(user, item));
  return candidates
    .map((item, at) => ({ item, score: score[at]! }))
    .sort((a, b) => b.score - a.score || a.item - b.item)
    .map(({ item }) => item);
}

/** Share of all liked pairs of `truth`, but those learned from, that stand among the first k. */
export function recallOf(lists: readonly number[][], truth: Ratings, train: Ratings, k: number) {
  let hits = 0;
  let wanted = 0;
  lists.forEach((list, user) => {
    const top = new Set(list.slice(0, k));
    truth[user]!.forEach((rating, item) => {
      if (rating < LIKED || train[user]![item] !== 0) return;
      wanted++;
      if (top.has(item)) hits++;
    });
  });
  return hits / wanted;
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
