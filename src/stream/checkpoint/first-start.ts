import { firstValueFrom, fromEvent } from 'rxjs';
import { UnskewError } from '../../errors.js';

/** Why nothing is kept of a partition; with an error if that cannot be known. */
export interface WhyNothing {
  readonly outcome: 'first' | 'absent';
  readonly error?: Error;
}

/** Partitions that something was ever committed of, as is done with each checkpoint. */
export type ToldOf = () => Promise<readonly number[]>;

const NO_MEMORY = new UnskewError('STATE', 'the log does not remember what was kept of it');

/**
 * Tells a partition of which nothing was ever kept from one whose state is gone. The store cannot
 * say so itself once it has lost what it held; every checkpoint was committed to the log.
 */
export class FirstStart {
  readonly #toldOf: ToldOf | undefined;
  /** One question serves all partitions of an assignment. */
  #answer: Promise<readonly number[]> | undefined;

  /** @param toldOf undefined: the log remembers nothing, and what is not there counts as gone */
  constructor(toldOf: ToldOf | undefined) {
    this.#toldOf = toldOf;
  }

  /** Another assignment: what was learned until now is asked for again. */
  begin(): void {
    this.#answer = undefined;
  }

  /** Undefined where the assignment is outdated before there is an answer. */
  async why(partition: number, outdated: AbortSignal): Promise<WhyNothing | undefined> {
    if (this.#toldOf === undefined) return { outcome: 'absent', error: NO_MEMORY };
    if (outdated.aborted) return undefined;
    this.#answer ??= this.#toldOf();
    try {
      const given = firstValueFrom(fromEvent(outdated, 'abort')).then(() => undefined);
      const told = await Promise.race([this.#answer, given]);
      return told && { outcome: told.includes(partition) ? 'absent' : 'first' };
    } catch (error) {
      if (!(error instanceof UnskewError)) throw error;
      return { outcome: 'absent', error };
    }
  }
}
