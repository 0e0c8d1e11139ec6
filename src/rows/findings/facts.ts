import type { SnapshotReports } from '../../stream/feature-types.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import type { OutputName } from './away.js';

/** Outcomes of a topic's events since the service started. */
export interface TopicFacts {
  readonly topic: string;
  readonly accepted: number;
  readonly late: number;
  readonly duplicate: number;
  /** Events that the mapping ignores. */
  readonly ignored: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Number of records that are not read yet; null while it is unknown. */
  readonly lag: number | null;
  readonly partitions: readonly PartitionFacts[];
}

/** Read position of a partition. */
export interface PartitionFacts {
  readonly partition: number;
  /** Newest event time, ms; null before the first event. */
  readonly watermark: number | null;
  /**
   * Start of the open transaction that holds back all remaining records of the partition, ms; null
   * if there is none.
   */
  readonly transactionSince: number | null;
}

/** Outcomes of a topic's events in the last hour. */
export interface RecentEvents {
  readonly topic: string;
  readonly accepted: number;
  readonly late: number;
  readonly duplicate: number;
  readonly rejected: number;
  /** The most frequent reason for rejection; undefined if no event was rejected. */
  readonly mostRejectedAs?: string | undefined;
}

/** Settings that determine states; times in ms. */
export interface StateSettings {
  readonly tickMs: number;
  readonly latenessMs: number;
  readonly idleMs: number;
  readonly horizonMs: number;
  /** Undefined if drift detection is off. */
  readonly drift?:
    | {
        readonly learn: number;
        readonly windowMs: number;
      }
    | undefined;
}

/** The parts of the newest snapshot that states use. */
export type SnapshotFacts = Pick<
  Snapshot,
  'paneEnd' | 'alarms' | 'modelsLeftOut' | 'popularitySince' | 'sampling' | 'homes'
> &
  SnapshotReports & { readonly windows: readonly Pick<WindowSnapshot, 'results'>[] };

/** Records that an intake did not write, by reason. */
export interface IntakeFacts {
  readonly rejected: number;
  readonly ignored: number;
}

/** An output of a service, and why it cannot be written. */
export interface OutputFacts {
  readonly name: OutputName;
  readonly trouble:
    | {
        readonly since?: number;
        readonly reason: string;
      }
    | undefined;
}

/** All facts about a service at one moment. */
export interface ServiceFacts {
  /** Wall clock, ms since the epoch. */
  readonly now: number;
  readonly settings: StateSettings;
  /** Results of the health and readiness checks. */
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly detail?: string;
  }[];
  /** Outputs of the service; left out if it writes none. */
  readonly outputs?: readonly OutputFacts[];
  readonly topics: readonly TopicFacts[];
  /** Facts about the intake; undefined if none runs in this process. */
  readonly intake?: IntakeFacts | undefined;
  /** Left out if events of the last hour are not counted. */
  readonly recent?: readonly RecentEvents[];
  /** Undefined before the first pane. */
  readonly snapshot: SnapshotFacts | undefined;
  /** Whether another worker of the group has the numbers. */
  readonly isElsewhere: boolean;
  /**
   * Whether other workers of the group read some of the partitions, and no process merges their
   * panes.
   */
  readonly isApart?: boolean;
  /** Whether readers run with other settings than the process that ticks. */
  readonly isMixed?: boolean;
}

/** Newest event time of a topic, ms; null if none is known. */
export function newestOf({
  partitions,
}: {
  readonly partitions: readonly Pick<PartitionFacts, 'watermark'>[];
}): number | null {
  const known = partitions.flatMap(({ watermark }) => watermark ?? []);
  return known.length === 0 ? null : Math.max(...known);
}

export function isFailing({ checks }: Pick<ServiceFacts, 'checks'>, name: string): boolean {
  return checks.some((check) => check.name === name && !check.ok);
}

/** Events that were rejected, over all reasons. */
export function rejectedOf({ faults }: Pick<TopicFacts, 'faults'>): number {
  return Object.values(faults).reduce((sum, count) => sum + count, 0);
}
