import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireCommand } from '../../deploy/services.mjs';
import type { UsedGammaSource } from '../../src/estimators/propensity/gamma-source.js';
import type { EstimateRow } from '../../src/estimators/results/estimate.js';
import type { OnPolicyReport } from '../../src/features/on-policy/report.js';
import type { PropensityFileReport } from '../../src/features/ratings/rating-report.js';
import { registerFileReadings } from '../../src/outputs/prometheus/file-readings.js';
import type { UserPartitions } from '../../src/state/panes/user-partitions.js';
import type { CheckpointEvent } from '../../src/stream/checkpoint/checkpointer.js';
import type { ChangedLog, Sharing } from '../../src/stream/flow.js';
import type { Concentration, Snapshot } from '../../src/stream/tick/snapshot.js';
import { fileReportOf, ratingsReportOf } from '../support/ratings-report.js';
import { IS_LONG } from '../support/repetitions.js';
import { shownOf, valueDifferenceRow, valueRowOf, withheldOf } from '../support/rows.js';
import { ruleFiles, rules } from '../support/rules.js';
import { aVerdict } from '../support/verdict.js';
import { WatchedExporter } from '../support/watched-exporter.js';

/** Something goes wrong, and what is seen of it. */
interface Scenario {
  readonly of: string;
  /** It takes hours, or a way to an alert that another scenario has taken: for the night. */
  readonly isLong?: boolean;
  /** Minutes between two scrapes (1). */
  readonly every?: number;
  /** Between these minutes nothing is scraped. */
  readonly pause?: readonly [from: number, to: number];
  /** When all is quiet still, if it ever was, and when the alerts fire; minutes. */
  readonly quietAt?: number;
  readonly at: number;
  readonly firing: readonly string[];
  /** What the process does, where it does not do all. */
  readonly role?: keyof typeof SHARING;
  /** Before the first scrape. */
  readonly begin?: (world: WatchedExporter) => void;
  /** What happens to another worker of the job, before its first scrape and each. */
  readonly other?: Pick<Scenario, 'role' | 'begin' | 'step'>;
  readonly traffic?: Parameters<WatchedExporter['traffic']>[0];
  readonly snapshot?: (snapshot: Snapshot, minute: number) => Snapshot;
  /** Before each scrape. */
  readonly step?: (world: WatchedExporter, minute: number) => void;
}

const DIVIDED = { isApart: false, isMixed: false, trouble: undefined, note: '' };
const SHARING = {
  read: { ...DIVIDED, reads: true, evaluates: false, isElsewhere: true },
  tick: { ...DIVIDED, reads: false, evaluates: true, isElsewhere: false },
  mixed: { ...DIVIDED, isMixed: true, reads: false, evaluates: true, isElsewhere: false },
} as const satisfies Record<string, Sharing>;

/** Happens once, after a few scrapes. */
const once =
  (does: (world: WatchedExporter) => void): NonNullable<Scenario['step']> =>
  (world, minute) => {
    if (minute === 10) does(world);
  };

const gap = { role: 'interactions', partition: 1, records: 100 } as const;
const lostPane = { partition: 1, pane: 100 };
const change: ChangedLog = {
  kind: 'recreated',
  role: 'interactions',
  partition: 1,
  expected: 100,
  found: 0,
};

const withRows =
  (of: (row: EstimateRow) => EstimateRow) =>
  (snapshot: Snapshot): Snapshot => ({
    ...snapshot,
    windows: snapshot.windows.map((window) => ({ ...window, results: window.results.map(of) })),
  });

/** An arm that is worth less in a day than the control; in the last hour it was served so often. */
const withServed =
  (requests: number) =>
  (snapshot: Snapshot): Snapshot => {
    const [model] = snapshot.models;
    const [hour] = snapshot.windows;
    const served = (own: number) => [valueRowOf({ model, estimator: 'on_policy', requests: own })];
    const valueDifferences = [valueDifferenceRow({ model, reference: 'old', proved: 'worse' })];
    const day = { ...hour, name: '24h', values: served(900), valueDifferences };
    return { ...snapshot, windows: [{ ...hour, values: served(requests) }, day] };
  };

const shownLists = (model: string, lists: number): OnPolicyReport => ({
  refused: null,
  named: 100,
  elsewhere: 0,
  values: [shownOf({ model, lists, ess: 40 })],
});

/** A verdict prefers one of two models, and the other was shown in so many lists of the hour. */
const withVerdict =
  (lists: number, better: 'model' | 'reference') =>
  (snapshot: Snapshot): Snapshot => {
    const [reference, model] = snapshot.models;
    const pair = { model, reference };
    const served = better === 'model' ? reference : model;
    const [hour] = snapshot.windows;
    const onPolicy = shownLists(served, lists);
    const day = { ...hour, name: '24h', onPolicy: shownLists(served, 900) };
    return {
      ...snapshot,
      windows: [{ ...hour, onPolicy }, day],
      verdicts: [aVerdict({ ...pair, state: 'prefer', better: pair[better] })],
    };
  };

/** Arms are served so many requests an hour, and as their shares say or not. */
const withRatio =
  (requests: number) =>
  (snapshot: Snapshot): Snapshot => {
    const [model] = snapshot.models;
    const [hour] = snapshot.windows;
    const values = [valueRowOf({ model, estimator: 'on_policy', requests })];
    const sampleRatio = { chiSquare: 40, freedom: 1, p: 2.5e-10 };
    return { ...snapshot, windows: [{ ...hour, values, sampleRatio }] };
  };

/** Ratings of an hour, weighted by a file of propensities. */
const withFile =
  (own: Partial<PropensityFileReport>) =>
  (snapshot: Snapshot): Snapshot => {
    const { propensity } = ratingsReportOf();
    const drift = { of: 'items', ratings: 500, distance: 0.2, byChance: 0.15 } as const;
    const file = fileReportOf({ drift, ...own });
    const ratings = ratingsReportOf({ propensity: { ...propensity, file } });
    const [hour] = snapshot.windows;
    return { ...snapshot, windows: [{ ...hour, ratings }] };
  };

const withSource =
  (of: (minute: number) => UsedGammaSource) =>
  (snapshot: Snapshot, minute: number): Snapshot => ({
    ...snapshot,
    propensity: { ...snapshot.propensity, source: of(minute) },
  });

const userPartitionsOf = (several: number, movedAt: number | null): UserPartitions => ({
  exposures: { users: 1000, several },
  interactions: { users: 900, several: 0 },
  both: { users: 800, several: 0 },
  movedAt,
});

const checkpoint = (outcome: CheckpointEvent['outcome']) =>
  ({ partition: 0, outcome }) as CheckpointEvent;

const withConcentration =
  (value: Partial<Concentration>) =>
  ({ popularity, ...rest }: Snapshot): Snapshot => ({
    ...rest,
    popularity: { ...popularity, interactions: { ...popularity.interactions, ...value } },
  });

const drifted = (snapshot: Snapshot): Snapshot => ({
  ...snapshot,
  alarms: [
    {
      series: 'gini/interactions',
      detector: 'cusum',
      since: 0,
      at: 0,
      score: 9,
      threshold: 5,
      size: null,
      suppressed: null,
      models: [],
      topItems: [],
    },
  ],
});

const SCENARIOS: readonly Scenario[] = [
  { of: 'all is well', at: 60, firing: [] },
  // Longer than any alert waits: what is pending for all of it would fire.
  { of: 'all is well for eight hours', every: 4, at: 480, firing: [], isLong: true },
  {
    of: 'the monitor is down',
    quietAt: 9,
    at: 14,
    firing: ['UnskewDown'],
    step: once((world) => {
      world.isUp = false;
    }),
  },
  {
    of: 'no pane ever closes',
    quietAt: 4,
    at: 7,
    firing: ['UnskewNoData'],
    begin: (world) => {
      world.tickSeconds = undefined;
    },
  },
  {
    of: 'panes stop closing',
    quietAt: 25,
    at: 35,
    firing: ['UnskewNoData'],
    step: once((world) => {
      world.tickSeconds = undefined;
    }),
  },
  {
    of: 'the worker lags behind',
    quietAt: 10,
    at: 26,
    firing: ['UnskewLag'],
    step: once((world) => {
      world.lag = 20_000;
    }),
  },
  {
    of: 'events are refused',
    quietAt: 5,
    at: 16,
    firing: ['UnskewFaults'],
    traffic: (outcomes) => {
      outcomes.faults[1] = 20;
    },
  },
  {
    of: 'most events come late',
    quietAt: 15,
    at: 40,
    firing: ['UnskewEventsNotCounted'],
    traffic: (outcomes) => {
      outcomes.late = 900;
    },
  },
  {
    of: 'a transaction stays open',
    quietAt: 14,
    at: 18,
    firing: ['UnskewTransactionOpen'],
    step: (world, minute) => {
      if (minute < 10) return;
      world.unheard = 1;
      world.contact.ends([{ role: 'interactions', partition: 1, next: 9, end: 15, stable: 9 }]);
    },
  },
  {
    of: 'records are lost for the first time',
    quietAt: 9,
    at: 12,
    firing: ['UnskewRecordsLost'],
    step: once((world) => world.gaps$.next(gap)),
  },
  {
    of: 'records are lost before the first scrape',
    at: 1,
    firing: ['UnskewRecordsLost'],
    begin: (world) => world.gaps$.next(gap),
  },
  {
    of: 'a log is found changed',
    quietAt: 9,
    at: 12,
    firing: ['UnskewLogChanged'],
    step: once((world) => world.logChanges$.next(change)),
  },
  {
    of: 'a log is found changed before the first scrape',
    at: 1,
    firing: ['UnskewLogChanged'],
    begin: (world) => world.logChanges$.next(change),
  },
  {
    of: 'a log has changed a while ago',
    quietAt: 9,
    at: 30,
    firing: [],
    step: once((world) => world.logChanges$.next(change)),
  },
  ...(['failed', 'discarded'] as const).map((outcome) => ({
    of: `a dead letter is ${outcome}`,
    quietAt: 9,
    at: 12,
    firing: ['UnskewDeadLettersLost'],
    step: once((world) => world.exporter.stream.deadLetters(outcome, 1)),
  })),
  {
    of: 'an output cannot be written for a quarter of an hour',
    quietAt: 14,
    at: 20,
    firing: ['UnskewOutputFails'],
    step: (world, minute) => {
      const isFull = minute >= 10 && minute < 25;
      world.outputTrouble = isFull ? { reason: 'no space left on the device' } : undefined;
    },
  },
  {
    of: 'an event is read but missing from every count',
    quietAt: 9,
    at: 20,
    firing: ['UnskewEventsUnaccounted'],
    step: (world, minute) => {
      world.unaccounted = Number(minute === 10);
    },
  },
  {
    of: 'a dead letter is lost before the first scrape',
    at: 1,
    firing: ['UnskewDeadLettersLost'],
    begin: (world) => world.exporter.stream.deadLetters('failed', 1),
  },
  {
    of: 'a dead letter was lost a while ago',
    at: 30,
    firing: [],
    begin: (world) => world.exporter.stream.deadLetters('failed', 1),
  },
  {
    of: 'no checkpoint is saved',
    quietAt: 18,
    at: 22,
    firing: ['UnskewStaleCheckpoint'],
    step: (world, minute) => {
      world.checkpointAge = minute * 60;
    },
  },
  {
    of: 'models exceed the limit',
    quietAt: 14,
    at: 20,
    firing: ['UnskewModelsDropped'],
    snapshot: (snapshot) => ({ ...snapshot, modelsLeftOut: { models: 1, names: ['new'] } }),
  },
  {
    of: 'users are sampled',
    quietAt: 14,
    at: 17,
    firing: ['UnskewSampled'],
    snapshot: (snapshot) => ({ ...snapshot, sampling: { ratio: 0.5 } }),
  },
  {
    of: 'items exceed the limit',
    quietAt: 14,
    at: 20,
    firing: ['UnskewItemsOverLimit'],
    traffic: (outcomes) => {
      outcomes.overItemLimit = 1;
    },
  },
  {
    of: 'ticks are slow',
    quietAt: 14,
    at: 20,
    firing: ['UnskewTickSlow'],
    begin: (world) => {
      world.tickSeconds = 8;
    },
  },
  {
    of: 'a drift alarm is raised',
    quietAt: 9,
    at: 11,
    firing: ['UnskewDrift'],
    snapshot: (snapshot, minute) => (minute < 10 ? snapshot : drifted(snapshot)),
  },
  // promtool's own tests of the rules have a day of it in each `npm test`.
  ...(['fit', 'fixed', 'calibrated'] as const).map((source) => ({
    of: `the naive estimate departs from the debiased ones, with γ from ${source}`,
    every: 4,
    quietAt: 1560,
    at: 1620,
    isLong: true,
    pause: [200, 1440] as const,
    firing: ['UnskewNaiveGap'],
    snapshot: (snapshot: Snapshot, minute: number) => {
      const value = minute < 1480 ? 0.11 : 0.2;
      return {
        ...withRows((row) => (row.estimator === 'naive' ? { ...row, value } : row))(snapshot),
        propensity: { ...snapshot.propensity, source },
      };
    },
  })),
  {
    of: 'γ is last_good',
    every: 4,
    quietAt: 340,
    at: 380,
    firing: ['UnskewGammaNotFitted'],
    snapshot: withSource(() => 'last_good'),
  },
  {
    of: 'γ was calibrated and is now assumed',
    every: 4,
    quietAt: 440,
    at: 480,
    isLong: true,
    firing: ['UnskewGammaNotFitted'],
    snapshot: withSource((minute) => (minute < 100 ? 'calibrated' : 'assumed')),
  },
  {
    of: 'γ has been assumed from the start',
    every: 4,
    at: 480,
    firing: [],
    isLong: true,
    snapshot: withSource(() => 'assumed'),
  },
  {
    of: 'the broker is out of reach',
    quietAt: 11,
    at: 14,
    firing: ['UnskewNotConnected'],
    step: once((world) => world.contact.state('disconnected')),
  },
  {
    of: 'a partition sends no more answers',
    quietAt: 19,
    at: 22,
    firing: ['UnskewStalled'],
    step: once((world) => {
      world.unheard = 1;
    }),
  },
  {
    of: 'exposures stop',
    quietAt: 28,
    at: 33,
    firing: ['UnskewTopicSilent'],
    step: once((world) => {
      world.lastExposureAt = world.now;
    }),
  },
  {
    of: 'exposures stopped before the worker started',
    quietAt: 19,
    at: 60,
    firing: ['UnskewTopicSilent'],
    begin: (world) => {
      world.lastExposureAt = Number.NEGATIVE_INFINITY;
    },
  },
  {
    of: 'the stored state says that exposures stopped before the worker started',
    quietAt: 4,
    at: 7,
    firing: ['UnskewTopicSilent'],
    begin: (world) => {
      world.lastExposureAt = Number.NEGATIVE_INFINITY;
      world.stored.exposures = -1_800;
      world.begin();
    },
  },
  {
    of: 'exposures are read by another worker',
    at: 60,
    firing: [],
    begin: (world) => {
      world.lastExposureAt = Number.NEGATIVE_INFINITY;
    },
    other: {},
  },
  {
    of: 'a worker is cut off, and another one is behind with its partitions',
    quietAt: 10,
    at: 40,
    firing: ['UnskewLag', 'UnskewNotConnected'],
    step: once((world) => world.cut()),
    other: {
      step: once((world) => {
        world.lag = 20_000;
      }),
    },
  },
  {
    of: 'a worker is cut off, and another one reads its partitions',
    quietAt: 10,
    at: 40,
    firing: ['UnskewNotConnected'],
    step: once((world) => world.cut()),
    other: {},
  },
  {
    of: 'readers close panes for a ticker',
    at: 60,
    firing: [],
    role: 'read',
    begin: (world) => {
      world.tickSeconds = undefined;
    },
    other: { role: 'tick' },
  },
  {
    of: 'readers close panes, and the ticker stops',
    quietAt: 25,
    at: 35,
    firing: ['UnskewNoData'],
    role: 'read',
    begin: (world) => {
      world.tickSeconds = undefined;
    },
    other: {
      role: 'tick',
      step: once((world) => {
        world.tickSeconds = undefined;
      }),
    },
  },
  {
    of: 'closed panes are lost for the first time',
    quietAt: 9,
    at: 12,
    firing: ['UnskewPanesLost'],
    role: 'tick',
    step: once((world) => world.lostPanes$.next(lostPane)),
  },
  {
    of: 'closed panes are lost before the first scrape',
    at: 1,
    firing: ['UnskewPanesLost'],
    role: 'tick',
    begin: (world) => world.lostPanes$.next(lostPane),
  },
  {
    of: 'readers and the ticker have different settings',
    quietAt: 14,
    at: 18,
    firing: ['UnskewWorkersDiffer'],
    role: 'mixed',
  },
  {
    of: 'the clock is wrong',
    quietAt: 11,
    at: 13,
    firing: ['UnskewClockOff'],
    step: once((world) => {
      world.clockSkewMs = -600_000;
    }),
  },
  {
    of: 'the worker is not ready',
    quietAt: 24,
    at: 26,
    firing: ['UnskewNotReady'],
    step: once((world) => {
      world.isReady = false;
    }),
  },
  {
    of: 'most estimates are withheld',
    every: 4,
    quietAt: 56,
    at: 80,
    firing: ['UnskewEstimatesWithheld'],
    snapshot: withRows((row) => withheldOf(row, 'caused_by_lists')),
  },
  {
    of: 'a served model is proved worse than the control',
    every: 4,
    quietAt: 56,
    at: 80,
    firing: ['UnskewValueProvedWorse'],
    snapshot: withServed(100),
  },
  {
    of: 'a model that is no longer served is proved worse',
    every: 4,
    at: 80,
    firing: [],
    isLong: true,
    snapshot: withServed(0),
  },
  {
    of: 'another model is proved better than the one that is served',
    every: 4,
    quietAt: 56,
    at: 80,
    firing: ['UnskewChallengerProvedBetter'],
    snapshot: withVerdict(100, 'model'),
  },
  {
    of: 'the control is proved better than the model that is served',
    every: 4,
    quietAt: 56,
    at: 80,
    firing: ['UnskewChallengerProvedBetter'],
    isLong: true,
    snapshot: withVerdict(100, 'reference'),
  },
  {
    of: 'a model is proved better than one that is no longer served',
    every: 4,
    at: 80,
    firing: [],
    isLong: true,
    snapshot: withVerdict(0, 'model'),
  },
  {
    of: 'arms have a sample ratio mismatch',
    every: 4,
    quietAt: 56,
    at: 80,
    firing: ['UnskewSampleRatioMismatch'],
    snapshot: withRatio(100),
  },
  {
    of: 'arms with a sample ratio mismatch are no longer served',
    every: 4,
    at: 80,
    firing: [],
    isLong: true,
    snapshot: withRatio(0),
  },
  {
    of: 'the propensity file is old',
    every: 4,
    quietAt: 56,
    at: 80,
    firing: ['UnskewPropensitiesStale'],
    snapshot: withFile({ ageMs: 31 * 86_400_000 }),
  },
  {
    of: 'the rated items differ from those in the propensity file',
    every: 4,
    at: 80,
    quietAt: 56,
    firing: ['UnskewPropensitiesDrifted'],
    snapshot: withFile({ drift: { of: 'items', ratings: 500, distance: 0.5, byChance: 0.2 } }),
  },
  {
    of: 'the propensity file is fresh and its margins differ only by chance',
    every: 4,
    at: 80,
    firing: [],
    snapshot: withFile({}),
  },
  {
    of: 'a new propensity file is rejected',
    quietAt: 18,
    at: 24,
    firing: ['UnskewPropensitiesRefused'],
    step: once((world) => registerFileReadings(world.exporter.registry)('refused')),
  },
  {
    of: 'users stand apart',
    quietAt: 29,
    at: 33,
    firing: ['UnskewUsersApart'],
    snapshot: (snapshot) => ({
      ...snapshot,
      heavyUsers: {
        users: 9,
        interactions: 40,
        median: 2,
        limit: 20,
        largestShare: 0.5,
        apart: 1,
        apartShare: 0.5,
        named: [],
      },
    }),
  },
  {
    of: 'users are in several partitions',
    quietAt: 0,
    at: 3,
    firing: ['UnskewUsersSplit'],
    snapshot: (snapshot) => ({ ...snapshot, homes: userPartitionsOf(300, null) }),
  },
  {
    of: 'users moved as partitions were added',
    quietAt: 10,
    at: 10,
    firing: [],
    snapshot: (snapshot) => ({ ...snapshot, homes: userPartitionsOf(300, 60_000) }),
  },
  ...(
    [
      ['absent', 'UnskewStateAbsent'],
      ['damaged', 'UnskewCheckpointDamaged'],
    ] as const
  ).flatMap(([outcome, alert]) => [
    {
      of: `a checkpoint is ${outcome}`,
      quietAt: 9,
      at: 12,
      firing: [alert],
      step: once((world) => world.checkpoints$.next(checkpoint(outcome))),
    },
    {
      of: `a checkpoint is ${outcome} before the first scrape`,
      at: 1,
      firing: [alert],
      begin: (world: WatchedExporter) => world.checkpoints$.next(checkpoint(outcome)),
    },
  ]),
  {
    of: 'checkpoints are fenced',
    quietAt: 19,
    at: 24,
    firing: ['UnskewFenced'],
    step: (world, minute) => {
      if (minute >= 10) world.checkpoints$.next(checkpoint('fenced'));
    },
  },
  {
    of: 'a checkpoint is lost',
    quietAt: 9,
    at: 12,
    firing: ['UnskewStateLost'],
    step: once((world) => world.checkpoints$.next(checkpoint('lost'))),
  },
  {
    of: 'a checkpoint is lost before the first scrape',
    at: 1,
    firing: ['UnskewStateLost'],
    begin: (world) => world.checkpoints$.next(checkpoint('lost')),
  },
  {
    of: 'a store has lost state before the first scrape',
    at: 1,
    firing: ['UnskewStateLost'],
    begin: (world) => world.exporter.stores.lost('checkpoints'),
  },
  {
    of: 'the store may evict',
    quietAt: 14,
    at: 17,
    firing: ['UnskewStoreMayEvict'],
    step: once((world) => world.exporter.stores.mayEvict('checkpoints', true)),
  },
  {
    of: 'the storage of sets fails',
    quietAt: 19,
    at: 24,
    firing: ['UnskewStoreErrors'],
    step: (world, minute) => {
      if (minute >= 10) world.exporter.stores.failed('exports', 'list');
    },
  },
  {
    of: 'the store fails',
    quietAt: 19,
    at: 24,
    firing: ['UnskewStoreErrors'],
    step: (world, minute) => {
      if (minute >= 10) world.exporter.stores.failed('checkpoints', 'save');
    },
  },
  {
    // promtool's own tests of the rules have a day of it in each `npm test`.
    of: 'traffic concentrates',
    every: 4,
    quietAt: 1540,
    at: 1620,
    isLong: true,
    firing: ['UnskewCoverageDrop', 'UnskewGiniJump'],
    pause: [200, 1440],
    snapshot: (snapshot, minute) =>
      withConcentration(
        minute < 1500 ? { gini: 0.5, coverage: 0.8 } : { gini: 0.6, coverage: 0.6 },
      )(snapshot),
  },
  {
    of: 'a nightly set is missing',
    every: 4,
    quietAt: 116,
    at: 132,
    firing: ['UnskewExportOverdue'],
    begin: (world) => {
      world.export = { ...world.export, overdue: 0 };
    },
  },
  {
    of: 'a nightly set fails for good',
    quietAt: 9,
    at: 12,
    firing: ['UnskewExportFailed'],
    step: once((world) => world.exports.ended('failed', 4, 0)),
  },
];

async function watched(scenario: Scenario, instance = 'a'): Promise<WatchedExporter> {
  const { every = 1, at, begin, step, traffic = () => {}, snapshot = (made) => made } = scenario;
  const [from, to] = scenario.pause ?? [at, at];
  const world = new WatchedExporter(instance, scenario.role && SHARING[scenario.role]);
  begin?.(world);
  for (let minute = 0; minute <= at; minute += every) {
    world.now = minute * 60;
    if (minute > from && minute < to) {
      world.passBy();
      continue;
    }
    step?.(world, minute);
    // Nothing has come yet when it is scraped for the first time.
    if (minute > 0) {
      world.traffic(traffic);
      world.tick((made) => snapshot(made, minute));
    }
    await world.scrape();
  }
  return world;
}

function asTest(scenario: Scenario, worlds: readonly WatchedExporter[]): object {
  const { of, every = 1, quietAt, at, firing } = scenario;
  const look = (minute: number, names: readonly string[]) => ({
    expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: `${minute}m`,
    exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
  });
  const quiet = quietAt === undefined ? [] : [look(quietAt, [])];
  return {
    name: of,
    interval: `${every}m`,
    input_series: worlds.flatMap(({ series }) => series),
    promql_expr_test: [...quiet, look(at, firing)],
  };
}

/** What happens in a scenario, for promtool. JSON is YAML. */
async function suiteOf(scenario: Scenario): Promise<string> {
  const worlds = [await watched(scenario)];
  const { begin: _begin, step: _step, role: _role, other, ...shared } = scenario;
  if (other) worlds.push(await watched({ ...shared, ...other }, 'b'));
  return JSON.stringify({
    rule_files: ruleFiles(),
    evaluation_interval: `${scenario.every ?? 1}m`,
    tests: [asTest(scenario, worlds)],
  });
}

describe('the alerts on the exporter’s metrics', () => {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-alerts-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const played = SCENARIOS.filter(({ isLong }) => IS_LONG || isLong !== true);
  const fileOf = (n: number) => join(folder, `${n}.yml`);
  /** What promtool says: one run has all files, since to begin takes it longer than most of them. */
  let passed: readonly string[];
  let failures: readonly string[];

  beforeAll(async () => {
    await requireCommand('promtool', 'prometheus', () => {});
    for (const [n, scenario] of played.entries()) writeFileSync(fileOf(n), await suiteOf(scenario));
    const files = played.map((_, n) => fileOf(n));
    const run = spawnSync('promtool', ['test', 'rules', ...files], { encoding: 'utf8' });
    if (run.error) throw run.error;
    passed = [...run.stdout.matchAll(/^Unit Testing: +(\S+)\n +SUCCESS$/gm)].map(
      ([, file]) => file!,
    );
    failures = run.stderr.split(/^ +FAILED:$/m);
  });

  it.each(played.map(({ of }, n) => ({ of, n })))(
    'fire as expected, and no others do, when $of',
    ({ of, n }) => {
      const failure = failures.find((text) => text.includes(`name: ${of},`));
      expect(passed, failure?.slice(0, 4000)).toContain(fileOf(n));
    },
  );

  it('each fire in at least one scenario', () => {
    const tried = new Set(SCENARIOS.flatMap(({ firing }) => firing));
    expect(
      rules()
        .flatMap(({ alert }) => alert ?? [])
        .filter((name) => !tried.has(name)),
    ).toEqual([]);
  });
});
