import { createHash } from 'node:crypto';
import { KafkaPanesLog } from '../../adapters/kafka/panes-log.js';
import { KafkaTickGroup } from '../../adapters/kafka/tick-group.js';
import type { Role } from '../../config/roles.js';
import type { Config } from '../../config.js';
import type { MonitorOptions } from '../../stream/options.js';
import type { CheckpointStore, PanesLog } from '../../stream/ports.js';
import type { Leadership } from '../../stream/tick-flow.js';
import type { LoggedIo } from '../cli/io.js';
import { connectionOptions } from './schemas.js';
import { checkpointStore } from './state-stores.js';

/**
 * Role of this process if the work is divided among processes that read and processes that tick;
 * without it, one process does all.
 */
export type Division =
  | {
      readonly role: 'read';
      readonly log: PanesLog;
    }
  | {
      readonly role: 'tick';
      readonly log: PanesLog;
      /** Election of the process that writes; undefined if no other process ticks. */
      readonly leadership: Leadership | undefined;
      /**
       * Store with the state of the single process that did all the work before the division. The
       * first process that ticks continues from it.
       */
      readonly former: CheckpointStore | undefined;
    };

/**
 * Minimum retention of the panes topic, ms. The retention is twice the longest window if that is
 * more.
 */
const LEAST_RETENTION_MS = 86_400_000;

/** Connect to the panes topic and the group of a divided service in Kafka. */
export async function divisionOf(role: Role, config: Config, io: LoggedIo): Promise<Division> {
  const { kafka, panes, time } = config;
  const connection = connectionOptions(config, io);
  const longestMs = Math.max(...time.windows.map(({ ms }) => ms));
  const log = new KafkaPanesLog(connection, {
    topic: panes.topic,
    like: kafka.topics.interactions,
    retentionMs: Math.max(LEAST_RETENTION_MS, 2 * longestMs),
  });
  if (role === 'read') return { role, log };
  const leadership = new KafkaTickGroup(connection, {
    groupId: tickGroupOf(kafka.groupId),
    topic: panes.topic,
    sessionTimeoutMs: kafka.sessionTimeoutMs,
  });
  return {
    role,
    log,
    leadership,
    former: await checkpointStore(config),
  };
}

/** Name of the consumer group of the processes that tick. */
export function tickGroupOf(groupId: string): string {
  return `${groupId}.tick`;
}

/**
 * Fingerprint of all options that affect numbers, so that processes with different ones are
 * detected.
 */
export function rulesOf(monitor: MonitorOptions): string {
  return createHash('sha256').update(JSON.stringify(monitor)).digest('hex').slice(0, 12);
}
