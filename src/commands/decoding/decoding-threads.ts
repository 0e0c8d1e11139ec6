import { Worker } from 'node:worker_threads';
import type { LineBlock } from '../../adapters/files/line-blocks.js';
import { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import type { BlockDecoderOptions, DecodedBlock } from './block-decoder.js';

/** Decodes blocks; each lane remembers ids by itself and answers in the order it was asked. */
export interface Decoding {
  readonly lanes: number;
  decode(lane: number, block: LineBlock): Promise<DecodedBlock>;
  close(): Promise<void>;
}

/** Starts threads that decode, a lane each. To be closed by whoever starts them. */
export function decodingThreads(threads: number, options: BlockDecoderOptions): Decoding {
  const lanes = Array.from({ length: threads }, () => new DecodingThread(options));
  return {
    lanes: threads,
    decode: (lane, block) => lanes[lane].decode(block),
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

interface Waiting {
  readonly resolve: (decoded: DecodedBlock) => void;
  readonly reject: (error: Error) => void;
}

class DecodingThread {
  readonly #worker: Worker;
  readonly #waiting: Waiting[] = [];
  #failure: Error | undefined;

  constructor(options: BlockDecoderOptions) {
    const script = new URL('./decoding-thread.js', import.meta.url);
    this.#worker = new Worker(script, { workerData: options });
    this.#worker.on('message', (decoded: DecodedBlock) => {
      this.#waiting.shift()?.resolve(revived(decoded));
    });
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', (code) => {
      this.#fail(new Error(`a thread that decodes events ended with ${code}`));
    });
  }

  decode(block: LineBlock): Promise<DecodedBlock> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#worker.postMessage(block, [block.bytes.buffer]);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
  }
}

/** A message keeps the fields of an object and not its class. */
function revived(decoded: DecodedBlock): DecodedBlock {
  return {
    ...decoded,
    interactions: Object.assign(new InteractionColumns(0), decoded.interactions),
    exposures: Object.assign(new ExposureColumns(0, 0), decoded.exposures),
  };
}
