import type { Admin } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import {
  LONGEST_STRETCH,
  markOf,
  PartAssembly,
  partsOf,
} from '../../../../src/adapters/kafka/parts.js';
import { ensureSumsTopic } from '../../../../src/adapters/kafka/sums-topic.js';

const name = (n: number) => Uint8Array.of(n, 0, 0, 0, 0, 0, 0, 0);

describe('records in parts', () => {
  const first = Uint8Array.of(1, 2, 3, 4, 5);
  const second = Uint8Array.of(6, 7, 8);

  it('are whole again when the last part has come, though others lie between', () => {
    const a = partsOf(name(1), first, 19);
    const b = partsOf(name(2), second, 19);
    expect([a.length, b.length]).toEqual([3, 2]);
    const assembly = new PartAssembly();
    const values = [a[0], b[0], a[1], b[1], a[2]];
    const found = values.map((value, offset) => assembly.take(offset, value));
    expect(found.slice(0, 3)).toEqual([undefined, undefined, undefined]);
    expect(found.slice(3).map((record) => [...record!])).toEqual([[...second], [...first]]);
    expect(assembly.oldest).toBeUndefined();
  });

  it('are passed over where the next part lies too far away', () => {
    const [from, to] = partsOf(name(1), second, 19);
    const assembly = new PartAssembly();
    assembly.take(0, from);
    expect(assembly.oldest).toBe(0);
    expect(assembly.take(LONGEST_STRETCH, to)).toBeUndefined();
    expect(assembly.oldest).toBe(LONGEST_STRETCH);
  });

  it('are told apart by their marks; what is no part is a record by itself', () => {
    const marks = partsOf(name(1), first, 19).map(markOf);
    expect(new Set(marks).size).toBe(3);
    const other = Buffer.from('something else');
    expect(new PartAssembly().take(0, other)).toBe(other);
    expect(markOf(other)).toBe('?14');
  });
});

describe('the topic of sums', () => {
  const admin = (partitions: number, created: unknown[] = []) =>
    ({
      listTopics: async () => (partitions === 0 ? [] : ['rounds']),
      createTopics: async (asked: unknown) => created.push(asked),
      fetchTopicMetadata: async () => ({
        topics: [{ partitions: Array.from({ length: partitions || 1 }, () => ({ leader: 1 })) }],
      }),
    }) as unknown as Admin;

  it('is created with one partition where it is missing', async () => {
    const created: unknown[] = [];
    await ensureSumsTopic(admin(0, created), 'rounds', 60_000);
    expect(created).toMatchObject([{ topics: [{ topic: 'rounds', numPartitions: 1 }] }]);
    await ensureSumsTopic(admin(1, created), 'rounds', 60_000);
    expect(created).toHaveLength(1);
  });

  it('is refused with several partitions', async () => {
    await expect(ensureSumsTopic(admin(3), 'rounds', 60_000)).rejects.toThrow(
      'rounds has 3 partitions, and sums need one order',
    );
  });
});
