import { IdDictionary, type IdPlaces } from './id-dictionary.js';
import type { Interner } from './interner.js';

const SLICE = 65_536;

/** Set the flags of the first `length` ids of a column. Yields between slices. */
export function* markIds(
  flags: Uint8Array,
  ids: Int32Array,
  length = ids.length,
): Generator<void, void> {
  for (let from = 0; from < length; from += SLICE) {
    const to = Math.min(from + SLICE, length);
    for (let n = from; n < to; n++) {
      flags[ids[n]] = 1;
    }
    yield;
  }
}

/** Set the flags of the ids that have a count. Yields between slices. */
export function* markCounted(
  flags: Uint8Array,
  {
    counts,
    size,
  }: {
    readonly counts: Int32Array;
    readonly size: number;
  },
): Generator<void, void> {
  for (let from = 0; from < size; from += SLICE) {
    const to = Math.min(from + SLICE, size);
    for (let id = from; id < to; id++) {
      if (counts[id] > 0) {
        flags[id] = 1;
      }
    }
    yield;
  }
}

/**
 * Dictionaries for writing a checkpoint: they record the ids that it uses, and write their texts.
 */
export interface Dictionaries {
  readonly items: IdDictionary;
  readonly models: IdDictionary;
}

/** Dictionaries for pending events, which have model names instead of model numbers. */
export interface EventDictionaries extends Dictionaries {
  readonly names: IdDictionary;
}

export function dictionariesOf(ids: {
  readonly items: Interner;
  readonly models: Interner;
  readonly modelNames: Interner;
}): EventDictionaries {
  const items = ids.items;
  const models = ids.models;
  const names = ids.modelNames;
  return {
    items: new IdDictionary(items),
    models: new IdDictionary(models),
    names: new IdDictionary(names),
  };
}

/**
 * Maps for reading a checkpoint: from an id's number in the checkpoint to its number in this
 * process.
 */
export interface Places {
  readonly items: IdPlaces;
  readonly models: IdPlaces;
}

/** Maps for pending events, which have model names instead of model numbers. */
export interface EventPlaces extends Places {
  readonly names: IdPlaces;
  /** Whether the state was written by a version that did not store the tracked models. */
  readonly isWithoutModelPlaces?: boolean;
}
