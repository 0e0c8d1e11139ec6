import {
  ByteWriter,
  type ColumnSource,
  ParquetWriter,
  parquetWriteBuffer,
  type SchemaElement,
} from 'hyparquet-writer';
import type { SetEncoder, SetRows } from '../../export/set-encoder.js';
import type { ResultColumn } from '../../outputs/history/result-table.js';

const TYPES: Readonly<Record<ResultColumn['kind'], Partial<SchemaElement>>> = {
  text: {
    type: 'BYTE_ARRAY',
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
  },
  number: { type: 'DOUBLE' },
  whole: { type: 'INT64' },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: {
      type: 'TIMESTAMP',
      isAdjustedToUTC: true,
      unit: 'MILLIS',
    },
  },
  flag: { type: 'BOOLEAN' },
};

/**
 * Encode a table of results as a Parquet file; the same table gives the same bytes.
 *
 * @param version version of this program, written to the file
 */
export function resultFile(columns: readonly ResultColumn[], version: string): Uint8Array {
  const schema: SchemaElement[] = [
    {
      name: 'root',
      num_children: columns.length,
    },
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
  const kvMetadata = [
    {
      key: 'schema',
      value: 'unskew/results@2',
    },
  ];
  const createdBy = `unskew version ${version}`;
  return new Uint8Array(
    parquetWriteBuffer({
      columnData,
      schema,
      kvMetadata,
      createdBy,
    }),
  );
}

const SCHEMA: SchemaElement[] = [
  {
    name: 'root',
    num_children: 9,
  },
  text('user'),
  text('item'),
  {
    name: 'ts',
    type: 'INT64',
    repetition_type: 'REQUIRED',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: {
      type: 'TIMESTAMP',
      isAdjustedToUTC: true,
      unit: 'MILLIS',
    },
  },
  double('value'),
  text('action'),
  double('weight'),
  double('inclusion_probability'),
  double('w_user'),
  double('w_item'),
];

function text(name: string): SchemaElement {
  return {
    name,
    type: 'BYTE_ARRAY',
    repetition_type: 'REQUIRED',
    converted_type: 'UTF8',
    logical_type: { type: 'STRING' },
  };
}

function double(name: string): SchemaElement {
  return {
    name,
    type: 'DOUBLE',
    repetition_type: 'REQUIRED',
  };
}

/** Encodes Parquet with Snappy, one row group per batch of rows, so memory holds only one batch. */
export class ParquetEncoder implements SetEncoder {
  readonly #bytes = new ByteWriter(1 << 20);
  readonly #writer: ParquetWriter;

  /** @param version version of this program, written to the file. */
  constructor(version: string) {
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: SCHEMA,
      createdBy: `unskew version ${version}`,
    });
  }

  head(): Uint8Array {
    return this.#written();
  }

  rows(rows: SetRows): Uint8Array {
    const columnData: ColumnSource[] = [
      {
        name: 'user',
        data: rows.user,
      },
      {
        name: 'item',
        data: rows.item,
      },
      {
        name: 'ts',
        data: BigInt64Array.from(rows.ts, BigInt),
        encoding: 'PLAIN',
      },
      {
        name: 'value',
        data: Float64Array.from(rows.value),
      },
      {
        name: 'action',
        data: rows.action,
      },
      {
        name: 'weight',
        data: Float64Array.from(rows.weight),
        encoding: 'PLAIN',
      },
      {
        name: 'inclusion_probability',
        data: Float64Array.from(rows.inclusion),
        encoding: 'PLAIN',
      },
      {
        name: 'w_user',
        data: Float64Array.from(rows.userSide),
      },
      {
        name: 'w_item',
        data: Float64Array.from(rows.itemSide),
      },
    ];
    void this.#writer.write({
      columnData,
      rowGroupSize: rows.length,
    });
    return this.#written();
  }

  tail(): Uint8Array {
    void this.#writer.finish();
    return this.#written();
  }

  /** Take the bytes written since the last call out of the writer's buffer. */
  #written(): Uint8Array {
    const bytes = this.#bytes.getBytes().slice();
    this.#bytes.index = 0;
    return bytes;
  }
}
