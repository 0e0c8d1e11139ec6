import type { LogCheck } from '../../stream/log-check.js';
import type { SourceHandlers, TopicRole } from '../../stream/ports.js';
import type { RecordTrail } from '../../stream/record-mark.js';
import { byHandler } from './handler-failure.js';

/** Next offset and end of the log of one partition of one topic. */
export interface Position {
  readonly role: TopicRole;
  readonly topic: string;
  readonly partition: number;
  next: number;
  high: number;
  /** Of what was read. */
  readonly trail: RecordTrail;
  /** Of the leader that took in what was read last; undefined where any may have. */
  epoch: number | undefined;
  /** The log may have become another since it was last read. */
  isDoubtful: boolean;
  /** Under way: nothing is delivered before its verdict. */
  check: LogCheck | undefined;
}

/** Acts on a verdict, if there is one: a changed log is reported, and read from there on. */
export async function settle(position: Position, handlers: SourceHandlers): Promise<void> {
  const verdict = position.check?.verdict;
  if (verdict === undefined) return;
  position.check = undefined;
  if (verdict.kind === 'same') return;
  const { role, partition, next: expected } = position;
  position.next = verdict.found;
  position.trail.cut(verdict.found, verdict.kept);
  position.epoch = undefined;
  await byHandler(() => handlers.changed?.(role, partition, { ...verdict, expected }));
}
