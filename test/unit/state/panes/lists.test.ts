import { expect, it } from 'vitest';
import { SHOWN } from '../../../../src/events/columns.js';
import { hashBytes } from '../../../../src/events/hash.js';
import { BinaryReader } from '../../../../src/state/binary/binary-reader.js';
import { BinaryWriter } from '../../../../src/state/binary/binary-writer.js';
import { IdDictionary, IdPlaces } from '../../../../src/state/ids/id-dictionary.js';
import { Interner } from '../../../../src/state/ids/interner.js';
import { ListStore } from '../../../../src/state/panes/lists.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';

function interned(ids: readonly string[]): Interner {
  const table = new Interner();
  for (const id of ids) {
    const bytes = new TextEncoder().encode(id);
    table.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  }
  return table;
}

const ITEMS = Array.from({ length: 50 }, (_, n) => `item ${n}`);
const USERS = 700;

function add(store: ListStore, n: number, itemOf: (item: number) => number): void {
  const items = Int32Array.from([n % 50, (n + 1) % 50, (n + 7) % 50], itemOf);
  store.add(n % USERS, 0, n, n, -n, SHOWN, -1, items, 0, 3);
}

/** Rank of an item in the latest list of each user, and in lists looked up by id. */
function answers(store: ListStore, from: number, to: number, item: number): unknown[] {
  const found: unknown[] = [];
  for (let user = 0; user < USERS; user++) {
    found.push([store.look(0, user, item, to), store.rank, store.code]);
  }
  for (let n = from; n < to; n += 13) {
    found.push([store.lookNamed(n, -n, n % USERS, item, to), store.rank, store.code]);
  }
  return found;
}

it('lists answer as before after a checkpoint, also after segments have expired', () => {
  const items = interned(ITEMS);
  const models = interned(['m']);
  const store = new ListStore(6_000);
  for (let n = 0; n < 20_000; n++) add(store, n, (item) => item);
  store.expire(20_000);

  const ids = { items: new IdDictionary(items), models: new IdDictionary(models) };
  const state = new BinaryWriter();
  const texts = new BinaryWriter();
  runAtOnce(store.write(state, ids));
  runAtOnce(ids.items.writeTexts(texts));
  runAtOnce(ids.models.writeTexts(texts));
  const reader = (writer: BinaryWriter) => new BinaryReader(Buffer.concat(writer.finish()));
  // A process that knows the items in another order.
  const others = interned([...ITEMS].reverse());
  const dictionary = reader(texts);
  const places = {
    items: runAtOnce(IdPlaces.read(dictionary, others)),
    models: runAtOnce(IdPlaces.read(dictionary, interned(['m']))),
  };
  const again = new ListStore(6_000);
  runAtOnce(again.read(reader(state), places, 6_000));

  for (const end of [20_000, 26_000]) {
    expect(answers(again, 10_000, end, 49 - 7)).toEqual(answers(store, 10_000, end, 7));
    for (let n = end; n < end + 6_000; n++) {
      add(store, n, (item) => item);
      add(again, n, (item) => 49 - item);
    }
    store.expire(end + 6_000);
    again.expire(end + 6_000);
  }
  expect(
    answers(store, 10_000, 32_000, 7).filter((answer) => (answer as number[])[1] < 3),
  ).not.toEqual([]);
});

it('a list is found by its id once it is added, and no longer after the ttl', () => {
  const store = new ListStore(100);
  const modelAt = (ts: number) => store.lookNamed(1, 2, 3, 7, ts);
  expect(modelAt(50)).toBe(-1);
  store.add(3, 4, 50, 1, 2, SHOWN, -1, Int32Array.of(7), 0, 1);
  expect([modelAt(50), modelAt(150), modelAt(151)]).toEqual([4, 4, -1]);
});
