/**
 * The newest panes of a series, oldest first, in columns. Plain numbers, so that it can be stored as
 * it is; whole ones, which makes the text of hundreds of series half as long and much sooner written.
 */
export interface KeptPanes {
  /** In billionths. */
  readonly value: number[];
  /** Effective number of observations behind the value, in thousandths. */
  readonly weight: number[];
  /** Place in the season. */
  readonly slot: number[];
  /** 1 where the pane begins at the end of the one before it in the columns. */
  readonly follows: number[];
  /** End of the newest pane, ms; null before the first. */
  lastTo: number | null;
}

/** Panes to rank among; more would add little, and old levels should be forgotten. */
const MOST = 400;
/** With a season, so that each hour of a week comes nearly three times. */
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

/** What a pane adds. */
export interface PaneValue {
  readonly value: number;
  readonly weight: number;
  readonly slot: number;
  /** Event time, ms. */
  readonly from: number;
  readonly to: number;
}

/** Adds a pane; the oldest goes where there is one too many. */
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

/** The same panes and this one, where it is not to be kept. */
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
