import type { LogEnd, LogSource, NextOffsets, SourceHandlers } from './ports.js';
import type { SchemaPreparer } from './schema-preparer.js';

/**
 * A source whose batches are delivered once the schemas that they name are known. While the registry
 * cannot be asked, what needs it waits where it is, and nothing is refused.
 */
export class PreparedSource implements LogSource {
  readonly #source: LogSource;
  readonly #preparer: SchemaPreparer;

  constructor(source: LogSource, preparer: SchemaPreparer) {
    this.#source = source;
    this.#preparer = preparer;
  }

  start(handlers: SourceHandlers): Promise<void> {
    return this.#source.start({
      assigned: (partitions, count, outdated) => handlers.assigned(partitions, count, outdated),
      confirmed: () => handlers.confirmed?.(),
      revoked: (partitions) => handlers.revoked(partitions),
      batch: async (batch) =>
        (await this.#preparer.prepare(batch))
          ? ((await handlers.batch(batch)) ?? undefined)
          : 'again',
      caughtUp: (role, partition) => handlers.caughtUp?.(role, partition),
      gap: (role, partition, expected, found) => handlers.gap?.(role, partition, expected, found),
      changed: (role, partition, change) => handlers.changed?.(role, partition, change),
      state: (state) => handlers.state(state),
      ...(handlers.failed && { failed: (error: Error) => handlers.failed?.(error) }),
    });
  }

  holdBack(partitions: readonly number[]): void {
    this.#source.holdBack?.(partitions);
  }

  ends(): Promise<readonly LogEnd[]> {
    return this.#source.ends();
  }

  commit(partition: number, next: NextOffsets): void {
    this.#source.commit?.(partition, next);
  }

  async committed(): Promise<readonly number[]> {
    return (await this.#source.committed?.()) ?? [];
  }

  stop(): Promise<void> {
    return this.#source.stop();
  }
}
