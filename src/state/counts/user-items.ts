import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';
import { markIds } from '../ids/mark.js';

/** Users with one item each, in the order in which they came; 8 bytes for each. */
export class UserItems {
  #user = new Int32Array(64);
  #item = new Int32Array(64);
  #length = 0;

  add(user: number, item: number): void {
    if (this.#length === this.#user.length) this.#grow();
    this.#user[this.#length] = user;
    this.#item[this.#length++] = item;
  }

  forEach(visit: (user: number, item: number) => void): void {
    for (let at = 0; at < this.#length; at++) visit(this.#user[at], this.#item[at]);
  }

  *markUsers(flags: Uint8Array): Generator<void, void> {
    yield* markIds(flags, this.#user, this.#length);
  }

  *markItems(flags: Uint8Array): Generator<void, void> {
    yield* markIds(flags, this.#item, this.#length);
  }

  /** Those that are here now, to be written later: the columns are only added to. */
  capture(): (to: BinaryWriter, ids: Dictionaries) => Generator<void, void> {
    const [user, item, length] = [this.#user, this.#item, this.#length];
    return function* write(to, { items }) {
      to.column(user, length);
      yield* items.write(to, item, length);
    };
  }

  /** Takes back what was written; to be called before anything is added. */
  read(from: BinaryReader, { items }: Places): void {
    this.#user = from.int32();
    this.#item = items.column(from);
    this.#length = this.#user.length;
  }

  #grow(): void {
    const grown = (column: Int32Array) => {
      const larger = new Int32Array(Math.max(64, 2 * column.length));
      larger.set(column);
      return larger;
    };
    this.#user = grown(this.#user);
    this.#item = grown(this.#item);
  }
}
