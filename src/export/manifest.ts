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

/** Offsets from ≤ o < to of one topic that were read. */
export interface TopicSource {
  readonly kind: 'kafka';
  readonly topic: string;
  readonly partitions: readonly {
    readonly partition: number;
    readonly from: number;
    readonly to: number;
  }[];
  /** Partitions whose log begins after the range does, where that was allowed. */
  readonly missing: readonly MissingStretch[];
}

/** A partition that no longer holds the beginning of a range. */
export interface MissingStretch {
  readonly partition: number;
  /** Offset that its log begins at. */
  readonly low: number;
  /** The log's own time there, ms, to a second; null where it holds nothing. */
  readonly lowTs: number | null;
}

export type SetSource = FileSource | TopicSource;

/** How many events there were, and what became of them until they were interactions in the range. */
export interface ReadCounts {
  readonly events: number;
  readonly exposures: number;
  /** Events of a foreign schema that are neither. */
  readonly ignored: number;
  /** By reason. */
  readonly faults: Readonly<Record<string, number>>;
  readonly outsideRange: number;
  readonly interactions: number;
}

export interface ListedFile extends WrittenFile {
  readonly role: 'set' | 'train' | 'report';
}

/** Everything that is needed to judge a set and to make it again. */
export interface Manifest {
  readonly schema: typeof MANIFEST_SCHEMA;
  /** Of the program. */
  readonly version: string;
  readonly plan: SetPlan;
  /** How the events were read. */
  readonly events: {
    readonly maxBytes: number;
    /** How far an event may be ahead of its record, ms; a file has no such time. */
    readonly maxFutureMs: number;
    readonly mapping?: unknown;
    /** Stamps of the keys that users have their pseudonyms by, the newest first. */
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

/** A manifest before its files are known: the report is one of them. */
export type DraftManifest = Omit<Manifest, 'files'>;

/** The manifest's parts that a summary gives. */
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
