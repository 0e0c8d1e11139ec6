import { FolderSpill } from '../../src/adapters/files/row-spill.js';
import { InteractionColumns } from '../../src/events/columns.js';
import { hashBytes } from '../../src/events/hash.js';
import { drawSet } from '../../src/export/draw-set.js';
import { type HashedIds, SetIds } from '../../src/export/hashed-ids.js';
import { SetIntake } from '../../src/export/intake.js';
import { RowStore } from '../../src/export/row-store.js';
import type { BenchResult } from './result.js';
import { mulberry32, powerLawItem } from './synthetic-log.js';

const EVENTS = Number(process.env['EXPORT_EVENTS'] ?? 10_000_000);
const USERS = 1_000_000;
const ITEMS = 100_000;
const BATCH = 1024;
const MAX_MIB = 1024;

/**
 * Memory of the process while a set is drawn from ten million interactions, nearly all of them held
 * out, of which most go to disk. Ids and counts are in memory, rows up to the limit, and one
 * partition: that grows by 1.5 MB for each further ten million rows.
 */
export async function benchExportMemory(): Promise<BenchResult[]> {
  const ids = new SetIds();
  name(ids.users, 'user-', USERS);
  name(ids.items, 'item-', ITEMS);
  const store = new RowStore(256 * 1024 * 1024, () => FolderSpill.open());
  const range = { from: null, to: null, positiveMinValue: 1 };
  const intake = new SetIntake(store, ids, range);
  const random = mulberry32(7);
  const columns = new InteractionColumns(BATCH);
  let peak = 0;
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  try {
    for (let first = 0; first < EVENTS; first += BATCH) {
      columns.length = BATCH;
      for (let r = 0; r < BATCH; r++) {
        columns.ts[r] = first + r;
        columns.value[r] = 1;
        columns.user[r] = Math.floor(USERS * random());
        columns.item[r] = powerLawItem(random, ITEMS);
        columns.idHigh[r] = Math.imul(first + r, 0x85ebca6b);
        columns.idLow[r] = first + r;
      }
      await intake.take(columns, false);
      if (first % (BATCH * 100) === 0) look();
    }
    const plan = {
      strategy: 'wtd_h' as const,
      size: { share: 0.5 },
      seed: 1,
      split: 0.02,
      exponent: 2,
      smoothing: 0.5,
      part: 'test' as const,
      withTrain: false,
      format: 'parquet' as const,
      ...range,
    };
    const { drawn } = await drawSet(store, ids, plan, { set: { write: look } }, look);
    const mib = peak / 1024 / 1024;
    return [
      {
        id: 'export.peak_memory',
        value: mib,
        unit: 'MiB',
        target: `<= ${MAX_MIB}`,
        ok: mib <= MAX_MIB,
        detail: `${drawn} rows of ${EVENTS} events of ${USERS} users and ${ITEMS} items, the whole process`,
      },
    ];
  } finally {
    await store.close();
  }
}

function name(table: HashedIds, prefix: string, count: number): void {
  const encoder = new TextEncoder();
  for (let id = 0; id < count; id++) {
    const bytes = encoder.encode(`${prefix}${String(id).padStart(12, '0')}`);
    table.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  }
}
