import { hashBytes } from '../../events/hash.js';
import { ACROSS } from '../../features/across.js';
import type { BinaryReader } from '../../state/binary/binary-reader.js';
import { BinaryWriter } from '../../state/binary/binary-writer.js';
import type { ForgottenUsers } from '../../state/ids/forgotten-users.js';
import { Interner, storedId, storedIds } from '../../state/ids/interner.js';
import type { LearnedTexts } from '../feature-types.js';
import { type OpenedCheckpoint, openCheckpoint, resealed } from './checkpoint.js';
import type { PartitionProgress } from './partition-capture.js';

/** Bytes of a checkpoint from which the names of some users were removed. */
export interface WithoutNames {
  readonly chunks: readonly Uint8Array[];
  /** Number of names that were removed. */
  readonly found: number;
}

/**
 * Remove the names of users from a checkpoint, and record whose events are rejected from now on. A
 * user's rows stay, under a random name. Yields often.
 *
 * @param letters returns this many random letters
 * @throws DamagedCheckpoint if it is truncated or altered
 */
export function* withoutNames(
  bytes: Uint8Array,
  names: readonly string[],
  forgotten: ForgottenUsers,
  letters: (count: number) => string,
): Generator<void, WithoutNames> {
  const opened = yield* openCheckpoint(bytes);
  const own = yield* withoutNamesIn(opened, names, forgotten, letters);
  if (opened.beside === undefined) return own;
  const beside = yield* withoutNamesIn(opened.beside, names, forgotten, letters);
  return {
    chunks: [...own.chunks, ...beside.chunks],
    found: Math.max(own.found, beside.found),
  };
}

function* withoutNamesIn(
  opened: OpenedCheckpoint,
  names: readonly string[],
  forgotten: ForgottenUsers,
  letters: (count: number) => string,
): Generator<void, WithoutNames> {
  const sought = new Set(names.map((name) => keyOf(new TextEncoder().encode(name))));
  let found = 0;
  /** Replace a name to be removed by `MARK` and random letters, 16 bytes longer than the name. */
  const renamed = (name: Uint8Array) => {
    if (!sought.has(keyOf(name))) return name;
    found++;
    return new TextEncoder().encode(`${MARK}${letters(name.length + MORE)}`);
  };
  const state = new BinaryWriter();
  if (opened.version < 3) {
    yield* renameInColumns(opened.state, state, renamed);
  } else {
    yield* renameInWords(opened.state, state, renamed);
  }
  state.extendColumn(opened.state.rest());
  const keys = names.map(hashOf);
  const head = {
    ...opened.head,
    forgotten,
    progress: unlearned(opened.head.progress, keys),
  };
  return {
    chunks: yield* resealed(
      {
        ...opened,
        head,
      },
      state,
    ),
    found,
  };
}

/** Remove these users from the learned state of features. */
function unlearned(progress: PartitionProgress, keys: readonly number[]): PartitionProgress {
  const texts: { -readonly [Name in keyof LearnedTexts]: string } = {};
  for (const { name, forget } of ACROSS) {
    const text = progress[name];
    if (text !== undefined && forget !== undefined) {
      texts[name] = forget(text, keys);
    }
  }
  return {
    ...progress,
    ...texts,
  };
}

/** Hash of a user's id, the same as in a table of ids. */
function hashOf(name: string): number {
  const ids = new Interner();
  const bytes = new TextEncoder().encode(name);
  return ids.hash(ids.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length)));
}

type Rename = (name: Uint8Array) => Uint8Array;

const MARK = 'forgotten-';
/**
 * Number of random letters in a new name beyond the length of the old one. With `MARK` they add 16
 * bytes, the unit of a section, so that later columns keep their alignment.
 */
const MORE = 6;

function* renameInWords(
  from: BinaryReader,
  to: BinaryWriter,
  renamed: Rename,
): Generator<void, void> {
  to.number(from.count());
  const parts: Int32Array[] = [];
  for (const { id, bytes } of storedIds(from.int32())) {
    parts.push(storedId(id, renamed(bytes)));
    if (parts.length % 8192 === 0) {
      yield;
    }
  }
  to.beginColumn(parts.reduce((sum, { length }) => sum + length, 0));
  for (const part of parts) {
    to.extendColumn(part);
  }
  to.endColumn();
}

/** Rename in the column format: the lengths of all names, then the names. */
function* renameInColumns(
  from: BinaryReader,
  to: BinaryWriter,
  renamed: Rename,
): Generator<void, void> {
  const lengths = from.uint16();
  const texts = from.uint8();
  const parts: Uint8Array[] = [];
  let at = 0;
  for (let n = 0; n < lengths.length; n++) {
    const name = texts.subarray(at, at + lengths[n]);
    parts.push(renamed(name));
    at += name.length;
    lengths[n] = parts[n].length;
    if (n % 8192 === 8191) {
      yield;
    }
  }
  to.column(lengths);
  to.column(Buffer.concat(parts));
}

function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
