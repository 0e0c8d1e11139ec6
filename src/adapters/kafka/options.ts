import { Kafka, logLevel } from 'kafkajs';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import type { Login } from '../../config/keys/kafka.js';
import { UnskewError } from '../../errors.js';
import { clientLogOf, type Log } from './client-log.js';
import { saslOptions } from './security/sasl.js';
import { type TlsFiles, tlsOf } from './security/tls-files.js';

const schedule = RequestQueue.prototype.scheduleCheckPendingRequests;

/**
 * Stop each connection from checking an empty request queue every millisecond by a timer with a
 * negative delay, about which Node 24 warns (kafkajs 2.2.4, its issues 1704 and 1751). A request
 * that must wait schedules the check itself.
 */
function letIdleQueuesRest(): void {
  RequestQueue.prototype.scheduleCheckPendingRequests = scheduleIfAnyWaits;
}

function scheduleIfAnyWaits(this: RequestQueue): void {
  if (this.pending.length > 0) {
    schedule.call(this);
  }
}

/** Connection settings for a Kafka cluster. */
export interface KafkaConnectionOptions {
  /** `host:port` of one or more brokers of the cluster. */
  readonly brokers: readonly string[];
  readonly clientId: string;
  /** TLS, with the files that it goes by; false for none. */
  readonly ssl?: TlsFiles | false;
  readonly sasl?: Login;
  /** How long the first connection may take, retries included (10 s). */
  readonly connectTimeoutMs?: number;
  readonly log?: Log;
}

export interface KafkaOptions extends KafkaConnectionOptions {
  readonly groupId: string;
  readonly topics: {
    readonly exposures: string;
    readonly interactions: string;
  };
  /** A member that is silent for longer is taken for dead (30 s). */
  readonly sessionTimeoutMs?: number;
  /** How long the broker may hold back an answer while there is nothing to read (250 ms). */
  readonly maxWaitMs?: number;
  /** How soon added partitions are noticed (30 s). */
  readonly metadataMaxAgeMs?: number;
  /** After this long without an answer to a fetch the session is dropped (90 s). */
  readonly stuckAfterMs?: number;
  readonly maxBytes?: number;
  readonly maxBytesPerPartition?: number;
  /** What one compressed batch may unpack to (64 MiB). */
  readonly maxUnpackedBytes?: number;
}

export const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
/** Largest fetch response over all partitions, in bytes. */
export const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/**
 * A session is renewed by the first request in the last 5 s of it. With the client's own 10 s a
 * session of 14 s and less is renewed again at once, which brokers refuse.
 */
const REAUTHENTICATED_MS = 5_000;

/** TLS and SASL settings of a connection, in the client's form. */
export function securityOf({ ssl, sasl }: Pick<KafkaConnectionOptions, 'ssl' | 'sasl'>) {
  return {
    ...(ssl ? { ssl: tlsOf(ssl) } : {}),
    ...(sasl === undefined ? {} : { sasl: saslOptions(sasl) }),
    reauthenticationThreshold: REAUTHENTICATED_MS,
  };
}

/** Create a client that retries temporary failures `retries` times. */
export function kafkaClient(options: KafkaConnectionOptions, retries = 4): Kafka {
  const { brokers, clientId, log } = options;
  const malformed = brokers.find((broker) => !/^.+:\d{1,5}$/.test(broker));
  if (brokers.length === 0 || malformed !== undefined) {
    const found = malformed === undefined ? 'none is given' : `"${malformed}" is not`;
    throw new UnskewError('USAGE', `Kafka brokers are given as host:port; ${found}`);
  }
  letIdleQueuesRest();
  return new Kafka({
    brokers: [...brokers],
    clientId,
    ...securityOf(options),
    connectionTimeout: 3000,
    // Few and quick: the code that uses the client keeps trying, and reports that it does.
    retry: {
      initialRetryTime: 100,
      maxRetryTime: 1000,
      retries,
    },
    logLevel: log === undefined ? logLevel.NOTHING : logLevel.INFO,
    logCreator: () => (entry) => log && clientLogOf(log).write(entry),
  });
}
