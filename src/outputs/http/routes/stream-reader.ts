import type { ServerResponse } from 'node:http';
import type { StreamQuery } from '../schema/query.js';

/** A reader that has left this many bytes when more come is cut off; it comes back for the newest tick. */
export const MAX_PENDING_BYTES = 256 * 1024;
/** So is one that was behind by more than this at that many signs of life in a row. */
const BLOCKED_BYTES = 16 * 1024;
const MAX_BLOCKED_BEATS = 3;
/** A comment, which says that the stream lives. */
export const BEAT = Buffer.from(': still here\n\n');

/** A reader of the stream, with what it has not taken yet. */
export class StreamReader {
  readonly query: StreamQuery;
  /** Whom it is counted with. */
  readonly client: string;
  readonly #response: ServerResponse;
  #blockedBeats = 0;
  /** The newest state, while what was sent before is not taken. */
  #state: Buffer | undefined;

  constructor(response: ServerResponse, query: StreamQuery, client: string) {
    this.#response = response;
    this.query = query;
    this.client = client;
  }

  send(bytes: Buffer | string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    if (this.#response.writableLength > MAX_PENDING_BYTES) this.#response.destroy();
    else this.#response.write(bytes);
  }

  /** Of states only the newest counts: it waits behind a large tick, and cuts nobody off. */
  sendState(bytes: Buffer): void {
    if (!this.#response.writableNeedDrain) {
      this.send(bytes);
      return;
    }
    const isWaiting = this.#state !== undefined;
    this.#state = bytes;
    if (isWaiting) return;
    this.#response.once('drain', () => {
      const newest = this.#state!;
      this.#state = undefined;
      this.send(newest);
    });
  }

  beat(): void {
    // `writableNeedDrain` would go by a mark that Node 22 raised to four times what it was.
    const isBlocked = this.#response.writableLength > BLOCKED_BYTES;
    this.#blockedBeats = isBlocked ? this.#blockedBeats + 1 : 0;
    if (this.#blockedBeats >= MAX_BLOCKED_BEATS) this.#response.destroy();
    else this.send(BEAT);
  }

  end(): void {
    this.#response.end();
  }
}
