import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';
import { taken } from './row-causes.js';

/** Ratings of rows and their predictions by models. 4 bytes per row, and 4 for each model. */
export interface RowRatings {
  /** Rating of rows with the flag RATED. */
  readonly rating: Float32Array;
  /** By model: score of the item in the model's list, NaN without one. */
  readonly scores: readonly (Float32Array | undefined)[];
}

/** Select the ratings of some rows, by their numbers. */
export function takenRatings({ rating, scores }: RowRatings, rows: Int32Array): RowRatings {
  return {
    rating: taken(rating, rows),
    scores: scores.map((column) => column && taken(column, rows)),
  };
}

/** Write in the format of `readRatings`. */
export function writeRatings(to: BinaryWriter, ratings: RowRatings, ids: Dictionaries): void {
  const { rating, scores } = ratings;
  to.column(rating);
  const scoring = [...scores.keys()].filter((model) => scores[model] !== undefined);
  to.column(Int32Array.from(scoring, (model) => ids.models.place(model)));
  for (const model of scoring) {
    to.column(scores[model]!);
  }
}

export function readRatings(from: BinaryReader, places: Places): RowRatings {
  const rating = from.float32();
  const scores: (Float32Array | undefined)[] = [];
  for (const place of from.int32()) {
    const model = places.models.id(place);
    while (scores.length < model) {
      scores.push(undefined);
    }
    scores[model] = from.float32();
  }
  return { rating, scores };
}
