import { inject } from 'vitest';
import { kafkaHarness } from './kafka-harness.js';
import { logSourceContract } from './log-source.js';

logSourceContract('Kafka', (partitions) => kafkaHarness(inject('kafkaBrokers'), partitions));
