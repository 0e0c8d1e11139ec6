import { join } from 'node:path';
import { readLines } from '../../adapters/files/lines.js';
import { UnskewError } from '../../errors.js';
import { ItemRatings, RANKER_MODELS } from './item-ratings.js';
import type { ImportTask } from './task.js';

// Coat's ratings have no times, so these are made up. Only the order matters: train ratings, then
// lists, then test ratings. Test ratings follow the lists soon, so that any attribution time
// includes them.
const TRAIN_MS = Date.UTC(2016, 0, 1);
const LISTS_MS = TRAIN_MS + 3_600_000;
const TEST_MS = LISTS_MS + 60_000;

interface Rating {
  readonly user: number;
  readonly item: number;
  readonly value: number;
}

/**
 * Import Coat Shopping (Schnabel et al. 2016): `train.ascii` has self-selected ratings,
 * `test.ascii` has ratings of uniformly drawn items.
 *
 * Each user's lists rank all items except those that the user rated in the train file. The test
 * part leaves out ratings whose user and item are also in the train file: by design the lists do
 * not have these items, so such ratings would count as misses for every ranker.
 */
export async function importCoat(task: ImportTask): Promise<void> {
  const trainPath = join(task.dir, 'train.ascii');
  const testPath = join(task.dir, 'test.ascii');
  const train = await readMatrix(trainPath);
  const test = await readMatrix(testPath);
  if (test.users !== train.users || test.items !== train.items) {
    throw new UnskewError(
      'FILE',
      `${testPath} is ${test.users} × ${test.items}, but ${trainPath} ${train.users} × ${train.items}`,
    );
  }
  const userId = paddedId('u', train.users);
  const itemId = paddedId('i', train.items);
  const ratings = new ItemRatings(train.items, 0);
  const own = Array.from({ length: train.users }, () => new Map<number, number>());
  for (const { user, item, value } of train.ratings) {
    ratings.add(item, value);
    own[user].set(item, value);
  }
  const kept = test.ratings.filter(({ user, item }) => !own[user].has(item));
  const listsOfUser = RANKER_MODELS.length + task.models.count;
  const total = train.ratings.length + train.users * listsOfUser + kept.length;
  let done = 0;
  const written = () => task.onProgress(++done, total);
  const interaction = ({ user, item, value }: Rating, part: 'train' | 'test', ts: number) => ({
    type: 'interaction' as const,
    id: `coat-${part}-${userId(user)}-${itemId(item)}`,
    ts,
    user: userId(user),
    item: itemId(item),
    action: 'rating',
    value,
    // These items were drawn uniformly at random, so there is nothing to correct.
    ...(part === 'test' && { randomized: true }),
  });
  for (const [i, rating] of train.ratings.entries()) {
    await task.files.write('train', interaction(rating, 'train', TRAIN_MS + i));
    written();
  }
  let listTs = LISTS_MS;
  for (let user = 0; user < train.users; user++) {
    const candidates = range(train.items).filter((item) => !own[user].has(item));
    if (candidates.length === 0) continue;
    const ranked = RANKER_MODELS.map((model) => ({
      model,
      candidates: candidates.length,
      items: ratings.rank(model, candidates, task.listLength).map(itemId),
    }));
    const rated = new Map([...own[user]].map(([item, value]) => [itemId(item), value]));
    for (const list of [...ranked, ...task.models.of(userId(user), rated, listTs)]) {
      await task.files.write('events', {
        type: 'exposure',
        id: `coat-${list.model}-${userId(user)}`,
        ts: listTs++,
        user: userId(user),
        shown: false,
        ...list,
      });
      written();
    }
  }
  for (const [i, rating] of kept.entries()) {
    await task.files.write('events', interaction(rating, 'test', TEST_MS + i));
    written();
  }
}

interface Matrix {
  readonly users: number;
  readonly items: number;
  /** Ratings ordered by user, then by item. */
  readonly ratings: readonly Rating[];
}

/** Read a matrix of ratings with one row per user, separated by blanks; 0 means no rating. */
async function readMatrix(path: string): Promise<Matrix> {
  const ratings: Rating[] = [];
  let users = 0;
  let items = 0;
  await readLines(path, (bytes, start, end, line) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
    const cells = text.trim().split(/\s+/);
    if (users === 0) {
      items = cells.length;
    }
    if (cells.length !== items) {
      throw new UnskewError('FILE', `${path}:${line}: ${cells.length} numbers, expected ${items}`);
    }
    for (const [item, cell] of cells.entries()) {
      if (!/^[0-5]$/.test(cell)) {
        const column = item + 1;
        throw new UnskewError(
          'FILE',
          `${path}:${line}: number ${column} is ${JSON.stringify(cell)}, expected 0 to 5`,
        );
      }
      if (cell !== '0') {
        ratings.push({
          user: users,
          item,
          value: Number(cell),
        });
      }
    }
    users++;
  });
  if (users === 0) throw new UnskewError('FILE', `${path}: the file is empty`);
  return {
    users,
    items,
    ratings,
  };
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/**
 * Make ids of equal width, such as `u007`, so that ids in code-point order are in the order of
 * their numbers.
 */
export function paddedId(prefix: string, count: number): (index: number) => string {
  const width = String(count - 1).length;
  return (index) => prefix + String(index).padStart(width, '0');
}
