import type { SnapshotReports } from '../../stream/feature-types.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import type { OutputName } from './away.js';

/** Event counts of a topic by outcome, since the service started. */
export interface TopicFacts {
  readonly topic: string;
  readonly accepted: number;
  readonly late: number;
  readonly duplicate: number;
  /** Number of events that the mapping ignores. */
  readonly ignored: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Number of unread records of the topic; null while it is unknown. */
  readonly lag: number | null;
  readonly partitions: readonly PartitionFacts[];
}

/** How far a partition has been read. */
export interface PartitionFacts {
  readonly partition: number;
  /** Newest event time, ms; null before the first event. */
  readonly watermark: number | null;
  /**
   * Start of an open transaction, ms. While it is open, the remaining records of the partition
   * cannot be read. Null if no transaction is open.
   */
  readonly transactionSince: number | null;
}

/** Event counts of a topic by outcome, in the last hour. */
export interface RecentEvents {
  readonly topic: string;
  readonly accepted: number;
  readonly late: number;
  readonly duplicate: number;
  readonly rejected: number;
  /** Most frequent reason for rejecting events; undefined if none was rejected. */
  readonly mostRejectedAs?: string | undefined;
}

/** Settings that the states depend on; times in ms. */
export interface StateSettings {
  readonly tickMs: number;
  readonly latenessMs: number;
  readonly idleMs: number;
  readonly horizonMs: number;
  /** Settings of drift detection; undefined if it is off. */
  readonly drift?:
    | {
        readonly learn: number;
        readonly windowMs: number;
      }
    | undefined;
}

/** Parts of the newest snapshot that the states depend on. */
export type SnapshotFacts = Pick<
  Snapshot,
  'paneEnd' | 'alarms' | 'modelsLeftOut' | 'popularitySince' | 'sampling' | 'homes'
> &
  SnapshotReports & { readonly windows: readonly Pick<WindowSnapshot, 'results'>[] };

/** Number of records that the intake read and did not write, by reason. */
export interface IntakeFacts {
  readonly rejected: number;
  readonly ignored: number;
}

/** An output of a service, and the failure that keeps it from being written. */
export interface OutputFacts {
  readonly name: OutputName;
  readonly trouble:
    | {
        readonly since?: number;
        readonly reason: string;
      }
    | undefined;
}

/** Everything that the states of a service are derived from, at one moment. */
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
  /** Outputs that the service writes. */
  readonly outputs?: readonly OutputFacts[];
  readonly topics: readonly TopicFacts[];
  /** Counts of the intake; undefined if none runs in this process. */
  readonly intake?: IntakeFacts | undefined;
  /** Event counts of the last hour; undefined if they are not recorded. */
  readonly recent?: readonly RecentEvents[];
  /** Newest snapshot; undefined before the first pane has closed. */
  readonly snapshot: SnapshotFacts | undefined;
  /** Whether another process of the group shows the numbers. */
  readonly isElsewhere: boolean;
  /**
   * Whether other processes of the group read some of the partitions and no process combines the
   * panes.
   */
  readonly isApart?: boolean;
  /** Whether processes that read have other settings than the process that ticks. */
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

/** Number of rejected events, over all reasons. */
export function rejectedOf({ faults }: Pick<TopicFacts, 'faults'>): number {
  return Object.values(faults).reduce((sum, count) => sum + count, 0);
}
