import type { Mechanism } from 'kafkajs';
import { UnskewError } from '../../../errors.js';

const SEPARATOR = '\x01';

/**
 * SASL OAUTHBEARER (RFC 7628), instead of the client's own: a broker that refuses a token says
 * so in its answer (section 3.2.2) and hangs up at the next request. The client does not read that
 * answer, and would report no more than a lost connection.
 */
export function bearerMechanism(
  tokenOf: () => Promise<string>,
  extensions: Readonly<Record<string, string>>,
): Mechanism {
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const message = initialMessage(await tokenOf(), extensions);
        await saslAuthenticate({
          request: { encode: () => withLength(message) },
          response: { decode: withoutLength, parse: checkAnswer },
        });
      },
    }),
  };
}

function initialMessage(token: string, extensions: Readonly<Record<string, string>>): Buffer {
  const pairs = { auth: `Bearer ${token}`, ...extensions };
  const lines = Object.entries(pairs).map(([name, value]) => `${name}=${value}`);
  return Buffer.from(`n,,${SEPARATOR}${lines.join(SEPARATOR)}${SEPARATOR}${SEPARATOR}`);
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const withoutLength = (bytes: Buffer): Buffer => bytes.subarray(4);

/** @throws UnskewError BROKER where it holds an error: what is accepted is answered with nothing. */
function checkAnswer(answer: Buffer): void {
  if (answer.length === 0) return;
  // {"status":"invalid_token", …}: the rest may hold anything.
  const status =
    /"status"\s*:\s*"([\w-]{1,60})"/.exec(answer.toString('utf8'))?.[1] ?? 'no reason given';
  throw new UnskewError('BROKER', `the broker refuses the token of kafka.sasl: ${status}`);
}
