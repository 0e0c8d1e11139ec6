import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { TopicDeadLetters } from '../../src/adapters/kafka/dead-letters.js';
import { KafkaWriter } from '../../src/adapters/kafka/writer.js';
import { Patience } from '../../src/stream/patience.js';
import type { DeadLetter } from '../../src/stream/ports.js';
import { kafkaBrokers } from '../support/shared/kafka.js';
import { createTopics } from '../support/topics.js';
import { type DeadLetterHarness, deadLetterSinkContract } from './dead-letter-sink.js';

async function topicHarness(): Promise<DeadLetterHarness> {
  const brokers = kafkaBrokers.split(',');
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const topic = `${randomUUID()}.dead-letter`;
  const admin = kafka.admin();
  await admin.connect();
  await createTopics(admin, [{ topic, numPartitions: 1 }]);
  const writer = new KafkaWriter({ brokers, clientId: 'test' }, new Patience());
  const sink = new TopicDeadLetters(writer, topic);
  return {
    sink,
    kept: async () => {
      const [end] = await admin.fetchTopicOffsets(topic);
      return readAll(kafka, topic, Number(end?.high));
    },
    close: async () => {
      await sink.close();
      await admin.deleteTopics({ topics: [topic] });
      await admin.disconnect();
    },
  };
}

async function readAll(kafka: Kafka, topic: string, count: number): Promise<DeadLetter[]> {
  const consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 100 });
  const letters: DeadLetter[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise<void>((resolve) => {
    void consumer.run({
      eachMessage: async ({ message }) => {
        const header = (name: string): string => `${message.headers?.[name]}`;
        letters.push({
          reason: header('reason'),
          detail: header('detail'),
          topic: header('topic'),
          partition: Number(header('partition')),
          offset: Number(header('offset')),
          value: Uint8Array.from(message.value as Buffer),
        });
        if (letters.length === count) resolve();
      },
    });
  });
  await consumer.disconnect();
  return letters;
}

deadLetterSinkContract('a Kafka topic', topicHarness);
