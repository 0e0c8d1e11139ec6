import { Hmac } from '../../events/sha256.js';

/** Users to forget, as HMACs under one random key, so that their ids are not readable. */
export interface ForgottenUsers {
  readonly salt: string;
  /** HMACs of the users' ids, cut to 16 bytes, in hexadecimal. */
  readonly users: readonly string[];
}

const WORDS = 4;
const ENCODER = new TextEncoder();

/** Add users to those to forget; @param salt a random one, if there are no users yet */
export function forgottenToo(
  names: readonly string[],
  { salt, users }: ForgottenUsers,
): ForgottenUsers {
  const hmac = new Hmac(ENCODER.encode(salt));
  const more = names.map((name) => {
    const bytes = ENCODER.encode(name);
    return digestOf(hmac, bytes, 0, bytes.length);
  });
  return {
    salt,
    users: [...new Set([...users, ...more])],
  };
}

/** Create a test of whether the bytes of an id belong to a user to forget. */
export function refusalOf({
  salt,
  users,
}: ForgottenUsers): (bytes: Uint8Array, start: number, end: number) => boolean {
  const hmac = new Hmac(ENCODER.encode(salt));
  const all = new Set(users);
  return (bytes, start, end) => all.has(digestOf(hmac, bytes, start, end));
}

function digestOf(hmac: Hmac, bytes: Uint8Array, start: number, end: number): string {
  return Array.from(hmac.of(bytes, start, end).subarray(0, WORDS), (word) =>
    (word >>> 0).toString(16).padStart(8, '0'),
  ).join('');
}
