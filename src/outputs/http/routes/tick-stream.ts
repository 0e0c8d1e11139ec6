import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { runSliced } from '../../../stream/sliced.js';
import type { Snapshot } from '../../../stream/tick/snapshot.js';
import { answers, sendProblem } from '../answers.js';
import { LiveState, type QualityReport } from '../schema/live-state.js';
import { LiveTick, liveTick } from '../schema/live-tick.js';
import { liveChoice, StreamQuery } from '../schema/query.js';

/** An event of the server-sent event stream. */
const StreamEvent = Type.Object({
  event: Type.Optional(Type.String({ description: 'Kind of the event: tick or state' })),
  id: Type.Optional(Type.String({ description: 'End of the pane, ms' })),
  data: Type.Optional(
    Type.String({
      contentMediaType: 'application/json',
      contentSchema: Type.Union([LiveTick, LiveState]),
      description: 'The tick, or the state of the service, as JSON',
    }),
  ),
});

/**
 * Add the route of the event stream. A reader first gets the current state and the newest tick,
 * then one event per change of either.
 */
export function addStreamRoute(
  app: FastifyInstance,
  stream: TickStream,
  latest: () => Snapshot | undefined,
): void {
  const { 200: tick, ...problems } = answers(StreamEvent, 'Events `tick` and `state`');
  app.get<{ Querystring: StreamQuery }>('/stream', {
    schema: {
      summary: 'Ticks as server-sent events',
      description:
        'The stream begins with the state of the service and the newest tick. It then sends one event per tick, one ' +
        'whenever the state changes, and a comment every 15 s in between. ' +
        'If the query names a window or metric that does not exist, the first one is used; `chosen` says which.',
      tags: ['live'],
      querystring: StreamQuery,
      response: {
        200: {
          description: tick.description,
          content: { 'text/event-stream': { schema: StreamEvent } },
        },
        ...problems,
      },
    },
    handler: (request, reply) => {
      if (request.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send();
      if (stream.isFullFor(request.ip)) {
        const why =
          'too many streams are open from this address (http.rateLimit: 0 lifts the limit)';
        return sendProblem(reply, 429, why);
      }
      if (stream.isFull) {
        return sendProblem(
          reply,
          503,
          `the limit of ${MAX_READERS} streams is reached; try again later`,
        );
      }
      stream.add(reply, request.query, latest());
      return reply;
    },
  });
}

/**
 * Maximum bytes that wait for one reader. Above this the reader is disconnected; it reconnects and
 * gets the newest tick.
 */
export const MAX_PENDING_BYTES = 256 * 1024;
/**
 * Limit of the bytes that wait for a reader when a heartbeat is sent. A reader above it at several
 * heartbeats in a row is disconnected too.
 */
const BLOCKED_BYTES = 16 * 1024;
const MAX_BLOCKED_BEATS = 3;
/** Heartbeat that keeps the connection open: a comment of the event stream. */
export const BEAT = Buffer.from(': still here\n\n');

/** A connected reader of the event stream, with the data that waits for it. */
export class StreamReader {
  readonly query: StreamQuery;
  /** Client address, or IPv6 network, by which streams are limited, see `clientOf`. */
  readonly client: string;
  readonly #response: ServerResponse;
  #blockedBeats = 0;
  /** Newest state, if it has to wait until earlier data is sent. */
  #state: Buffer | undefined;

  constructor(response: ServerResponse, query: StreamQuery, client: string) {
    this.#response = response;
    this.query = query;
    this.client = client;
  }

  send(bytes: Buffer | string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    if (this.#response.writableLength > MAX_PENDING_BYTES) {
      this.#response.destroy();
    } else {
      this.#response.write(bytes);
    }
  }

  /**
   * Send a state, or keep it until earlier data is sent. Only the newest state waits, so states
   * never make a reader exceed its limit.
   */
  sendState(bytes: Buffer): void {
    if (!this.#response.writableNeedDrain) {
      this.send(bytes);
      return;
    }
    const isWaiting = this.#state !== undefined;
    this.#state = bytes;
    if (isWaiting) return;
    this.#response.once('drain', () => {
      const newest = this.#state!;
      this.#state = undefined;
      this.send(newest);
    });
  }

  beat(): void {
    // `writableNeedDrain` depends on a high-water mark that Node 22 raised fourfold.
    const isBlocked = this.#response.writableLength > BLOCKED_BYTES;
    this.#blockedBeats = isBlocked ? this.#blockedBeats + 1 : 0;
    if (this.#blockedBeats >= MAX_BLOCKED_BEATS) {
      this.#response.destroy();
    } else {
      this.send(BEAT);
    }
  }

  end(): void {
    this.#response.end();
  }
}

const HEARTBEAT_MS = 15_000;
export const MAX_READERS = 1000;
const TURNS = {
  now: () => performance.now(),
  next: () => nextTurn(),
};

/** What the event stream needs in addition to snapshots. */
export interface TickStreamSource {
  /** Maximum number of open streams per client address. */
  readonly streamsPerAddress: number;
  quality(): QualityReport;
  state(): LiveState;
}

/**
 * The event stream and its readers. Each tick is serialised once per combination of window, metric
 * and aggregation, and sent to all readers who chose that combination. A snapshot has a bounded
 * number of combinations, and they are serialised in slices, so even many readers do not block the
 * thread.
 */
export class TickStream {
  readonly #readers = new Set<StreamReader>();
  readonly #ofClient = new Map<string, number>();
  readonly #source: TickStreamSource;
  /** Last published state. */
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

  /** Add a reader: take over its response, and send the current state and tick at once. */
  add(reply: FastifyReply, query: StreamQuery, latest: Snapshot | undefined): void {
    reply.headers({
      'content-type': 'text/event-stream; charset=utf-8',
      // Tells proxies not to buffer, which would delay the events.
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
    if (latest !== undefined) {
      reader.send(messageOf(latest, this.#source.quality(), query));
    }
    const known = this.#state;
    this.publishState(this.#source.state());
    if (known !== undefined && known === this.#state) {
      reader.sendState(known);
    }
  }

  /**
   * Send a tick to all readers. If ticks arrive faster than they can be serialised, only the newest
   * is sent.
   */
  publish(snapshot: Snapshot): void {
    this.#waiting = snapshot;
    if (!this.#isSending) {
      void this.#sendAll();
    }
  }

  /** Send the state to all readers if it has changed. */
  publishState(state: LiveState): void {
    const message = Buffer.from(`event: state\ndata: ${JSON.stringify(state)}\n\n`);
    if (this.#state?.equals(message)) return;
    this.#state = message;
    for (const reader of this.#readers) {
      reader.sendState(message);
    }
  }

  close(): void {
    for (const reader of this.#readers) {
      reader.end();
    }
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
    // A reader that connects during the loop has already got this tick.
    for (const reader of [...this.#readers]) {
      const key = liveChoice(snapshot, reader.query)?.key ?? '';
      const message = written.get(key) ?? messageOf(snapshot, quality, reader.query);
      written.set(key, message);
      reader.send(message);
      yield;
    }
  }

  #beat(): void {
    for (const reader of this.#readers) {
      reader.beat();
    }
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
    if (count > 0) {
      this.#ofClient.set(client, count);
    } else {
      this.#ofClient.delete(client);
    }
  }
}

function messageOf(snapshot: Snapshot, quality: QualityReport, query: StreamQuery): Buffer {
  const tick = liveTick(snapshot, quality, query);
  if (tick === undefined) return BEAT;
  const data = JSON.stringify(tick);
  return Buffer.from(`id: ${snapshot.paneEnd}\nevent: tick\ndata: ${data}\n\n`);
}

/**
 * Key by which clients are limited: the IPv4 address, or the /64 network of an IPv6 address. It is
 * that of the connection, so headers cannot change it.
 *
 * @example clientOf('2001:db8::1') // '2001:db8:0:0::/64'
 */
export function clientOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? [];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [before = '', after] = address.split('%', 1)[0]!.split('::');
  const left = before === '' ? [] : before.split(':');
  const right = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0');
  const groups = after === undefined ? left : [...left, ...zeros, ...right];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
