import type { Cut, PaneCut } from './round-record.js';

/** Where panes of partitions were closed. What holds for a concluded pane holds against any other. */
export class CutTable {
  readonly #panes = new Map<number, Map<number, PaneCut>>();

  add(each: PaneCut): void {
    const { pane, partition, isConcluded } = each;
    const cuts = this.#panes.get(pane) ?? new Map<number, PaneCut>();
    this.#panes.set(pane, cuts);
    const known = cuts.get(partition);
    if (known === undefined || (isConcluded && !known.isConcluded)) cuts.set(partition, each);
  }

  at(pane: number, partition: number): PaneCut | undefined {
    return this.#panes.get(pane)?.get(partition);
  }

  /** The first pane of a partition after one, through another, that is in it. */
  next(partition: number, after: number, through: number): PaneCut | undefined {
    let next: PaneCut | undefined;
    for (const [pane, cuts] of this.#panes) {
      const isBetween = pane > after && pane <= through;
      if (isBetween && (next === undefined || pane < next.pane)) next = cuts.get(partition) ?? next;
    }
    return next;
  }

  conclude(pane: number): void {
    for (const each of [...(this.#panes.get(pane)?.values() ?? [])]) {
      this.add({ ...each, isConcluded: true });
    }
  }

  dropThrough(pane: number): void {
    for (const at of [...this.#panes.keys()]) if (at <= pane) this.#panes.delete(at);
  }

  get all(): readonly PaneCut[] {
    return [...this.#panes.values()].flatMap((cuts) => [...cuts.values()]);
  }
}

export function isSameCut(a: Cut, b: Cut): boolean {
  const isSamePlace = a.exposures === b.exposures && a.interactions === b.interactions;
  const { models } = b;
  const isSameModels =
    a.models.length === models.length && a.models.every((model, n) => model === models[n]);
  return isSamePlace && a.level === b.level && isSameModels;
}
