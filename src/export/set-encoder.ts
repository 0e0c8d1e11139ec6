/** Encoder of rows as NDJSON, one JSON object per line; `ts` in ms since the epoch. */
export class NdjsonEncoder implements SetEncoder {
  readonly #encoder = new TextEncoder();

  head(): Uint8Array {
    return NOTHING;
  }

  rows(rows: SetRows): Uint8Array {
    let text = '';
    for (let r = 0; r < rows.length; r++) {
      const row = {
        user: rows.user[r],
        item: rows.item[r],
        ts: rows.ts[r],
        value: rows.value[r],
        action: rows.action[r],
        weight: rows.weight[r],
        inclusion_probability: rows.inclusion[r],
        w_user: rows.userSide[r],
        w_item: rows.itemSide[r],
      };
      text += `${JSON.stringify(row)}\n`;
    }
    return this.#encoder.encode(text);
  }

  tail(): Uint8Array {
    return NOTHING;
  }
}

/**
 * Encoder of rows as CSV by RFC 4180, with a header and LF. Text is always quoted and unchanged, so
 * a reader gets the original id, even if a spreadsheet would interpret it.
 */
export class CsvEncoder implements SetEncoder {
  readonly #encoder = new TextEncoder();

  head(): Uint8Array {
    return this.#encoder.encode(`${COLUMNS.join(',')}\n`);
  }

  rows(rows: SetRows): Uint8Array {
    let text = '';
    for (let r = 0; r < rows.length; r++) {
      text +=
        `${quoted(rows.user[r])},${quoted(rows.item[r])},${rows.ts[r]},${rows.value[r]},` +
        `${quoted(rows.action[r])},${rows.weight[r]},${rows.inclusion[r]},` +
        `${rows.userSide[r]},${rows.itemSide[r]}\n`;
    }
    return this.#encoder.encode(text);
  }

  tail(): Uint8Array {
    return NOTHING;
  }
}

/** Quote text as a field of CSV. */
export function quoted(text: string): string {
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`;
}

/** Columns of a set, in order. */
export const COLUMNS = [
  'user',
  'item',
  'ts',
  'value',
  'action',
  'weight',
  'inclusion_probability',
  'w_user',
  'w_item',
] as const;

/** Rows of a set as they are written, with ids as text. */
export class SetRows {
  readonly user: string[] = [];
  readonly item: string[] = [];
  /** ms since the epoch. */
  readonly ts: number[] = [];
  readonly value: number[] = [];
  readonly action: string[] = [];
  readonly weight: number[] = [];
  readonly inclusion: number[] = [];
  readonly userSide: number[] = [];
  readonly itemSide: number[] = [];

  get length(): number {
    return this.user.length;
  }

  clear(): void {
    for (const column of Object.values(this)) {
      column.length = 0;
    }
  }
}

/** Writes rows in order. The caller reuses the rows afterwards. */
export interface RowSink {
  write(rows: SetRows): Promise<void> | void;
}

/** Encodes rows of a set in one format. The pieces are concatenated. */
export interface SetEncoder {
  /** Bytes before the first row. */
  head(): Uint8Array;
  rows(rows: SetRows): Uint8Array;
  /** Bytes after the last row. */
  tail(): Uint8Array;
}

export const NOTHING = new Uint8Array(0);
