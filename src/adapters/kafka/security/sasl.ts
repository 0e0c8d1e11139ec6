import { readFile } from 'node:fs/promises';
import type { KafkaConfig, Mechanism, SASLOptions } from 'kafkajs';
import type { Login, TokenSource } from '../../../config/keys/kafka.js';
import { UnskewError } from '../../../errors.js';
import { clientCredentialsToken } from './client-credentials.js';
import { expiryOf, type Token, TokenCache } from './token-cache.js';

/** Assumed lifetime of a token that does not state its expiry, ms. */
const UNKNOWN_LIFE_MS = 60_000;

/**
 * Read a token that another process renews in a file, as Kubernetes does for service accounts. The
 * file is read again before the token expires, or after a minute if the token states no expiry.
 *
 * @throws Error if the file cannot be read; a later call may succeed.
 */
export async function tokenOfFile(file: string, now: () => number = Date.now): Promise<Token> {
  const since = now();
  let value: string;
  try {
    value = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`cannot read kafka.sasl.tokenFile ${file}: ${code ?? 'unknown error'}`);
  }
  if (value === '') throw new Error(`kafka.sasl.tokenFile ${file} is empty`);
  return {
    value,
    since,
    until: Math.min(expiryOf(value), since + UNKNOWN_LIFE_MS),
  };
}

const SEPARATOR = '\x01';

/**
 * SASL OAUTHBEARER (RFC 7628), which replaces the client's own implementation. A broker that
 * rejects a token gives the reason in its answer (section 3.2.2), and closes the connection at the
 * next request. The client's own implementation ignores this answer, and would only report a lost
 * connection.
 */
function bearerMechanism(
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
          response: {
            decode: withoutLength,
            parse: checkAnswer,
          },
        });
      },
    }),
  };
}

function initialMessage(token: string, extensions: Readonly<Record<string, string>>): Buffer {
  const pairs = {
    auth: `Bearer ${token}`,
    ...extensions,
  };
  const lines = Object.entries(pairs).map(([name, value]) => `${name}=${value}`);
  return Buffer.from(`n,,${SEPARATOR}${lines.join(SEPARATOR)}${SEPARATOR}${SEPARATOR}`);
}

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

const withoutLength = (bytes: Buffer): Buffer => bytes.subarray(4);

/** Check the broker's answer to a token. @throws UnskewError BROKER unless the answer is empty */
function checkAnswer(answer: Buffer): void {
  if (answer.length === 0) return;
  // {"status":"invalid_token", …}: the rest may contain anything.
  const status =
    /"status"\s*:\s*"([\w-]{1,60})"/.exec(answer.toString('utf8'))?.[1] ?? 'no reason given';
  throw new UnskewError('BROKER', `the broker refuses the token of kafka.sasl: ${status}`);
}

type SaslOptions = NonNullable<KafkaConfig['sasl']>;

/** Options by login, so that all clients of a process share one token. */
const KNOWN = new WeakMap<Login, SaslOptions>();

/** SASL options of a client; all clients of a login share one token cache. */
export function saslOptions(sasl: Login): SaslOptions {
  const options = KNOWN.get(sasl) ?? optionsOf(sasl);
  KNOWN.set(sasl, options);
  return options;
}

function optionsOf(sasl: Login): SaslOptions {
  switch (sasl.mechanism) {
    case 'plain':
    case 'scram-sha-256':
    case 'scram-sha-512':
      // The client has a separate type for each of the three mechanisms.
      return sasl as SASLOptions;
    case 'aws-msk-iam':
      // Amazon's signer is loaded only if it is needed.
      return bearer(async () => (await import('./msk-iam.js')).mskToken(sasl.region), {});
    case 'oauthbearer':
      return bearer(tokensOf(sasl.source), sasl.extensions);
  }
}

function tokensOf(source: TokenSource): () => Promise<Token> {
  switch (source.kind) {
    case 'static': {
      const { token: value } = source;
      return async () => ({
        value,
        since: Date.now(),
        until: expiryOf(value),
      });
    }
    case 'file':
      return () => tokenOfFile(source.file);
    case 'issuer':
      return () => clientCredentialsToken(source);
  }
}

function bearer(fetch: () => Promise<Token>, extensions: Readonly<Record<string, string>>) {
  const cache = new TokenCache(fetch);
  return bearerMechanism(() => cache.get(), extensions);
}
