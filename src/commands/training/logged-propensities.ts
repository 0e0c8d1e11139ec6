import type { ExposureColumns } from '../../events/columns.js';

/** The propensities that lists were logged with, by the id of the list and the item. */
export class LoggedPropensities {
  readonly #exposures: ExposureColumns;
  readonly #rows = new Map<number, Map<number, number>>();

  constructor(exposures: ExposureColumns) {
    this.#exposures = exposures;
    for (let row = 0; row < exposures.length; row++) {
      const high = exposures.idHigh[row];
      const lows = this.#rows.get(high) ?? new Map<number, number>();
      if (lows.size === 0) this.#rows.set(high, lows);
      lows.set(exposures.idLow[row], row);
    }
  }

  /** @returns P of the item in the list; NaN if there is no such list, or the item is not in it */
  of(idHigh: number, idLow: number, item: number): number {
    const row = this.#rows.get(idHigh)?.get(idLow);
    if (row === undefined) return Number.NaN;
    const { listStart, items, propensities } = this.#exposures;
    for (let at = listStart[row]; at < listStart[row + 1]; at++) {
      if (items[at] === item) return propensities[at];
    }
    return Number.NaN;
  }
}
