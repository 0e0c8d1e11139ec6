import type { Admin } from 'kafkajs';
import { UnskewError } from '../../../errors.js';

/** How long the leaders of new topics may take, and between two looks, ms. */
const LEADERS_MS = 15_000;
const PAUSE_MS = 200;

/** Creates those of the topics that do not exist, and waits for their leaders. */
export async function createMissing(
  admin: Admin,
  topics: readonly string[],
  partitions: number,
): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = topics.filter((topic) => !existing.has(topic));
  if (missing.length === 0) return;
  await admin.createTopics({
    topics: missing.map((topic) => ({ topic, numPartitions: partitions })),
    waitForLeaders: false,
  });
  const end = Date.now() + LEADERS_MS;
  for (;;) {
    const counts = await partitionCounts(admin, missing).catch(() => undefined);
    if (counts !== undefined) return;
    if (Date.now() > end) throw new UnskewError('BROKER', `no leader of ${missing.join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** How many partitions each topic has. */
export async function partitionCounts(
  admin: Admin,
  topics: readonly string[],
): Promise<Record<string, number>> {
  const { topics: found } = await admin.fetchTopicMetadata({ topics: [...topics] });
  const counts: Record<string, number> = {};
  for (const { name, partitions } of found) {
    if (partitions.some(({ leader }) => leader < 0)) {
      throw new UnskewError('BROKER', `${name} has a partition without a leader`);
    }
    counts[name] = partitions.length;
  }
  const missing = topics.find((topic) => counts[topic] === undefined);
  if (missing !== undefined) {
    throw new UnskewError('BROKER', `Kafka has no topic "${missing}": create it first`);
  }
  return counts;
}
