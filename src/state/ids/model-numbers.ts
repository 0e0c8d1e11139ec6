import { hashBytes } from '../../events/hash.js';
import type { Interner } from './interner.js';

/** A list's header has 13 bits for its model. */
const MOST = 8191;

/**
 * Numbers for models that have a place. All that is kept by model is an array by these numbers, so
 * they have to stay few; names come with any event, so of them there may be any number.
 */
export class ModelNumbers {
  readonly #names: Interner;
  readonly #models: Interner;
  #bytes = new Uint8Array(64);

  /** @param names of the models that events name. @param models those that have a place. */
  constructor(names: Interner, models: Interner) {
    this.#names = names;
    this.#models = models;
  }

  /** @returns −1 for a model without a number. */
  find(name: number): number {
    const length = this.#read(name);
    return this.#models.find(this.#bytes, 0, length, hashBytes(this.#bytes, 0, length));
  }

  /** @returns the model's number, a new one if it has none; −1 if there are no more. */
  take(name: number): number {
    if (this.#models.known >= MOST) return this.find(name);
    const length = this.#read(name);
    return this.#models.take(this.#bytes, 0, length, hashBytes(this.#bytes, 0, length));
  }

  /** In the order of code points. */
  compareNames(a: number, b: number): number {
    return this.#names.compare(a, b);
  }

  compareModels(a: number, b: number): number {
    return this.#models.compare(a, b);
  }

  nameOf(name: number): string {
    return this.#names.text(name);
  }

  #read(name: number): number {
    const length = this.#names.byteLengthOf(name);
    if (length > this.#bytes.length) this.#bytes = new Uint8Array(2 * length);
    return this.#names.copyTo(name, this.#bytes, 0);
  }
}
