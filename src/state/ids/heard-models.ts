import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { IdDictionary, IdPlaces } from './id-dictionary.js';

/** Lists of a pane that were dropped because there was no room for their models. */
export interface Unplaced {
  readonly lists: number;
  readonly models: number;
  /** Names of some of the models, those with the most lists first. */
  readonly names: readonly string[];
}

export const NONE_UNPLACED: Unplaced = {
  lists: 0,
  models: 0,
  names: [],
};

/** Models that are tracked in a partition. */
export interface PlacedModels {
  readonly models: HeardModels;
  /**
   * Lists of the pane that were dropped because there was no room for their models. They are only
   * known for the newest pane with events; for any other pane the result is `NONE_UNPLACED`.
   */
  unplacedIn(pane: number): Unplaced;
}

/** Write in the format of `readUnplaced`. */
export function writeUnplaced(to: BinaryWriter, { lists, models, names }: Unplaced): void {
  to.number(lists);
  to.number(models);
  to.number(names.length);
  for (const name of names) {
    to.text(name);
  }
}

export function readUnplaced(from: BinaryReader): Unplaced {
  const lists = from.number();
  const models = from.number();
  return {
    lists,
    models,
    names: Array.from({ length: from.count() }, () => from.text()),
  };
}

/** Pane of a model's first list, and pane of its newest list. Late lists do not count. */
export interface HeardModel {
  readonly first: number;
  readonly last: number;
}

/** Panes of the first and the newest list of each tracked model, by the model's number. */
export type HeardModels = ReadonlyMap<number, HeardModel>;

/** Combine the models of several partitions; how lists are partitioned does not matter. */
export function heardTogether(parts: Iterable<HeardModels>): Map<number, HeardModel> {
  const all = new Map<number, HeardModel>();
  for (const part of parts) {
    for (const [model, { first, last }] of part) {
      const other = all.get(model) ?? { first, last };
      const heard = {
        first: Math.min(first, other.first),
        last: Math.max(last, other.last),
      };
      all.set(model, heard);
    }
  }
  return all;
}

/** Write in the format of `readHeard`. */
export function writeHeard(to: BinaryWriter, heard: HeardModels, models: IdDictionary): void {
  to.column(Int32Array.from(heard.keys(), (model) => models.place(model)));
  to.column(Float64Array.from(heard.values(), ({ first }) => first));
  to.column(Float64Array.from(heard.values(), ({ last }) => last));
}

export function readHeard(from: BinaryReader, models: IdPlaces): Map<number, HeardModel> {
  const places = from.int32();
  const first = from.float64();
  const last = from.float64();
  return new Map(
    Array.from(places, (place, n) => [
      models.id(place),
      {
        first: first[n],
        last: last[n],
      },
    ]),
  );
}
