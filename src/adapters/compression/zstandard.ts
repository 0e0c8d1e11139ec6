import { ZSTDDecoder } from 'zstddec';

/** Largest output, limited by the decoder's memory of two gigabytes. */
const MOST_BYTES = 2 ** 30;

const decoder = new ZSTDDecoder();

/** Load the decoder, which is WebAssembly; needed once. */
export function readyZstandard(): Promise<void> {
  return decoder.init();
}

/**
 * Decompress whole, non-empty frames to at most `most` bytes.
 *
 * @throws RangeError if they are damaged, cut short or larger
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
