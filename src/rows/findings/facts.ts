import type { SnapshotReports } from '../../stream/feature-types.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import type { OutputName } from './away.js';

/** Outcomes of a topic's events since the service started. */
export interface TopicFacts {
  readonly topic: string;
  readonly accepted: number;
  readonly late: number;
  readonly duplicate: number;
  /** Events that the mapping passes over. */
  readonly ignored: number;
  readonly faults: Readonly<Record<string, number>>;
  /** Records that are not read yet; null while nobody knows. */
  readonly lag: number | null;
  readonly partitions: readonly PartitionFacts[];
}

/** Read position of a partition. */
export interface PartitionFacts {
  readonly partition: number;
  /** Newest event time, ms; null before the first event. */
  readonly watermark: number | null;
  /** Since when an open transaction is seen to hold back all that is left, ms; null while none does. */
  readonly transactionSince: number | null;
}

/** Outcomes of a topic's events in the last hour. */
export interface RecentEvents {
  readonly topic: string;
  readonly accepted: number;
  readonly late: number;
  readonly duplicate: number;
  readonly rejected: number;
  /** The reason of most of those; undefined where there are none. */
  readonly mostRejectedAs?: string | undefined;
}

/** Settings that determine states; times in ms. */
export interface StateSettings {
  readonly tickMs: number;
  readonly latenessMs: number;
  readonly idleMs: number;
  readonly horizonMs: number;
  /** Undefined where no changes are watched for. */
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
  /** Of health and readiness. */
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly detail?: string;
  }[];
  /** What the service writes; left out where it writes nothing. */
  readonly outputs?: readonly OutputFacts[];
  readonly topics: readonly TopicFacts[];
  /** Facts about the intake; undefined if none runs in this process. */
  readonly intake?: IntakeFacts | undefined;
  /** Left out where it is not counted. */
  readonly recent?: readonly RecentEvents[];
  /** Undefined before the first pane. */
  readonly snapshot: SnapshotFacts | undefined;
  /** Another worker of the group has the numbers. */
  readonly isElsewhere: boolean;
  /** Others of the group read some of the partitions, and nobody brings these together. */
  readonly isApart?: boolean;
  /** Those who read the events go by other settings than the one who ticks. */
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
