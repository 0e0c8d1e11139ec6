/** One JSON object a line; `ts` in ms since the epoch. */
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
 * RFC 4180, with a header and LF; texts are always quoted, and stand as they are in the events: a
 * reader gets back the id that was sent, whatever a spreadsheet would make of it.
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

/** A text as a field of CSV, quoted whatever it holds. */
export function quoted(text: string): string {
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`;
}

/** Columns of a set, in their order. */
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

/** Rows of a set as they are written: what they refer to is text here. */
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

/** Takes rows in their order; what is handed over is used again afterwards. */
export interface RowSink {
  write(rows: SetRows): Promise<void> | void;
}

/** Writes rows of a set in one format, as bytes that follow one another. */
export interface SetEncoder {
  /** What comes before the first row. */
  head(): Uint8Array;
  rows(rows: SetRows): Uint8Array;
  /** What comes after the last row. */
  tail(): Uint8Array;
}

export const NOTHING = new Uint8Array(0);
