import type { NumberCodec } from '../../state/binary/number-codec.js';
import { UNRANKED, type WindowPart } from '../../state/panes/window-part.js';
import type { ModelSummary } from '../results/estimate.js';
import type { WindowEstimates } from '../results/window-estimates.js';
import type { Selection } from './selection.js';

/** What a window holds, before any weighting. */
export class WindowCounts {
  private interactions = 0;
  private positives = 0;
  private users = 0;
  /** Rows of each item. */
  readonly byItem: Float64Array;
  private readonly models: {
    users: number;
    events: number;
    unranked: number;
    singletons: number;
  }[];

  constructor(items: number, models: number) {
    this.byItem = new Float64Array(items);
    this.models = Array.from({ length: models }, () => ({
      users: 0,
      events: 0,
      unranked: 0,
      singletons: 0,
    }));
  }

  /**
   * Counts the rows of users from .. to − 1.
   *
   * @param rows the positive ones that are evaluated. @param rankedThroughout models that are known
   * to rank all of these.
   */
  add(
    part: WindowPart,
    from: number,
    to: number,
    rows: Selection,
    rankedThroughout: ReadonlySet<number>,
  ): void {
    this.addPairs(part, from, to);
    const singletons = rows.singletons();
    this.models.forEach((total, m) => {
      if (rankedThroughout.has(m)) {
        total.users += rows.users;
        total.events += rows.rows;
        total.singletons += singletons;
      } else {
        this.addModel(m, part.ranks[m], rows);
      }
    });
  }

  /** Of other users. */
  ofOthers(): WindowCounts {
    return new WindowCounts(this.byItem.length, this.models.length);
  }

  /** Takes the counts of other users. */
  merge(other: WindowCounts): void {
    for (let item = 0; item < this.byItem.length; item++) this.byItem[item] += other.byItem[item];
    this.interactions += other.interactions;
    this.positives += other.positives;
    this.users += other.users;
    this.models.forEach((total, m) => {
      const own = other.models[m];
      total.users += own.users;
      total.events += own.events;
      total.unranked += own.unranked;
      total.singletons += own.singletons;
    });
  }

  /** Writes or reads them; `byItem` has its own place in bytes, with the names of items. */
  pass(through: NumberCodec): void {
    this.interactions = through.number(this.interactions);
    this.positives = through.number(this.positives);
    this.users = through.number(this.users);
    for (const total of this.models) {
      total.users = through.number(total.users);
      total.events = through.number(total.events);
      total.unranked = through.number(total.unranked);
      total.singletons = through.number(total.singletons);
    }
  }

  /** Counts their pairs alone, of whatever traffic. */
  addPairs(part: WindowPart, from: number, to: number): void {
    const { userStart } = part;
    for (let s = from; s < to; s++) if (userStart[s + 1] > userStart[s]) this.users++;
    this.interactions += userStart[to] - userStart[from];
    this.addRows(part, userStart[from], userStart[to]);
  }

  private addRows(part: WindowPart, from: number, to: number): void {
    const { byItem } = this;
    const { item, positive } = part;
    let positives = 0;
    for (let r = from; r < to; r++) {
      positives += positive[r];
      if (item[r] >= byItem.length) throw new RangeError(`item ${item[r]} has no count`);
      byItem[item[r]]++;
    }
    this.positives += positives;
  }

  private addModel(model: number, ranks: Uint16Array, rows: Selection): void {
    const total = this.models[model];
    const { start, row } = rows;
    let unranked = 0;
    for (let u = 0; u < rows.users; u++) {
      let events = 0;
      for (let i = start[u]; i < start[u + 1]; i++) {
        if (ranks[row[i]] === UNRANKED) unranked++;
        else events++;
      }
      if (events > 0) total.users++;
      if (events === 1) total.singletons++;
      total.events += events;
    }
    total.unranked += unranked;
  }

  summaries(models: readonly string[]): ModelSummary[] {
    return this.models.map(({ users, events, unranked, singletons }, m) => ({
      model: models[m],
      users,
      events,
      unranked,
      singletonUserRatio: users === 0 ? 0 : singletons / users,
    }));
  }

  totals(): Omit<WindowEstimates['counts'], 'repeatedPositives'> {
    return {
      interactions: this.interactions,
      positives: this.positives,
      users: this.users,
      items: this.byItem.reduce((seen, rows) => seen + (rows > 0 ? 1 : 0), 0),
      unranked: this.models.reduce((sum, { unranked }) => sum + unranked, 0),
    };
  }
}
