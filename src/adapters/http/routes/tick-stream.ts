import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Snapshot } from '../../../stream/snapshot.js';
import { liveTick } from '../schema/live-tick.js';
import type { QualityReport } from '../schema/quality.js';
import type { StreamQuery } from '../schema/query.js';

/** A reader that lets so many bytes pile up is cut off; it comes back for the newest tick. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024;
const HEARTBEAT_MS = 15_000;
export const MAX_READERS = 1000;

interface Reader {
  readonly response: ServerResponse;
  readonly query: StreamQuery;
  readonly key: string;
}

/**
 * The readers of the server-sent events. A tick is written once for each choice that somebody
 * reads, and the same bytes go to all who read it.
 */
export class TickStream {
  readonly #readers = new Set<Reader>();
  readonly #quality: () => QualityReport;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(quality: () => QualityReport) {
    this.#quality = quality;
  }

  get isFull(): boolean {
    return this.#readers.size >= MAX_READERS;
  }

  /** Takes over the reply and sends what there is at once. */
  add(reply: FastifyReply, query: StreamQuery, latest: Snapshot | undefined): void {
    reply.headers({
      'content-type': 'text/event-stream; charset=utf-8',
      // A proxy that collects the stream would hold it back.
      'x-accel-buffering': 'no',
    });
    reply.hijack();
    const response = reply.raw;
    response.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders);
    response.write('retry: 2000\n\n');
    const reader = { response, query, key: JSON.stringify(Object.entries(query).sort()) };
    this.#readers.add(reader);
    response.on('close', () => this.#remove(reader));
    this.#heartbeat ??= setInterval(() => this.#send(() => BEAT), HEARTBEAT_MS).unref();
    if (latest !== undefined) response.write(messageOf(latest, this.#quality(), query));
  }

  publish(snapshot: Snapshot): void {
    if (this.#readers.size === 0) return;
    const quality = this.#quality();
    const written = new Map<string, Buffer>();
    this.#send(({ key, query }) => {
      const known = written.get(key);
      if (known !== undefined) return known;
      const message = messageOf(snapshot, quality, query);
      written.set(key, message);
      return message;
    });
  }

  close(): void {
    for (const { response } of this.#readers) response.end();
    clearInterval(this.#heartbeat);
  }

  #send(messageFor: (reader: Reader) => Buffer): void {
    for (const reader of this.#readers) {
      const { response } = reader;
      if (response.writableLength > MAX_PENDING_BYTES) response.destroy();
      else response.write(messageFor(reader));
    }
  }

  #remove(reader: Reader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }
}

const BEAT = Buffer.from(': still here\n\n');

function messageOf(snapshot: Snapshot, quality: QualityReport, query: StreamQuery): Buffer {
  const tick = liveTick(snapshot, quality, query);
  if (tick === undefined) return BEAT;
  const data = JSON.stringify(tick);
  return Buffer.from(`id: ${snapshot.paneEnd}\nevent: tick\ndata: ${data}\n\n`);
}
