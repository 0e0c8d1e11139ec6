import { depthCounts, levelWithin } from '../panes/sample-level.js';
import { ListPages, NO_LIST } from './list-pages.js';
import {
  type OpenRequest,
  type RequestList,
  requestDepth,
  type ServedList,
} from './open-request.js';
import { REQUEST_FAULTS } from './request-faults.js';
import { NO_ROW, type RequestRows, ROW_MASK } from './request-rows.js';

/** A group of requests that close with the same pane, as stored in a checkpoint. */
export interface WrittenGroup {
  readonly level: number;
  readonly sampledOut: number;
  readonly requests: Iterable<OpenRequest>;
}

/**
 * Requests that close with the same pane, up to a limit. Above the limit the sampling level rises,
 * and requests below that depth are dropped. The level depends on the requests of the group, not on
 * their order.
 */
export class RequestGroup implements WrittenGroup {
  /** Number of the group, which its rows store in `RequestChunk.group`. */
  readonly number: number;
  /** Number of served lists of dropped requests. */
  sampledOut: number;
  readonly #limit: number;
  readonly #rows: RequestRows;
  #lists = new ListPages();
  #level: number;
  #size = 0;
  #first = NO_ROW;
  #last = NO_ROW;

  constructor(number: number, rows: RequestRows, limit: number, level: number, sampledOut: number) {
    this.number = number;
    this.#rows = rows;
    this.#limit = limit;
    this.#level = level;
    this.sampledOut = sampledOut;
  }

  /** Sampling level of the group: least depth (`requestDepth`) of the requests that are kept. */
  get level(): number {
    return this.#level;
  }

  get size(): number {
    return this.#size;
  }

  /** Requests of the group, in the order of arrival. */
  get requests(): Iterable<OpenRequest> {
    return this.#read();
  }

  /** Rows in the order of arrival. */
  rows(): Int32Array {
    const rows = new Int32Array(this.#size);
    let row = this.#first;
    for (let n = 0; n < rows.length; n++) {
      rows[n] = row;
      row = this.#rows.of(row).next[row & ROW_MASK];
    }
    return rows;
  }

  /** Add a row from a checkpoint. */
  adopt(row: number): void {
    this.#append(row);
  }

  /** Add a row whose depth is at least the level; @returns rows dropped to make room. */
  add(row: number): readonly number[] {
    this.#append(row);
    if (this.#size <= this.#limit) return [];
    const counts = depthCounts();
    const all = this.rows();
    for (const each of all) {
      counts[this.#depthOf(each)]++;
    }
    this.#level = levelWithin(counts, this.#limit);
    const dropped = [...all].filter((each) => this.#depthOf(each) < this.#level);
    for (const each of dropped) {
      this.sampledOut += this.#rows.of(each).isServed[each & ROW_MASK];
    }
    this.#keep(all.filter((each) => this.#depthOf(each) >= this.#level));
    return dropped;
  }

  /** Add a list to a request. */
  join(row: number, list: RequestList, isServed: boolean): void {
    const { lists } = this.#rows.of(row);
    const at = row & ROW_MASK;
    lists[at] = this.#lists.append(lists[at], list, isServed);
  }

  /** Whether a model has a list in a request. */
  has(row: number, model: number): boolean {
    return this.#chain(row).some((list) => this.#lists.model(list) === model);
  }

  /** Items of the served list by position, and their rewards, which can be modified in place. */
  served(row: number): Pick<RequestList, 'items'> & Pick<ServedList, 'rewards'> {
    const list = this.#chain(row).find((each) => this.#lists.isServed(each))!;
    return {
      items: this.#lists.read(list).items,
      rewards: this.#lists.rewards(list),
    };
  }

  /** Remove lists of models. */
  dropModels(row: number, models: readonly number[]): void {
    const { lists, isServed } = this.#rows.of(row);
    const at = row & ROW_MASK;
    lists[at] = this.#lists.without(lists[at], models);
    if (!this.#chain(row).some((list) => this.#lists.isServed(list))) {
      isServed[at] = 0;
    }
  }

  /** Read a request without copying its items and rewards. */
  read(row: number): OpenRequest {
    const chunk = this.#rows.of(row);
    const at = row & ROW_MASK;
    const all = this.#chain(row);
    const served = all.find((list) => this.#lists.isServed(list));
    const fault = chunk.fault[at];
    return {
      high: chunk.high[at],
      low: chunk.low[at],
      user: chunk.user[at],
      ts: chunk.ts[at],
      history: chunk.history[at],
      lists: all.map((list) => this.#lists.read(list)),
      served:
        served === undefined
          ? undefined
          : {
              idHigh: chunk.servedHigh[at],
              idLow: chunk.servedLow[at],
              model: this.#lists.model(served),
              rewards: this.#lists.rewards(served),
            },
      fault: fault === 0 ? undefined : REQUEST_FAULTS[fault - 1],
    };
  }

  *#read(): Generator<OpenRequest> {
    for (const row of this.rows()) {
      yield this.read(row);
    }
  }

  #chain(row: number): number[] {
    return this.#lists.chain(this.#rows.of(row).lists[row & ROW_MASK]);
  }

  #append(row: number): void {
    if (this.#last === NO_ROW) {
      this.#first = row;
    } else {
      this.#rows.of(this.#last).next[this.#last & ROW_MASK] = row;
    }
    this.#last = row;
    this.#size++;
  }

  /** Keep only these rows, and compact their lists. */
  #keep(rows: Int32Array): void {
    const before = this.#lists;
    this.#lists = new ListPages();
    this.#size = 0;
    this.#first = NO_ROW;
    this.#last = NO_ROW;
    for (const row of rows) {
      const { lists, next } = this.#rows.of(row);
      const at = row & ROW_MASK;
      const all = before.chain(lists[at]);
      lists[at] = NO_LIST;
      for (const list of all) {
        const isServed = before.isServed(list);
        this.join(row, before.read(list), isServed);
        if (isServed) {
          this.served(row).rewards.set(before.rewards(list));
        }
      }
      next[at] = NO_ROW;
      this.#append(row);
    }
  }

  #depthOf(row: number): number {
    return requestDepth(this.#rows.of(row).high[row & ROW_MASK]);
  }
}
