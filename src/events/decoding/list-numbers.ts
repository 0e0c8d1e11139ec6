/** Numbers that stand as the items of a list do, narrowed to float32. */
export class ListNumbers {
  count = 0;
  #values = new Float32Array(64);

  add(value: number): void {
    if (this.count === this.#values.length) {
      const longer = new Float32Array(this.count * 4);
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[this.count++] = value;
  }

  /** Writes them to a column from this place on. */
  copyTo(column: Float32Array, at: number): void {
    for (let i = 0; i < this.count; i++) column[at + i] = this.#values[i];
  }
}
