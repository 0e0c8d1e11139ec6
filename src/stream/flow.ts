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

/** Records that the log no longer had when they were to be read. */
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
  /** The topics have more partitions, so users and their lists may be in different ones. */
  | {
      readonly kind: 'extended';
      readonly from: number;
      readonly to: number;
    };

/** Division of work among the processes of a group. */
export interface Sharing {
  /** Whether this process reads and counts events; a ticking process gets their outcomes from others. */
  readonly reads: boolean;
  /** Whether this process computes the numbers of all partitions and exports them as metrics. */
  readonly evaluates: boolean;
  /** Whether other processes have the numbers. */
  readonly isElsewhere: boolean;
  /** Whether other processes read some of the partitions and none combines them. */
  readonly isApart: boolean;
  /** Whether reading processes have other settings than the ticking one. */
  readonly isMixed: boolean;
  /** Why the panes topic fails; undefined while it works. */
  readonly trouble: string | undefined;
  /** Role of this process in the group. */
  readonly note: string;
}

/** The stream of a service: events read, panes closed, and their status. */
export interface Flow {
  readonly applied$: Observable<AppliedBatch>;
  /** Fails with any error of the flow. */
  readonly panes$: Observable<TimedPane>;
  /** The same panes for observers; completes when the flow fails. */
  readonly ticks$: Observable<TimedPane>;
  /** Ends of panes, event time, ms, up to which the leader has stored the results of ticks. */
  readonly kept$: Observable<number>;
  readonly swept$: Observable<Swept>;
  readonly state$: Observable<'connected' | 'disconnected'>;
  readonly gaps$: Observable<Gap>;
  readonly logChanges$: Observable<ChangedLog>;
  /** Panes whose records are missing in the panes topic. */
  readonly lostPanes$: Observable<LostPane>;
  /** Changed settings of a partition whose state was made with others. */
  readonly settings$: Observable<readonly SettingChange[]>;
  /** Every change of assignment, with the partitions of this process. */
  readonly assigned$: Observable<readonly number[]>;
  /** Last contact with the log. */
  readonly contact: LogContact;
  readonly checkpointer: Checkpointer | undefined;
  /** How far the log's time is ahead of this process's clock, ms. */
  readonly clockSkewMs: number;
  /** Whether every partition was read to its end at least once since its assignment. */
  readonly caughtUp: boolean;
  /** Lookup of single items and users; undefined if another process has them. */
  readonly lookup: AskedLookup | undefined;
  /** Number of ids known to this process. */
  readonly knownIds: Readonly<Record<IdKind, number>>;
  /** Current amounts of what is limited. */
  readonly held: Omit<SampleLimits, 'requests'>;
  /** Undefined if one process does everything. */
  readonly sharing: Sharing | undefined;
  /** Newest event time of a topic-partition, ms; −Infinity if there is none. */
  newestOf(role: TopicRole, partition: number): number;
  start(): Promise<void>;
  stop(): Promise<void>;
}
