import { ON_POLICY, UNCORRECTED } from '../estimators/names.js';
import { differencesOf, leadingOf, reportsFromV1, rowsOf } from '../features/output.js';
import { OUTPUTS } from '../features/outputs.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { listsFromV1 } from '../outputs/window-rows.js';
import { isKnown } from '../rows/figures.js';
import { instant } from '../rows/times.js';
import { capital, metricName } from '../rows/words.js';
import { namesIn } from './model-order.js';
import { type View, withBaseline } from './view.js';

/** How a model stands by the measure that all answers go by. */
export interface Standing {
  readonly model: string;
  readonly value: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
}

/** The models by the measure that verdicts go by, the best first. */
export interface Standings {
  /** Of their column. */
  readonly title: string;
  /** What there is more of, where one is ahead. */
  readonly unit: string;
  /** It is the chosen metric, so uncorrected values and the truth are on its scale. */
  readonly isMetric: boolean;
  readonly rows: readonly Standing[];
}

/**
 * By what lists are worth where a verdict is on that, or where it leads; else by the chosen metric,
 * corrected, or of what users found by themselves where that leads.
 */
export function standingsOf(view: View): Standings {
  const { tick, estimator } = view;
  const { window, chosen, verdict } = tick;
  const isWorth = verdict?.[0]?.subject.metrics?.[0] === 'value';
  const leads = isWorth ? 'values' : (window.leads ?? 'estimates');
  const reports = { ...reportsFromV1(OUTPUTS, window), leads } as Parameters<typeof leadingOf>[1];
  const [leading] = leadingOf(OUTPUTS, reports);
  const metric = metricName(chosen);
  const lists = listsFromV1(window);
  const isUncaused = leads === 'uncaused';
  const rows = isUncaused ? (lists.feedback?.uncaused?.results ?? []) : lists.results;
  const served = rowsOf(OUTPUTS, reports).filter(
    (row) => row.family === 'values' && row.estimator === ON_POLICY.estimator,
  );
  // Where chance decided it is what was earned that counts.
  const own = isWorth
    ? [...served, ...(leading?.rows ?? [])].filter(({ value }) => isKnown(value))
    : (leading?.rows ?? rows.filter((row) => row.estimator === estimator));
  return {
    title: leading?.heading ?? `${capital(metric)}${isUncaused ? ', found by themselves' : ''}`,
    unit: leading === undefined ? metric : 'reward a request',
    isMetric: leading === undefined,
    rows: ordered(view, own),
  };
}

/** Pinned ones first, then the best; those without a value last. */
function ordered(view: View, rows: readonly Standing[]): Standing[] {
  const models = withBaseline(view);
  const pinned = new Set(namesIn(view.choice.pin));
  const found = models.map((model): Standing => {
    const row = rows.find((each) => each.model === model);
    return row ?? { model, value: null, lower: null, upper: null };
  });
  const of = ({ value }: Standing) => (isKnown(value) ? value : Number.NEGATIVE_INFINITY);
  return found.sort(
    (a, b) =>
      Number(pinned.has(b.model)) - Number(pinned.has(a.model)) ||
      (of(a) === of(b) ? 0 : of(b) - of(a)),
  );
}

/** Of an interval. */
export type Ends = { readonly lower: number; readonly upper: number };

/** The difference between two models where one is given with both of its ends. */
export function differenceOf(
  { window }: LiveTick,
  { isMetric }: Standings,
  a: string,
  b: string,
): Ends | undefined {
  if (isMetric) return undefined;
  for (const row of differencesOf(OUTPUTS, reportsFromV1(OUTPUTS, window))) {
    const { model, reference, lower, upper } = row;
    if (!isKnown(lower) || !isKnown(upper)) continue;
    if (model === a && reference === b) return { lower, upper };
    if (model === b && reference === a) return { lower: -upper, upper: -lower };
  }
  return undefined;
}

/** A model's value of the chosen metric, uncorrected or by an estimator. */
export function estimateOf({ window }: LiveTick, model: string, estimator: string) {
  return window.estimates.find((row) => row.model === model && row.estimator === estimator);
}

/** Up to where numbers go, and what is waited for, while the past is still being read. */
function readSoFar({ tick, wait }: View): string | undefined {
  return wait && `events are read up to ${instant(tick.paneEnd)}, ${wait} to go`;
}

const INSTEAD = 'Read what users found by themselves, or what lists are worth.';
const NOT_SHOWN =
  'it was shown to nobody in this window. Serve it to some users, or log its lists with each request.';
const BUILT_IN = 'it is built in to compare metrics with, and nobody is served it.';

/** Why a model has no value, in one line, and what would lift it. */
export function whyNone(view: View, { isMetric }: Standings, model: string): string {
  const { tick, estimator } = view;
  const { findings } = tick.window;
  const soFar = readSoFar(view);
  const early = soFar && `Not known yet: ${soFar}.`;
  const about = ({ subject: { models } }: (typeof findings)[number]) =>
    models === undefined || models.includes(model);
  if (!isMetric) {
    const refused = findings.find((own) => own.reason === 'refused' && about(own));
    // The row names the model already.
    const why = refused?.text.split('is not given: ').at(-1) ?? NOT_SHOWN;
    return early ?? `Not known what it would earn: ${model === tick.baseline ? BUILT_IN : why}`;
  }
  const row = estimateOf(tick, model, estimator) ?? estimateOf(tick, model, UNCORRECTED);
  const code = row?.withheld ?? null;
  if (code === null) {
    return early ?? 'No value in this window: it has no lists for what users found.';
  }
  const found = findings.find((own) => own.code === code && about(own));
  return `${found?.text ?? 'Withheld: shown lists caused too much of what users found.'} ${INSTEAD}`;
}
