import type { ClientCredentials } from '../../../config/keys/kafka.js';
import { UnskewError } from '../../../errors.js';
import { causesOf } from '../broker-error.js';
import { expiryOf, type Token } from './token-cache.js';

const PATIENCE_MS = 10_000;
/** Maximum size of a token response, bytes. */
const MOST_BYTES = 256 * 1024;

/**
 * Request a token from an issuer: the client credentials grant of OAuth 2.0 (RFC 6749, section
 * 4.4), with HTTP Basic authentication (section 2.3.1).
 *
 * @throws UnskewError BROKER if the issuer rejects the client, which is permanent;
 * an Error if it is unreachable or broken, which may be temporary. No error contains the secret.
 */
export async function clientCredentialsToken(
  { tokenUrl, clientId, clientSecret, scope, audience }: ClientCredentials,
  now: () => number = Date.now,
): Promise<Token> {
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope !== undefined) {
    body.set('scope', scope);
  }
  if (audience !== undefined) {
    body.set('audience', audience);
  }
  const client = [clientId, clientSecret].map(formEncoded).join(':');
  const since = now();
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(tokenUrl, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(client).toString('base64')}`,
        accept: 'application/json',
      },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    text = await bounded(answer);
  } catch (error) {
    throw new Error(`cannot get a token from ${originOf(tokenUrl)}: ${reasonOf(error)}`);
  }
  const said = parsed(text);
  if (!answer.ok) {
    const code = typeof said['error'] === 'string' ? ` ${oneWord(said['error'])}` : '';
    const message = `the token issuer ${originOf(tokenUrl)} answers with ${answer.status}${code}`;
    if (answer.status < 400 || answer.status >= 500 || answer.status === 429) {
      throw new Error(message);
    }
    throw new UnskewError('BROKER', `${message}: it refuses the client id or secret of kafka.sasl`);
  }
  const { access_token: value, expires_in: seconds } = said;
  if (typeof value !== 'string' || value === '') {
    throw new Error(`the token issuer ${originOf(tokenUrl)} answers without an access_token`);
  }
  const lives = Number(seconds);
  return {
    value,
    since,
    until: lives > 0 ? since + lives * 1000 : expiryOf(value),
  };
}

/** Form encoding of RFC 6749, section 2.3.1, in which a space is a plus. */
function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

async function bounded(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += (chunk as Uint8Array).length;
    if (bytes > MOST_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/**
 * Shorten an issuer's error code to at most 60 letters, digits, hyphens and underscores, since the
 * response may contain anything.
 */
const oneWord = (code: string) => code.replace(/[^\w-]/g, '').slice(0, 60);

/** URL without the query, which may contain a key. */
function originOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

function reasonOf(error: unknown): string {
  const innermost = causesOf(error).at(-1) as (Error & { code?: string }) | undefined;
  if (innermost?.name === 'TimeoutError') return `no answer within ${PATIENCE_MS / 1000} s`;
  return innermost?.code ?? innermost?.message ?? 'unknown error';
}
