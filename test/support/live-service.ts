import type { Logger } from 'pino';
import pino from 'pino';
import { MemoryBroker } from '../../src/adapters/memory/broker.js';
import { runService } from '../../src/commands/service/service.js';
import { readConfig } from '../../src/config.js';
import { encodeEvent } from '../../src/events/encode.js';
import type { SourceHandlers } from '../../src/stream/ports.js';

type Event = Parameters<typeof encodeEvent>[0];

/** A service in this process, on an embedded broker that the test writes to and takes away. */
export interface LiveService {
  readonly address: string;
  /** Lines of its log. */
  readonly logged: readonly { readonly msg: string; readonly state?: string }[];
  send(events: readonly Event[]): Promise<void>;
  /** As they are, to the topic of interactions. */
  sendBytes(values: readonly string[]): Promise<void>;
  /** The connection to the broker is lost, or is back. */
  broker(state: 'connected' | 'disconnected'): void;
  stop(): Promise<void>;
}

/** @param given a log to be written to, instead of `logged` */
export async function liveService(
  overrides: Readonly<Record<string, unknown>>,
  given?: Logger,
): Promise<LiveService> {
  const { config } = readConfig({
    env: {},
    overrides: { 'http.host': '127.0.0.1', 'http.port': 0, 'deadLetters.to': 'none', ...overrides },
  });
  const { topics } = config.kafka;
  const broker = new MemoryBroker();
  for (const topic of [topics.exposures, topics.interactions]) broker.createTopic(topic, 1);
  let handlers: SourceHandlers | undefined;
  const source = broker.source({ topics, group: 'page' });
  const start = source.start.bind(source);
  source.start = (given) => {
    handlers = given;
    return start(given);
  };
  const stopping = new AbortController();
  const logged: LiveService['logged'][number][] = [];
  const log = given ?? pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
  let ended: Promise<void> = Promise.resolve();
  const address = await new Promise<string>((resolve, reject) => {
    ended = runService({
      config,
      source,
      deadLetters: undefined,
      checkpoints: undefined,
      io: {
        stdout: () => {},
        stderr: () => {},
        isTerminal: false,
        hasColor: false,
        signal: stopping.signal,
        log,
      },
      onListening: resolve,
    });
    ended.catch(reject);
  });
  const writer = broker.producer();
  return {
    address,
    logged,
    send: async (events) => {
      for (const event of events) {
        const topic = event.type === 'exposure' ? topics.exposures : topics.interactions;
        await writer.send(topic, [{ key: event.user, value: encodeEvent(event) }]);
      }
    },
    sendBytes: (values) =>
      writer.send(
        topics.interactions,
        values.map((value) => ({ key: 'u', value })),
      ),
    broker: (state) => handlers!.state(state),
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}
