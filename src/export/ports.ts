/**
 * What the making of sets needs of the outside. Every implementation of a port passes the port's
 * contract suite (test/contract).
 */

/** A file of a set while it is written. */
export interface SetFile {
  write(bytes: Uint8Array): Promise<void>;
  /** Completes the file, safe on its medium; it is not to be seen yet. */
  close(): Promise<WrittenFile>;
}

export interface WrittenFile {
  readonly name: string;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** A set that is being made; nothing of it is to be seen under its name before `commit`. */
export interface SetDraft {
  file(name: string): Promise<SetFile>;
  /** Makes the set complete. The manifest comes last: where it is, the whole set is. */
  commit(manifest: string): Promise<void>;
  /** Gives up: nothing is left behind. */
  abort(): Promise<void>;
}

/** A place that holds sets by name: a folder, or a prefix of a bucket. */
export interface SetStorage {
  /** For people, e.g. `s3://bucket/prefix`. */
  readonly place: string;
  /** Names of the complete sets, ascending. */
  list(): Promise<string[]>;
  /** @throws UnskewError SET if a complete set of that name is there: sets do not change. */
  create(name: string): Promise<SetDraft>;
  /** @throws UnskewError FILE if there is no such file of a complete set. */
  read(name: string, file: string): AsyncIterable<Uint8Array>;
  /** Takes a set away, its manifest first. One that is not there is no fault. */
  remove(name: string): Promise<void>;
}

export const MANIFEST = 'manifest.json';
