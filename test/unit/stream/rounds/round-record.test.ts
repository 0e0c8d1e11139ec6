import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeRecord,
  encodeRecord,
  type LedgerNote,
  type LogRecord,
} from '../../../../src/stream/rounds/round-record.js';
import { repetitions } from '../../../support/repetitions.js';

const aCut = fc.record({
  exposures: fc.nat(),
  interactions: fc.nat(),
  level: fc.nat(0xffff_ffff),
  models: fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 5 }),
});
const aPartition = fc.nat(65_534);
const aNonce = fc.string({ maxLength: 40 });
const aPane = fc.integer();
const aPayload = fc.uint8Array({ maxLength: 200 });
const aPaneOrNever = fc.oneof(aPane, fc.constant(Number.NEGATIVE_INFINITY));
const aCutList = fc.array(
  fc.record({ pane: aPane, partition: aPartition, cut: aCut, isConcluded: fc.boolean() }),
  { maxLength: 4 },
);
const aNext = fc.option(fc.constant(2 ** 40));

const aNote: fc.Arbitrary<LedgerNote> = fc.record({
  position: aNonce,
  epoch: aNonce,
  algorithm: aNonce,
  count: aPartition,
  concluded: aPane,
  pane: aPane,
  members: aPartition,
  claims: fc.array(fc.tuple(aPartition, aNonce), { maxLength: 3 }),
  isHeld: fc.boolean(),
  cuts: aCutList,
  conclusions: fc.array(fc.record({ pane: aPane, position: aNonce }), { maxLength: 3 }),
  saved: fc.array(fc.tuple(aPartition, fc.tuple(aPane, aNext)), { maxLength: 3 }),
});

const aRecord: fc.Arbitrary<LogRecord> = fc.oneof(
  fc.record({
    kind: fc.constant('claim' as const),
    partition: aPartition,
    nonce: aNonce,
    over: aNonce,
    count: fc.constant(65_535),
    algorithm: aNonce,
  }),
  fc.record({ kind: fc.constant('release' as const), partition: aPartition, nonce: aNonce }),
  fc.record({
    kind: fc.constant('closing' as const),
    partition: aPartition,
    nonce: aNonce,
    pane: aPane,
    cut: aCut,
    next: aNext,
    isEmpty: fc.boolean(),
    payload: aPayload,
  }),
  fc.record({
    kind: fc.constant('sums' as const),
    partition: aPartition,
    nonce: aNonce,
    pane: aPane,
    round: fc.integer({ min: 1, max: 65_535 }),
    payload: aPayload,
  }),
  fc.record({
    kind: fc.constant('base' as const),
    partition: aPartition,
    nonce: aNonce,
    pane: aPaneOrNever,
    next: aNext,
    cuts: aCutList,
    payload: aPayload,
  }),
  fc.record({
    kind: fc.constant('saved' as const),
    partition: aPartition,
    nonce: aNonce,
    pane: aPane,
    note: fc.option(aNote),
  }),
  fc.record({
    kind: fc.constant('restart' as const),
    nonce: aNonce,
    over: fc.option(aNonce),
    pane: aPaneOrNever,
    cuts: aCutList,
    note: fc.option(aNote),
  }),
);

describe('records of the log of rounds', () => {
  it('come back as they were written', () => {
    fc.assert(
      fc.property(aRecord, (record) => {
        expect(decodeRecord(encodeRecord(record))).toEqual(record);
      }),
    );
  });

  it('are refused where they are cut short', () => {
    fc.assert(
      fc.property(aRecord, fc.nat(), (record, cut) => {
        const bytes = encodeRecord(record);
        const left = bytes.subarray(0, cut % bytes.length);
        const found = decodeRecord(left);
        // Of a payload nobody can see that it was longer.
        if (found !== undefined) expect(found).toHaveProperty('payload');
      }),
    );
  });

  it('are refused in another format or version, and never throw, whatever the bytes', () => {
    const bytes = encodeRecord({ kind: 'release', partition: 3, nonce: 'n' });
    for (const at of [0, 1, 2]) {
      const changed = bytes.slice();
      changed[at] = 99;
      expect(decodeRecord(changed)).toBeUndefined();
    }
    const mutations = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(aRecord, mutations, fc.uint8Array({ maxLength: 60 }), (record, places, noise) => {
        const mutated = encodeRecord(record).slice();
        for (const [at, value] of places) mutated[at % mutated.length] = value;
        for (const each of [mutated, noise, Uint8Array.of(...bytes, ...noise, 1)]) {
          const found = decodeRecord(each);
          // What is taken for a record is one: it can be written, and read again.
          if (found !== undefined) expect(decodeRecord(encodeRecord(found))).toEqual(found);
        }
      }),
      { numRuns: repetitions(2_000, 200_000) },
    );
  });

  it('have bounds', () => {
    const nonce = 'n'.repeat(5_000);
    expect(() => encodeRecord({ kind: 'release', partition: 1, nonce })).toThrow(RangeError);
    const saved = { kind: 'saved', nonce: '', pane: 1, note: null } as const;
    expect(() => encodeRecord({ ...saved, partition: 70_000 })).toThrow(RangeError);
  });
});
