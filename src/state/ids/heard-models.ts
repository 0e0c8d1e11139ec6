import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { IdDictionary, IdPlaces } from './id-dictionary.js';

/** Lists of a pane that were dropped since their models have no place. */
export interface Unplaced {
  readonly lists: number;
  readonly models: number;
  /** Some of the models, those with the most lists first. */
  readonly names: readonly string[];
}

export const NONE_UNPLACED: Unplaced = {
  lists: 0,
  models: 0,
  names: [],
};

/** Which models hold a place in a partition. */
export interface PlacedModels {
  readonly models: HeardModels;
  /** Models that found none in the newest pane with events, if that is the one. */
  unplacedIn(pane: number): Unplaced;
}

/** To be read by `readUnplaced`. */
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

/** The panes of a model's first list and of its newest; lists that are late say nothing. */
export interface HeardModel {
  readonly first: number;
  readonly last: number;
}

/** By a model's dense number. */
export type HeardModels = ReadonlyMap<number, HeardModel>;

/** Combine the models heard in several partitions; the division of lists does not matter. */
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

/** To be read by `readHeard`. */
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
