import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Stands before a server and can be frozen: nothing gets through and nothing is closed, as where a
 * network is cut. A Kafka broker's own address is replaced by the cable's in all answers, so that
 * clients that learn it there go on through the cable.
 */
export class Cable {
  readonly port: number;
  readonly #server: Server;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #sockets = new Set<Socket>();
  #isFrozen = false;

  private constructor(server: Server, target: { host: string; port: number }) {
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    this.#target = target;
    server.on('connection', (near) => this.#join(near));
  }

  /** @param address `host:port` */
  static async before(address: string): Promise<Cable> {
    const { hostname, port } = new URL(`tcp://${address}`);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Cable(server, { host: hostname, port: Number(port) });
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  freeze(): void {
    this.#isFrozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #join(near: Socket): void {
    const far = connect(this.#target);
    this.#pass(near, far, (bytes) => bytes);
    this.#pass(far, near, (bytes) => this.#renamed(bytes));
  }

  #pass(from: Socket, to: Socket, changed: (bytes: Buffer) => Buffer): void {
    this.#sockets.add(from);
    from.on('data', (bytes) => to.write(changed(bytes)));
    if (this.#isFrozen) from.pause();
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }

  /** As a broker writes it: the length of the host's name, the name, the port. */
  #renamed(bytes: Buffer): Buffer {
    const { host } = this.#target;
    const name = Buffer.concat([Buffer.from([0, host.length]), Buffer.from(host)]);
    for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
      const portAt = at + name.length;
      if (portAt + 4 > bytes.length || bytes.readInt32BE(portAt) !== this.#target.port) continue;
      bytes.writeInt32BE(this.port, portAt);
    }
    return bytes;
  }
}
