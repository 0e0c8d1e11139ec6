import { NOTHING, type SetEncoder } from './set-encoder.js';
import type { SetRows } from './set-rows.js';

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
