/** A token with the moment from which it is no longer good. */
export interface Token {
  readonly value: string;
  /** Wall clock, ms; Infinity if it is not known to end. */
  readonly until: number;
  /** Wall clock, ms: when it was made. */
  readonly since: number;
}

/** Least time that a renewed token is asked for before the old one ends. */
const EARLY_MS = 10_000;
/** The last part of a token's life in which it is renewed. */
const EARLY_SHARE = 0.2;

/**
 * One token for all connections. A client asks for a token at each connection and again before each
 * session ends; an issuer that were asked as often would refuse.
 *
 * A token is renewed in the last fifth of its life, and at least 10 s before its end, but never in the
 * first half. While one is on its way all wait for that one. What fails is not kept: the next who
 * asks tries again.
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
 * When a token of the form of RFC 7519 (JWT) ends, by its `exp`; Infinity where it does not say.
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
    // A token may be anything to its bearer; only the broker reads it.
    return Number.POSITIVE_INFINITY;
  }
}
