/** Events of a shop in its own words, as Avro and Protobuf. */
export const SHOWN = {
  type: 'record',
  name: 'Shown',
  namespace: 'shop',
  fields: [
    { name: 'note', type: ['null', 'string'], default: null },
    { name: 'id', type: { type: 'string', logicalType: 'uuid' } },
    { name: 'at', type: { type: 'long', logicalType: 'timestamp-micros' } },
    {
      name: 'context',
      type: {
        type: 'record',
        name: 'Context',
        fields: [
          {
            name: 'user',
            type: [
              'null',
              { type: 'record', name: 'User', fields: [{ name: 'id', type: 'long' }] },
            ],
          },
          { name: 'labels', type: { type: 'map', values: 'string' } },
        ],
      },
    },
    { name: 'engine', type: { type: 'enum', name: 'Engine', symbols: ['OLD', 'NEW'] } },
    {
      name: 'slots',
      type: {
        type: 'array',
        items: {
          type: 'record',
          name: 'Slot',
          fields: [
            { name: 'item', type: 'long' },
            {
              name: 'price',
              type: { type: 'bytes', logicalType: 'decimal', precision: 9, scale: 2 },
            },
            { name: 'chance', type: 'double' },
          ],
        },
      },
    },
    { name: 'total', type: 'int' },
  ],
};

export const SHOWN_MAPPING = {
  exposure: {
    id: '/id',
    ts: '/at',
    user: '/context/user/id',
    model: '/engine',
    items: { path: '/slots', each: '/item' },
    propensities: { path: '/slots', each: '/chance' },
    candidates: '/total',
    request: '/context/labels/request',
  },
  interaction: { id: '/id', ts: '/at', user: '/who/user_id', item: '/sku', value: '/price' },
} as const;

export const CLICKED = `syntax = "proto3"; package shop;
  import "google/protobuf/timestamp.proto";
  message Clicked {
    message Who { oneof key { string session = 1; uint64 user_id = 2; } }
    string id = 1; google.protobuf.Timestamp at = 2; Who who = 3; int64 sku = 4;
    double price = 5; map<string, string> labels = 6; repeated int32 steps = 7;
  }`;

export const TS = Date.UTC(2026, 5, 1, 12, 30, 0, 123);

/** What the writers are given, and the same event as JSON of the contract. */
export function shown(n: number) {
  const slots = Array.from({ length: 1 + (n % 20) }, (_, rank) => ({
    item: n * 100 + rank,
    price: Buffer.from([rank, 99]),
    chance: 1 / (rank + 2),
  }));
  const hex = n.toString(16).padStart(12, '0');
  const id = `0190aaaa-bbbb-7ccc-8ddd-${hex}`;
  const ts = TS + n;
  const user = 9_007_199_254_000_000 + (n % 50);
  const engine = n % 2 === 0 ? 'NEW' : 'OLD';
  const value = {
    note: null,
    id,
    at: ts * 1000 + 456,
    engine,
    slots,
    total: 1000,
    context: { user: { id: user }, labels: { request: `r${n}`, other: 'x' } },
  };
  const json = {
    id,
    ts,
    user: `${user}`,
    model: engine,
    candidates: 1000,
    request: `r${n}`,
    items: slots.map(({ item }) => `${item}`),
    propensities: slots.map(({ chance }) => chance),
  };
  return { value, json };
}

export function clicked(n: number) {
  const ts = TS + n;
  const user = 9_007_199_254_000_000 + (n % 50);
  const value = {
    id: `click-${n}`,
    who: { user_id: user },
    sku: n * 100,
    price: n / 4,
    steps: [1, 2, n],
    at: { seconds: Math.floor(ts / 1000), nanos: (ts % 1000) * 1e6 + 999 },
    labels: { a: 'b' },
  };
  const json = { id: `click-${n}`, ts, user: `${user}`, item: `${n * 100}`, value: n / 4 };
  return { value, json };
}
