import { addressOf } from './address-of.js';

/** The Kafka brokers that all tests share, `host:port`, comma-separated. Importing this starts them. */
export const kafkaBrokers = await addressOf('kafka');
