import { expect, it } from 'vitest';
import { Decoder } from '../../../../src/events/decode.js';
import { Ingest } from '../../../../src/stream/ingest.js';
import { runAtOnce } from '../../../../src/stream/sliced.js';
import { quickOptions } from '../../../support/log.js';
import { TOPICS } from '../../../support/restarts.js';

it('counts every record that the source refused, and keeps one letter for them', () => {
  const ingest = new Ingest(quickOptions(), new Decoder({ maxFutureMs: 1e15 }), TOPICS);
  const event = Buffer.from('{"id":"a","ts":1,"user":"u","item":"i"}');
  const applied = runAtOnce(
    ingest.apply(
      {
        ...{ role: 'interactions', partition: 0, highWatermark: 602 },
        offsets: Float64Array.of(0, 600, 601),
        values: [event, new Uint8Array(0), Buffer.from('{"id":"b","ts":2,"user":"u","item":"i"}')],
        recordTs: new Float64Array(3),
        refused: new Map([[1, { records: 600, detail: 'it unpacks to too much' }]]),
      },
      () => 0,
    ),
  );
  const counted: Record<string, number> = {};
  applied.outcomes.forEach((outcome, count) => {
    counted[outcome] = count;
  });
  expect(counted).toMatchObject({ accepted: 2, batch_too_large: 600 });
  expect(applied.nextOffset).toBe(602);
  expect(applied.deadLetters).toEqual([
    {
      ...{ reason: 'batch_too_large', detail: 'it unpacks to too much' },
      ...{ topic: TOPICS.interactions, partition: 0, offset: 600, value: new Uint8Array(0) },
    },
  ]);
});
