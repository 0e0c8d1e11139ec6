import type { Event } from '../support/log.js';
import { type PlainExposure, type PlainInteraction, windowRows } from './window-rows.js';

/**
 * What a closed pane's snapshot has to say, from the whole log at once and by the definitions:
 * nothing here knows of panes, batches or partitions. For logs in order of event time.
 */
export interface StreamSettings {
  readonly horizonMs: number;
  readonly ttlMs: number;
  readonly of: 'positive' | 'all';
  /** Whether randomised interactions count towards popularity; true by default. */
  readonly countsRandomized?: boolean;
  /**
   * Whether other interactions that give the id of a list count, unless it is known as hidden; true
   * by default.
   */
  readonly countsCaused?: boolean;
  /** Limit on the interactions of one user that count in each bucket; no limit by default. */
  readonly userCap?: { readonly most: number; readonly bucketMs: number };
  readonly gamma: number;
  readonly smoothing: number;
  readonly k: number;
}

export interface WindowTruth {
  interactions: number;
  positives: number;
  users: number;
  /** By model: pooled recall@k under three estimators; absent without an evaluated row. */
  recall: Record<string, { naive: number; snips: number; wtd_h: number }>;
}

const at = (event: Event) => event.ts as number;

function counted(keys: readonly string[]): (key: string) => number {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return (key) => counts.get(key) ?? 0;
}

export function totals(log: readonly Event[], paneEnd: number, settings: StreamSettings) {
  const known = log.filter((e) => at(e) < paneEnd && at(e) >= paneEnd - settings.horizonMs);
  const isKnown = new Set(known);
  const interactions = known.filter((e) => e.type === 'interaction');
  const atRandom = new Set(
    log.flatMap((e) => (e.type === 'exposure' && e.randomized ? [`${e.user} ${e.id}`] : [])),
  );
  const isRandomized = (e: (typeof interactions)[number]) =>
    (e.randomized ?? false) || atRandom.has(`${e.user} ${e.exposure}`);
  const hidden = new Set(
    log.flatMap((e) => (e.type === 'exposure' && e.shown === false ? [`${e.user} ${e.id}`] : [])),
  );
  const isCaused = (e: (typeof interactions)[number]) =>
    e.exposure !== undefined && !isRandomized(e) && !hidden.has(`${e.user} ${e.exposure}`);
  const counting = (e: Event): e is (typeof interactions)[number] =>
    e.type === 'interaction' &&
    (settings.of === 'all' || (e.value ?? 1) >= 1) &&
    ((settings.countsRandomized ?? true) || !isRandomized(e)) &&
    ((settings.countsCaused ?? true) || !isCaused(e));
  const popular = withinCap(log.filter(counting), settings).filter((e) => isKnown.has(e));
  const shown = known.filter(
    (e) => e.type === 'exposure' && (e.shown ?? true) && !(e.randomized ?? false),
  );
  const named = new Set(known.flatMap((e) => (e.type === 'exposure' ? e.items : [e.item])));
  return { interactions, popular, shown, named };
}

/** The first of each user in each bucket, by event time; the log is in order of it. */
function withinCap<E extends Event>(events: readonly E[], { userCap }: StreamSettings): E[] {
  if (userCap === undefined) return [...events];
  const counts = new Map<string, number>();
  return events.filter((e) => {
    const bucket = `${e.user} ${Math.floor(at(e) / userCap.bucketMs)}`;
    const before = counts.get(bucket) ?? 0;
    counts.set(bucket, before + 1);
    return before < userCap.most;
  });
}

export function windowTruth(
  log: readonly Event[],
  paneEnd: number,
  windowMs: number,
  settings: StreamSettings,
): WindowTruth {
  const { interactions, popular } = totals(log, paneEnd, settings);
  const exposures: PlainExposure[] = log.flatMap((e) =>
    e.type === 'exposure' ? [{ ...e, ts: at(e), items: [...e.items] }] : [],
  );
  const plain: PlainInteraction[] = log.flatMap((e) =>
    e.type === 'interaction' ? [{ ...e, ts: at(e), positive: (e.value ?? 1) >= 1 }] : [],
  );
  const models = [...new Set(exposures.map(({ model }) => model))];
  const from = paneEnd - windowMs;
  const rows = windowRows(exposures, plain, models, from, paneEnd, settings.ttlMs);
  const nItem = counted(popular.flatMap((e) => (e.type === 'interaction' ? [e.item] : [])));
  const allItem = counted(interactions.flatMap((e) => (e.type === 'interaction' ? [e.item] : [])));
  const allUser = counted(interactions.map((e) => e.user));
  const weight = (item: string) =>
    (nItem(item) || settings.smoothing) ** (-(settings.gamma + 1) / 2);
  const drawn = rows.map(
    ({ user, item }) =>
      1 / ((allUser(user) + settings.smoothing) * (allItem(item) + settings.smoothing) ** 2),
  );
  const chance = inclusion(drawn, rows.length / 2);
  const recall: WindowTruth['recall'] = Object.create(null);
  for (const model of models) {
    const evaluated = rows.flatMap((row, r) => {
      const rank = row.ranks[model];
      if (!row.positive || rank === undefined) return [];
      return [{ gain: rank < settings.k ? 1 : 0, w: weight(row.item), pi: chance[r]! }];
    });
    if (evaluated.length === 0) continue;
    const mean = (of: (row: (typeof evaluated)[number]) => number) =>
      evaluated.reduce((sum, row) => sum + of(row) * row.gain, 0) /
      evaluated.reduce((sum, row) => sum + of(row), 0);
    recall[model] = {
      naive: mean(() => 1),
      snips: mean(({ w }) => w),
      wtd_h: mean(({ pi }) => pi),
    };
  }
  return {
    interactions: rows.length,
    positives: rows.filter(({ positive }) => positive).length,
    users: new Set(rows.map(({ user }) => user)).size,
    recall,
  };
}

/** π_j = 1 − e^{−w_j τ} with Σ π_j = k, τ by bisection. */
function inclusion(weights: readonly number[], k: number): number[] {
  const kept = (time: number) => weights.reduce((sum, w) => sum + 1 - Math.exp(-w * time), 0);
  let low = 0;
  let high = 1;
  if (weights.length === 0) return [];
  while (kept(high) < k) high *= 2;
  for (let step = 0; step < 300; step++) {
    const middle = (low + high) / 2;
    if (kept(middle) < k) low = middle;
    else high = middle;
  }
  return weights.map((w) => 1 - Math.exp(-w * low));
}
