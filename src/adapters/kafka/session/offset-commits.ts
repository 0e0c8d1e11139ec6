import { setTimeout as sleep } from 'node:timers/promises';
import type { Consumer } from 'kafkajs';
import type { NextOffsets } from '../../../stream/ports.js';
import type { KafkaOptions } from '../options.js';

/** How long the last commits may hold up the end of a session, ms. */
const LAST_COMMITS_MS = 1_000;

/**
 * Offsets in the consumer group, for tools that watch its lag. Nothing is ever read from there: a
 * commit that fails does no harm and is not tried again, since the next checkpoint brings another.
 */
export class OffsetCommits {
  readonly #consumer: Consumer;
  readonly #options: Pick<KafkaOptions, 'topics' | 'log'>;
  readonly #underWay = new Set<Promise<void>>();

  constructor(consumer: Consumer, options: Pick<KafkaOptions, 'topics' | 'log'>) {
    this.#consumer = consumer;
    this.#options = options;
  }

  commit(partition: number, next: NextOffsets): void {
    const { topics, log } = this.#options;
    const offsets = (['exposures', 'interactions'] as const).flatMap((role) => {
      const offset = next[role];
      return offset === undefined
        ? []
        : [{ topic: topics[role], partition, offset: String(offset) }];
    });
    if (offsets.length === 0) return;
    const commit = this.#consumer.commitOffsets(offsets).catch((error: unknown) => {
      log?.('debug', 'offsets were not committed', { partition, reason: `${error}` });
    });
    this.#underWay.add(commit);
    void commit.finally(() => this.#underWay.delete(commit));
  }

  /** Resolves when all have come to an end, or enough time has passed. */
  async settled(): Promise<void> {
    const enough = new AbortController();
    const late = sleep(LAST_COMMITS_MS, undefined, { signal: enough.signal }).catch(() => {});
    await Promise.race([Promise.all(this.#underWay), late]);
    enough.abort();
  }
}
