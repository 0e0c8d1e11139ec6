import { setTimeout as sleep } from 'node:timers/promises';
import type { Pipeline } from '../../stream/pipeline.js';
import type { Logger } from '../cli/io.js';

/** How long the pipeline may take to end in all; what orchestrators grant is mostly 30 s. */
const STOP_MS = 20_000;

type Ending = () => Promise<void>;

/** How the parts of a service end: each whatever becomes of those before it, so that none keeps the process. */
export class Endings {
  readonly #log: Logger;
  readonly #first: readonly Ending[];
  readonly #opened: Ending[] = [];

  /** @param first what ends before all that is opened later */
  constructor(log: Logger, first: readonly Ending[]) {
    this.#log = log;
    this.#first = first;
  }

  /** Notes how something ends that is open from now on; the newest ends first. */
  opened(ending: Ending): void {
    this.#opened.unshift(ending);
  }

  async run(): Promise<void> {
    for (const ending of [...this.#first, ...this.#opened]) {
      await ending().catch((error: unknown) =>
        this.#log.error({ err: error }, 'could not end cleanly'),
      );
    }
  }
}

/** Ends after the batch and the pane under way, but does not wait for ever for the broker. */
export async function stopInTime(pipeline: Pipeline, log: Logger): Promise<void> {
  const inTime = new AbortController();
  const late = sleep(STOP_MS, 'late' as const, { signal: inTime.signal }).catch(() => undefined);
  try {
    const how = await Promise.race([pipeline.stop(), late]);
    if (how === 'late') log.warn('the broker does not let go; ending without it');
  } finally {
    inTime.abort();
  }
}
