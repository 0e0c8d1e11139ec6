import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { HeardModels } from './heard-models.js';

/** Lists of a pane whose models found no place. */
export interface Unplaced {
  readonly lists: number;
  readonly models: number;
  /** Some of the models, those with the most lists first. */
  readonly names: readonly string[];
}

export const NONE_UNPLACED: Unplaced = { lists: 0, models: 0, names: [] };

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
  for (const name of names) to.text(name);
}

export function readUnplaced(from: BinaryReader): Unplaced {
  const [lists, models] = [from.number(), from.number()];
  return { lists, models, names: Array.from({ length: from.count() }, () => from.text()) };
}
