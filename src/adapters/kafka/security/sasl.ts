import type { KafkaConfig, SASLOptions } from 'kafkajs';
import { bearerMechanism } from './bearer.js';
import { type ClientCredentials, clientCredentialsToken } from './client-credentials.js';
import { expiryOf, type Token, TokenCache } from './token-cache.js';
import { tokenOfFile } from './token-file.js';

/** Where a bearer's token comes from. */
export type TokenSource =
  | { readonly kind: 'static'; readonly token: string }
  | { readonly kind: 'file'; readonly file: string }
  | ({ readonly kind: 'issuer' } & ClientCredentials);

/** How the broker is shown who asks. */
export type Sasl =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    }
  | {
      readonly mechanism: 'oauthbearer';
      readonly source: TokenSource;
      /** Sent beside the token, for brokers that serve several clusters. */
      readonly extensions: Readonly<Record<string, string>>;
    }
  | { readonly mechanism: 'aws-msk-iam'; readonly region: string };

type SaslOptions = NonNullable<KafkaConfig['sasl']>;

/** By login, so that all clients of a process have one token. */
const KNOWN = new WeakMap<Sasl, SaslOptions>();

/** What a client is given; tokens are those of one cache for all clients of the same login. */
export function saslOptions(sasl: Sasl): SaslOptions {
  const options = KNOWN.get(sasl) ?? optionsOf(sasl);
  KNOWN.set(sasl, options);
  return options;
}

function optionsOf(sasl: Sasl): SaslOptions {
  switch (sasl.mechanism) {
    case 'plain':
    case 'scram-sha-256':
    case 'scram-sha-512':
      // Each of the three is a type of its own to the client.
      return sasl as SASLOptions;
    case 'aws-msk-iam':
      // Amazon's signer is loaded by those who ask for it.
      return bearer(async () => (await import('./msk-iam.js')).mskToken(sasl.region), {});
    case 'oauthbearer':
      return bearer(tokensOf(sasl.source), sasl.extensions);
  }
}

function tokensOf(source: TokenSource): () => Promise<Token> {
  switch (source.kind) {
    case 'static': {
      const { token: value } = source;
      return async () => ({ value, since: Date.now(), until: expiryOf(value) });
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
