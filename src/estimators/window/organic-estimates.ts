import type { ItemTotals, WindowPart } from '../../state/panes/window-part.js';
import type { PreparedIntervention } from '../interventions/interventions.js';
import { type LaneWindow, laneWindow } from '../lanes/lane-window.js';
import type { ItemColumns } from '../lanes/selection.js';
import type { EstimateOptions } from '../options.js';
import type { Rounds } from '../partitions/rounds.js';
import { mergedOrder, type Named } from './merged-order.js';
import type { AbsoluteScale } from './scale.js';
import { type WindowRules, windowRules } from './window-rules.js';

/** What the estimators of organic rows are computed from: values alone, which can be sent. */
export interface OrganicJob {
  readonly parts: readonly WindowPart[];
  readonly counts: ItemTotals;
  readonly columns: ItemColumns;
  readonly models: readonly string[];
  /** Of them `estimators` are those of organic rows. */
  readonly options: EstimateOptions;
  /** Whether nobody asks what interventions make of the rows, nor how many there are. */
  readonly isUnsummarised?: boolean;
}

/** What is needed beside, if it was asked for. */
export interface OrganicExtras {
  readonly scale: AbsoluteScale | null;
  /** Only where some partitions of the window are elsewhere. */
  readonly rounds?: Rounds;
}

/** What an estimator of organic rows comes to, and no other has a part in. */
export type OrganicEstimates = Pick<
  LaneWindow,
  'results' | 'differences' | 'effectiveSampleSizes' | 'segments'
> &
  Pick<WindowRules, 'interventions'>;

/** All of it, and what is of use in the thread where it was computed. */
export interface OrganicWindow extends OrganicEstimates {
  readonly prepared: readonly PreparedIntervention[];
  readonly counts: LaneWindow['counts'];
  readonly levels: LaneWindow['levels'];
}

/** Computes the estimators of organic rows, wherever. */
export type OrganicWork = (
  job: OrganicJob,
  extras: OrganicExtras,
  sliceRows: number,
) => Generator<void, OrganicWindow>;

/** Computes them here: the rule of every estimator, then two passes over the rows. */
export function* organicEstimates(
  { parts, counts, columns, models, options, isUnsummarised }: OrganicJob,
  { scale, rounds }: OrganicExtras,
  sliceRows: number,
): Generator<void, OrganicWindow> {
  const { rules, prepared, interventions } = yield* windowRules(
    parts,
    counts,
    options,
    scale,
    sliceRows,
    isUnsummarised,
    rounds,
  );
  const lanes = yield* laneWindow(
    ...([parts, columns, models, rules, options, sliceRows, isUnsummarised, rounds] as const),
  );
  return { ...lanes, prepared, interventions };
}

/** Estimates of some estimators each, as if they had been computed at once. */
export function mergedEstimates(
  { models, options }: OrganicJob,
  shares: readonly OrganicEstimates[],
): OrganicEstimates {
  const { estimators } = options;
  const merged = <T extends Named>(of: (share: OrganicEstimates) => readonly T[]): T[] =>
    mergedOrder(shares.map(of), models, options);
  return {
    results: merged(({ results }) => results),
    differences: merged(({ differences }) => differences),
    effectiveSampleSizes: merged(({ effectiveSampleSizes }) => effectiveSampleSizes),
    segments: merged(({ segments }) => segments),
    interventions: shares
      .flatMap(({ interventions }) => interventions)
      .sort((a, b) => estimators.indexOf(a.estimator) - estimators.indexOf(b.estimator)),
  };
}
