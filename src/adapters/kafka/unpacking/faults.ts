import { UnskewError } from '../../../errors.js';

/** Thrown for records that this process can never read. */
export class UnreadableRecords extends UnskewError {
  /** Error code for the client: retrying does not help. */
  readonly retriable = false;

  // No cause: the client passes on an error's innermost cause in place of the error.
  constructor(message: string) {
    super('BROKER', message);
    this.name = 'UnreadableRecords';
  }
}

/** The error that Node's own decompression throws for output above the limit. */
export function tooLarge(): Error {
  return Object.assign(new RangeError('more is packed than may be unpacked'), {
    code: 'ERR_BUFFER_TOO_LARGE',
  });
}

/** The error for bytes that are not valid for this codec. */
export function damaged(codec: string, what: string): UnreadableRecords {
  return new UnreadableRecords(`Kafka records compressed with ${codec} are damaged: ${what}`);
}
