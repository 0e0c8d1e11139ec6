/** Where tables of results are kept: a folder, or a prefix of a bucket. */
export interface ResultPlace {
  /** For people, e.g. `s3://bucket/prefix`. */
  readonly place: string;
  /**
   * Puts a whole file under a name with `/` between folders, instead of one that was there. It
   * is complete when it is to be seen; where this fails, what was there is as it was.
   *
   * @throws UnskewError FILE if it cannot be written
   */
  put(name: string, bytes: Uint8Array): Promise<void>;
}
