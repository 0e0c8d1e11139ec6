import { addressOf } from './address-of.js';

/** The URL of the Redis that all tests share. Importing this starts it. */
export const redisUrl = await addressOf('redis');
