import { Worker } from 'node:worker_threads';

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** Worker thread that answers questions one at a time, in the order in which they arrive. */
export class AskedThread<Question, Answer> {
  readonly #worker: Worker;
  readonly #waiting: Waiting<Answer>[] = [];
  #failure: Error | undefined;

  /**
   * @param script script of the thread, which posts one answer per message. @param workerData data
   * that the thread gets at its start. The caller closes the thread.
   */
  constructor(script: URL, workerData?: unknown) {
    this.#worker = new Worker(script, { workerData });
    this.#worker.on('message', (answer: Answer) => this.#waiting.shift()?.resolve(answer));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', (code) => {
      this.#fail(new Error(`a thread ended with ${code}: ${script.pathname}`));
    });
  }

  /**
   * Ask the thread a question. Transferred arrays are moved, not copied: the caller can no longer
   * use them.
   *
   * @param handedOver parts of the question to transfer. @throws Error when the thread has failed.
   */
  ask(question: Question, handedOver?: unknown): Promise<Answer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(question, buffersOf(handedOver));
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) {
      reject(this.#failure);
    }
  }
}

/**
 * Collect the buffers of all arrays in a value, each once, to be transferred to a thread. Shared
 * memory is not transferable. Empty arrays are skipped, because they may be constants that are
 * needed again.
 */
export function buffersOf(value: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  collect(value, found);
  return [...found];
}

function collect(value: unknown, found: Set<ArrayBuffer>): void {
  if (ArrayBuffer.isView(value)) {
    const { buffer } = value;
    if (buffer instanceof ArrayBuffer && buffer.byteLength > 0) {
      found.add(buffer);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) {
      collect(part, found);
    }
  }
}
