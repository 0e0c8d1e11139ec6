import { parquetWriteBuffer, type SchemaElement } from 'hyparquet-writer';
import type { ResultColumn } from '../../outputs/history/result-table.js';

const TYPES: Readonly<Record<ResultColumn['kind'], Partial<SchemaElement>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  number: { type: 'DOUBLE' },
  whole: { type: 'INT64' },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  flag: { type: 'BOOLEAN' },
};

/**
 * A table of results as a whole Parquet file: the same table gives the same bytes.
 *
 * @param version of this program, said in the file
 */
export function resultFile(columns: readonly ResultColumn[], version: string): Uint8Array {
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({
      name,
      repetition_type: 'OPTIONAL' as const,
      ...TYPES[kind],
    })),
  ];
  const columnData = columns.map(({ name, kind, values }) => ({
    name,
    data:
      kind === 'whole' || kind === 'instant'
        ? values.map((value) => (value === null ? null : BigInt(value)))
        : [...values],
  }));
  const kvMetadata = [{ key: 'schema', value: 'unskew/results@1' }];
  const createdBy = `unskew version ${version}`;
  return new Uint8Array(parquetWriteBuffer({ columnData, schema, kvMetadata, createdBy }));
}
