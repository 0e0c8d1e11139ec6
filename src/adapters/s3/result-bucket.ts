import type { ResultPlace } from '../../outputs/history/result-place.js';
import { type BucketSettings, type Objects, objectsAt } from './objects.js';

/** Results under `s3://bucket/prefix`; credentials come from where the client looks for them. */
export function resultBucketAt(place: string, settings: BucketSettings): ResultPlace {
  const { objects, prefix } = objectsAt(place, settings);
  return new ResultBucket(objects, place.replace(/\/$/, ''), prefix);
}

/** Results as objects, each put as a whole: an object appears when it is complete. */
class ResultBucket implements ResultPlace {
  readonly place: string;
  readonly #objects: Objects;
  readonly #prefix: string;

  constructor(objects: Objects, place: string, prefix: string) {
    this.place = place;
    this.#objects = objects;
    this.#prefix = prefix;
  }

  put(name: string, bytes: Uint8Array): Promise<void> {
    return this.#objects.put(this.#prefix + name, bytes);
  }
}
