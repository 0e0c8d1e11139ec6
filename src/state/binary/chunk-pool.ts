/** A multiple of what the checksum takes at a time. */
export const CHUNK_BYTES = 1 << 20;

/**
 * Chunks of memory that are written again and again. Tens of fresh mebibytes for each checkpoint
 * would make the garbage collector stop the thread for longer than the writing does.
 */
export class ChunkPool {
  readonly #free: Uint8Array[] = [];

  take(): Uint8Array {
    return this.#free.pop() ?? new Uint8Array(CHUNK_BYTES);
  }

  /** Only whole chunks come back; nobody may look at them any more. */
  giveBack(chunks: readonly Uint8Array[]): void {
    for (const chunk of chunks) {
      if (chunk.length === CHUNK_BYTES) this.#free.push(chunk);
    }
  }
}
