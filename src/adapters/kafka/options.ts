import { Kafka, logLevel } from 'kafkajs';
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import type { Login } from '../../config/keys/kafka.js';
import { UnskewError } from '../../errors.js';
import { clientLogOf, type Log } from './client-log.js';
import { saslOptions } from './security/sasl.js';
import { type TlsFiles, tlsOf } from './security/tls-files.js';

const schedule = RequestQueue.prototype.scheduleCheckPendingRequests;

/**
 * Stop connections from checking empty request queues. The client makes such a check every
 * millisecond, by a timer with a negative delay, about which Node 24 warns (kafkajs 2.2.4, its
 * issues 1704 and 1751). A request that must wait schedules the check itself.
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
  /** TLS files; false for no TLS. */
  readonly ssl?: TlsFiles | false;
  readonly sasl?: Login;
  /** Timeout of the first connection, including retries (10 s). */
  readonly connectTimeoutMs?: number;
  readonly log?: Log;
}

export interface KafkaOptions extends KafkaConnectionOptions {
  readonly groupId: string;
  readonly topics: {
    readonly exposures: string;
    readonly interactions: string;
  };
  /** Time without a heartbeat after which a member is removed (30 s). */
  readonly sessionTimeoutMs?: number;
  /** Longest time the broker may delay an empty answer (250 ms). */
  readonly maxWaitMs?: number;
  /**
   * Maximum age of the topics' metadata (30 s). Added partitions are noticed after at most this
   * time.
   */
  readonly metadataMaxAgeMs?: number;
  /** Timeout of a fetch, after which the session is dropped (90 s). */
  readonly stuckAfterMs?: number;
  readonly maxBytes?: number;
  readonly maxBytesPerPartition?: number;
  /** Maximum decompressed size of a batch (64 MiB). */
  readonly maxUnpackedBytes?: number;
}

export const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
/** Largest fetch response over all partitions, in bytes. */
export const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/**
 * An authenticated session is renewed this long before its end, ms. With the client's default of 10
 * s, a session of 14 s or less would be renewed again at once, which brokers reject.
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
    const found = malformed === undefined ? 'found none' : `found "${malformed}"`;
    throw new UnskewError('USAGE', `expected Kafka brokers as host:port; ${found}`);
  }
  letIdleQueuesRest();
  return new Kafka({
    brokers: [...brokers],
    clientId,
    ...securityOf(options),
    connectionTimeout: 3000,
    // Few quick retries: the code that uses the client retries further, and reports that.
    retry: {
      initialRetryTime: 100,
      maxRetryTime: 1000,
      retries,
    },
    logLevel: log === undefined ? logLevel.NOTHING : logLevel.INFO,
    logCreator: () => (entry) => log && clientLogOf(log).write(entry),
  });
}
