import type { Complete } from './key.js';
import type { KAFKA } from './keys/kafka.js';

/** What the broker is shown, by mechanism: each with all that it needs. */
export type Login =
  | {
      readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
      readonly username: string;
      readonly password: string;
    }
  | {
      readonly mechanism: 'oauthbearer';
      readonly source: TokenSource;
      readonly extensions: Readonly<Record<string, string>>;
    }
  | { readonly mechanism: 'aws-msk-iam'; readonly region: string };

/** Where a bearer's token comes from. */
export type TokenSource =
  | { readonly kind: 'static'; readonly token: string }
  | { readonly kind: 'file'; readonly file: string }
  | {
      readonly kind: 'issuer';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: string;
      readonly scope?: string;
      readonly audience?: string;
    };

/**
 * The keys of `kafka.sasl` as one of the mechanisms; undefined without any.
 *
 * @param sasl keys that the rules hold for (`checkKafka`).
 */
export function loginOf(sasl: Complete<typeof KAFKA>['sasl']): Login | undefined {
  const { mechanism, region = '', username = '', password = '', extensions = {} } = sasl;
  if (mechanism === undefined) return undefined;
  if (mechanism === 'aws-msk-iam') return { mechanism, region };
  if (mechanism === 'oauthbearer') return { mechanism, source: sourceOf(sasl), extensions };
  return { mechanism, username, password };
}

function sourceOf(sasl: Complete<typeof KAFKA>['sasl']): TokenSource {
  const { token, tokenFile, tokenUrl = '', clientId = '', clientSecret = '' } = sasl;
  if (token !== undefined) return { kind: 'static', token };
  if (tokenFile !== undefined) return { kind: 'file', file: tokenFile };
  const { scope, audience } = sasl;
  return {
    ...{ kind: 'issuer', tokenUrl, clientId, clientSecret },
    ...(scope !== undefined && { scope }),
    ...(audience !== undefined && { audience }),
  };
}
