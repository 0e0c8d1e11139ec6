import type { Consumer } from 'kafkajs';

/** The client waits for an answer that does not come, and does not give up by itself. */
export class StuckClient extends Error {}

export interface StuckWatchOptions {
  /** How long a fetch may stay without an answer, ms. */
  readonly stuckAfterMs: number;
  /** Whether there is anything to be fetched, and nobody is busy with what was. */
  readonly isDue: () => boolean;
  readonly onStuck: (error: StuckClient) => void;
}

/** Notices a client that fetches no more: the brokers are well, it is a member, and nothing comes. */
export class StuckWatch {
  readonly #timer: NodeJS.Timeout;
  /** Whether any fetch was answered at all. */
  hasAnswer = false;
  #since = performance.now();

  constructor(consumer: Consumer, { stuckAfterMs, isDue, onStuck }: StuckWatchOptions) {
    consumer.on(consumer.events.REQUEST, ({ payload }) => {
      if (payload.apiName !== 'Fetch') return;
      this.hasAnswer = true;
      this.#since = performance.now();
    });
    this.#timer = setInterval(() => {
      if (!isDue()) this.#since = performance.now();
      const waitedMs = performance.now() - this.#since;
      if (waitedMs < stuckAfterMs) return;
      this.stop();
      const seconds = Math.round(waitedMs / 1000);
      onStuck(new StuckClient(`no fetch was answered for ${seconds} s`));
    }, stuckAfterMs / 10);
    // It does not keep the process.
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
