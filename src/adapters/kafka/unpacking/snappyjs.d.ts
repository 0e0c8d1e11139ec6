/** The package has no types. */
declare module 'snappyjs' {
  const snappy: {
    /** Decompress one block. @throws if it is damaged, or states a size above `maxBytes` */
    uncompress(packed: Buffer, maxBytes: number): Buffer;
  };
  export default snappy;
}
