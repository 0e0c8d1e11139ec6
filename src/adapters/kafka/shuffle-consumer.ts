import type { Consumer, Kafka } from 'kafkajs';

export interface ShuffleConsumerOptions {
  readonly sessionTimeoutMs: number;
  readonly maxBytesPerPartition: number;
}

/** Create a consumer for records that are copied to other topics; offsets are committed by hand. */
export function shuffleConsumer(
  kafka: Kafka,
  groupId: string,
  { sessionTimeoutMs, maxBytesPerPartition }: ShuffleConsumerOptions,
): Consumer {
  return kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: Math.min(3000, Math.floor(sessionTimeoutMs / 3)),
    maxBytesPerPartition,
    maxWaitTimeInMs: 250,
    metadataMaxAge: 30_000,
    // Any failure of a batch may be temporary; the batch is read again.
    retry: {
      retries: 3,
      initialRetryTime: 200,
      restartOnFailure: async () => true,
    },
  });
}

const BEAT_MS = 1000;

/**
 * Send heartbeats during long work, such as waiting for a broker.
 *
 * @returns false if the work was abandoned because the process stops
 */
export async function whileBeating(
  heartbeat: () => Promise<void>,
  work: Promise<unknown>,
  signal: AbortSignal,
): Promise<boolean> {
  // If the group has continued without this member, the commit of offsets fails later.
  const beating = setInterval(() => void heartbeat().catch(() => {}), BEAT_MS);
  try {
    await work;
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  } finally {
    clearInterval(beating);
  }
}

/** Committed offsets of partitions, with their metadata. */
export async function committedOf(
  admin: ReturnType<Kafka['admin']>,
  groupId: string,
  topic: string,
): Promise<
  ReadonlyMap<
    number,
    {
      readonly offset: number;
      readonly metadata: string;
    }
  >
> {
  const found = await admin.fetchOffsets({
    groupId,
    topics: [topic],
  });
  return new Map(
    found.flatMap(({ partitions }) =>
      partitions.map(({ partition, offset, metadata }) => [
        partition,
        {
          offset: Number(offset),
          metadata: metadata ?? '',
        },
      ]),
    ),
  );
}
