import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { PassThrough, Transform } from 'node:stream';

/** What a frozen cable keeps: what clients ask, what the server answers, or both. */
export type Direction = 'requests' | 'answers' | 'both';

/** Stands before a server, so that a test can take the server away and give it back. */
export class TcpProxy {
  readonly port: number;
  readonly #target: Target;
  readonly #isRenamed: boolean;
  readonly #sockets = new Set<Socket>();
  readonly #pipes = new Set<Pipe>();
  readonly #swallowed = new Set<number>();
  #frozen: Direction | undefined;
  #server: Server;

  private constructor(server: Server, target: Target, isRenamed: boolean) {
    this.#isRenamed = isRenamed;
    this.#server = server;
    this.#target = target;
    this.port = (server.address() as AddressInfo).port;
    this.#serve();
  }

  /**
   * @param url `tcp://host:port`
   * @param isRenamed whether a broker's own address is replaced in its answers by the proxy's, so that
   *   clients which learn it there go on through the proxy
   */
  static async before(url: string, isRenamed = false): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, { host: hostname, port: Number(port) }, isRenamed);
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** How many hold a connection to it. */
  get clients(): number {
    return this.#pipes.size / 2;
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

  /** From now on nothing passes and nothing is closed: neither end notices. */
  freeze(direction: Direction): void {
    this.#frozen = direction;
    for (const pipe of this.#pipes) this.#apply(pipe);
  }

  /** What was kept passes, in its order. */
  thaw(): void {
    this.#frozen = undefined;
    for (const pipe of this.#pipes) this.#apply(pipe);
  }

  /** From now on requests of Kafka's API with this key get lost; nothing else does. */
  swallow(apiKey: number): void {
    this.#swallowed.add(apiKey);
  }

  swallowNothing(): void {
    this.#swallowed.clear();
  }

  #apply({ from, through, carries }: Pipe): void {
    from.unpipe(through);
    if (this.#frozen === carries || this.#frozen === 'both') from.pause();
    else from.pipe(through);
  }

  #answers(): Transform {
    return this.#isRenamed ? renaming(this.#target, this.port) : new PassThrough();
  }

  #serve(): void {
    this.#server.on('connection', (near) => {
      const far = connect(this.#target);
      for (const pipe of [
        { from: near, to: far, through: lossy(this.#swallowed), carries: 'requests' },
        { from: far, to: near, through: this.#answers(), carries: 'answers' },
      ] as const) {
        this.#sockets.add(pipe.from);
        this.#pipes.add(pipe);
        pipe.through.pipe(pipe.to);
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

interface Target {
  readonly host: string;
  readonly port: number;
}

interface Pipe {
  readonly from: Socket;
  readonly to: Socket;
  readonly through: Transform;
  readonly carries: Direction;
}

/** An address as a broker writes it: the length of the host's name, the name, the port. */
function renaming({ host, port }: Target, seenAs: number): Transform {
  const name = Buffer.concat([Buffer.from([0, host.length]), Buffer.from(host)]);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (let at = chunk.indexOf(name); at >= 0; at = chunk.indexOf(name, at + 1)) {
        const portAt = at + name.length;
        const isWhole = portAt + 4 <= chunk.length;
        if (isWhole && chunk.readInt32BE(portAt) === port) chunk.writeInt32BE(seenAs, portAt);
      }
      done(null, chunk);
    },
  });
}

/** Passes Kafka's requests one by one, each with its length before it, except for some of them. */
function lossy(swallowed: ReadonlySet<number>): Transform {
  let kept = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (swallowed.size === 0 && kept.length === 0) return done(null, chunk);
      kept = Buffer.concat([kept, chunk]);
      while (kept.length >= 6 && kept.length >= 4 + kept.readInt32BE(0)) {
        const end = 4 + kept.readInt32BE(0);
        if (!swallowed.has(kept.readInt16BE(4))) this.push(kept.subarray(0, end));
        kept = kept.subarray(end);
      }
      done();
    },
  });
}
