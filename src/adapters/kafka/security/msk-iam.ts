import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Sha256Node } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Token } from './token-cache.js';

/** Provides the AWS credentials that sign a token. */
export type AwsCredentials = () => Promise<{
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}>;

/** Longest lifetime of a signature that Amazon accepts, s. */
const LIFE_S = 900;

/**
 * Create an IAM token for Amazon MSK: a signed request for `kafka-cluster:Connect` that is never
 * sent.
 *
 * Brokers accept the token by OAUTHBEARER. It contains no secret and is valid for 15 minutes.
 * Credentials come from the usual AWS sources: variables, profile, web identity, container,
 * instance. **Source**: Amazon MSK, IAM access control; Signature Version 4 with the signature in
 * the query.
 *
 * @param credentials those of the process by default. @param now wall clock, ms.
 */
export async function mskToken(
  region: string,
  credentials: AwsCredentials = defaultProvider(),
  now: () => number = Date.now,
): Promise<Token> {
  const signer = new SignatureV4({
    service: 'kafka-cluster',
    region,
    credentials: await identity(credentials),
    sha256: Sha256Node,
  });
  const hostname = `kafka.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const request = new HttpRequest({
    method: 'GET',
    protocol: 'https:',
    hostname,
    path: '/',
    query: { Action: 'kafka-cluster:Connect' },
    headers: { host: hostname },
  });
  const since = now();
  const signed = await signer.presign(request, {
    expiresIn: LIFE_S,
    signingDate: new Date(since),
  });
  const query = Object.entries(signed.query ?? {}).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  const url = `https://${hostname}/?${query.join('&')}&User-Agent=unskew`;
  return {
    value: Buffer.from(url).toString('base64url'),
    since,
    until: since + LIFE_S * 1000,
  };
}

async function identity(credentials: AwsCredentials) {
  try {
    return await credentials();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown error';
    throw new Error(`no AWS credentials for kafka.sasl.mechanism aws-msk-iam: ${reason}`);
  }
}
