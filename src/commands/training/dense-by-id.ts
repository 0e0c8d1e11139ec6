import type { Interner } from '../../state/ids/interner.js';

/** Ids in code-point order, and the place of each interned number in it; −1 for one that is left out. */
export interface DenseIds {
  readonly texts: readonly string[];
  readonly numberOf: Int32Array;
}

/** Numbers that do not depend on the order of events: ties by number are ties by id. */
export function denseById(ids: Interner, isKept: (id: number) => boolean = () => true): DenseIds {
  const kept = Int32Array.from({ length: ids.size }, (_, id) => id).filter(isKept);
  kept.sort((a, b) => ids.compare(a, b));
  const numberOf = new Int32Array(ids.size).fill(-1);
  kept.forEach((id, place) => {
    numberOf[id] = place;
  });
  return { texts: Array.from(kept, (id) => ids.text(id)), numberOf };
}
