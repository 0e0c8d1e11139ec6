/**
 * The newest panes of a series as columns, oldest first. Plain integers that can be stored, which
 * keeps the text short.
 */
export interface KeptPanes {
  /** In billionths. */
  readonly value: number[];
  /** Effective number of observations behind the value, in thousandths. */
  readonly weight: number[];
  /** Seasonal slot. */
  readonly slot: number[];
  /** 1 if the pane follows the previous one directly. */
  readonly follows: number[];
  /** End of the newest pane, ms; null before the first. */
  lastTo: number | null;
}

/** Maximum number of panes for ranks, so that old levels are forgotten. */
const MOST = 400;
/** The same with a season, so that each hour of a week occurs almost three times. */
const MOST_WITH_SEASON = 500;
const BILLION = 1e9;
const THOUSAND = 1000;

export function newKeptPanes(): KeptPanes {
  return {
    value: [],
    weight: [],
    slot: [],
    follows: [],
    lastTo: null,
  };
}

/** Value of a pane. */
export interface PaneValue {
  readonly value: number;
  readonly weight: number;
  readonly slot: number;
  /** Event time, ms. */
  readonly from: number;
  readonly to: number;
}

/** Append a pane; drop the oldest beyond the maximum. */
export function keep(kept: KeptPanes, pane: PaneValue, hasSeason: boolean): void {
  kept.value.push(Math.round(BILLION * pane.value));
  kept.weight.push(Math.max(1, Math.round(THOUSAND * pane.weight)));
  kept.slot.push(pane.slot);
  kept.follows.push(kept.lastTo === pane.from ? 1 : 0);
  kept.lastTo = pane.to;
  if (kept.value.length <= (hasSeason ? MOST_WITH_SEASON : MOST)) return;
  for (const column of [kept.value, kept.weight, kept.slot, kept.follows]) {
    column.shift();
  }
}

/** The stored panes with one more, without storing it. */
export function withPane(kept: KeptPanes, pane: PaneValue, hasSeason: boolean): KeptPanes {
  const { value, weight, slot, follows, lastTo } = kept;
  const columns = {
    value: [...value],
    weight: [...weight],
    slot: [...slot],
  };
  const copy = {
    ...columns,
    follows: [...follows],
    lastTo,
  };
  keep(copy, pane, hasSeason);
  return copy;
}
