/** Pairs by user and by item, in three groups. */
export class PairCounts {
  /** Of the train part: n. */
  readonly known: SideCounts;
  /** Of the part that is sampled. */
  readonly sampled: SideCounts;
  /** Of randomised traffic: m. */
  readonly randomized: SideCounts;
  trainRows = 0;
  testRows = 0;

  constructor(users: number, items: number) {
    this.known = new SideCounts(users, items);
    this.sampled = new SideCounts(users, items);
    this.randomized = new SideCounts(users, items);
  }
}

export class SideCounts {
  readonly user: Float64Array;
  readonly item: Float64Array;
  rows = 0;

  constructor(users: number, items: number) {
    this.user = new Float64Array(users);
    this.item = new Float64Array(items);
  }

  /** @param chance of the row, if expected rows are counted. */
  add(user: number, item: number, chance = 1): void {
    this.user[user] += chance;
    this.item[item] += chance;
    this.rows += chance;
  }
}
