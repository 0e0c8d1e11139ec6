import { isGiven } from '../../rows/reading.js';
import { hasCaused, UNCAUSED } from '../../state/panes/row-causes.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import { withholdCircular } from '../feedback/circular.js';
import { isFollowed } from '../feedback/feedback-mode.js';
import { nameOf, windowCause, withhold } from '../feedback/withhold.js';
import { RANDOMISED } from '../names.js';
import type { EstimateDifference, EstimateRow } from '../results/estimate.js';
import type { FeedbackReport, UncausedEstimates } from '../results/window-estimates.js';
import { narrowedPart } from './derived-parts.js';
import type { OrganicJob } from './lane-job.js';
import { organicEstimates } from './lane-window.js';

/** Reported estimates, and what is known of the causes of interactions. */
export interface FeedbackEstimates {
  readonly results: readonly EstimateRow[];
  readonly differences: readonly EstimateDifference[];
  readonly feedback?: FeedbackReport;
}

/**
 * Withhold estimates that rest on interactions driven by recommendations, and compute estimates
 * again over organic interactions. This is done for each model with a withheld or doubtful
 * estimate, and for the reference model. For other models, the estimates over all and over organic
 * interactions would differ by less than half a standard error, at twice the cost of a tick.
 * Returns the estimates unchanged if causes are not determined.
 *
 * @param job of the organic rows. @param estimates of the whole window, in their order.
 */
export function feedbackEstimates(
  job: OrganicJob,
  estimates: Pick<FeedbackEstimates, 'results' | 'differences'>,
): FeedbackEstimates {
  const { feedback: mode = 'ignore', withheldBefore = NOTHING } = job.options;
  if (!isFollowed(job.options)) return estimates;
  const cause = windowCause(job.part, job.models);
  const { results, differences } = estimates;
  const judged = withhold(
    results,
    differences,
    {
      mode,
      ...cause,
    },
    withheldBefore,
  );
  const isPartly = cause.source === 'named' && cause.caused > 0 && cause.caused < 1;
  const objected = new Set(
    judged.results
      .filter((row) => row.estimator !== RANDOMISED && isObjected(row))
      .map(({ model }) => model),
  );
  const uncaused =
    isPartly && objected.size > 0 ? uncausedEstimates(narrowedTo(objected, job)) : null;
  if (cause.named < 1) {
    withholdCircular(uncaused ?? judged, {
      mode,
      ...cause,
    });
  }
  return {
    ...judged,
    feedback: {
      mode,
      ...cause,
      uncaused,
    },
  };
}

/** Whether interactions driven by recommendations affect the estimate. */
function isObjected({ reasons }: EstimateRow): boolean {
  return reasons.length > 0;
}

const NOTHING: ReadonlySet<string> = new Set();

/** The job restricted to some models and the reference model. */
function narrowedTo(models: ReadonlySet<string>, job: OrganicJob): OrganicJob {
  const { reference = job.models[0] } = job.options;
  const kept = [...job.models.keys()].filter((m) => {
    const name = job.models[m]!;
    return models.has(name) || name === reference;
  });
  if (kept.length === job.models.length) return job;
  return {
    ...job,
    models: kept.map((m) => job.models[m]!),
    options: {
      ...job.options,
      reference,
    },
    part: {
      ...job.part,
      ranks: kept.map((m) => job.part.ranks[m]!),
      lists: kept.map((m) => job.part.lists[m]!),
    },
  };
}

/** Keep the numbers whose estimate of the same name in `results` is not withheld. */
export function givenOnly<T extends Parameters<typeof nameOf>[0]>(
  numbers: readonly T[],
  results: readonly EstimateRow[],
): readonly T[] {
  const withheld = new Set(results.flatMap((row) => (isGiven(row) ? [] : [nameOf(row)])));
  return withheld.size === 0 ? numbers : numbers.filter((row) => !withheld.has(nameOf(row)));
}

function uncausedEstimates(job: OrganicJob): UncausedEstimates {
  const part = uncausedRows(job.part);
  const { feedback: _, ...options } = job.options;
  const { results, differences, effectiveSampleSizes, segments } = organicEstimates({
    ...job,
    part,
    options,
    isUnsummarised: true,
  });
  return {
    results: results.map((row) => Object.assign(row, { family: 'uncaused' })),
    differences: differences.map((row) => Object.assign(row, { family: 'uncaused' })),
    effectiveSampleSizes,
    ...(segments.length > 0 && { segments }),
    ...sizeOf(part),
  };
}

/** Count the positive rows of a part, and its users with at least one. */
function sizeOf({
  users: segments,
  userStart,
  positive,
}: WindowPart): Pick<UncausedEstimates, 'rows' | 'users'> {
  let rows = 0;
  let users = 0;
  for (let s = 0; s < segments; s++) {
    const before = rows;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      rows += positive[r];
    }
    if (rows > before) {
      users++;
    }
  }
  return { rows, users };
}

/**
 * Keep the rows of organic interactions. O(rows · models).
 *
 * All driven rows are left out, not only those of a model's own lists: items driven by another
 * model's lists are more likely to be in the lists of similar models.
 *
 * @param part rows that all have a cause.
 * @returns rows of the same segments; the part itself if lists caused none.
 */
function uncausedRows(part: WindowPart): WindowPart {
  const { users, userStart, causes } = part;
  if (causes === undefined || !hasCaused(causes.cause)) return part;
  const kept = new Int32Array(part.rows);
  const start = new Int32Array(users + 1);
  let rows = 0;
  for (let s = 0; s < users; s++) {
    start[s] = rows;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      if (causes.cause[r] === UNCAUSED) {
        kept[rows++] = r;
      }
    }
  }
  start[users] = rows;
  return narrowedPart(part, kept.subarray(0, rows), start);
}
