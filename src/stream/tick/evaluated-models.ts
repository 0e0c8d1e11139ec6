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

/** Most names that are listed. */
const MOST_TOLD = 5;

/** Which models are evaluated at a tick, and which are not. */
export interface EvaluatedModels {
  /** In the order of `namedModels`. */
  readonly models: readonly NamedModel[];
  /** Models of which lists come and nothing is said; undefined where there are none. */
  readonly leftOut: ModelsLeftOut | undefined;
  /** Their lists in the pane. */
  readonly listsLeftOut: number;
}

/**
 * A model is quiet when none of its lists is in any window, or can rank anything in one that is to
 * come:
 *
 *   quiet = max(longest window + horizon of requests, what features watch) + attribution ttl
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
 * The models that are evaluated at the end of a pane, at most `maxModels`: first those that are not
 * quiet, of these first those heard in more than one pane, then those heard first, then by name.
 * So a model that is evaluated stays until it is quiet, and a name that came once gives way to a
 * model that comes again. What the popularity horizon has left behind is gone in any case.
 *
 * A function of when each model was heard first and last, which adds up over partitions.
 *
 * @param parts models with a place, by partition
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
 * Evaluated models, with the models of the pane that are not. They are also reported for a pane
 * that is ticked once more, whose lists have been counted already.
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
  // The same may be without a place in several partitions.
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
