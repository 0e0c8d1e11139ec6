import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OwnBroker, startOwnBroker } from '../../deploy/services.mjs';
import { type KafkaHarness, kafkaHarness } from '../contract/kafka-harness.js';
import { RecordingHandlers } from '../contract/recording-handlers.js';
import { loseTail } from '../support/lost-tail.js';

const WAIT = { timeout: 60_000, interval: 20 };
const numbered = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => `${i + from}`);

describe('the reader of a log that loses its end', () => {
  let broker: OwnBroker;
  beforeAll(async () => {
    broker = await startOwnBroker();
  });
  afterAll(() => broker.stop());
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function written(): Promise<KafkaHarness> {
    const harness = await kafkaHarness(broker.brokers, 1);
    cleanups.push(() => harness.close());
    for (const from of [0, 20, 40]) await harness.produce('interactions', 0, numbered(20, from));
    return harness;
  }

  async function read(harness: KafkaHarness, handlers: RecordingHandlers) {
    const source = harness.source();
    cleanups.push(() => source.stop());
    await source.start(handlers);
    return source;
  }

  const loseFrom = (harness: KafkaHarness, offset: number) =>
    loseTail(broker, harness.options.topics.interactions, offset);

  const cut = { kind: 'truncated', expected: 60, found: 40 };

  const after = {
    'is longer than what was read': 50,
    'is as long as before': 20,
    'is shorter than before': 10,
  };

  it.each(Object.entries(after))(
    'reads exactly the new records if a log cut while it was stopped %s',
    async (_, count) => {
      const harness = await written();
      const before = new RecordingHandlers();
      const first = await read(harness, before);
      await vi.waitFor(() => expect(before.count).toBe(60), WAIT);
      await first.stop();
      await loseFrom(harness, 40);
      await harness.produce('interactions', 0, numbered(count, 1000));
      const handlers = new RecordingHandlers(before);
      await read(harness, handlers);
      await vi.waitFor(() => expect(handlers.count).toBeGreaterThanOrEqual(60 + count), WAIT);
      await harness.produce('interactions', 0, ['on']);
      await vi.waitFor(() => expect(handlers.texts('interactions', 0).at(-1)).toBe('on'), WAIT);
      const wanted = [...numbered(60), ...numbered(count, 1000), 'on'];
      expect(handlers.texts('interactions', 0)).toEqual(wanted);
      expect(handlers.changes).toMatchObject([['interactions', 0, cut]]);
      expect(handlers.gaps).toEqual([]);
    },
  );

  it('reads exactly the new records if the log is cut while it runs', async () => {
    const harness = await written();
    const handlers = new RecordingHandlers();
    await read(harness, handlers);
    await vi.waitFor(() => expect(handlers.count).toBe(60), WAIT);
    await loseFrom(harness, 40);
    await harness.produce('interactions', 0, numbered(10, 1000));
    await vi.waitFor(() => expect(handlers.count).toBeGreaterThanOrEqual(70), WAIT);
    await harness.produce('interactions', 0, numbered(30, 2000));
    await vi.waitFor(() => expect(handlers.count).toBeGreaterThanOrEqual(100), WAIT);
    const wanted = [...numbered(60), ...numbered(10, 1000), ...numbered(30, 2000)];
    expect(handlers.texts('interactions', 0)).toEqual(wanted);
    expect(handlers.changes).toMatchObject([['interactions', 0, cut]]);
    expect(handlers.failures).toEqual([]);
  });
});
