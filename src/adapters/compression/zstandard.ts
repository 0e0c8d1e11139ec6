import { ZSTDDecoder } from 'zstddec';

/**
 * Maximum input size of one call, and its maximum output size, bytes. The decoder has 2 GiB of
 * memory.
 */
const MOST_BYTES = 2 ** 30;

const decoder = new ZSTDDecoder();

/** Load the WebAssembly decoder. Await it once before the first `unpackZstandard`. */
export function readyZstandard(): Promise<void> {
  return decoder.init();
}

/**
 * Decompress complete, non-empty Zstandard frames to at most `most` bytes.
 *
 * @throws RangeError if a frame is damaged or cut short, or the output is larger than `most`
 */
export function unpackZstandard(packed: Uint8Array, most: number): Uint8Array {
  if (packed.length > MOST_BYTES - 1 || most > MOST_BYTES) {
    throw new RangeError('one compressed block holds more than 1 GiB');
  }
  // For an invalid frame the decoder returns an empty output and no reason.
  const unpacked = decoder.decode(packed, Math.max(1, most));
  if (unpacked.length === 0) throw new RangeError('a Zstandard frame is damaged');
  return unpacked;
}
