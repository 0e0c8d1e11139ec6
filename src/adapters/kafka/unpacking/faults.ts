import { UnskewError } from '../../../errors.js';

/** The log holds what this process cannot read, however often it tries. */
export class UnreadableRecords extends UnskewError {
  /** Read by the client: trying again does not help. */
  readonly retriable = false;

  // No cause: the client passes on an error's innermost cause in place of the error.
  constructor(message: string) {
    super('BROKER', message);
    this.name = 'UnreadableRecords';
  }
}

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
