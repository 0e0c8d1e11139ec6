import { BYTES_EACH } from '../../src/commands/service/budget.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { Monitor } from '../../src/stream/panes/monitor.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { reachableBytes } from '../support/collect.js';
import type { BenchResult } from './result.js';
import { monitorOptionsOf, type SyntheticLogOptions, syntheticLog } from './synthetic-log.js';

const HOUR = 3_600_000;
const BASE: SyntheticLogOptions = {
  interactions: 700_000,
  users: 50_000,
  items: 20_000,
  interactionsPerSession: 2,
  listLength: 10,
  spanMs: HOUR,
  evenly: true,
};

export interface BytesEach {
  readonly row: number;
  readonly user: number;
  readonly listEntry: number;
  readonly item: number;
}

/**
 * Memory of the state by slope: the same log with more rows, more users or more items, and what
 * the difference costs each. So neither the lists nor the fixed part blur the figures.
 */
export function bytesEach(): BytesEach {
  const base = held(BASE);
  const more = { rows: 700_000, users: 300_000, items: 200_000 };
  const rows = held({
    ...BASE,
    interactions: BASE.interactions + more.rows,
    interactionsPerSession: BASE.interactionsPerSession * 2,
  });
  const users = held({ ...BASE, users: BASE.users + more.users });
  const lists = held({ ...BASE, interactionsPerSession: BASE.interactionsPerSession / 2 });
  const long = { ...BASE, interactionsPerSession: 20, listLength: 5 };
  const items = held({ ...long, items: BASE.items + more.items }) - held(long);
  return {
    row: (rows - base) / more.rows,
    user: (users - base) / more.users,
    listEntry: (lists - base) / (listed({ ...BASE, interactionsPerSession: 1 }) - listed(BASE)),
    item: items / more.items,
  };
}

/** What the memory budget counts for a row of three models. */
const ROW = BYTES_EACH.row + 3 * BYTES_EACH.rowModel;

export async function benchMemory(): Promise<BenchResult[]> {
  const { row, user, listEntry, item } = bytesEach();
  return [
    figure('memory.window_row', row, ROW, 'a row with 3 models, in a window'),
    figure('memory.user', user, BYTES_EACH.user, 'a distinct user with its id'),
    figure(
      'memory.list_entry',
      listEntry,
      BYTES_EACH.listEntry,
      'an item of a list of 10, within attribution.ttl',
    ),
    figure('memory.item', item, BYTES_EACH.item, 'a distinct item with its id'),
  ];
}

function figure(id: string, bytes: number, bound: number, of: string): BenchResult {
  return {
    id,
    value: bytes,
    unit: 'bytes',
    target: `<= ${bound}`,
    ok: bytes <= bound,
    detail: `${of}; ids of 12 bytes; typed arrays and heap after a collection`,
  };
}

/** Items of all lists of the log. */
function listed(options: SyntheticLogOptions): number {
  return syntheticLog(options, 5).exposures * options.listLength;
}

/** Bytes that a monitor holds once the log, its pending events and duplicates' memory are gone. */
function held(options: SyntheticLogOptions): number {
  const state = { log: syntheticLog(options, 5) as ReturnType<typeof syntheticLog> | undefined };
  const ids = state.log!.ids;
  const idBytes = ids.items.byteLength + state.log!.userIds.byteLength;
  const before = reachableBytes();
  const monitor = new Monitor({ ...monitorOptionsOf(2 * HOUR, 60_000), dedupeTtlMs: 1 }, ids);
  const outcomes = new Outcomes();
  for (const { interactions, exposures } of state.log!.batches) {
    monitor.intake.acceptExposures(0, exposures, outcomes);
    monitor.intake.acceptInteractions(0, interactions, outcomes);
    for (let pane = monitor.closable(); pane !== undefined; pane = monitor.closable()) {
      runAtOnce(monitor.closePane(pane));
    }
  }
  for (let pane = monitor.closable(true); pane !== undefined; pane = monitor.closable(true)) {
    runAtOnce(monitor.closePane(pane));
  }
  const after = reachableBytes();
  if (outcomes.accepted !== state.log!.interactions + state.log!.exposures) {
    throw new Error('events were refused');
  }
  return after - before + idBytes;
}
