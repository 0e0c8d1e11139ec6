import { againstBaseline } from '../../estimators/diagnostics/against-baseline.js';
import { type CountedUsers, heavyUsers } from '../../estimators/diagnostics/heavy-users.js';
import {
  BASELINE_MODEL,
  type PopularityRanking,
  popularityRanking,
  rowsOfLighterUsers,
  withRanking,
} from '../../estimators/lanes/derived-parts.js';
import { estimateWindow } from '../../estimators/lanes/estimate-window.js';
import type { EstimateOptions } from '../../estimators/options.js';
import { gammaHalfWidth } from '../../estimators/propensity/gamma-error.js';
import { needsScale } from '../../estimators/rules/needs.js';
import { withItemGroups } from '../../estimators/segments/built-in-axes.js';
import { type DividedRows, withSegmentAxes } from '../../estimators/segments/segment-axes.js';
import type { FeatureWork, TickView, WindowRows } from '../../features/work.js';
import { asksColumn, joinedRequests as joinsRequests, WORKS } from '../../features/works.js';
import {
  averagePopularity,
  levelConcentration,
  levelsOf,
  lorenzCurve,
} from '../../state/counts/levels.js';
import type { Catalogue } from '../../state/counts/popularity.js';
import { isCapped } from '../../state/counts/popularity-rule.js';
import type { ClosedPanes } from '../../state/panes/closed-panes.js';
import { type RowSource, windowPart } from '../../state/panes/group-by-user.js';
import {
  joined,
  joinedNames,
  joinedPart,
  joinedRequests,
  userNumbers,
} from '../../state/panes/joined-part.js';
import { samplingRatio } from '../../state/panes/sample-level.js';
import { userPartitions } from '../../state/panes/user-partitions.js';
import type { ItemCounts, WindowPart } from '../../state/panes/window-part.js';
import { type WindowRequests, windowRequests } from '../../state/requests/pane-requests.js';
import type { WindowReports } from '../feature-types.js';
import type { UserTable } from '../ids.js';
import { type MonitorOptions, renamedIn, type SegmentOptions } from '../options.js';
import { exposureCounts, itemCounts, ofKnown, widened } from './item-counts.js';
import type { TickRows } from './kept-rows.js';
import { byModel, mapped, tickPropensity } from './propensity.js';
import { sampleLevel } from './sample-limits.js';
import type { Concentration, Snapshot, WindowSnapshot } from './snapshot.js';
import type { SampledRows, TickInput, TickPartition, TickWindow } from './tick-input.js';

/** A sampled partition. Its users are numbered from `firstUser` on. */
type JoinedPartition = SampledRows & { readonly firstUser: number };

/** State shared by all windows of a tick. */
interface TickState {
  readonly view: TickView;
  readonly partitions: readonly JoinedPartition[];
  /** Item counts for rankings and averages. */
  readonly known: ItemCounts;
  /** Ranking of the built-in model; null if there is none. */
  readonly baseline: PopularityRanking | null;
  /** Active features. Each has its own state, which all windows share. */
  readonly features: readonly (readonly [FeatureWork, unknown])[];
  /** Stores the rows behind the windows' estimates. */
  readonly rows: TickRows;
}

/**
 * Run one tick: choose γ, then compute every window under one snapshot of the counts, then run the
 * detectors.
 */
export function tick(input: TickInput): Snapshot {
  const { counted, ids, models, options, learned } = input;
  const level = Math.max(0, ...input.partitions.map((partition) => partition.level));
  const partitions = sampledPartitions(input, level);
  const catalogue = counted.known.catalogue();
  const catalogueSize = options.catalogueSize ?? catalogue.size;
  const counts = itemCounts(counted, ids);
  // Weights may use counts of the window, but built-in models must not learn from evaluated events.
  const known = counted.weightsFrom === 'all' ? ofKnown(counted, counts) : counts;
  const { propensity, exponentTest } = tickPropensity(input, counts.items);
  const exposures = byModel<Spread>();
  for (const { name, id } of models) {
    const shown = exposureCounts(counted.observed, id, counts.items);
    exposures[name] = spreadOf(shown, known, catalogueSize);
  }
  const undivided = widened(counted.known.undivided.counts, counts.items);
  const interactions = spreadOf(undivided, known, catalogueSize);
  const baseline = baselineRanking(input, known, catalogue, catalogueSize);
  const { gamma, gammaStdErr } = propensity;
  const estimates = {
    ...options.estimates,
    gamma,
    gammaStdErr,
    catalogueSize,
    gammaHalfWidth: gammaHalfWidth(propensity, exponentTest),
  };
  const heavy = isCapped(options.popularity) ? heavyUsers(allUsers(input)) : undefined;
  const requests = keptRequests(input, partitions);
  const view: TickView = {
    ...input,
    partitions,
    requests,
    counts,
    propensity,
    exponentTest,
    estimates,
    heavyFrom: heavy?.limit ?? Number.POSITIVE_INFINITY,
  };
  const asked = WORKS.filter((each) => each.isAsked(options));
  const rows = learned.rows.begin(input.windows[0].to, input.ids.items.generation);
  const state: TickState = {
    view,
    partitions,
    known,
    baseline,
    features: asked.map((own) => [own, own.begin?.(view)]),
    rows,
  };
  const windows = input.windows.map((window) => currentWindow(input, window, state));
  rows.end();
  const snapshot: Snapshot = {
    paneEnd: input.windows[0].to,
    models: models.map(({ name }) => name),
    ...(input.leftOut && { modelsLeftOut: input.leftOut }),
    catalogueSize,
    baseline: baseline === null ? null : BASELINE_MODEL,
    propensity,
    popularity: {
      interactions: interactions.concentration,
      exposures: mapped(exposures, ({ concentration }) => concentration),
    },
    lorenz: {
      interactions: interactions.lorenz,
      exposures: mapped(exposures, ({ lorenz }) => lorenz),
    },
    windows,
    sampling: { ratio: samplingRatio(level) },
    ...countedSince(input),
    ...(heavy && { heavyUsers: heavy }),
    ...userPartitionsOf(input),
    alarms: [],
  };
  return learned.observe(snapshot, view);
}

/** Sampled partitions, with user numbers that are unique over all of them. */
function sampledPartitions({ partitions }: TickInput, level: number): JoinedPartition[] {
  const sampled: JoinedPartition[] = [];
  let firstUser = 0;
  for (const partition of partitions) {
    const rows = partition.sampled(level);
    sampled.push({
      ...rows,
      firstUser,
    });
    if (sampled.length < partitions.length) {
      firstUser += rows.userNumbers();
    }
  }
  return sampled;
}

/** Users of all partitions with their interactions over the horizon; empty if not counted. */
function allUsers({ partitions }: TickInput): CountedUsers {
  const found = partitions.flatMap(({ users }) => users ?? []);
  if (found.length === 0) {
    return {
      counts: new Int32Array(0),
      nameOf: undefined,
    };
  }
  const counts = joined(found.map((own) => own.counts));
  let firstUser = 0;
  const names = found.map(({ counts: own, nameOf }) => {
    const numbered = {
      of: nameOf,
      firstUser,
    };
    firstUser += own.length;
    return numbered;
  });
  return {
    counts,
    nameOf: joinedNames(names),
  };
}

function countedSince({ countedSince }: TickInput): Pick<Snapshot, 'popularitySince'> {
  if (countedSince === undefined || !Number.isFinite(countedSince)) return {};
  return { popularitySince: countedSince };
}

/** Users of the longest window seen in several partitions; empty if there are none. */
function userPartitionsOf({ windows, options, partitions }: TickInput): Pick<Snapshot, 'homes'> {
  const seen = partitions.flatMap((partition) => partition.seen ?? []);
  if (seen.length < 2) return {};
  const since = Math.min(...windows.map(({ firstPane }) => firstPane));
  const homes = userPartitions(seen, options.tickMs, since);
  const isSplit = [homes.exposures, homes.interactions, homes.both].some(
    ({ several }) => several > 0,
  );
  return isSplit ? { homes } : {};
}

/** All stored requests, if a feature uses them. */
function keptRequests(
  { options, models, windows }: TickInput,
  partitions: readonly JoinedPartition[],
): readonly WindowRequests[] {
  if (joinsRequests(options) === undefined) return [];
  const columns = models.map(({ id }) => id);
  return joinedRequests(
    partitions.map(({ requests, firstUser }) => ({
      of: requests(columns, windows[0].lastPane),
      firstUser,
    })),
  );
}

/**
 * Compute a window that is due, otherwise return its last result. A process that has just started
 * has no last result, so it computes the window at once and marks it as early: outputs that must
 * not depend on restarts can skip it.
 */
function currentWindow(input: TickInput, window: TickWindow, state: TickState): WindowSnapshot {
  const { shown } = input.learned;
  const before = shown.get(window.name);
  if (!window.isDue && before !== undefined) {
    state.rows.carry(window.name);
    return before;
  }
  const computed = windowSnapshot(input, window, state);
  const snapshot: WindowSnapshot = window.isDue
    ? computed
    : {
        ...computed,
        isEarly: true,
      };
  shown.set(window.name, snapshot);
  return snapshot;
}

/** Estimates of a window, from its rows in every partition, grouped by user. */
function windowSnapshot(input: TickInput, window: TickWindow, state: TickState): WindowSnapshot {
  const { partitions, known, baseline, view } = state;
  const { counts, estimates: options, exponentTest, heavyFrom } = view;
  const noReach = needsScale(options)
    ? whyNoReach(window, partitions, input.options.attributionTtlMs)
    : 'nobody asks for it';
  const request = {
    window,
    models: input.models.map(({ id }) => id),
    isKeyed: needsKeys(options),
    reachItems: noReach === undefined ? counts.items : undefined,
    asksRatings: asksColumn(input.options, 'rated'),
  };
  const whole = joinedPart(
    partitions.map(({ source, made, firstUser }) => ({
      of: source === undefined ? made! : windowPart(source, request),
      firstUser,
    })),
  );
  const { requests: _, rated: __, ...all } = whole;
  const lighter = rowsOfLighterUsers(all, heavyFrom);
  const { served: ___, ...own } = lighter;
  const names = input.models.map(({ name }) => name);
  const seen = {
    window,
    models: [...names],
    whole,
    lighter,
    nameOf: joinedNames(
      partitions.map(({ nameOf, firstUser }) => ({
        of: nameOf,
        firstUser,
      })),
    ),
    heavyFrom,
    catalogueSize: options.catalogueSize,
  };
  const reports = featureReports(seen, state);
  const part = baseline === null ? own : withBaseline(names, own, baseline);
  const withheldBefore = input.learned.withheldIn(window.name);
  const asked = {
    ...options,
    ...(noReach === undefined ? {} : { noReach }),
    ...(withheldBefore && { withheldBefore }),
  };
  const { segments } = input.options;
  const divided = segments && dividedRows(part, segments, known.popularity);
  const estimates = estimateWindow({
    part: divided?.part ?? part,
    counts,
    models: names,
    options: divided
      ? {
          ...asked,
          segments: divided.axes,
        }
      : asked,
    keep: (job) => state.rows.keep(window.name, job),
  });
  const concluded: WindowReports = {};
  for (const [own] of state.features) {
    Object.assign(concluded, own.conclude?.(estimates, reports));
  }
  if (window.isDue) {
    input.learned.noteWithheld(window.name, estimates.results);
  }
  return {
    ...estimates,
    name: window.name,
    from: window.from,
    to: window.to,
    ...renamedIn(input.options, window),
    ...averagePopularities(input, window, known),
    exponentTest,
    ...reports,
    ...concluded,
    againstBaseline: baseline === null ? [] : againstBaseline(estimates.results, BASELINE_MODEL),
    ...referenceAway(options.reference, names),
  };
}

/** Reports of features on a window. */
function featureReports(rows: WindowRows, { features, view }: TickState): WindowReports {
  const reports: WindowReports = {};
  for (const [feature, shared] of features) {
    Object.assign(reports, feature.window(rows, view, shared));
  }
  return reports;
}

/** Rows with segment codes from events and from built-in dimensions; null if there are none. */
function dividedRows(
  part: WindowPart,
  options: SegmentOptions,
  popularity: Float64Array,
): DividedRows<WindowPart> | null {
  const divided = withSegmentAxes(part, options);
  if (!options.builtIn.includes('item_popularity')) return divided;
  return withItemGroups(divided, part, popularity, options.minUsers);
}

function referenceAway(
  reference: string | undefined,
  names: readonly string[],
): Pick<WindowSnapshot, 'referenceAway'> {
  const isAway = reference !== undefined && !names.includes(reference);
  return isAway ? { referenceAway: reference } : {};
}

function averagePopularities(
  { counted: { observed }, models }: TickInput,
  { ms }: TickWindow,
  { items, popularity }: ItemCounts,
): Pick<WindowSnapshot, 'averageRecommendationPopularity' | 'averageInteractionPopularity'> {
  const recommended = byModel<number>();
  for (const { name, id } of models) {
    const exposures = exposureCounts(observed, id, items, ms);
    recommended[name] = exposures.some((count) => count > 0)
      ? averagePopularity(exposures, popularity, items)
      : Number.NaN;
  }
  const interacted = widened(observed.popularity(ms).counts, items);
  return {
    averageRecommendationPopularity: recommended,
    averageInteractionPopularity: averagePopularity(interacted, popularity, items),
  };
}

/** Why the users reached by a window's lists are not known; undefined if they are. */
function whyNoReach(
  { from, to }: TickWindow,
  partitions: readonly SampledRows[],
  attributionTtlMs: number,
): string | undefined {
  // Some lists of a window longer than attribution.ttl are no longer stored.
  if (to - from > attributionTtlMs) {
    return 'lists are stored for less than the length of the window: raise attribution.ttl';
  }
  return partitions.find(({ noReach }) => noReach !== undefined)?.noReach;
}

/** Ranking of the built-in model; null if the model is off, or a logged model has its name. */
function baselineRanking(
  { options: { baseline }, models }: TickInput,
  counts: ItemCounts,
  catalogue: Catalogue,
  catalogueSize: number,
): PopularityRanking | null {
  if (baseline === 'none' || models.some(({ name }) => name === BASELINE_MODEL)) return null;
  return popularityRanking(counts, catalogue.has, catalogueSize);
}

/** Insert the built-in model in the order of names. */
function withBaseline(names: string[], part: WindowPart, baseline: PopularityRanking): WindowPart {
  const after = names.findIndex((name) => name > BASELINE_MODEL);
  const place = after < 0 ? names.length : after;
  names.splice(place, 0, BASELINE_MODEL);
  return withRanking(part, baseline, place);
}

/**
 * Whether estimates need hashes of users: to resample users, or to draw test sets of their rows.
 */
export function needsKeys({
  interval,
  draws,
}: Pick<EstimateOptions, 'interval' | 'draws'>): boolean {
  return interval === 'bootstrap' || (draws ?? 0) > 0;
}

/** Distribution of counts over the catalogue. */
interface Spread {
  readonly concentration: Concentration;
  readonly lorenz: readonly number[];
}

function spreadOf(
  counts: Float64Array,
  { popularity, items }: ItemCounts,
  catalogueSize: number,
): Spread {
  const levels = levelsOf(counts, items);
  return {
    concentration: {
      ...levelConcentration(levels, catalogueSize),
      averagePopularity: averagePopularity(counts, popularity, items),
    },
    lorenz: lorenzCurve(levels, catalogueSize),
  };
}

/**
 * A partition before sampling: its closed panes, the ids of its users, and the reach of its lists.
 */
export interface ClosedSide {
  readonly closed: ClosedPanes;
  /**
   * Ids of the users. Needed if users are resampled, test sets drawn, or reward per request
   * computed.
   */
  readonly users?: UserTable | undefined;
  /**
   * Returns the reach of the partition's lists among users of at least this depth, or the reason
   * why it is not known.
   */
  readonly reach: (level: number) => NonNullable<RowSource['reach']> | string;
}

/**
 * Collect the rows of a partition through a pane. All partitions use one level of sampling, so that
 * a user's probability to be in the sample does not depend on the partition.
 */
export function closedPartition(
  pane: number,
  options: MonitorOptions,
  { closed, users, reach }: ClosedSide,
): TickPartition {
  return {
    level: sampleLevel(closed, pane, options),
    seen: closed.seen,
    users: isCapped(options.popularity) ? countedUsers(closed, users) : undefined,
    sampled(level) {
      const kept = closed.sampled(level);
      const known = reach(level);
      const noReach = typeof known === 'string' ? known : undefined;
      const source: RowSource = {
        closed: kept,
        userCounts: closed.userCounts.counts,
        keyOf: users && ((user) => users.hash(user)),
        reach: typeof known === 'string' ? undefined : known,
      };
      return {
        rows: kept.rows,
        experiment: closed.experiment?.pane === pane ? [closed.experiment.events] : [],
        userNumbers: () =>
          userNumbers([
            ...kept.rows,
            ...kept.served(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
            ...kept.requests,
          ]),
        noReach,
        source,
        nameOf: users && ((user) => users.text(user)),
        requests: (models, last) => windowRequests(kept.requests, last, models, source.keyOf),
      };
    },
  };
}

function countedUsers(
  { userCounts: { counts, size } }: ClosedPanes,
  users: UserTable | undefined,
): CountedUsers {
  return {
    counts: counts.subarray(0, Math.min(size, counts.length)),
    nameOf: users && ((user) => users.text(user)),
  };
}
