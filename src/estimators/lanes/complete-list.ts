import type { NumberCodec } from '../../state/binary/number-codec.js';
import {
  LIST_CANDIDATES_UNSTATED,
  LIST_FULL,
  LIST_LENGTH_MASK,
  LIST_SAMPLED_FULL,
} from '../../state/panes/window-part.js';

/** Whether a list ranks all its candidates; without a stated number they are the catalogue. */
export function ranksAllCandidates(list: number, catalogueSize: number): boolean {
  const candidates = list & LIST_SAMPLED_FULL;
  if (candidates === LIST_FULL || candidates === LIST_SAMPLED_FULL) return true;
  return candidates === LIST_CANDIDATES_UNSTATED && (list & LIST_LENGTH_MASK) >= catalogueSize;
}

/** The most candidates behind the lists of some rows; Infinity where a list does not rank all. */
export class MostCandidates {
  most = 0;
  readonly #catalogueSize: number;

  constructor(catalogueSize: number) {
    this.#catalogueSize = catalogueSize;
  }

  /** Takes the rows of a chunk, with the list codes of their part. */
  take(
    { row, rows }: { readonly row: Int32Array; readonly rows: number },
    lists: Uint16Array,
  ): void {
    // A list that is cut short settles it, and most logs have one among the first rows.
    for (let i = 0; i < rows && this.most < Number.POSITIVE_INFINITY; i++) {
      const list = lists[row[i]];
      if (!ranksAllCandidates(list, this.#catalogueSize)) this.most = Number.POSITIVE_INFINITY;
      else this.most = Math.max(this.most, list & LIST_LENGTH_MASK);
    }
  }

  /** Of other users, behind the lists of the same catalogue. */
  ofOthers(): MostCandidates {
    return new MostCandidates(this.#catalogueSize);
  }

  /** Writes or reads it. */
  pass(through: NumberCodec): void {
    this.most = through.number(this.most);
  }

  /** Takes what was seen of other users. */
  merge({ most }: MostCandidates): void {
    this.most = Math.max(this.most, most);
  }
}
