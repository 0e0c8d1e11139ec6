import type { Event } from '../support/log.js';
import { windowRows } from './window-rows.js';

/** As `KeptRows` has them. */
export interface ExpectedRows {
  readonly rows: readonly string[];
  readonly lists: readonly string[];
  readonly accounts: Readonly<Record<string, number>>;
}

/** As rows write them: positive, and an item that is not in the list. */
const POSITIVE = 128;
const NOT_IN_LIST = 65_535;
const FOREVER_MS = Number.MAX_SAFE_INTEGER;

/** All rows and lists of a log of positives of which nothing is late and nothing expires. */
export function expectedRows(
  log: readonly Event[],
  of: { readonly tickMs: number; readonly partitionOf: (user: string) => number },
): ExpectedRows {
  const exposures = log
    .filter((event) => event.type === 'exposure')
    .map(({ id, ts, user, model, items }) => ({
      id,
      ts: Number(ts),
      user,
      model,
      items: [...items],
    }));
  const interactions = log
    .filter((event) => event.type === 'interaction')
    .map(({ id, ts, user, item }) => ({ id, ts: Number(ts), user, item, positive: true }));
  const models = [...new Set(exposures.map(({ model }) => model))].sort();
  // One at a time: of several in one window each (user, item) would be there once.
  const rows = interactions.map((interaction) => {
    const { user, item, ts } = interaction;
    const [row] = windowRows(exposures, [interaction], models, ts, ts + 1, FOREVER_MS);
    const pane = Math.floor(ts / of.tickMs);
    const ranks = models.flatMap(rankIn(row!.ranks));
    return [of.partitionOf(user), pane, user, item, POSITIVE, ...ranks].join(' ');
  });
  return {
    rows: rows.sort(),
    lists: exposures
      .map(({ user, items }) => [of.partitionOf(user), user, ...items].join(' '))
      .sort(),
    accounts: {
      'exposures accepted': exposures.length,
      'interactions accepted': interactions.length,
    },
  };
}

const rankIn = (ranks: Readonly<Record<string, number | undefined>>) => (model: string) => {
  const rank = ranks[model];
  if (rank === undefined) return [];
  return [`${model}:${Number.isFinite(rank) ? rank : NOT_IN_LIST}`];
};
