import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryBroker, partitionOfKey } from '../../../../src/adapters/memory/broker.js';
import { PartitionLog } from '../../../../src/adapters/memory/partition-log.js';

describe('the log of a partition', () => {
  it('keeps the newest records, under the offsets they were written at', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 200 }), (limit, n) => {
        const log = new PartitionLog(limit);
        for (let i = 0; i < n; i++) log.append(Uint8Array.of(i), i * 10);
        expect(log.high).toBe(n);
        expect(log.low).toBe(Math.max(0, n - limit));
        const { values, recordTs } = log.read(log.low, n);
        const kept = Array.from({ length: n - log.low }, (_, i) => log.low + i);
        expect(values.map((value) => value?.[0])).toEqual(kept);
        expect([...recordTs]).toEqual(kept.map((i) => i * 10));
      }),
    );
  });

  it('reads no more than it is asked for', () => {
    const log = new PartitionLog(100);
    for (let i = 0; i < 10; i++) log.append(Uint8Array.of(i), 0);
    expect(log.read(4, 3).values.map((value) => value?.[0])).toEqual([4, 5, 6]);
  });
});

describe('the partition of a key', () => {
  it('is the same for text and for its UTF-8 bytes, and within the count', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 50 }), (key, count) => {
        const partition = partitionOfKey(key, count);
        expect(partition).toBe(partitionOfKey(Buffer.from(key), count));
        expect(partition).toBeGreaterThanOrEqual(0);
        expect(partition).toBeLessThan(count);
      }),
    );
  });

  it('is the 32-bit FNV-1a of its published test vectors', () => {
    expect(partitionOfKey('', 2 ** 32)).toBe(0x811c9dc5);
    expect(partitionOfKey('a', 2 ** 32)).toBe(0xe40c292c);
    expect(partitionOfKey('foobar', 2 ** 32)).toBe(0xbf9cf968);
  });
});

describe('the memory broker', () => {
  it('keeps records of a key together and honours a given partition', async () => {
    const broker = new MemoryBroker({ now: () => 7 });
    broker.createTopic('t', 8);
    const keyed = Array.from({ length: 40 }, (_, i) => ({ key: `k${i % 4}`, value: `${i}` }));
    await broker.producer().send('t', [...keyed, { key: 'k0', value: 'x', partition: 5 }]);
    const sizes = broker.logs('t').map((log) => log.high);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(41);
    for (const key of ['k0', 'k1', 'k2', 'k3']) {
      expect(sizes[partitionOfKey(key, 8)]).toBeGreaterThanOrEqual(10);
    }
    const forced = broker.logs('t')[5]?.read(0, 100);
    expect(forced?.values.map((value) => `${Buffer.from(value as Uint8Array)}`)).toContain('x');
    expect(forced?.recordTs[0]).toBe(7);
  });

  it('rejects unknown topics and partitions, and a topic that already exists', async () => {
    const broker = new MemoryBroker();
    broker.createTopic('t', 1);
    const record = { key: null, value: 'x' };
    await expect(broker.producer().send('u', [record])).rejects.toThrow(/no topic "u"/);
    await expect(broker.producer().send('t', [{ ...record, partition: 1 }])).rejects.toThrow(
      /no partition 1/,
    );
    expect(() => broker.createTopic('t', 1)).toThrow(/exists already/);
  });
});
