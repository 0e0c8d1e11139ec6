import type { SetIds } from './hashed-ids.js';
import type { Rows } from './rows.js';
import { type RowSink, SetRows } from './set-rows.js';

/** Rows handed to a sink at a time. */
const BATCH_ROWS = 65_536;

/** Rows on their way to a sink, with the text of what they refer to. */
export class RowBatch {
  readonly #rows = new SetRows();
  readonly #ids: SetIds;
  readonly #sink: RowSink;

  constructor(ids: SetIds, sink: RowSink) {
    this.#ids = ids;
    this.#sink = sink;
  }

  get isFull(): boolean {
    return this.#rows.length >= BATCH_ROWS;
  }

  add(
    from: Rows,
    r: number,
    weight: number,
    inclusion: number,
    userSide: number,
    itemSide: number,
  ): void {
    const rows = this.#rows;
    const { users, items, actions } = this.#ids;
    rows.user.push(users.ids.text(from.user(r)));
    rows.item.push(items.ids.text(from.item(r)));
    rows.ts.push(from.ts(r));
    rows.value.push(from.value(r));
    rows.action.push(actions.text(from.action(r)));
    rows.weight.push(weight);
    rows.inclusion.push(inclusion);
    rows.userSide.push(userSide);
    rows.itemSide.push(itemSide);
  }

  async flush(): Promise<void> {
    if (this.#rows.length === 0) return;
    await this.#sink.write(this.#rows);
    this.#rows.clear();
  }
}
