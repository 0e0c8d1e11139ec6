import type { LearnedPropensities } from '../../src/estimators/propensity/learned-propensities.js';
import { ExposureColumns, InteractionColumns } from '../../src/events/columns.js';
import { Decoder } from '../../src/events/decode.js';
import { encodeEvent, type InteractionEvent } from '../../src/events/encode.js';
import { drawSet } from '../../src/export/draw-set.js';
import { SetIds } from '../../src/export/hashed-ids.js';
import { SetIntake } from '../../src/export/intake.js';
import { type RowSpill, RowStore } from '../../src/export/row-store.js';
import type { SetRows } from '../../src/export/set-encoder.js';
import type { SetPlan } from '../../src/export/set-plan.js';
import type { SetSummary } from '../../src/export/set-summary.js';
import { Interner } from '../../src/state/ids/interner.js';

export const PLAN: SetPlan = {
  strategy: 'wtd_h',
  size: { share: 0.5 },
  seed: 1,
  split: 0.6,
  exponent: 2,
  smoothing: 0.5,
  part: 'test',
  withTrain: false,
  format: 'ndjson',
  positiveMinValue: 1,
  from: null,
  to: null,
};

/** One row of a set, as its columns say it. */
export interface PlainRow {
  readonly user: string;
  readonly item: string;
  readonly ts: number;
  readonly value: number;
  readonly action: string;
  readonly weight: number;
  readonly inclusion: number;
  readonly userSide: number;
  readonly itemSide: number;
}

export interface DrawnSet {
  readonly rows: PlainRow[];
  readonly train: PlainRow[];
  readonly summary: SetSummary;
  readonly outsideRange: number;
  /** Whether rows went to the spill. */
  readonly spilled: boolean;
}

export interface DrawOptions {
  /** Interactions that give counts only, where the plan does not split. */
  readonly train?: readonly InteractionEvent[];
  readonly memoryBytes?: number;
  readonly batch?: number;
  /** P of pairs, where the plan names propensities. */
  readonly learned?: LearnedPropensities;
}

/** Draws a set from events in memory, by way of the decoder. */
export async function drawn(
  events: readonly InteractionEvent[],
  plan: Partial<SetPlan>,
  { train = [], memoryBytes = 1e9, batch = 100, learned }: DrawOptions = {},
): Promise<DrawnSet> {
  const ids = new SetIds();
  const batches: DecodedBatch[] = [];
  for (const [list, isTrain] of [
    [train, true],
    [events, false],
  ] as const) {
    for (let at = 0; at < list.length; at += batch) {
      batches.push({ rows: decodedRows(list.slice(at, at + batch), ids), isTrain });
    }
  }
  return drawnFrom(ids, batches, plan, memoryBytes, learned);
}

export interface DecodedBatch {
  readonly rows: InteractionColumns;
  readonly isTrain: boolean;
}

/** Draws a set from what is decoded already, as often as one likes. */
export async function drawnFrom(
  ids: SetIds,
  batches: readonly DecodedBatch[],
  plan: Partial<SetPlan>,
  memoryBytes = 1e9,
  learned?: LearnedPropensities,
): Promise<DrawnSet> {
  const whole = { ...PLAN, ...plan };
  const store = new RowStore(memoryBytes, async () => new MemorySpill());
  const intake = new SetIntake(store, ids, whole);
  for (const { rows, isTrain } of batches) await intake.take(rows, isTrain);
  const set = new Kept();
  const rest = new Kept();
  const sinks = whole.withTrain ? { set, train: rest } : { set };
  const summary = await drawSet(store, ids, whole, sinks, undefined, learned);
  const { outsideRange } = intake;
  return { rows: set.rows, train: rest.rows, summary, outsideRange, spilled: store.hasSpilled };
}

/** Events as columns; ids go to the tables that are given. */
export function decodedRows(events: readonly InteractionEvent[], ids: SetIds): InteractionColumns {
  const decoder = new Decoder({ maxFutureMs: 0 });
  const tables = {
    users: ids.users,
    items: ids.items,
    models: new Interner(),
    actions: ids.actions,
  };
  const into = { interactions: new InteractionColumns(), exposures: new ExposureColumns() };
  for (const event of events) {
    const bytes = Buffer.from(encodeEvent(event));
    const code = decoder.decode(
      bytes,
      0,
      bytes.length,
      'mixed',
      Number.POSITIVE_INFINITY,
      tables,
      into,
    );
    if (code !== 0) throw new Error(decoder.detail);
  }
  return into.interactions;
}

class Kept {
  readonly rows: PlainRow[] = [];

  write(rows: SetRows): void {
    for (let r = 0; r < rows.length; r++) {
      this.rows.push({
        user: rows.user[r],
        item: rows.item[r],
        ts: rows.ts[r],
        value: rows.value[r],
        action: rows.action[r],
        weight: rows.weight[r],
        inclusion: rows.inclusion[r],
        userSide: rows.userSide[r],
        itemSide: rows.itemSide[r],
      });
    }
  }
}

/** A disk that is none. */
export class MemorySpill implements RowSpill {
  readonly #files = new Map<number, Uint8Array>();

  async append(partition: number, bytes: readonly Uint8Array[]): Promise<void> {
    const before = this.#files.get(partition) ?? new Uint8Array(0);
    this.#files.set(partition, Buffer.concat([before, ...bytes]));
  }

  async replace(partition: number, bytes: Uint8Array): Promise<void> {
    this.#files.set(partition, bytes.slice());
  }

  async read(partition: number): Promise<ArrayBuffer> {
    return Uint8Array.from(this.#files.get(partition) ?? []).buffer;
  }

  async close(): Promise<void> {
    this.#files.clear();
  }
}
