import { isRatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { POSITIVE } from '../../events/columns.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import type { Alarm } from '../alarm.js';
import type { DriftOptions } from './drift-options.js';
import { type DriftSources, trafficsOf } from './drift-readings.js';
import type { Pane, Traffic } from './reading.js';
import type { Judgement } from './watch.js';

/** Maximum number of items that an alarm names. */
const TOP_ITEMS = 5;

/** Events by item, since a change (`now`) and before it. */
export interface ItemShift {
  readonly now: ArrayLike<number>;
  readonly before: ArrayLike<number>;
}

/** Ids of items by number. */
interface Names {
  text(item: number): string;
  compare(a: number, b: number): number;
}

/** Find the items whose share of events changed most; ties are ordered by id. O(items). */
export function topItems({ now, before }: ItemShift, names: Names): Alarm['topItems'] {
  const totals = [total(now), total(before)];
  const share = (counts: ArrayLike<number>, item: number, sum: number) =>
    sum === 0 ? 0 : (counts[item] ?? 0) / sum;
  let top: {
    item: number;
    share: number;
    before: number;
    moved: number;
  }[] = [];
  for (let item = 0; item < Math.max(now.length, before.length); item++) {
    const own = {
      share: share(now, item, totals[0]),
      before: share(before, item, totals[1]),
    };
    const moved = Math.abs(own.share - own.before);
    if (moved === 0 || (top.length === TOP_ITEMS && moved < top[TOP_ITEMS - 1].moved)) continue;
    top = [
      ...top,
      {
        item,
        ...own,
        moved,
      },
    ]
      .sort((a, b) => b.moved - a.moved || names.compare(a.item, b.item))
      .slice(0, TOP_ITEMS);
  }
  return top.map(({ item, share, before }) => ({
    item: names.text(item),
    share,
    before,
  }));
}

/** Which hits to count, and when the change began. */
interface AskedHits {
  /** Dense model number. */
  readonly model: number;
  /** Number of first positions of the list in which an item counts as a hit. */
  readonly depth: number;
  /** First pane that counts as after the change. */
  readonly firstPane: number;
  /** Number of items. */
  readonly items: number;
}

/**
 * Count a model's hits by item, before and after a change. A hit is a positive interaction whose
 * item is among the first `depth` of the model's list. O(stored rows), so it is computed for alarms
 * only.
 */
export function hitShift(
  panes: readonly PaneRows[],
  { model, depth, firstPane, items }: AskedHits,
): ItemShift {
  const now = new Float64Array(items);
  const before = new Float64Array(items);
  for (const { pane, length, item, flags, ranks } of panes) {
    const counts = pane >= firstPane ? now : before;
    const rank = ranks[model];
    if (rank === undefined) continue;
    for (let r = 0; r < length; r++) {
      if ((flags[r] & POSITIVE) !== 0 && rank[r] < depth) {
        counts[item[r]]++;
      }
    }
  }
  return { now, before };
}

/**
 * Find the models whose exposures shifted towards the items that rose in all traffic, with the
 * largest shift first.
 */
export function modelsBehind(
  { now, before }: ItemShift,
  traffics: readonly Traffic[],
): readonly string[] {
  const past = shares(before);
  const rises = shares(now).map((share, item) => share - (past[item] ?? 0));
  const found: {
    model: string;
    turned: number;
  }[] = [];
  for (const { model, now: shown, before: earlier } of traffics) {
    if (model === null) continue;
    const own = shares(earlier);
    const turned = shares(shown).reduce(
      (sum, share, item) => sum + (share - (own[item] ?? 0)) * (rises[item] ?? 0),
      0,
    );
    if (turned > 0) {
      found.push({ model, turned });
    }
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
  for (let item = 0; item < counts.length; item++) {
    sum += counts[item];
  }
  return sum;
}

/** Number of first positions in which an item counts as a hit, for a metric without a cut-off k. */
const DEPTH_WITHOUT_CUT_OFF = 10;

/**
 * Build the alarm of a detector that has fired, with the models and items responsible for the
 * change.
 */
export function raisedAlarm(
  judgement: Judgement,
  pane: Pane,
  sources: DriftSources,
  options: DriftOptions,
): Alarm {
  const { series, model, detector, threshold, suppressed, level } = judgement;
  const { score, since, size } = judgement.evidence!;
  const found = {
    series,
    detector,
    since,
    at: pane.to,
    score,
    threshold,
    size,
    suppressed,
    ...(level && { level }),
  };
  // Missing lists have no particular item as their cause.
  if (detector === 'vanished') {
    return {
      ...found,
      models: [model!],
      topItems: [],
    };
  }
  const traffics = trafficsOf(sources, options.windowMs).map((traffic) => traffic());
  const ofTraffic = series.startsWith('gini/') || series.startsWith('popularity/');
  // Errors of ratings depend on all rated items, whatever their rank.
  const whose = isOfRatings(series) ? null : model;
  const shift =
    ofTraffic || isOfRatings(series)
      ? traffics.find((traffic) => traffic.model === whose)!
      : hits(
          {
            model: model!,
            since,
          },
          sources,
          options,
          traffics,
        );
  return {
    ...found,
    models: model === null ? modelsBehind(shift, traffics) : [model],
    topItems: topItems(shift, sources.items),
  };
}

/**
 * Whether a series is about a metric of ratings, as in `estimate/snips/mse/…`. Metrics of lists and
 * of ratings have different names.
 */
function isOfRatings(series: string): boolean {
  const [kind, , label = ''] = series.split('/');
  return (kind === 'estimate' || kind === 'gap') && isRatingMetric(label.split('@')[0]);
}

/**
 * A model's hits by item since a change and before it. If the stored rows have no hits from before
 * the change, `before` contains the counts of all earlier interactions instead.
 */
function hits(
  {
    model,
    since,
  }: {
    readonly model: string;
    readonly since: number;
  },
  { rows, models, items, tickMs }: DriftSources,
  { metric }: DriftOptions,
  traffics: readonly Traffic[],
): ItemShift {
  const shift = hitShift(rows, {
    model: models.find(({ name }) => name === model)!.id,
    depth: metric?.k ?? DEPTH_WITHOUT_CUT_OFF,
    firstPane: Math.floor(since / tickMs),
    items: items.size,
  });
  const hasPast = Array.prototype.some.call(shift.before, (count: number) => count > 0);
  return hasPast
    ? shift
    : {
        now: shift.now,
        before: traffics[0].before,
      };
}
