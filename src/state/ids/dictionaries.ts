import type { IdDictionary, IdPlaces } from './id-dictionary.js';

/** For writing: what is global to a process, by the places that it has in one checkpoint. */
export interface Dictionaries {
  readonly items: IdDictionary;
  readonly models: IdDictionary;
}

/** For reading. */
export interface Places {
  readonly items: IdPlaces;
  readonly models: IdPlaces;
}
