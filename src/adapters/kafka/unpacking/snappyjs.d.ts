/** The package has no types. */
declare module 'snappyjs' {
  const snappy: {
    /** Of one block. @throws if it says that it unpacks to more than `maxBytes`, or is damaged */
    uncompress(packed: Buffer, maxBytes: number): Buffer;
  };
  export default snappy;
}
