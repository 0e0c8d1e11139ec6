import type { Observable } from 'rxjs';
import type { SettingChange } from './checkpoint/changed-settings.js';
import type { Checkpointer } from './checkpoint/checkpointer.js';
import type { IdKind, Swept } from './id-tables.js';
import type { SampleLimits } from './options.js';
import type { LostPane } from './panes/fold.js';
import type { LogChange, TopicRole } from './ports.js';
import type { AppliedBatch } from './read/ingest.js';
import type { LogContact } from './read/log-contact.js';
import type { TimedPane } from './read/pane-closer.js';
import type { Ticks } from './ticks.js';

/** Lookups of single items and users, answered by the ticking process. */
export type AskedLookup = Pick<Ticks, 'item' | 'user' | 'look'>;

/** Number of records of a topic-partition that the log had deleted before they were read. */
export interface Gap {
  readonly role: TopicRole;
  readonly partition: number;
  readonly records: number;
}

/** A log that changed since it was read. */
export type ChangedLog =
  | (LogChange & {
      readonly role: TopicRole;
      readonly partition: number;
    })
  /**
   * The topics got more partitions. New events of a user may now be in another partition than the
   * user's earlier lists.
   */
  | {
      readonly kind: 'extended';
      readonly from: number;
      readonly to: number;
    };

/** How work is divided among the processes of a group, as seen from this one. */
export interface Sharing {
  /**
   * Whether this process reads events and counts their outcomes itself; a process that only ticks
   * gets the counts from others.
   */
  readonly reads: boolean;
  /** Whether this process computes the results of all partitions and exports them as metrics. */
  readonly evaluates: boolean;
  /** Whether only other processes have results. */
  readonly isElsewhere: boolean;
  /** Whether other processes read some of the partitions and none combines the results. */
  readonly isApart: boolean;
  /** Whether reading processes run with other settings than this ticking one. */
  readonly isMixed: boolean;
  /** Why the panes topic fails; undefined while it works. */
  readonly trouble: string | undefined;
  /** One line on what this process does in the group. */
  readonly note: string;
}

/** The stream of a service: events read, panes closed, and their status. */
export interface Flow {
  readonly applied$: Observable<AppliedBatch>;
  /** Closed and ticked panes; fails with any error of the flow. */
  readonly panes$: Observable<TimedPane>;
  /** The panes of `panes$`, for observers: completes instead of failing. */
  readonly ticks$: Observable<TimedPane>;
  /**
   * Emits ends of panes, event time, ms. The leading process has stored the results of all ticks up
   * to the emitted time.
   */
  readonly kept$: Observable<number>;
  readonly swept$: Observable<Swept>;
  readonly state$: Observable<'connected' | 'disconnected'>;
  readonly gaps$: Observable<Gap>;
  readonly logChanges$: Observable<ChangedLog>;
  /** Panes whose records are missing in the panes topic. */
  readonly lostPanes$: Observable<LostPane>;
  /** Settings that differ from those with which a partition's stored state was made. */
  readonly settings$: Observable<readonly SettingChange[]>;
  /** The partitions of this process, after every change of assignment. */
  readonly assigned$: Observable<readonly number[]>;
  /** What the log last answered, and whether it is reachable. */
  readonly contact: LogContact;
  readonly checkpointer: Checkpointer | undefined;
  /** How far the log's time is ahead of this process's clock, ms. */
  readonly clockSkewMs: number;
  /** Whether every partition was read to its end at least once since its assignment. */
  readonly caughtUp: boolean;
  /** Lookups of single items and users; undefined if another process answers them. */
  readonly lookup: AskedLookup | undefined;
  /** Number of ids known to this process. */
  readonly knownIds: Readonly<Record<IdKind, number>>;
  /** Current numbers of the rows, list entries and users that memory limits apply to. */
  readonly held: Omit<SampleLimits, 'requests'>;
  /** How work is divided in the group; undefined if one process does everything. */
  readonly sharing: Sharing | undefined;
  /** Newest event time of a topic-partition, ms; −Infinity if there is none. */
  newestOf(role: TopicRole, partition: number): number;
  start(): Promise<void>;
  stop(): Promise<void>;
}
