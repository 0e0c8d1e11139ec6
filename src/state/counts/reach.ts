/** How many users of a partition were shown lists. */
export interface Reach {
  /** Users who were shown any list. */
  readonly users: number;
  /** Number of users who were shown an item, by item. */
  readonly items: Float64Array;
}

/** Callback for a list: the user was shown items[start] to items[start + length − 1]. */
type ListVisitor = (user: number, items: Int32Array, start: number, length: number) => void;

/**
 * Count the distinct users to whom each item was shown.
 *
 * Two passes over the lists: number of lists per user, then lists by user, so that one mark per
 * item is enough. O(items of all lists); temporary memory 12 bytes per list and 12 per item.
 *
 * @param visitLists visits all lists on each call, and yields regularly.
 * @param size number of items.
 */
export function* reachOf(
  visitLists: (visit: ListVisitor) => Generator<void, void>,
  size: number,
): Generator<void, Reach> {
  const listsOf: number[] = [];
  yield* visitLists((user) => {
    while (listsOf.length <= user) {
      listsOf.push(0);
    }
    listsOf[user]++;
  });
  const next = new Int32Array(listsOf.length + 1);
  let users = 0;
  listsOf.forEach((lists, user) => {
    next[user + 1] = next[user] + lists;
    if (lists > 0) {
      users++;
    }
  });
  const lists = next[listsOf.length];
  const place = {
    source: new Array<Int32Array>(lists),
    start: new Int32Array(lists),
  };
  const length = new Int32Array(lists);
  const owner = new Int32Array(lists);
  yield* visitLists((user, items, start, own) => {
    const at = next[user]++;
    place.source[at] = items;
    place.start[at] = start;
    length[at] = own;
    owner[at] = user;
  });
  const seenBy = new Int32Array(size).fill(-1);
  const reached = new Float64Array(size);
  for (let list = 0; list < lists; list++) {
    const items = place.source[list];
    const from = place.start[list];
    for (let at = from; at < from + length[list]; at++) {
      const item = items[at];
      if (seenBy[item] === owner[list]) continue;
      seenBy[item] = owner[list];
      reached[item]++;
    }
    if (list % 1024 === 1023) {
      yield;
    }
  }
  return {
    users,
    items: reached,
  };
}
