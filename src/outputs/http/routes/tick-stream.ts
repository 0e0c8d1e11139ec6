import type { OutgoingHttpHeaders } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { runSliced } from '../../../stream/sliced.js';
import type { Snapshot } from '../../../stream/snapshot.js';
import { clientOf } from '../client-address.js';
import type { LiveState } from '../schema/live-state.js';
import { liveTick } from '../schema/live-tick.js';
import type { QualityReport } from '../schema/quality.js';
import { liveChoice, type StreamQuery } from '../schema/query.js';
import { BEAT, StreamReader } from './stream-reader.js';

const HEARTBEAT_MS = 15_000;
export const MAX_READERS = 1000;
const TURNS = { now: () => performance.now(), next: () => nextTurn() };

/** What the stream is made of beside snapshots. */
export interface TickStreamSource {
  /** Readers of one address at most. */
  readonly streamsPerAddress: number;
  quality(): QualityReport;
  state(): LiveState;
}

/**
 * The readers of the server-sent events. A tick is written once for each choice that is read, and
 * the same bytes go to all who read it. Choices are those that a snapshot has, so however readers ask,
 * there are few; they are written in slices, so that many hold nothing up.
 */
export class TickStream {
  readonly #readers = new Set<StreamReader>();
  readonly #ofClient = new Map<string, number>();
  readonly #source: TickStreamSource;
  /** The state as all readers have it. */
  #state: Buffer | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #waiting: Snapshot | undefined;
  #isSending = false;

  constructor(source: TickStreamSource) {
    this.#source = source;
  }

  get isFull(): boolean {
    return this.#readers.size >= MAX_READERS;
  }

  isFullFor(address: string): boolean {
    return (this.#ofClient.get(clientOf(address)) ?? 0) >= this.#source.streamsPerAddress;
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
    const reader = new StreamReader(response, query, clientOf(reply.request.ip));
    this.#readers.add(reader);
    this.#count(reader.client, 1);
    response.on('close', () => this.#remove(reader));
    this.#heartbeat ??= setInterval(() => this.#beat(), HEARTBEAT_MS).unref();
    reader.send('retry: 2000\n\n');
    if (latest !== undefined) reader.send(messageOf(latest, this.#source.quality(), query));
    const known = this.#state;
    this.publishState(this.#source.state());
    if (known !== undefined && known === this.#state) reader.sendState(known);
  }

  /** Sends a tick to all; where ticks come faster than they can be written, the newest one. */
  publish(snapshot: Snapshot): void {
    this.#waiting = snapshot;
    if (!this.#isSending) void this.#sendAll();
  }

  /** Sends the state to all who know another one. */
  publishState(state: LiveState): void {
    const message = Buffer.from(`event: state\ndata: ${JSON.stringify(state)}\n\n`);
    if (this.#state?.equals(message)) return;
    this.#state = message;
    for (const reader of this.#readers) reader.sendState(message);
  }

  close(): void {
    for (const reader of this.#readers) reader.end();
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    try {
      while (this.#waiting !== undefined) {
        const snapshot = this.#waiting;
        this.#waiting = undefined;
        await runSliced(this.#sending(snapshot), TURNS);
      }
    } finally {
      this.#isSending = false;
    }
  }

  *#sending(snapshot: Snapshot): Generator<void, void> {
    if (this.#readers.size === 0) return;
    const quality = this.#source.quality();
    const written = new Map<string, Buffer>();
    // A reader that comes meanwhile is sent this tick then.
    for (const reader of [...this.#readers]) {
      const key = liveChoice(snapshot, reader.query)?.key ?? '';
      const message = written.get(key) ?? messageOf(snapshot, quality, reader.query);
      written.set(key, message);
      reader.send(message);
      yield;
    }
  }

  #beat(): void {
    for (const reader of this.#readers) reader.beat();
  }

  #remove(reader: StreamReader): void {
    this.#readers.delete(reader);
    this.#count(reader.client, -1);
    if (this.#readers.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  #count(client: string, change: 1 | -1): void {
    const count = (this.#ofClient.get(client) ?? 0) + change;
    if (count > 0) this.#ofClient.set(client, count);
    else this.#ofClient.delete(client);
  }
}

function messageOf(snapshot: Snapshot, quality: QualityReport, query: StreamQuery): Buffer {
  const tick = liveTick(snapshot, quality, query);
  if (tick === undefined) return BEAT;
  const data = JSON.stringify(tick);
  return Buffer.from(`id: ${snapshot.paneEnd}\nevent: tick\ndata: ${data}\n\n`);
}
