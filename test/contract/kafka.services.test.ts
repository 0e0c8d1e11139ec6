import { kafkaBrokers } from '../support/shared/kafka.js';
import { kafkaHarness } from './kafka-harness.js';
import { logSourceContract } from './log-source.js';

logSourceContract('Kafka', (partitions) => kafkaHarness(kafkaBrokers, partitions));
