import type { Column } from './binary-writer.js';

/** A column under construction: it grows as numbers are added. */
export class GrowingColumn<T extends Column> {
  readonly #make: new (
    length: number,
  ) => T;
  #values: T;
  #length = 0;

  constructor(make: new (length: number) => T) {
    this.#make = make;
    this.#values = new make(64);
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new this.#make(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  /** Copy of the added numbers. */
  taken(): T {
    return this.#values.slice(0, this.#length) as T;
  }
}
