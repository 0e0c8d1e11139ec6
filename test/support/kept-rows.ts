import { IdPlaces, readUsers } from '../../src/state/ids/id-dictionary.js';
import { Interner } from '../../src/state/ids/interner.js';
import { ClosedPanes } from '../../src/state/panes/closed-panes.js';
import { ListStore } from '../../src/state/panes/lists.js';
import type { PaneRows } from '../../src/state/panes/pane-rows.js';
import { UNRANKED } from '../../src/state/panes/window-part.js';
import { layoutOf } from '../../src/stream/checkpoint/changed-settings.js';
import {
  type OpenedCheckpoint,
  openCheckpoint,
  readModelPlaces,
} from '../../src/stream/checkpoint/checkpoint.js';
import type { CheckpointStore } from '../../src/stream/ports.js';
import { runAtOnce } from '../../src/stream/sliced.js';

/** Rows and lists as sorted texts: dense integers are a process's own, and so is their order. */
export interface KeptRows {
  /** Pane, user, item, flags, and the rank in the latest list of each model that had one. */
  readonly rows: readonly string[];
  /** User and items of each list that was shown. */
  readonly lists: readonly string[];
  /** What became of all records, by topic role and outcome. */
  readonly accounts: Readonly<Record<string, number>>;
}

/** What the newest checkpoints of these partitions hold of closed panes. */
export async function keptRows(store: CheckpointStore, partitions: number): Promise<KeptRows> {
  const all: KeptRows[] = [];
  for await (const { bytes, partition } of newestCheckpoints(store, partitions)) {
    all.push(runAtOnce(rowsOf(bytes, partition)));
  }
  return {
    rows: all.flatMap(({ rows }) => rows).sort(),
    lists: all.flatMap(({ lists }) => lists).sort(),
    accounts: summed(all.map(({ accounts }) => accounts)),
  };
}

/** The last pane that is closed in the newest checkpoints of all these partitions; −∞ without one. */
export async function keptThrough(store: CheckpointStore, partitions: number): Promise<number> {
  const closed: number[] = [];
  for await (const { bytes } of newestCheckpoints(store, partitions)) {
    closed.push(runAtOnce(openCheckpoint(bytes)).head.progress.closedThrough);
  }
  return closed.length < partitions ? Number.NEGATIVE_INFINITY : Math.min(...closed);
}

async function* newestCheckpoints(store: CheckpointStore, partitions: number) {
  for (let partition = 0; partition < partitions; partition++) {
    for await (const bytes of store.load(partition)) {
      yield { bytes, partition };
      break;
    }
  }
}

function summed(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const accounts of all) {
    for (const [key, count] of Object.entries(accounts)) sums[key] = (sums[key] ?? 0) + count;
  }
  return sums;
}

function* rowsOf(bytes: Uint8Array, partition: number): Generator<void, KeptRows> {
  const opened = yield* openCheckpoint(bytes);
  const kept = yield* rowsIn(opened, partition);
  // A process that does all keeps lists, and rows behind them.
  if (opened.beside === undefined) return kept;
  const { rows } = yield* rowsIn(opened.beside, partition);
  return { ...kept, rows };
}

function* rowsIn(opened: OpenedCheckpoint, partition: number): Generator<void, KeptRows> {
  const { dictionaries, head, state } = opened;
  const { popularity, attributionTtlMs } = layoutOf(opened);
  const users = new Interner();
  const items = new Interner();
  const models = new Interner();
  const places = {
    items: yield* IdPlaces.read(dictionaries, items),
    ...(yield* readModelPlaces(opened, { models, modelNames: new Interner() })),
  };
  yield* readUsers(state, users);
  const closed = new ClosedPanes(popularity.horizonMs, popularity.paneMs, 3_600_000);
  yield* closed.readRows(state, places);
  const shown = new ListStore(attributionTtlMs);
  yield* shown.read(state, places, attributionTtlMs);
  const lists: string[] = [];
  const ever = Number.POSITIVE_INFINITY;
  yield* shown.shown(-ever, ever, (user, listed, start, length) => {
    const texts = Array.from(listed.subarray(start, start + length), (item) => items.text(item));
    lists.push([partition, users.text(user), ...texts].join(' '));
  });
  const rows = closed.rows.flatMap((pane) => rowTexts(pane, partition, { users, items, models }));
  const accounts = Object.entries(head.accounts).flatMap(([role, outcomes]) =>
    Object.entries(outcomes).map(([outcome, count]) => [`${role} ${outcome}`, count] as const),
  );
  return { rows, lists, accounts: Object.fromEntries(accounts) };
}

function rowTexts(
  { pane, length, user, item, flags, ranks }: PaneRows,
  partition: number,
  ids: { readonly users: Interner; readonly items: Interner; readonly models: Interner },
): string[] {
  return Array.from({ length }, (_, r) => {
    const ranked = ranks
      .map((ofModel, model) => ({ rank: ofModel?.[r] ?? UNRANKED, model }))
      .filter(({ rank }) => rank !== UNRANKED)
      .map(({ rank, model }) => `${ids.models.text(model)}:${rank}`)
      .sort();
    const texts = [ids.users.text(user[r]!), ids.items.text(item[r]!), flags[r], ...ranked];
    return [partition, pane, ...texts].join(' ');
  });
}
