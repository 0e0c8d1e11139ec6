import { UnskewError } from '../../errors.js';

const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  ECONNRESET: 'the connection was reset',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'host unreachable',
  UNKNOWN_TOPIC_OR_PARTITION: 'the topic or partition does not exist',
  TOPIC_AUTHORIZATION_FAILED: 'access to the topic is not allowed',
  GROUP_AUTHORIZATION_FAILED: 'access to the consumer group is not allowed',
  MESSAGE_TOO_LARGE: "a record is larger than the broker's limit",
};

/**
 * Build the one-line error that a user sees if a broker cannot be reached or rejects a request.
 *
 * @param what what failed, such as "cannot reach Kafka at broker:9092"
 */
export function brokerError(what: string, cause: unknown): UnskewError {
  const chain = causesOf(cause);
  const told = chain.find((error) => error instanceof UnskewError);
  if (told) return told;
  return new UnskewError('BROKER', `${what}: ${reasonOf(chain)}`, { cause });
}

function reasonOf(chain: readonly Error[]): string {
  for (const error of chain) {
    const { code, type } = error as {
      code?: unknown;
      type?: unknown;
    };
    for (const key of [code, type]) {
      if (typeof key === 'string' && key in MEANINGS) return MEANINGS[key] ?? key;
    }
    for (const [code, meaning] of Object.entries(MEANINGS)) {
      if (error.message.includes(code)) return meaning;
    }
  }
  const innermost = chain.at(-1)?.message ?? 'unknown error';
  if (innermost === 'Connection timeout') return 'no answer';
  return innermost.split('\n', 1)[0] ?? innermost;
}

/** Whether the error may be temporary, so that retrying makes sense. */
export function mayPass(error: unknown): boolean {
  return causesOf(error).some((cause) => (cause as { retriable?: unknown }).retriable === true);
}

/** An error and its causes, outermost first. */
export function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  let at = error;
  while (at instanceof Error && !chain.includes(at)) {
    chain.push(at);
    at = at.cause ?? (at as { originalError?: unknown }).originalError;
  }
  return chain;
}
