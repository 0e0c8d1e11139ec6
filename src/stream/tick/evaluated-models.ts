import { ACROSS } from '../../features/across.js';
import { joinedRequests } from '../../features/works.js';
import { type HeardModel, heardTogether, type PlacedModels } from '../../state/ids/heard-models.js';
import type { PlaceLimits } from '../../state/ids/model-places.js';
import type { FeatureOptions } from '../feature-types.js';
import type { Ids, NamedModel } from '../ids.js';
import { namedModels } from '../ids.js';
import type { MonitorOptions } from '../options.js';
import type { SettledPane } from './closed-pane.js';
import { longestWindow } from './sample-limits.js';
import type { ModelsLeftOut } from './snapshot.js';

type Times = Pick<
  MonitorOptions,
  'tickMs' | 'windows' | 'attributionTtlMs' | 'popularity' | 'maxModels'
> &
  FeatureOptions;

/** Maximum number of left-out models whose names are reported. */
const MOST_TOLD = 5;

/** The models that are evaluated at a tick. */
export interface EvaluatedModels {
  /** The evaluated models, in the order of `namedModels`. */
  readonly models: readonly NamedModel[];
  /** Models that have lists but are not evaluated; undefined if there are none. */
  readonly leftOut: ModelsLeftOut | undefined;
  /** Number of lists in the pane whose model is not evaluated. */
  readonly listsLeftOut: number;
}

/**
 * Compute the limits for tracking models: the maximum number of models, and the number of panes
 * without lists after which a model is quiet. No list of a quiet model is in a current window or
 * can be used in a later one:
 *
 *   quiet = max(longest window + horizon of requests, horizon of features) + attribution ttl
 */
export function placeLimits(times: Times): PlaceLimits {
  const { tickMs, attributionTtlMs, maxModels } = times;
  const watched = ACROSS.map((own) => own.watchedMs?.(times) ?? 0);
  const reached = longestWindow(times) + (joinedRequests(times)?.horizonMs ?? 0);
  const quietMs = Math.max(reached, ...watched) + attributionTtlMs;
  return {
    most: maxModels,
    quietPanes: Math.ceil(quietMs / tickMs) + 1,
  };
}

/**
 * Choose the models that are evaluated at the end of a pane, at most `maxModels`. Models that are
 * not quiet come first, then those with lists in more than one pane, then those with the earlier
 * first pane; equal ones are ordered by name. So an evaluated model stays until it is quiet, and a
 * name that occurred once is replaced by a returning model. A quiet model without lists in the
 * popularity horizon is dropped. Models that are not quiet but exceed `maxModels` are returned as
 * `waiting`.
 *
 * The choice depends on the first and the last pane with lists of each model, over all partitions.
 *
 * @param parts tracked models, by partition
 */
export function evaluatedModels(
  parts: readonly PlacedModels[],
  names: Ids['models'],
  pane: number,
  times: Times,
): {
  readonly models: readonly NamedModel[];
  readonly waiting: readonly NamedModel[];
} {
  const { most, quietPanes } = placeLimits(times);
  const horizonPanes = Math.ceil(times.popularity.horizonMs / times.tickMs) + 1;
  const gone = pane - Math.max(quietPanes, horizonPanes);
  const heard = heardTogether(parts.map((part) => part.models));
  const known = [...heard.keys()].filter((model) => heard.get(model)!.last >= gone);
  const isQuiet = ({ last }: HeardModel) => (last < pane - quietPanes ? 1 : 0);
  const isOnce = ({ first, last }: HeardModel) => (first === last ? 1 : 0);
  const order = (a: HeardModel, b: HeardModel) =>
    isQuiet(a) - isQuiet(b) || isOnce(a) - isOnce(b) || a.first - b.first;
  known.sort((a, b) => order(heard.get(a)!, heard.get(b)!) || names.compare(a, b));
  const waiting = known.slice(most).filter((model) => isQuiet(heard.get(model)!) === 0);
  return {
    models: namedModels(known.slice(0, most), names),
    waiting: namedModels(waiting, names),
  };
}

/**
 * Choose the models that are evaluated at the end of a pane, and list the models that are left out;
 * the result is the same if the pane is ticked again.
 */
export function evaluatedOf(
  pane: number,
  parts: readonly PlacedModels[],
  { lists, listsUnplaced }: SettledPane,
  names: Ids['models'],
  times: Times,
): EvaluatedModels {
  const { models, waiting } = evaluatedModels(parts, names, pane, times);
  let listsLeftOut = listsUnplaced;
  for (const { id } of waiting) {
    listsLeftOut += lists.get(id) ?? 0;
  }
  const unplaced = parts.map((part) => part.unplacedIn(pane));
  const others = [...new Set(unplaced.flatMap((part) => part.names))].sort();
  const told = [...waiting.map(({ name }) => name), ...others].slice(0, MOST_TOLD);
  // Partitions may leave out the same models, so do not add their numbers.
  const count = waiting.length + Math.max(0, ...unplaced.map((part) => part.models));
  const leftOut =
    count === 0
      ? undefined
      : {
          models: count,
          names: told,
        };
  return {
    models,
    leftOut,
    listsLeftOut,
  };
}
