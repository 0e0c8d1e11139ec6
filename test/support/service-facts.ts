import type {
  PartitionFacts,
  ServiceFacts,
  SnapshotFacts,
  TopicFacts,
} from '../../src/rows/findings/facts.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** A moment, in the midst of a minute. */
export const NOW = Date.UTC(2026, 10, 23, 12, 30, 20);

/** A partition that is read up to a time. */
export function aPartition(
  watermark: number | null,
  more: Partial<PartitionFacts> = {},
): PartitionFacts {
  return { partition: 0, watermark, transactionSince: null, ...more };
}

/** A topic whose events have come until shortly before the moment. */
export function aTopic(name: string, more: Partial<TopicFacts> = {}): TopicFacts {
  const counts = { accepted: 1000, late: 0, duplicate: 0, ignored: 0, faults: {}, lag: 0 };
  return { topic: name, ...counts, partitions: [aPartition(NOW - 2000)], ...more };
}

/** Numbers of which nothing is to be said. */
export function aSnapshot(more: Partial<SnapshotFacts> = {}): SnapshotFacts {
  return {
    paneEnd: NOW - 20_000,
    alarms: [],
    drift: [
      { series: 'gini/interactions', model: null, detector: 'cusum', score: 1, threshold: 5 },
    ],
    popularitySince: NOW - 240 * HOUR,
    sampling: { ratio: 1 },
    windows: [{ results: [] }],
    ...more,
  };
}

/** A service that is well, with minute panes and ten days of popularity; then with changes. */
export function theFacts(more: Partial<ServiceFacts> = {}): ServiceFacts {
  return {
    now: NOW,
    settings: {
      tickMs: MINUTE,
      latenessMs: 30_000,
      idleMs: 60_000,
      horizonMs: 240 * HOUR,
      drift: { learn: 24, windowMs: HOUR },
    },
    checks: ['pipeline', 'broker', 'assigned', 'caught_up', 'clock', 'state_store'].map((name) => ({
      name,
      ok: true,
    })),
    topics: [aTopic('shown'), aTopic('clicked')],
    snapshot: aSnapshot(),
    isElsewhere: false,
    ...more,
  };
}

/** The same with checks that fail. */
export function failing(...names: readonly string[]): Pick<ServiceFacts, 'checks'> {
  const checks = theFacts().checks.map((check) => ({ ...check, ok: !names.includes(check.name) }));
  return { checks };
}
