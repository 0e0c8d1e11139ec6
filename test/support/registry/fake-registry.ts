import { createServer as createHttp, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface FakeSchema {
  readonly schema: string;
  readonly schemaType?: string;
  readonly references?: readonly { name: string; subject: string; version: number }[];
}

/** A registry's API by hand, for what a real one does not do when it is asked to. */
export class FakeRegistry {
  readonly schemas = new Map<string, FakeSchema>();
  readonly asked: { readonly path: string; readonly headers: IncomingMessage['headers'] }[] = [];
  /** Answers in place of those of the schemas; undefined: none at all. */
  readonly next: ({ readonly status: number; readonly body: string } | undefined)[] = [];
  readonly #server: Server;

  private constructor(tls?: { key: Buffer; cert: Buffer; ca: Buffer }) {
    const options = { ...tls, requestCert: true, rejectUnauthorized: true };
    this.#server = tls === undefined ? createHttp() : createHttps(options);
    this.#server.on('request', (request, response) => {
      const path = (request.url ?? '').replace('/api/', '');
      this.asked.push({ path, headers: request.headers });
      if (this.next.length > 0) {
        const answer = this.next.shift();
        if (answer !== undefined) response.writeHead(answer.status).end(answer.body);
        return;
      }
      const found = this.schemas.get(decodeURIComponent(path));
      const missing = JSON.stringify({ error_code: 40403, message: 'Schema not found' });
      response.writeHead(found === undefined ? 404 : 200);
      response.end(found === undefined ? missing : JSON.stringify(found));
    });
  }

  /** With TLS its clients have to have a certificate that `tls.ca` vouches for. */
  static async start(tls?: { key: Buffer; cert: Buffer; ca: Buffer }): Promise<FakeRegistry> {
    const registry = new FakeRegistry(tls);
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/api`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
