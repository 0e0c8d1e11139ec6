import { POSITIVE } from '../../events/columns.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import type { Alarm } from './schema.js';
import type { Traffic } from './traffic.js';

/** At most this many items are named. */
const TOP_ITEMS = 5;

/** Item counts since a change and before it. */
export interface ItemShift {
  readonly now: ArrayLike<number>;
  readonly before: ArrayLike<number>;
}

interface Names {
  text(item: number): string;
  compare(a: number, b: number): number;
}

/** The items whose share changed most, ties by id. O(items). */
export function topItems({ now, before }: ItemShift, names: Names): Alarm['topItems'] {
  const totals = [total(now), total(before)];
  const share = (counts: ArrayLike<number>, item: number, sum: number) =>
    sum === 0 ? 0 : (counts[item] ?? 0) / sum;
  let top: { item: number; share: number; before: number; moved: number }[] = [];
  for (let item = 0; item < Math.max(now.length, before.length); item++) {
    const own = { share: share(now, item, totals[0]), before: share(before, item, totals[1]) };
    const moved = Math.abs(own.share - own.before);
    if (moved === 0 || (top.length === TOP_ITEMS && moved < top[TOP_ITEMS - 1].moved)) continue;
    top = [...top, { item, ...own, moved }]
      .sort((a, b) => b.moved - a.moved || names.compare(a.item, b.item))
      .slice(0, TOP_ITEMS);
  }
  return top.map(({ item, share, before }) => ({ item: names.text(item), share, before }));
}

/**
 * Items of the hits of a model: positive rows whose item stood above `depth` in its list, by when
 * they happened. One yield a pane of rows. O(rows kept), so for alarms only.
 */
export function* hitShift(
  panes: Iterable<PaneRows>,
  model: number,
  depth: number,
  firstPane: number,
  items: number,
): Generator<void, ItemShift> {
  const shift = { now: new Float64Array(items), before: new Float64Array(items) };
  for (const { pane, length, item, flags, ranks } of panes) {
    const counts = pane >= firstPane ? shift.now : shift.before;
    const rank = ranks[model];
    for (let r = 0; rank !== undefined && r < length; r++) {
      if ((flags[r] & POSITIVE) !== 0 && rank[r] < depth) counts[item[r]]++;
    }
    yield;
  }
  return shift;
}

/** Models whose exposures turned to what rose in all traffic, most of all first. One yield a model. */
export function* modelsBehind(
  { now, before }: ItemShift,
  traffics: readonly Traffic[],
): Generator<void, readonly string[]> {
  const past = shares(before);
  const rises = shares(now).map((share, item) => share - (past[item] ?? 0));
  const found: { model: string; turned: number }[] = [];
  for (const { model, now: shown, before: earlier } of traffics) {
    yield;
    if (model === null) continue;
    const own = shares(earlier);
    const turned = shares(shown).reduce(
      (sum, share, item) => sum + (share - (own[item] ?? 0)) * (rises[item] ?? 0),
      0,
    );
    if (turned > 0) found.push({ model, turned });
  }
  found.sort((a, b) => b.turned - a.turned || (a.model < b.model ? -1 : 1));
  return found.map(({ model }) => model);
}

function shares(counts: ArrayLike<number>): Float64Array {
  const sum = total(counts);
  return Float64Array.from(counts, (count) => (sum === 0 ? 0 : count / sum));
}

function total(counts: ArrayLike<number>): number {
  let sum = 0;
  for (let item = 0; item < counts.length; item++) sum += counts[item];
  return sum;
}
