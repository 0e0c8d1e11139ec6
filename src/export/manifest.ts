import type { WrittenFile } from './ports.js';
import type { SetPlan } from './set-plan.js';
import type { SetSummary } from './set-summary.js';

export const MANIFEST_SCHEMA = 'unskew/set@1';

/** A file that was read: of events, or of learned propensities. */
export interface FileSource {
  readonly kind: 'file';
  readonly role: 'events' | 'train' | 'propensities';
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Range of one topic that was read: offsets from ≤ o < to of each partition. */
export interface TopicSource {
  readonly kind: 'kafka';
  readonly topic: string;
  readonly partitions: readonly {
    readonly partition: number;
    readonly from: number;
    readonly to: number;
  }[];
  /** Partitions whose log begins after the start of the range, if that was allowed. */
  readonly missing: readonly MissingStretch[];
}

/** A partition that no longer holds the beginning of a range. */
export interface MissingStretch {
  readonly partition: number;
  /** First offset that the partition's log still holds. */
  readonly low: number;
  /** Record time at that offset, ms, accurate to a second; null if the log is empty. */
  readonly lowTs: number | null;
}

export type SetSource = FileSource | TopicSource;

/**
 * Number of events that were read, by outcome. `interactions` are those in the plan's range of
 * time.
 */
export interface ReadCounts {
  readonly events: number;
  readonly exposures: number;
  /** Events of a foreign schema that are neither lists nor interactions. */
  readonly ignored: number;
  /** Numbers of invalid events by reason. */
  readonly faults: Readonly<Record<string, number>>;
  readonly outsideRange: number;
  readonly interactions: number;
}

export interface ListedFile extends WrittenFile {
  readonly role: 'set' | 'train' | 'report';
}

/** Everything needed to judge a set and to make it again. */
export interface Manifest {
  readonly schema: typeof MANIFEST_SCHEMA;
  /** Version of the program. */
  readonly version: string;
  readonly plan: SetPlan;
  /** How the events were read. */
  readonly events: {
    readonly maxBytes: number;
    /**
     * Largest time by which an event may be ahead of its record time, ms. Files have no record
     * time.
     */
    readonly maxFutureMs: number;
    readonly mapping?: unknown;
    /** Stamps of the pseudonym keys, the newest first. */
    readonly pseudonyms?: readonly string[];
  };
  readonly sources: readonly SetSource[];
  readonly counts: ReadCounts & {
    readonly leftOut: SetSummary['leftOut'];
    readonly pairs: SetSummary['pairs'];
    readonly sampled: number;
    readonly zeroWeight: number;
    readonly drawn: number;
  };
  readonly weights: SetSummary['weights'];
  readonly users: SetSummary['users'];
  readonly items: SetSummary['items'];
  readonly target?: SetSummary['target'];
  readonly raking?: SetSummary['raking'];
  readonly files: readonly ListedFile[];
}

/** A manifest before its files are known, since the report is one of them. */
export type DraftManifest = Omit<Manifest, 'files'>;

/** Build the parts of a manifest that follow from a summary. */
export function summarised(
  read: ReadCounts,
  { leftOut, pairs, sampled, zeroWeight, drawn, lorenz: _lorenz, ...rest }: SetSummary,
): Pick<Manifest, 'counts' | 'weights' | 'users' | 'items' | 'target' | 'raking'> {
  return {
    counts: {
      ...read,
      leftOut,
      pairs,
      sampled,
      zeroWeight,
      drawn,
    },
    ...rest,
  };
}
