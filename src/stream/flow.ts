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

/** Questions about single items and users, answered where ticks run. */
export type AskedLookup = Pick<Ticks, 'item' | 'user' | 'look'>;

/** Records that the log no longer held when they were due. */
export interface Gap {
  readonly role: TopicRole;
  readonly partition: number;
  readonly records: number;
}

/** A log is not what it was when it was read. */
export type ChangedLog =
  | (LogChange & {
      readonly role: TopicRole;
      readonly partition: number;
    })
  /** Its topics have more partitions: users may be in another one than their lists. */
  | {
      readonly kind: 'extended';
      readonly from: number;
      readonly to: number;
    };

/** How the work is divided among the processes of a group. */
export interface Sharing {
  /** Whether this process reads events, and counts them: one that ticks hears what they came to. */
  readonly reads: boolean;
  /** Whether this process keeps the numbers of all and shows them as metrics. */
  readonly evaluates: boolean;
  /** Whether other processes have the numbers. */
  readonly isElsewhere: boolean;
  /** Whether others read some of the partitions, and nobody brings these together. */
  readonly isApart: boolean;
  /** Whether those who read go by other settings than the one who ticks. */
  readonly isMixed: boolean;
  /** Why the panes topic does not do what it is asked; undefined while it does. */
  readonly trouble: string | undefined;
  /** What this process does in the group. */
  readonly note: string;
}

/** What a service follows: events that are read, panes that close, and how it stands with both. */
export interface Flow {
  readonly applied$: Observable<AppliedBatch>;
  /** Fails with what breaks the flow. */
  readonly panes$: Observable<TimedPane>;
  /** The same panes for those who only look on: it ends where the flow fails. */
  readonly ticks$: Observable<TimedPane>;
  /** Ends of panes, event time, ms: what was made of ticks until there is kept by the one who leads. */
  readonly kept$: Observable<number>;
  readonly swept$: Observable<Swept>;
  readonly state$: Observable<'connected' | 'disconnected'>;
  readonly gaps$: Observable<Gap>;
  readonly logChanges$: Observable<ChangedLog>;
  /** Panes whose records are gone from the panes topic. */
  readonly lostPanes$: Observable<LostPane>;
  /** Of a partition whose state was made with other settings: those that have changed. */
  readonly settings$: Observable<readonly SettingChange[]>;
  /** Every change of assignment, with the partitions of this process. */
  readonly assigned$: Observable<readonly number[]>;
  /** When the log was last heard. */
  readonly contact: LogContact;
  readonly checkpointer: Checkpointer | undefined;
  /** How far the log's time is ahead of this process's clock; 0 where the two agree. */
  readonly clockSkewMs: number;
  /** Whether every partition was read to its end at least once since it was assigned. */
  readonly caughtUp: boolean;
  /** What is known of single items and users; undefined where another process has it. */
  readonly lookup: AskedLookup | undefined;
  /** How many ids this process knows. */
  readonly knownIds: Readonly<Record<IdKind, number>>;
  /** How much there is of what limits are for. */
  readonly held: Omit<SampleLimits, 'requests'>;
  /** Undefined where one process does all. */
  readonly sharing: Sharing | undefined;
  /** Newest event time of a topic-partition, ms; −Infinity without any. */
  newestOf(role: TopicRole, partition: number): number;
  start(): Promise<void>;
  stop(): Promise<void>;
}
