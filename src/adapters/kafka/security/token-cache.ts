/** A token with its expiry. */
export interface Token {
  readonly value: string;
  /** Expiry, wall clock, ms; Infinity if unknown. */
  readonly until: number;
  /** Time of creation, wall clock, ms. */
  readonly since: number;
}

/** A token is renewed at least this long before its expiry, ms. */
const EARLY_MS = 10_000;
/** Fraction at the end of a token's lifetime in which it is renewed. */
const EARLY_SHARE = 0.2;

/**
 * Shares one token among all connections. A client needs a token for each connection and again
 * before each session ends; a new request each time would hit the issuer's rate limit.
 *
 * A token is renewed in the last fifth of its life and at least 10 s before its end, but never in
 * the first half. Concurrent callers share one request. A failure is not cached: the next call
 * tries again.
 */
export class TokenCache {
  #token: Token | null = null;
  #coming: Promise<Token> | null = null;

  constructor(
    private readonly fetch: () => Promise<Token>,
    private readonly now: () => number = Date.now,
  ) {}

  async get(): Promise<string> {
    if (this.#token !== null && this.now() < renewedFrom(this.#token)) return this.#token.value;
    this.#coming ??= this.#renewed();
    return (await this.#coming).value;
  }

  async #renewed(): Promise<Token> {
    try {
      this.#token = await this.fetch();
      return this.#token;
    } finally {
      this.#coming = null;
    }
  }
}

function renewedFrom({ since, until }: Token): number {
  const life = until - since;
  return until - Math.min(life / 2, Math.max(EARLY_MS, EARLY_SHARE * life));
}

/**
 * Expiry of a JWT (RFC 7519) by its `exp` claim, ms since the epoch; Infinity if it has none.
 *
 * @example
 * expiryOf('opaque'); // Infinity
 */
export function expiryOf(token: string): number {
  const payload = token.split('.')[1];
  if (payload === undefined) return Number.POSITIVE_INFINITY;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY;
  } catch {
    // A token need not be a JWT: only the broker interprets it.
    return Number.POSITIVE_INFINITY;
  }
}
