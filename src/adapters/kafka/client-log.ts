import { type LogEntry, logLevel } from 'kafkajs';

export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;

/** After an error is logged as a warning, its repeats are logged as `debug` for this long, ms. */
const QUIET_MS = 60_000;

/**
 * Log adapter for the Kafka client. The client logs every failed attempt as an error, although the
 * calling code reports the consequences. So each error becomes a warning, and its repeats within a
 * minute are counted and logged as `debug`.
 */
export class ClientLog {
  readonly #told = new Map<
    string,
    {
      at: number;
      since: number;
    }
  >();

  constructor(
    private readonly log: Log,
    private readonly now: () => number = Date.now,
  ) {}

  write({ namespace, level, log }: Pick<LogEntry, 'namespace' | 'level' | 'log'>): void {
    const { message, timestamp: _timestamp, logger: _logger, stack: _stack, ...fields } = log;
    const text = `kafka client: ${message}`;
    const repeated = level === logLevel.ERROR ? this.#repeated(`${namespace} ${message}`) : -1;
    if (repeated < 0) {
      this.log('debug', text, {
        namespace,
        ...fields,
      });
    } else {
      this.log('warn', text, {
        namespace,
        ...fields,
        ...(repeated > 0 && { repeated }),
      });
    }
  }

  /**
   * Number of repeats of an error since its last warning; −1 if that was less than `QUIET_MS` ago.
   */
  #repeated(kind: string): number {
    const now = this.now();
    const told = this.#told.get(kind);
    if (told !== undefined && now - told.at < QUIET_MS) {
      told.since++;
      return -1;
    }
    // Messages that contain numbers must not fill memory.
    if (told === undefined && this.#told.size >= MOST_KINDS) {
      this.#told.clear();
    }
    this.#told.set(kind, {
      at: now,
      since: 0,
    });
    return told?.since ?? 0;
  }
}

const MOST_KINDS = 100;

const CLIENT_LOGS = new WeakMap<Log, ClientLog>();

/**
 * Return the one adapter that all clients of a log share, so that repeats are counted across
 * clients.
 */
export function clientLogOf(log: Log): ClientLog {
  const made = CLIENT_LOGS.get(log) ?? new ClientLog(log);
  CLIENT_LOGS.set(log, made);
  return made;
}
