import type { Dictionaries } from '../../state/ids/dictionaries.js';
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
/** Version 1 says nothing of what popularity leaves out, nor of served lists; the rest is the same. */
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
 *
 * @param models all that ever had a list in the partition
 */
export function encodeRecord(
  partition: number,
  content: PaneContent,
  models: readonly number[],
  tables: RecordTables,
): Generator<void, Uint8Array[]> {
  const ids: DictionariesWithUsers & Dictionaries = {
    items: new IdDictionary(tables.items),
    models: new IdDictionary(tables.models),
    users: new IdDictionary(tables.users),
  };
  const head: RecordHead = { partition };
  return sealSections(FORMAT, head, [ids.items, ids.models, ids.users], function* (to) {
    to.column(Int32Array.from(models, (model) => ids.models.place(model)));
    yield* writePaneContent(to, content, ids);
  });
}

/** Reads a record into the tables of this process. */
export function* decodeRecord(
  bytes: Uint8Array,
  tables: RecordTables,
): Generator<void, { content: PaneContent; models: readonly number[] }> {
  const { dictionaries, state } = yield* openSections<RecordHead>(FORMAT, bytes);
  const items = yield* IdPlaces.read(dictionaries, tables.items);
  const models = yield* IdPlaces.read(dictionaries, tables.models);
  const users = yield* IdPlaces.read(dictionaries, tables.users);
  const known = Array.from(state.int32(), (place) => models.id(place));
  const content = yield* readPaneContent(state, { items, models, users });
  return { content, models: known };
}
