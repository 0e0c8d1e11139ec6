/**
 * The package has no types. Decompression does not write a match or literals that end outside of
 * `to`.
 */
declare module 'lz4js' {
  const lz4: {
    /** Decompress a block after the content of `to`; returns its end. */
    decompressBlock(
      from: Uint8Array,
      to: Uint8Array,
      start: number,
      length: number,
      at: number,
    ): number;
  };
  export default lz4;
}
