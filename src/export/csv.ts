import { NOTHING, type SetEncoder } from './set-encoder.js';
import { COLUMNS, type SetRows } from './set-rows.js';

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

function quoted(text: string): string {
  return text.includes('"') ? `"${text.replaceAll('"', '""')}"` : `"${text}"`;
}
