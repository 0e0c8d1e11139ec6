import type { IdDictionary, IdPlaces } from './id-dictionary.js';

/** For writing: what is global to a process, by the places that it has in one checkpoint. */
export interface Dictionaries {
  readonly items: IdDictionary;
  readonly models: IdDictionary;
}

/** For events that wait for their pane to close: models are there as the events name them. */
export interface EventDictionaries extends Dictionaries {
  readonly names: IdDictionary;
}

/** For reading. */
export interface Places {
  readonly items: IdPlaces;
  readonly models: IdPlaces;
}

export interface EventPlaces extends Places {
  readonly names: IdPlaces;
  /** Whether the state is of a version that says nothing about the places of models. */
  readonly isWithoutModelPlaces?: boolean;
}
