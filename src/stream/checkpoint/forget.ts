import { BinaryWriter } from '../../state/binary/binary-writer.js';
import type { ForgottenUsers } from '../../state/ids/forgotten-users.js';
import { openCheckpoint, resealed } from './checkpoint.js';

/** A checkpoint's bytes, in which some users have no name any more. */
export interface WithoutNames {
  readonly chunks: readonly Uint8Array[];
  /** How many of the names it held. */
  readonly found: number;
}

/**
 * A checkpoint that holds none of these names and says whose events are refused from now on. All else
 * stands in it as it did: a user's rows go on under a name that says nothing. Yields often.
 *
 * @param letters gives so many random letters
 * @throws DamagedCheckpoint if it was cut short or changed
 */
export function* withoutNames(
  bytes: Uint8Array,
  names: readonly string[],
  forgotten: ForgottenUsers,
  letters: (count: number) => string,
): Generator<void, WithoutNames> {
  const opened = yield* openCheckpoint(bytes);
  const lengths = opened.state.uint16();
  const texts = opened.state.uint8();
  const encoder = new TextEncoder();
  const sought = new Set(names.map((name) => keyOf(encoder.encode(name))));
  const parts: Uint8Array[] = [];
  let [at, from, found] = [0, 0, 0];
  for (let n = 0; n < lengths.length; n++) {
    const end = at + lengths[n];
    if (sought.has(keyOf(texts.subarray(at, end)))) {
      // Longer by one unit of a section, so that what follows keeps its places.
      const name = encoder.encode(`${MARK}${letters(lengths[n] + UNIT - MARK.length)}`);
      parts.push(texts.subarray(from, at), name);
      lengths[n] = name.length;
      from = end;
      found++;
    }
    at = end;
    if (n % 8192 === 8191) yield;
  }
  parts.push(texts.subarray(from));
  const state = new BinaryWriter();
  state.column(lengths);
  state.column(Buffer.concat(parts));
  state.extendColumn(opened.state.rest());
  const head = { ...opened.head, forgotten };
  return { chunks: yield* resealed({ ...opened, head }, state), found };
}

const MARK = 'forgotten-';
const UNIT = 16;

function keyOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
