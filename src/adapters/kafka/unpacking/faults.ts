import { UnskewError } from '../../../errors.js';

/** Thrown for records that this process can never read. */
export class UnreadableRecords extends UnskewError {
  /** Error code for the client: retrying does not help. */
  readonly retriable = false;

  // Without a cause, since the client would throw the innermost cause instead of this error.
  constructor(message: string) {
    super('BROKER', message);
    this.name = 'UnreadableRecords';
  }
}

/** Build the same error that Node's decompression throws if the output exceeds the limit. */
export function tooLarge(): Error {
  return Object.assign(new RangeError('the data decompress to more than kafka.maxUnpacked'), {
    code: 'ERR_BUFFER_TOO_LARGE',
  });
}

/** Build the error for compressed bytes that are not valid for their codec. */
export function damaged(codec: string, what: string): UnreadableRecords {
  return new UnreadableRecords(`Kafka records compressed with ${codec} are damaged: ${what}`);
}
