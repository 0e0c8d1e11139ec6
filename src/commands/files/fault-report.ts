import { UnskewError } from '../../errors.js';
import { FAULT_REASONS } from '../../events/fault.js';
import type { CommandIo } from '../cli/io.js';

/** Number of invalid events that are printed one by one. */
export const FAULTS_TOLD = 5;

/** Prints the first invalid events of files, and stops reading when there are too many. */
export class FaultReport {
  #faults = 0;
  #first: string | undefined;

  constructor(
    private readonly maxFaults: number,
    private readonly io: Pick<CommandIo, 'stderr'>,
  ) {}

  /** First invalid event of the current files as text: place, reason and detail. */
  get first(): string | undefined {
    return this.#first;
  }

  /** Begin with other files. From now on, `first` is the first invalid event of these files. */
  begin(): void {
    this.#first = undefined;
  }

  /** Count and report an invalid event. @throws UnskewError FAULTS above `maxFaults` */
  add(code: number, place: string, detail: string): void {
    this.#faults++;
    const line = `${place}: ${FAULT_REASONS[code]}: ${detail}`;
    this.#first ??= line;
    if (this.#faults <= FAULTS_TOLD) {
      this.io.stderr(`${line}\n`);
    }
    if (this.#faults > this.maxFaults) {
      throw new UnskewError(
        'FAULTS',
        `more than ${this.maxFaults} invalid events (--max-faults); the last one is ${place}: ${detail}`,
      );
    }
  }
}
