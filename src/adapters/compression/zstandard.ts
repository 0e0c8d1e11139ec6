import { ZSTDDecoder } from 'zstddec';

/** The decoder's memory ends at two gigabytes, of which what comes out is one half at most. */
const MOST_BYTES = 2 ** 30;

const decoder = new ZSTDDecoder();

/** Readies the decoder, which is WebAssembly; once is enough. */
export function readyZstandard(): Promise<void> {
  return decoder.init();
}

/**
 * Unpacks whole frames, of which something comes out, to at most so many bytes.
 *
 * @throws RangeError if they are damaged or cut, or hold more
 */
export function unpackZstandard(packed: Uint8Array, most: number): Uint8Array {
  if (packed.length > MOST_BYTES - 1 || most > MOST_BYTES) {
    throw new RangeError('more than 1 GiB is packed at once');
  }
  // The decoder says of a fault only that nothing came out.
  const unpacked = decoder.decode(packed, Math.max(1, most));
  if (unpacked.length === 0) throw new RangeError('a Zstandard frame is damaged');
  return unpacked;
}
