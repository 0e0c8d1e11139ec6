import type { RequestList } from './open-request.js';
import type { RequestModels } from './pane-requests.js';

/** Numbers for what models made the lists of requests by what chances: few differ. */
export class KindNumbers {
  readonly all: RequestModels[] = [];
  readonly #numbers = new Map<string, number>();

  of(lists: readonly RequestList[]): number {
    const sorted = [...lists].sort((a, b) => a.model - b.model);
    const models = sorted.map(({ model }) => model);
    const shares = sorted.map(({ share }) => (share > 0 ? share : Number.NaN));
    const name = `${models.join(' ')}|${shares.join(' ')}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.all.length);
    return this.all.push({ models, shares }) - 1;
  }
}
