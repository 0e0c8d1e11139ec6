import { expect, it } from 'vitest';
import { createMissing } from '../../../../src/adapters/kafka/kafka-shuffle.js';

const WANTED = ['in.exposures', 'in.interactions', 'letters'];

/** A cluster that has one of the topics, and fails as given when others are created. */
function cluster(failures: readonly { readonly type: string; readonly message: string }[]) {
  const asked: string[] = [];
  const admin = {
    listTopics: async () => ['in.exposures'],
    createTopics: async ({ topics }: { topics: { topic: string }[] }) => {
      asked.push(...topics.map(({ topic }) => topic));
      if (failures.length === 0) return true;
      const errors = failures.map((failure) => Object.assign(new Error(failure.message), failure));
      throw Object.assign(new Error('Topic errors'), { errors });
    },
    fetchTopicMetadata: async ({ topics = [] }: { topics?: string[] } = {}) => ({
      topics: topics.map((name) => ({ name, partitions: [{ leader: 1 }] })),
    }),
  };
  return { asked, admin: admin as unknown as Parameters<typeof createMissing>[0] };
}

const denied = { type: 'TOPIC_AUTHORIZATION_FAILED', message: 'Not authorized to access topics' };

it('creates the missing internal topics, including the dead letters', async () => {
  const { asked, admin } = cluster([]);
  await createMissing(admin, WANTED, 4);
  expect(asked).toEqual(['in.interactions', 'letters']);
});

it('fails with the names of the topics and the missing right', async () => {
  const exists = { type: 'TOPIC_ALREADY_EXISTS', message: 'Topic with this name already exists' };
  await expect(createMissing(cluster([exists, denied]).admin, WANTED, 4)).rejects.toMatchObject({
    code: 'BROKER',
    message:
      'cannot create the Kafka topics in.interactions, letters: the permission CREATE on the cluster or on these topics is missing; grant it, or create them first',
  });
  const replicas = { type: 'INVALID_REPLICATION_FACTOR', message: 'Replication-factor is invalid' };
  await expect(createMissing(cluster([replicas]).admin, WANTED, 4)).rejects.toThrow(
    /^cannot create the Kafka topics in.interactions, letters: Replication-factor is invalid$/,
  );
});

it('succeeds if another process has created the topics meanwhile', async () => {
  const exists = { type: 'TOPIC_ALREADY_EXISTS', message: 'Topic with this name already exists' };
  await createMissing(cluster([exists]).admin, WANTED, 4);
});
