import Cluster from 'kafkajs/src/cluster/index.js';
import socketFactory from 'kafkajs/src/network/socketFactory.js';
import { type KafkaConnectionOptions, kafkaClient, securityOf } from './options.js';

/** Isolation levels of the Kafka protocol: with and without the records of open transactions. */
export const READ_UNCOMMITTED = 0;
export const READ_COMMITTED = 1;

const METADATA_MAX_AGE_MS = 300_000;

/** Create the client's internal cluster, for requests that its public API lacks. */
export function rawCluster(options: KafkaConnectionOptions, isolationLevel: number): Cluster {
  const { brokers, clientId } = options;
  return new Cluster({
    brokers: [...brokers],
    clientId,
    connectionTimeout: 3000,
    requestTimeout: 30_000,
    ...securityOf(options),
    socketFactory: socketFactory(),
    logger: kafkaClient(options).logger(),
    retry: {
      initialRetryTime: 100,
      maxRetryTime: 1000,
      retries: 2,
    },
    enforceRequestTimeout: true,
    metadataMaxAge: METADATA_MAX_AGE_MS,
    allowAutoTopicCreation: false,
    maxInFlightRequests: null,
    isolationLevel,
  });
}
