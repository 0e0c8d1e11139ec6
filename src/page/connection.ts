import type { LiveState } from '../outputs/http/schema/live-state.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { ask, TokenNeeded } from './api.js';
import { EventParser } from './event-stream.js';

/**
 * Time without any message after which the connection counts as lost, ms. The service sends one at
 * least every 15 s.
 */
const SILENCE_MS = 40_000;
const RETRY_MS = [500, 1000, 2000, 5000];

export interface ConnectionHandlers {
  opened(): void;
  tick(tick: LiveTick): void;
  state(state: LiveState): void;
  /** Called when the connection is lost; it will be opened again. */
  lost(reason: string): void;
  tokenNeeded(wasGiven: boolean): void;
}

/**
 * Reads ticks and states from the event stream of the service. It reconnects when the connection is
 * lost.
 */
export class Connection {
  readonly #handlers: ConnectionHandlers;
  #current: AbortController | undefined;
  #failures = 0;

  constructor(handlers: ConnectionHandlers) {
    this.#handlers = handlers;
  }

  /** Connect with a query, and close the connection with the previous one. */
  open(query: string): void {
    this.#current?.abort();
    const controller = new AbortController();
    this.#current = controller;
    void this.#run(query, controller.signal);
  }

  async #run(query: string, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      try {
        await this.#read(query, stopped);
        if (!stopped.aborted) {
          this.#handlers.lost('The service ended the stream');
        }
      } catch (error) {
        if (stopped.aborted) return;
        if (error instanceof TokenNeeded) {
          this.#handlers.tokenNeeded(error.wasGiven);
          return;
        }
        this.#handlers.lost(reasonOf(error));
      }
      const wait = RETRY_MS[Math.min(this.#failures++, RETRY_MS.length - 1)];
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  async #read(query: string, stopped: AbortSignal): Promise<void> {
    const silence = new AbortController();
    const signal = AbortSignal.any([stopped, silence.signal]);
    let timer = setTimeout(() => silence.abort(), SILENCE_MS);
    try {
      const response = await ask(`/api/v1/stream?${query}`, signal);
      this.#failures = 0;
      this.#handlers.opened();
      const parser = new EventParser();
      const decoder = new TextDecoder();
      const reader = response.body!.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_MS);
        for (const { event, data } of parser.push(decoder.decode(value, { stream: true }))) {
          if (stopped.aborted) return;
          if (event === 'tick') {
            this.#handlers.tick(JSON.parse(data) as LiveTick);
          }
          if (event === 'state') {
            this.#handlers.state(JSON.parse(data) as LiveState);
          }
        }
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

function reasonOf(error: unknown): string {
  const { name, message } = error as Error;
  if (name === 'AbortError') return 'The service does not answer';
  return error instanceof TypeError ? 'Cannot reach the service' : `Cannot continue: ${message}`;
}
