import type { KafkaMessage } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { toRecordBatch } from '../../../../src/adapters/kafka/partition-reader.js';

function message(offset: number, value: string | null = `v${offset}`): KafkaMessage {
  const text = { offset: `${offset}`, timestamp: `${1_700_000_000_000 + offset}` };
  const body = value === null ? null : Buffer.from(value);
  return { ...text, key: null, value: body, attributes: 0, headers: {} };
}

describe("a batch made of the client's messages", () => {
  it('skips records below the wanted offset', () => {
    const messages = [3, 4, 5, 6].map((offset) => message(offset));
    const batch = toRecordBatch('interactions', 2, messages, 5, 9);
    expect(batch).toMatchObject({ role: 'interactions', partition: 2, highWatermark: 9 });
    expect([...(batch?.offsets ?? [])]).toEqual([5, 6]);
    expect(batch?.values.map((value) => `${value}`)).toEqual(['v5', 'v6']);
    expect([...(batch?.recordTs ?? [])]).toEqual([1_700_000_000_005, 1_700_000_000_006]);
  });

  it('is undefined if all records are below the wanted offset', () => {
    expect(toRecordBatch('exposures', 0, [message(1), message(2)], 3, 3)).toBeUndefined();
    expect(toRecordBatch('exposures', 0, [], 0, 0)).toBeUndefined();
  });

  it('keeps offsets that jump, as in a compacted log', () => {
    const batch = toRecordBatch(
      'exposures',
      0,
      [1, 5, 6, 90].map((o) => message(o)),
      0,
      91,
    );
    expect([...(batch?.offsets ?? [])]).toEqual([1, 5, 6, 90]);
  });

  it("hands over the client's own bytes, and null for a tombstone", () => {
    const messages = [message(0), message(1, null), message(2, '')];
    const batch = toRecordBatch('exposures', 0, messages, 0, 3);
    expect(batch?.values[0]).toBe(messages[0]?.value);
    expect(batch?.values[1]).toBeNull();
    expect(batch?.values[2]).toHaveLength(0);
  });
});
