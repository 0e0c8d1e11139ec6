/**
 * Codes of some events: that of event r in dimension d is codes[r * dimensions + d]. Empty while no
 * event says anything, and may be shorter: what is not there is missing.
 */
export class SegmentCodes {
  dimensions = 0;
  codes = new Uint16Array(0);

  get isEmpty(): boolean {
    return this.codes.length === 0;
  }

  /** @param capacity events that there is room for. @param own one code a dimension. */
  note(row: number, capacity: number, own: Uint16Array): void {
    this.dimensions = own.length;
    if (this.codes.length < capacity * own.length) this.#grow(capacity);
    this.codes.set(own, row * own.length);
  }

  /** Takes what another says of one of its events. */
  copy(row: number, capacity: number, from: SegmentCodes, fromRow: number): void {
    if (from.isEmpty) {
      if (!this.isEmpty) this.clear(row);
      return;
    }
    this.dimensions = from.dimensions;
    const { dimensions } = this;
    if (this.codes.length < capacity * dimensions) this.#grow(capacity);
    for (let d = 0; d < dimensions; d++) {
      this.codes[row * dimensions + d] = from.codes[fromRow * dimensions + d] ?? 0;
    }
  }

  /** The event says nothing. */
  clear(row: number): void {
    this.codes.fill(0, row * this.dimensions, (row + 1) * this.dimensions);
  }

  /** Keeps some events, in new arrays. */
  keep(rows: Int32Array): void {
    if (this.isEmpty) return;
    const { dimensions, codes } = this;
    const kept = new Uint16Array(codes.length);
    for (let n = 0; n < rows.length; n++) {
      for (let d = 0; d < dimensions; d++) {
        kept[n * dimensions + d] = codes[rows[n] * dimensions + d] ?? 0;
      }
    }
    this.codes = kept;
  }

  /** A message between threads keeps the fields of an object and not its class. */
  static revived({ dimensions, codes }: SegmentCodes): SegmentCodes {
    return Object.assign(new SegmentCodes(), { dimensions, codes });
  }

  #grow(capacity: number): void {
    const grown = new Uint16Array(capacity * this.dimensions);
    grown.set(this.codes);
    this.codes = grown;
  }
}
