import { generator } from './decode.js';

export const START_TS = 1_750_000_000_000;
const LIST_LENGTH = 20;

const text = (name: string) => ({ name, type: 'string' });
const ts = { name: 'ts', type: { type: 'long', logicalType: 'timestamp-millis' } };
const optional = (name: string, type: string) => ({ name, type: ['null', type], default: null });

/** Schemas of events under the names of the contract. */
export const CLICK = {
  type: 'record',
  name: 'Click',
  fields: [
    text('id'),
    ts,
    text('user'),
    text('item'),
    optional('action', 'string'),
    optional('value', 'double'),
    optional('exposure', 'string'),
  ],
};
export const LIST = {
  type: 'record',
  name: 'List',
  fields: [
    text('id'),
    ts,
    text('user'),
    text('model'),
    { name: 'items', type: { type: 'array', items: 'string' } },
    optional('candidates', 'int'),
  ],
};
export const CLICK_PROTO = `syntax = "proto3"; message Click { string id = 1; int64 ts = 2; string user = 3;
  string item = 4; string action = 5; optional double value = 6; string exposure = 7; }`;
export const LIST_PROTO = `syntax = "proto3"; message List { string id = 1; int64 ts = 2; string user = 3;
  string model = 4; repeated string items = 5; optional int32 candidates = 6; }`;

/** Of 10,000 users and 5,000 items, some of whom come far more often. */
export function clicksAndLists(clickCount: number, listCount: number) {
  const random = generator(9);
  const below = (end: number) => Math.floor(random() ** 2 * end);
  const user = () => `user-${String(below(10_000)).padStart(12, '0')}`;
  const item = () => `item-${String(below(5_000)).padStart(8, '0')}`;
  const clicks = Array.from({ length: clickCount }, (_, n) => ({
    id: `evt-${n.toString(16).padStart(16, '0')}`,
    ts: START_TS + n,
    user: user(),
    item: item(),
    action: 'click',
    value: n % 5,
    exposure: `exp-${n.toString(16)}`,
  }));
  const lists = Array.from({ length: listCount }, (_, n) => {
    const items = new Set<string>();
    while (items.size < LIST_LENGTH) items.add(item());
    const ids = { id: `exp-${n.toString(16)}`, ts: START_TS + n, user: user(), model: 'blend' };
    return { ...ids, items: [...items], candidates: 1000 };
  });
  return { clicks, lists };
}
