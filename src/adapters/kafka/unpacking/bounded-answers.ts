import { AsyncLocalStorage } from 'node:async_hooks';
import v4 from 'kafkajs/src/protocol/requests/fetch/v4/response.js';
import v5 from 'kafkajs/src/protocol/requests/fetch/v5/response.js';
import v6 from 'kafkajs/src/protocol/requests/fetch/v6/response.js';
import v7 from 'kafkajs/src/protocol/requests/fetch/v7/response.js';
import v8 from 'kafkajs/src/protocol/requests/fetch/v8/response.js';
import v9 from 'kafkajs/src/protocol/requests/fetch/v9/response.js';
import v10 from 'kafkajs/src/protocol/requests/fetch/v10/response.js';
import v11 from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { Unpacking } from './unpacking.js';

type Decode = (answer: Buffer) => Promise<unknown>;

export const DEFAULT_MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

const current = new AsyncLocalStorage<Unpacking>();
let maxBytes = DEFAULT_MAX_UNPACKED_BYTES;
let isInstalled = false;

/** The answer that is being decoded: what a codec is called for. */
export function currentUnpacking(): Unpacking {
  return current.getStore() ?? new Unpacking(maxBytes, 0);
}

/** Bounds what answers to fetches unpack to, of all clients of this process from now on. */
export function boundAnswers(limit: number): void {
  maxBytes = limit;
  if (isInstalled) return;
  isInstalled = true;
  for (const response of [v4, v5, v6, v7, v8, v9, v10, v11]) {
    response.decode = bounded(response.decode);
  }
}

/** Partitions that were left out for lack of room come first in the next answer. */
function bounded(decode: Decode): Decode {
  let first = 0;
  return async (answer) => {
    let unpacking = new Unpacking(maxBytes, first);
    let decoded = await current.run(unpacking, () => decode(answer));
    // Once more, with what stands for the refused. Those found now come again with the next answer.
    if (unpacking.hasRefused) {
      unpacking = new Unpacking(maxBytes, first);
      decoded = await current.run(unpacking, () => decode(answer));
    }
    first = unpacking.leftFrom ?? 0;
    return decoded;
  };
}
