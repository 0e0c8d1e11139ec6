import type { Batch, Kafka } from 'kafkajs';
import { LogCheck, type LogView } from '../../stream/log-check.js';
import type { SourceHandlers } from '../../stream/ports.js';
import { type Position, settle } from './position.js';
import { epochOf } from './record-mark.js';
import { logRanges } from './topics.js';
import { withAdmin } from './with-admin.js';

export type Seek = (position: Position, offset: number) => void;

/**
 * Finds out whether a partition's log is still the one that was read, where there is reason to
 * doubt it: by fetching records again that were read before.
 */
export class PositionChecks {
  readonly #kafka: Kafka;
  readonly #handlers: SourceHandlers;
  readonly #seek: Seek;

  constructor(kafka: Kafka, handlers: SourceHandlers, seek: Seek) {
    this.#kafka = kafka;
    this.#handlers = handlers;
    this.#seek = seek;
  }

  /**
   * Whether a batch need not come right after what was read: the client starts again if the log
   * ends before its position, and what only a former leader had goes with it.
   */
  isInDoubt(position: Position, { messages: [first] }: Batch): boolean {
    const { check, next, epoch, isDoubtful } = position;
    if (check !== undefined || first === undefined) return false;
    if (isDoubtful || Number(first.offset) < next) return true;
    return epoch !== undefined && epochOf(first) !== epoch;
  }

  async begin(position: Position, { messages: [first] }: Batch): Promise<void> {
    const { topic, partition, next, trail } = position;
    position.isDoubtful = false;
    const ranges = await withAdmin(this.#kafka, (admin) => logRanges(admin, topic));
    const range = ranges.get(partition);
    if (range === undefined) throw new Error(`${topic} has no partition ${partition}`);
    if (first !== undefined) position.epoch = epochOf(first);
    position.high = range.high;
    position.check = new LogCheck(trail.marks, next, range);
  }

  /** @returns whether the log is the same; if not, or not yet, something else is fetched next */
  async look(position: Position, view: LogView): Promise<boolean> {
    position.check?.look(view);
    return this.proceed(position);
  }

  async proceed(position: Position): Promise<boolean> {
    const { check } = position;
    if (check !== undefined && check.verdict === undefined) {
      this.#seek(position, check.at);
      return false;
    }
    const isSame = check === undefined || check.verdict?.kind === 'same';
    await settle(position, this.#handlers);
    this.#seek(position, position.next);
    return isSame;
  }
}
