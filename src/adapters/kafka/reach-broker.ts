import { setTimeout as sleep } from 'node:timers/promises';
import { UnskewError } from '../../errors.js';
import { brokerError, causesOf } from './broker-error.js';
import { type KafkaOptions, kafkaClient } from './options.js';
import { checkTopics } from './topics.js';
import { withAdmin } from './with-admin.js';

export const FIRST_BACKOFF_MS = 200;
export const LONGEST_BACKOFF_MS = 5_000;

/**
 * Waits until the broker answers, and checks the topics.
 *
 * @param deadline ms since the epoch; Infinity to try for as long as it takes
 * @throws UnskewError BROKER if there is no answer by then or the user is refused, USAGE if a
 * topic is missing
 */
export async function reachBroker(
  options: KafkaOptions,
  deadline: number,
  signal: AbortSignal,
): Promise<void> {
  const failure = `cannot reach Kafka at ${options.brokers.join(', ')}`;
  const client = kafkaClient(options, 0);
  const check = (): Promise<void> =>
    withAdmin(client, (admin) => checkTopics(admin, options.topics));
  let last: unknown = new Error('no answer');
  for (let waitMs = FIRST_BACKOFF_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_BACKOFF_MS)) {
    const remainingMs = deadline - Date.now();
    if (remainingMs <= 0) throw brokerError(failure, last);
    try {
      return await withinTime(remainingMs, check(), last);
    } catch (error) {
      last = error;
      // A topic that is missing at the start is a mistake, and so is one that has fewer partitions
      // than the other; later it may be coming back, or be given partitions after the other.
      const isFinal = Number.isFinite(deadline);
      if (error instanceof UnskewError && isFinal) throw error;
      // So is another password: to try it again and again may lock the user out.
      if (isRefused(error) && isFinal) throw brokerError(failure, error);
    }
    await sleep(Math.max(0, Math.min(waitMs, deadline - Date.now())), undefined, { signal });
  }
}

function isRefused(error: unknown): boolean {
  return causesOf(error).some(({ name }) => name === 'KafkaJSSASLAuthenticationError');
}

async function withinTime<T>(ms: number, work: Promise<T>, late: unknown): Promise<T> {
  if (!Number.isFinite(ms)) return work;
  const cancel = new AbortController();
  const timer = sleep(ms, undefined, { signal: cancel.signal }).then(() => Promise.reject(late));
  try {
    return await Promise.race([work, timer]);
  } finally {
    cancel.abort();
    // Whichever of the two came second has nobody waiting for it.
    work.catch(() => {});
    timer.catch(() => {});
  }
}
