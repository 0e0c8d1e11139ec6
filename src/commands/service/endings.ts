import { setTimeout as sleep } from 'node:timers/promises';
import { UnskewError } from '../../errors.js';
import type { Logger } from '../cli/io.js';

/**
 * Fraction of the stop timeout that the stream may use, so that time remains for the other parts.
 */
const STREAM_SHARE = 0.7;

/** A part of a service that can be stopped. */
export interface Ending {
  /** Name of the part in the error about parts that did not stop in time. */
  readonly name: string;
  end(): Promise<void>;
  /** Describe what is lost if the part does not stop in time; undefined if nothing is. */
  lost?(): string | undefined;
}

/**
 * Stops the parts of a service: first the stream, then all others in parallel, within one deadline.
 * A part that fails does not keep the others from stopping.
 */
export class Endings {
  readonly #others: Ending[] = [];

  /**
   * @param stream part that is stopped first, because the other parts may still have to write what
   * the stream produced
   */
  constructor(
    private readonly log: Logger,
    private readonly timeoutMs: number,
    private readonly stream: Ending,
  ) {}

  /** Register a part that has been opened, so that `run` stops it. */
  opened(ending: Ending): void {
    this.#others.push(ending);
  }

  /**
   * Stop all parts. @returns error that lists the parts that did not stop in time; undefined
   * without any
   */
  async run(): Promise<UnskewError | undefined> {
    const deadline = performance.now() + this.timeoutMs;
    const overdue = [
      await this.#endWithin(this.stream, this.timeoutMs * STREAM_SHARE),
      ...(await Promise.all(
        this.#others.map((other) => this.#endWithin(other, deadline - performance.now())),
      )),
    ].filter((told) => told !== undefined);
    if (overdue.length === 0) return undefined;
    const seconds = this.timeoutMs / 1000;
    const why = `these parts were still running after stopTimeout (${seconds} s)`;
    return new UnskewError('INTERRUPTED', `forced to stop: ${why}: ${overdue.join(', ')}`);
  }

  /** Stop a part. @returns its name if it did not end in time */
  async #endWithin({ name, end, lost }: Ending, ms: number): Promise<string | undefined> {
    const inTime = new AbortController();
    const late = sleep(Math.max(0, ms), true, { signal: inTime.signal }).catch(() => false);
    const ended = end()
      .catch((error: unknown) =>
        this.log.error(
          {
            err: error,
            part: name,
          },
          'a part of the service failed while it stopped',
        ),
      )
      .then(() => false);
    const isLate = await Promise.race([ended, late]);
    inTime.abort();
    if (!isLate) return undefined;
    const loss = lost?.();
    return loss === undefined ? name : `${name} (${loss})`;
  }
}
