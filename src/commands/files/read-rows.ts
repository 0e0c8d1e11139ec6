import { basename } from 'node:path';
import { EventTable } from '../../adapters/parquet/event-table.js';
import { UnskewError } from '../../errors.js';
import type { Field } from '../../events/field.js';
import type { ColumnPlan, FieldColumn, TableRows, TableSource } from '../../events/table-rows.js';
import { startProgress } from '../../outputs/text/progress.js';
import { UnsoundRow } from '../../stream/files/row-cells.js';
import type { RowTables } from '../../stream/files/row-evaluation.js';
import { Seed } from '../../stream/files/seed.js';
import type { MonitorOptions } from '../../stream/options.js';
import type { CommandIo } from '../cli/io.js';

type TableName = keyof RowTables;

/** Receives the tables of `unskew/rows@1`. Throws UnsoundRow for an invalid row. */
export interface RowIntake {
  addRows(rows: RowTables['rows']): void;
  addCounts(counts: RowTables['popularity']): void;
  addLists(lists: RowTables['lists']): void;
}

/**
 * For each column of a table, a field of events that has the same column type. So tables can be
 * read like events. Fields of both kinds of events are used, since neither kind has enough fields
 * with lists.
 */
type Alike = Readonly<Record<'interaction' | 'exposure', Readonly<Record<string, Field>>>>;

const TABLES: Readonly<Record<TableName, Alike>> = {
  rows: {
    interaction: {
      user: 'user',
      item: 'item',
      ts: 'value',
      cause: 'model',
      served: 'action',
      positive: 'shown',
      randomized: 'randomized',
      named: 'sampled',
      propensity: 'share',
      candidates: 'scores',
    },
    exposure: {
      models: 'items',
      ranks: 'scores',
      lengths: 'propensities',
      drawn: 'shown',
    },
  },
  popularity: {
    interaction: {
      measure: 'action',
      model: 'model',
      item: 'item',
      user: 'user',
      until: 'share',
      n: 'value',
    },
    exposure: {},
  },
  lists: {
    interaction: {
      user: 'user',
      model: 'model',
      ts: 'value',
      drawn: 'randomized',
      reward: 'share',
    },
    exposure: {
      came: 'ts',
      items: 'candidates',
    },
  },
};
const NAMES: readonly TableName[] = ['rows', 'popularity', 'lists'];

const columnsOf = (name: TableName) => Object.values(TABLES[name]).flatMap(Object.keys);

/** Find which table of `unskew/rows@1` has these columns; undefined if none. */
function tableOf(columns: ReadonlySet<string>): TableName | undefined {
  return NAMES.find((name) => columnsOf(name).every((column) => columns.has(column)));
}

function planOf(columns: ReadonlySet<string>): ColumnPlan | string {
  const name = tableOf(columns);
  if (name === undefined) {
    const tables = NAMES.map((each) => `${each} (${columnsOf(each).join(', ')})`);
    return `it is not a table of unskew/rows@1. These tables are ${tables.join('; ')}`;
  }
  const sources = (fields: Readonly<Record<string, Field>>) =>
    Object.entries(fields).map(
      ([column, field]): TableSource => ({
        field,
        pointers: [[column]],
        each: undefined,
        constant: undefined,
      }),
    );
  const { interaction, exposure } = TABLES[name];
  return {
    kind: undefined,
    unit: 'ms',
    interaction: sources(interaction),
    exposure: sources(exposure),
  };
}

function named<Name extends TableName>(name: Name, rows: TableRows): RowTables[Name] {
  const columns: Record<string, FieldColumn> = {};
  for (const part of ['interaction', 'exposure'] as const) {
    for (const [column, field] of Object.entries(TABLES[name][part])) {
      columns[column] = rows[part]![field]!;
    }
  }
  return {
    ...columns,
    length: rows.length,
  } as unknown as RowTables[Name];
}

/** Select the files with the table `rows`, from which a test set is drawn. */
export async function rowFiles(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const table = await EventTable.open(path, (columns) => {
      if (tableOf(columns) === 'rows') {
        found.push(path);
      }
      return planOf(columns);
    });
    await table.close();
  }
  if (found.length > 0) return found;
  throw new UnskewError(
    'EVENTS',
    'no file has the table rows; make it with unskew sql --kind rows',
  );
}

/**
 * Read past popularity counts with which a service without state starts.
 *
 * @throws UnskewError FILE in one line if the file is not such a table, or was made with other
 * settings
 */
export async function readSeed(path: string, options: MonitorOptions): Promise<Seed> {
  const seed = new Seed(options);
  const table = await EventTable.open(path, (columns) => {
    const isSeed = tableOf(columns) === 'popularity';
    return isSeed ? planOf(columns) : 'it is not the popularity table of unskew/rows@1';
  });
  try {
    let before = 0;
    for (const group of table.groups.keys()) {
      const rows = await table.read(group);
      inRow(path, before, () => seed.add(named('popularity', rows)));
      before += rows.length;
    }
    seed.check();
  } catch (error) {
    if (!(error instanceof UnskewError) || error.message.includes(path)) throw error;
    throw new UnskewError('FILE', `cannot use ${path}: ${error.message}`);
  } finally {
    await table.close();
  }
  return seed;
}

/**
 * Call `add`, which adds rows.
 *
 * @throws UnskewError FILE for an invalid row, with the row's number in the file
 */
function inRow(path: string, before: number, add: () => void): void {
  try {
    add();
  } catch (error) {
    if (!(error instanceof UnsoundRow)) throw error;
    const { row, message } = error;
    throw new UnskewError('FILE', `cannot read ${path}: row ${before + row + 1}: ${message}`);
  }
}

/**
 * Read the tables of `unskew/rows@1`, one row group at a time.
 *
 * @returns names of the results that are missing without the table `lists`
 * @throws UnskewError FILE in one line if a file is not such a table, or has an invalid row; EVENTS
 * without the table of rows or that of popularity
 */
export async function readRows(
  paths: readonly string[],
  intake: RowIntake,
  io: CommandIo,
): Promise<string[]> {
  const files = {
    rows: 0,
    popularity: 0,
    lists: 0,
  };
  for (const path of paths) {
    let name: TableName | undefined;
    const table = await EventTable.open(path, (columns) => {
      name = tableOf(columns);
      return planOf(columns);
    });
    const progress = startProgress(`reading ${basename(path)}`, io);
    let before = 0;
    try {
      files[name!]++;
      for (const group of table.groups.keys()) {
        if (io.signal.aborted) throw new UnskewError('INTERRUPTED', 'interrupted');
        const rows = await table.read(group);
        inRow(path, before, () => {
          if (name === 'rows') {
            intake.addRows(named(name, rows));
          } else if (name === 'popularity') {
            intake.addCounts(named(name, rows));
          } else {
            intake.addLists(named('lists', rows));
          }
        });
        before += rows.length;
        progress.update(group + 1, table.groups.length);
      }
    } finally {
      progress.stop();
      await table.close();
    }
  }
  for (const name of ['rows', 'popularity'] as const) {
    if (files[name] > 0) continue;
    const query = `unskew sql --kind ${name}`;
    throw new UnskewError('EVENTS', `no file has the table ${name}; make it with ${query}`);
  }
  return files.lists > 0 ? [] : ['rewards of served lists (no file has the table lists)'];
}
