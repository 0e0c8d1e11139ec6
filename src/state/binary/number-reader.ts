import { DamagedNumbers } from '../../errors.js';
import type { NumberCodec } from './number-codec.js';
import { GROUP, LOW_BITS, NUMBERS_VERSION, SEAL_BYTES } from './number-writer.js';
import { XxHash32 } from './xxhash32.js';

/**
 * Reads what `NumberWriter` wrote, in the same order.
 *
 * @throws DamagedNumbers if the bytes are those of another version or shape, were changed or cut
 * short, or are more than the most
 */
export class NumberReader implements NumberCodec {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #end: number;
  #at = 0;
  #kinds = 0;
  #inGroup = GROUP;

  /** @param shape as it was sealed with. @param most bytes. */
  constructor(bytes: Uint8Array, shape: number, most: number) {
    if (bytes.length > most) throw new DamagedNumbers(`${bytes.length} bytes, at most ${most}`);
    if (bytes.length < SEAL_BYTES) throw new DamagedNumbers('it is cut short');
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#end = bytes.length - SEAL_BYTES;
    const sum = new XxHash32().update(bytes.slice(0, this.#end + 5)).digest();
    if (this.#view.getUint32(this.#end + 5, true) !== sum) {
      throw new DamagedNumbers('its checksum is another');
    }
    if (bytes[this.#end] !== NUMBERS_VERSION) {
      throw new DamagedNumbers(`version ${bytes[this.#end]}, not ${NUMBERS_VERSION}`);
    }
    if (this.#view.getUint32(this.#end + 1, true) !== shape >>> 0) {
      throw new DamagedNumbers('it is of something else');
    }
  }

  number(_: number): number {
    if (this.#inGroup === GROUP) {
      this.#kinds = this.#byte();
      this.#inGroup = 0;
    }
    const isOther = (this.#kinds >>> this.#inGroup++) & 1;
    return isOther === 1 ? this.#other() : this.#whole();
  }

  numbers(values: Float64Array): void {
    for (let i = 0; i < values.length; i++) values[i] = this.number(0);
  }

  /** Nothing may be left. */
  finish(): void {
    if (this.#at !== this.#end) throw new DamagedNumbers('it goes on beyond its end');
  }

  #whole(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#byte();
      value += (byte % LOW_BITS) * scale;
      if (byte < LOW_BITS) break;
      scale *= LOW_BITS;
      if (scale > Number.MAX_SAFE_INTEGER) throw new DamagedNumbers('a number in it is none');
    }
    return value;
  }

  #other(): number {
    if (this.#at + 8 > this.#end) throw new DamagedNumbers('it ends too early');
    this.#at += 8;
    return this.#view.getFloat64(this.#at - 8, true);
  }

  #byte(): number {
    if (this.#at >= this.#end) throw new DamagedNumbers('it ends too early');
    return this.#bytes[this.#at++];
  }
}
