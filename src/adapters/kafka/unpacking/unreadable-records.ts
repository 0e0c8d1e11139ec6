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
