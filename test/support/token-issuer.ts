import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An issuer of signed tokens for one client, by client credentials. It stands in for an identity
 * provider; the broker that reads its tokens is a real one.
 */
export class TokenIssuer {
  /** Requests that were given a token. */
  issued = 0;
  readonly #server: Server;
  readonly #key: KeyObject;
  readonly #lifeMs: number;

  private constructor(server: Server, key: KeyObject, lifeMs: number) {
    this.#server = server;
    this.#key = key;
    this.#lifeMs = lifeMs;
  }

  /** @param jwks file that its public key is written to. */
  static async start(
    jwks: string,
    client: { readonly id: string; readonly secret: string },
    lifeMs: number,
  ): Promise<TokenIssuer> {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'RS256' };
    await writeFile(jwks, JSON.stringify({ keys: [jwk] }));
    const login = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        const isKnown = request.headers.authorization === login;
        const body = isKnown
          ? { access_token: issuer.token(), expires_in: lifeMs / 1000, token_type: 'Bearer' }
          : { error: 'invalid_client' };
        if (isKnown) issuer.issued++;
        response.writeHead(isKnown ? 200 : 401).end(JSON.stringify(body));
      });
    });
    const issuer = new TokenIssuer(server, privateKey, lifeMs);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return issuer;
  }

  get tokenUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/token`;
  }

  /** @param lifeMs negative for one that has ended. */
  token(lifeMs: number = this.#lifeMs): string {
    const now = Math.floor(Date.now() / 1000);
    const end = Math.floor((Date.now() + lifeMs) / 1000);
    const claims = { sub: 'unskew', iat: Math.min(now, end - 1), exp: end, scope: 'kafka' };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'RS256', kid: 'k1', typ: 'JWT' })}.${part(claims)}`;
    return `${text}.${sign('sha256', Buffer.from(text), this.#key).toString('base64url')}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
