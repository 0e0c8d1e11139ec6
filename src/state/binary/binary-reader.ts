import { DamagedCheckpoint } from '../../errors.js';

const ALIGNMENT = 8;

/**
 * Reads what `BinaryWriter` wrote, in the same order. Columns are copies.
 *
 * @throws DamagedCheckpoint if the bytes end too early or a length is invalid
 */
export class BinaryReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  /** @param version  version of the format of the bytes; the newest by default */
  constructor(
    bytes: Uint8Array,
    readonly version = Number.POSITIVE_INFINITY,
  ) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Number of bytes not read yet. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  number(): number {
    const at = this.#take(8);
    return this.#view.getFloat64(at, true);
  }

  /** All bytes not read yet. */
  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }

  /** Read the number of elements that follow. */
  count(): number {
    const count = this.number();
    if (Number.isInteger(count) && count >= 0 && count <= this.#bytes.length) return count;
    throw new DamagedCheckpoint('a count in it is invalid');
  }

  text(): string {
    return new TextDecoder().decode(this.uint8());
  }

  uint8(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#column(1).buffer);
  }

  uint16(): Uint16Array<ArrayBuffer> {
    return new Uint16Array(this.#column(2).buffer);
  }

  int32(): Int32Array<ArrayBuffer> {
    return new Int32Array(this.#column(4).buffer);
  }

  float32(): Float32Array<ArrayBuffer> {
    return new Float32Array(this.#column(4).buffer);
  }

  float64(): Float64Array<ArrayBuffer> {
    return new Float64Array(this.#column(8).buffer);
  }

  #column(width: number): Uint8Array<ArrayBuffer> {
    const length = this.count() * width;
    const at = this.#take(length);
    this.#take(-length & (ALIGNMENT - 1));
    // Not slice: a Buffer's gives a view of the same memory.
    const copy = new Uint8Array(length);
    copy.set(this.#bytes.subarray(at, at + length));
    return copy;
  }

  #take(length: number): number {
    const at = this.#at;
    if (at + length > this.#bytes.length) throw new DamagedCheckpoint('it ends too early');
    this.#at = at + length;
    return at;
  }
}
