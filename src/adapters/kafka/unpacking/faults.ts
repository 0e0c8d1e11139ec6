import { UnreadableRecords } from './unreadable-records.js';

/** As Node's own decompression says it: more would come out than was asked for. */
export function tooLarge(): Error {
  return Object.assign(new RangeError('more is packed than may be unpacked'), {
    code: 'ERR_BUFFER_TOO_LARGE',
  });
}

/** Packed bytes that no writer of this codec writes. */
export function damaged(codec: string, what: string): UnreadableRecords {
  return new UnreadableRecords(`Kafka records compressed with ${codec} are damaged: ${what}`);
}
