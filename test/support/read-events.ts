import fc from 'fast-check';
import { EventReader } from '../../src/commands/files/read-events.js';
import {
  type ExposureColumns,
  HAS_REQUEST,
  type InteractionColumns,
} from '../../src/events/columns.js';
import type { DecoderOptions } from '../../src/events/decode.js';
import { Interner } from '../../src/state/ids/interner.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { aLogOf } from './random-log.js';

export const DECODER = {
  maxFutureMs: 0,
  ratings: { lowest: 0, highest: 1, step: 1 },
} satisfies DecoderOptions;

/** All that reading leaves: rows in order, what the ids stand for, and the invalid events. */
export async function readAll(path: string, decoder: DecoderOptions = DECODER) {
  const users = new Interner();
  const items = new Interner();
  const models = new Interner();
  const told: string[] = [];
  const io = {
    isTerminal: false,
    signal: new AbortController().signal,
    stderr: (line: string) => told.push(line.replace(/^.*?:(\d+: [a-z_0-9]+).*\n$/, '$1')),
  } as never;
  const options = {
    decoder,
    maxEventBytes: 1 << 20,
    ids: { items, models },
    users,
    maxFaults: 1e9,
    io,
    referenceTs: 1e15,
  };
  const reader = new EventReader(options);
  const outcomes = new Outcomes();
  const rows: unknown[] = [];
  const take = (interactions: InteractionColumns, exposures: ExposureColumns) => {
    for (let r = 0; r < interactions.length; r++) rows.push(rowOf(interactions, r));
    for (let r = 0; r < exposures.length; r++) rows.push(listOf(exposures, r));
  };
  await reader.read([path], outcomes, take);
  const ids = [users, items, models].map((table) =>
    Array.from({ length: table.size }, (_, id) => table.text(id)),
  );
  return { rows, ids, told, faults: outcomes.faults, ignored: outcomes.ignored };
}

function rowOf(columns: InteractionColumns, r: number) {
  const { flags, ts, user, item, exposureHigh, exposureLow, value, action } = columns;
  const of = [flags, ts, user, item, exposureHigh, exposureLow, value, action];
  return [...of, columns.idHigh, columns.idLow].map((column) => column[r]);
}

function listOf(columns: ExposureColumns, r: number) {
  const { flags, ts, user, model, idHigh, idLow, candidates, listStart, requests } = columns;
  const range = [listStart[r], listStart[r + 1]] as const;
  return [
    ...[flags, ts, user, model, idHigh, idLow, candidates].map((column) => column[r]),
    [...columns.items.subarray(...range)],
    (flags[r]! & 16) === 0 ? [] : [...columns.propensities.subarray(...range)],
    (flags[r]! & 128) === 0 ? [] : [...columns.scores.subarray(...range)],
    (flags[r]! & HAS_REQUEST) === 0
      ? []
      : Object.values(requests).map((column) => (column as Float64Array)[r]),
  ];
}

/** Events with something wrong, or seldom, in some of them. */
const aSpoiled = fc.record({
  at: fc.nat(60),
  with: fc.constantFrom(
    { id: '' },
    { id: null },
    { ts: null },
    { ts: 2e15 },
    { user: 'x'.repeat(600) },
    { user: null },
    { item: '', items: [] },
    { items: ['i1', 'i2', 'i1'] },
    { items: ['i1', null] },
    { items: null, item: null },
    { items: ['été', '日本'], item: '日本', action: '' },
    { type: null },
    { type: 'other' },
    { candidates: 1 },
    { candidates: 50 },
    { propensities: [0.5] },
    { scores: [1, null] },
    { firstRank: -1 },
    { firstRank: 3, depth: 4 },
    { share: 2 },
    { propensityOf: 'item', request: 'r' },
    { propensityOf: 'none' },
    { value: null, action: 'buy' },
    { value: 0.5, exposure: 'e1', randomized: true },
    { exposure: '' },
    { model: null },
  ),
});

/** A log in which some events have something wrong, or seldom. */
export const aSpoiledLog = fc
  .tuple(aLogOf(60), fc.array(aSpoiled, { maxLength: 12 }))
  .map(([log, spoiled]) => {
    const events: object[] = [...log];
    for (const { at, with: wrong } of spoiled) {
      const event = events[at % events.length] as { type: string };
      const known = { ...wrong } as Record<string, unknown>;
      if (event.type === 'exposure') delete known['item'];
      else delete known['items'];
      events[at % events.length] = { ...event, ...known };
    }
    return events;
  });
