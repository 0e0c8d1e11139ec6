/** Ports of the export. Every implementation passes the port's contract suite (test/contract). */

/** A file of a set while it is written. */
export interface SetFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Complete the file durably; it is not visible yet. */
  close(): Promise<WrittenFile>;
}

export interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
}

/** A set that is being made; no part is visible under its name before `commit`. */
export interface SetDraft {
  file(name: string): Promise<SetFile>;
  /** Complete the set. The manifest is written last, so a set with a manifest is complete. */
  commit(manifest: string): Promise<void>;
  /** Discard the set and all its files. */
  abort(): Promise<void>;
}

/** A store of sets by name: a folder, or a prefix of a bucket. */
export interface SetStorage {
  /** Location to show to people, e.g. `s3://bucket/prefix`. */
  readonly place: string;
  /** List the names of the complete sets, ascending. */
  list(): Promise<string[]>;
  /**
   * Begin a set. @throws UnskewError SET if a complete set of that name exists: sets do not change.
   */
  create(name: string): Promise<SetDraft>;
  /** Read a file of a set. @throws UnskewError FILE if there is no such file of a complete set. */
  read(name: string, file: string): AsyncIterable<Uint8Array>;
  /** Remove a set, its manifest first. A missing set is not an error. */
  remove(name: string): Promise<void>;
}

export const MANIFEST = 'manifest.json';
