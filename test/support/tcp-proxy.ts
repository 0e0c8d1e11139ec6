import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What a frozen cable keeps: what clients ask, what the server answers, or both. */
export type Direction = 'requests' | 'answers' | 'both';

/** Stands before a server, so that a test can take the server away and give it back. */
export class TcpProxy {
  readonly port: number;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #sockets = new Set<Socket>();
  readonly #pipes = new Set<Pipe>();
  #frozen: Direction | undefined;
  #server: Server;

  private constructor(server: Server, target: { host: string; port: number }) {
    this.#server = server;
    this.#target = target;
    this.port = (server.address() as AddressInfo).port;
    this.#serve();
  }

  static async before(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, { host: hostname, port: Number(port) });
  }

  async cut(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async restore(): Promise<void> {
    this.#server = createServer().listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#serve();
  }

  /** From now on nothing passes and nothing is closed: neither end is told. */
  freeze(direction: Direction): void {
    this.#frozen = direction;
    for (const pipe of this.#pipes) this.#apply(pipe);
  }

  /** What was kept passes, in its order. */
  thaw(): void {
    this.#frozen = undefined;
    for (const pipe of this.#pipes) this.#apply(pipe);
  }

  #apply({ from, to, carries }: Pipe): void {
    from.unpipe(to);
    if (this.#frozen === carries || this.#frozen === 'both') from.pause();
    else from.pipe(to);
  }

  #serve(): void {
    this.#server.on('connection', (near) => {
      const far = connect(this.#target);
      for (const pipe of [
        { from: near, to: far, carries: 'requests' },
        { from: far, to: near, carries: 'answers' },
      ] as const) {
        this.#sockets.add(pipe.from);
        this.#pipes.add(pipe);
        this.#apply(pipe);
        // Either end may go at any moment; then the other goes too.
        pipe.from.on('error', () => {});
        pipe.from.on('close', () => {
          this.#sockets.delete(pipe.from);
          this.#pipes.delete(pipe);
          pipe.to.destroy();
        });
      }
    });
  }
}

interface Pipe {
  readonly from: Socket;
  readonly to: Socket;
  readonly carries: Direction;
}
