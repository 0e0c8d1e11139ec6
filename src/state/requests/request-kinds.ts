import type { RequestList } from './open-request.js';
import type { RequestModels } from './pane-requests.js';

/**
 * Numbers for what models made the lists of requests by what chances: few differ, unless each request
 * has chances of its own, which then stand with the same models.
 */
export class KindNumbers {
  readonly all: RequestModels[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #models = new Map<string, readonly number[]>();
  /** Of the request before: most are like it. */
  #last: readonly RequestList[] = [];
  #lastNumber = -1;

  of(lists: readonly RequestList[]): number {
    if (this.#lastNumber < 0 || !areAlike(lists, this.#last)) {
      this.#last = lists;
      this.#lastNumber = this.#numberOf(lists);
    }
    return this.#lastNumber;
  }

  #numberOf(lists: readonly RequestList[]): number {
    const sorted = [...lists].sort((a, b) => a.model - b.model);
    const names = sorted.map(({ model }) => model).join(' ');
    const models = this.#models.get(names) ?? sorted.map(({ model }) => model);
    this.#models.set(names, models);
    const shares = sorted.map(({ share }) => (share > 0 ? share : Number.NaN));
    const name = `${names}|${shares.join(' ')}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.all.length);
    return this.all.push({ models, shares }) - 1;
  }
}

function areAlike(some: readonly RequestList[], others: readonly RequestList[]): boolean {
  if (some.length !== others.length) return false;
  return some.every(({ model, share }, n) => {
    return model === others[n].model && Object.is(share, others[n].share);
  });
}
