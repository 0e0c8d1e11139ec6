import { MARKS_FILE, TextMarkStore } from '../files/mark-store.js';
import { forState } from './checkpoint-store.js';
import { type BucketSettings, type Objects, objectsAt } from './objects.js';

/**
 * Stores marks (annotations of a point in time) of a group's workers in one object, written on
 * condition that it is unchanged since it was read.
 */
export class BucketMarkStore extends TextMarkStore {
  readonly #objects: Objects;
  readonly #key: string;

  constructor(place: string, settings: BucketSettings) {
    super(`${place.replace(/\/$/, '')}/${MARKS_FILE}`);
    const { objects, prefix } = objectsAt(place, settings);
    this.#objects = objects;
    this.#key = prefix + MARKS_FILE;
  }

  async close(): Promise<void> {
    this.#objects.close();
  }

  protected async read(): Promise<string | undefined> {
    return (await this.#found()).text;
  }

  protected async change(make: (before: string | undefined) => string | undefined): Promise<void> {
    for (let isPut = false; !isPut; ) {
      const { text, tag } = await this.#found();
      const next = make(text);
      if (next === undefined) return;
      isPut = await forState(this.#objects.putIf(this.#key, Buffer.from(next), tag));
    }
  }

  async #found() {
    const found = await forState(this.#objects.bytes(this.#key));
    return {
      text: found && Buffer.from(found.bytes).toString(),
      tag: found?.tag,
    };
  }
}
