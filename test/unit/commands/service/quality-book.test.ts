import { expect, it } from 'vitest';
import { QualityBook } from '../../../../src/commands/service/quality-book.js';
import { FAULT_REASONS } from '../../../../src/events/fault.js';
import { Outcomes } from '../../../../src/stream/outcomes.js';
import type { AppliedBatch } from '../../../../src/stream/read/ingest.js';
import { LogContact } from '../../../../src/stream/read/log-contact.js';

function batch(partition: number, change: (outcomes: Outcomes) => void, rest: object = {}) {
  const outcomes = new Outcomes();
  change(outcomes);
  return {
    role: 'interactions',
    partition,
    outcomes,
    deadLetters: [],
    replayed: 0,
    nextOffset: 90,
    highWatermark: 100,
    newestTs: 5000,
    ...rest,
  } as AppliedBatch;
}

it('the quality book sums outcomes of events, and reports watermarks and lags', () => {
  const contact = new LogContact(
    () => 0,
    () => 0,
  );
  contact.state('connected');
  contact.records('interactions', 0, 0);
  contact.records('interactions', 1, 5);
  const book = new QualityBook({ exposures: 'e', interactions: 'i' }, contact);
  const first = batch(1, (own) => {
    Object.assign(own, { accepted: 10, late: 2, duplicate: 1, ignored: 4, overItemLimit: 6 });
    own.faults[2] = 3;
  });
  book.add(first);
  book.add(batch(1, (own) => void own.faults.fill(1, 2, 3), { newestTs: 6000 }));
  book.add(batch(0, () => {}, { newestTs: -Infinity }));
  const { ready, topics } = book.report([{ name: 'broker', ok: false }]);
  expect(ready).toBe(false);
  expect(topics[1]).toEqual({
    topic: 'i',
    accepted: 10,
    late: 2,
    duplicate: 1,
    ignored: 4,
    lag: 5,
    overItemLimit: 6,
    faults: { [FAULT_REASONS[2]]: 4 },
    partitions: [
      { partition: 0, watermark: null, lag: 0, transactionSince: null },
      { partition: 1, watermark: 6000, lag: 5, transactionSince: null },
    ],
  });
  contact.state('disconnected');
  expect(book.report([]).topics[1]).toMatchObject({ lag: null, partitions: [{ lag: null }, {}] });
  contact.state('connected');
  book.keep([0]);
  expect(book.report([]).topics[1]).toMatchObject({ lag: 0, accepted: 10 });
  expect(book.report([]).topics[1].partitions).toHaveLength(1);
});
