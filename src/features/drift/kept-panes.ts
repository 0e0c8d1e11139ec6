/**
 * The newest panes of a series as columns, oldest first. The columns hold integers, so that the
 * stored text is short.
 */
export interface KeptPanes {
  /** Value of the series, in billionths. */
  readonly value: number[];
  /** Effective number of observations behind the value, in thousandths. */
  readonly weight: number[];
  /** Slot of the seasonal period. */
  readonly slot: number[];
  /** 1 if the pane follows the previous one directly. */
  readonly follows: number[];
  /** End of the newest pane, ms; null before the first. */
  lastTo: number | null;
}

/**
 * Maximum number of panes that ranks are computed from, so that old levels lose their influence.
 */
const MOST = 400;
/** Maximum number of panes with a season, so that each hour of a week occurs almost three times. */
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

/** Value of a series in one pane. */
export interface PaneValue {
  readonly value: number;
  readonly weight: number;
  readonly slot: number;
  /** Event time, ms: from ≤ ts < to. */
  readonly from: number;
  readonly to: number;
}

/** Append a pane, and drop the oldest if there are more than the maximum. */
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

/** A copy of the stored panes with one more; the stored ones do not change. */
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
