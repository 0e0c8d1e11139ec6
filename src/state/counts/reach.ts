/** How many users of a partition the lists reached. */
export interface Reach {
  /** Users who were shown any list. */
  readonly users: number;
  /** Per item: how many of them it was shown to. */
  readonly items: Float64Array;
}

/** Visits lists: items[start] .. items[start + length − 1] were shown to the user. */
type ListVisitor = (user: number, items: Int32Array, start: number, length: number) => void;

/**
 * Count the distinct users to whom each item was shown.
 *
 * Two rounds over the lists: how many each user has, then the lists by user, so that one mark an
 * item tells whether the user at hand has seen it. O(items of all lists); memory 12 bytes a list
 * and 12 an item while it lasts.
 *
 * @param visitLists goes through all lists, each time it is called, and yields now and then.
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
