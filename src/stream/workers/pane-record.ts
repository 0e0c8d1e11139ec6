import { IdDictionary, IdPlaces } from '../../state/ids/id-dictionary.js';
import type { Interner } from '../../state/ids/interner.js';
import {
  type DictionariesWithUsers,
  type PaneContent,
  readPaneContent,
  writePaneContent,
} from '../../state/panes/pane-content.js';
import { type Format, openSections, sealSections } from '../checkpoint/sealed-sections.js';

/**
 * A record is what one pane of one partition left, for a process with other dense integers: sealed
 * sections with the texts of items, models and users.
 */
/** Version 1 says nothing about what popularity leaves out, served lists, and when models were heard. */
const FORMAT: Format = { magic: 'unskewpn', version: 2, older: [1], noun: 'pane record' };

interface RecordHead {
  readonly partition: number;
}

export interface RecordTables {
  readonly items: Interner;
  readonly models: Interner;
  readonly users: Interner;
}

/**
 * Writes a record, in chunks. Yields often.
 */
export function encodeRecord(
  partition: number,
  content: PaneContent,
  tables: RecordTables,
): Generator<void, Uint8Array[]> {
  const ids: DictionariesWithUsers = {
    items: new IdDictionary(tables.items),
    models: new IdDictionary(tables.models),
    users: new IdDictionary(tables.users),
  };
  const head: RecordHead = { partition };
  return sealSections(FORMAT, head, [ids.items, ids.models, ids.users], function* (to) {
    yield* writePaneContent(to, content, ids);
  });
}

/** Reads a record into the tables of this process. */
export function* decodeRecord(
  bytes: Uint8Array,
  tables: RecordTables,
): Generator<void, PaneContent> {
  const { version, dictionaries, state } = yield* openSections<RecordHead>(FORMAT, bytes);
  const items = yield* IdPlaces.read(dictionaries, tables.items);
  const models = yield* IdPlaces.read(dictionaries, tables.models);
  const users = yield* IdPlaces.read(dictionaries, tables.users);
  const had = version === 1 ? [...state.int32()].map((place) => models.id(place)) : [];
  const content = yield* readPaneContent(state, { items, models, users });
  if (version > 1) return content;
  // It says which models ever had lists, not when: as if all had been heard now.
  const { pane } = content;
  return { ...content, models: new Map(had.map((model) => [model, { first: pane, last: pane }])) };
}
