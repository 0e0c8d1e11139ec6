import type { Measure } from '../../estimators/metrics/metric-gain.js';
import { LEADING, ON_POLICY, RANDOMISED, UNCORRECTED } from '../../estimators/names.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import { leadingOf, rowsOf } from '../../features/output.js';
import { OUTPUTS } from '../../features/outputs.js';
import { type AbAnswer, meanDigits, meanOf, rewardTitles } from '../../features/tests.js';
import { decimal, isKnown, shareWords, signed } from '../../rows/figures.js';
import type { Finding } from '../../rows/findings/finding.js';
import { knownGamma } from '../../rows/findings/gamma.js';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import { isGiven, ofLeadingForm } from '../../rows/reading.js';
import { metricName } from '../../rows/words.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';

/** Minimum number of clicks behind a reported rate. */
const FEW_CLICKS = 30;
const TOO_FEW = 'too few clicks';
const NONE = '–';

export interface ModelRow {
  readonly model: string;
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  readonly size: number;
  readonly isInVerdict: boolean;
  readonly cells: readonly string[];
}

/**
 * Table of the models, one row each. Depending on the verdict, the reward or the metric comes
 * first.
 */
export interface ModelRows {
  readonly columns: readonly Sentence[];
  readonly rows: readonly ModelRow[];
  /** Whether any model has a value in the metric's columns. */
  readonly hasMetric: boolean;
  /** Whether the metric's columns come before those of the reward. */
  readonly isByMetric: boolean;
}

/** Columns of one kind, reward or metric, with their cells for each model. */
interface Block {
  readonly titles: readonly Sentence[];
  readonly of: (model: string) => Entry | undefined;
}

interface Entry {
  readonly value: number;
  readonly lower: number;
  readonly upper: number;
  readonly size: number;
  /** Number of clicks or positives that the value is based on. */
  readonly clicks: number;
  readonly cells: readonly string[];
}

/** Build the table of the models: reward, lift over the control, corrected metric. */
export function modelTable(
  snapshot: Snapshot,
  window: WindowSnapshot,
  measure: Measure | null,
  first: Finding | undefined,
): ModelRows {
  const { experiment } = snapshot;
  const inVerdict = new Set(first?.subject.models ?? []);
  // The pair of a verdict with an interval is shown in numbers, however few its clicks are.
  const hasInterval = first !== undefined && 'lower' in first.figures;
  const reward = experiment === undefined ? worthBlock(window) : testBlock(experiment);
  const metric = measure === null ? ratingBlock(window) : metricBlock(snapshot, window, measure);
  // The built-in baseline has no place in an A/B test, only in metrics.
  const builtIn = experiment === undefined ? window.models.map(({ model }) => model) : [];
  const models = [...new Set([...snapshot.models, ...builtIn])];
  const hasMetric = metric !== undefined && models.some((model) => metric.of(model) !== undefined);
  const isByMetric =
    reward === undefined || (experiment === undefined && isOnMetric(first) && hasMetric);
  const shown = (isByMetric ? [metric, reward] : [reward, metric]).filter(
    (block) => block !== undefined,
  );
  const rows = models.map((model): ModelRow => {
    const isInVerdict = inVerdict.has(model);
    const entries = shown.map((block) => {
      const entry = block.of(model);
      return entry && hasFew(entry) && !(isInVerdict && hasInterval)
        ? withoutNumbers(entry)
        : entry;
    });
    const [leading] = entries;
    return {
      model,
      value: leading?.value ?? Number.NaN,
      lower: leading?.lower ?? Number.NaN,
      upper: leading?.upper ?? Number.NaN,
      size: Math.max(0, ...entries.map((entry) => entry?.size ?? 0)),
      isInVerdict,
      cells: entries.flatMap((entry, b) => entry?.cells ?? shown[b]!.titles.map(() => NONE)),
    };
  });
  // A model without any value has no row, unless the verdict is on it.
  const told = rows.filter(
    ({ isInVerdict, cells }) => isInVerdict || cells.some((cell) => cell !== NONE && cell !== ''),
  );
  const known = ({ value }: ModelRow) => (isKnown(value) ? value : Number.NEGATIVE_INFINITY);
  return {
    columns: shown.flatMap(({ titles }) => titles),
    rows: told.sort((a, b) => (known(a) === known(b) ? 0 : known(b) - known(a))),
    hasMetric,
    isByMetric,
  };
}

/** Whether the verdict is on a metric, not on the reward. False without a verdict. */
function isOnMetric(first: Finding | undefined): boolean {
  const [metric] = first?.subject.metrics ?? [];
  return metric !== undefined && metric !== 'value';
}

/** Whether the value of an entry is based on too few clicks to be reported. */
function hasFew({ clicks }: Entry): boolean {
  return clicks < FEW_CLICKS;
}

function withoutNumbers(entry: Entry): Entry {
  return {
    ...entry,
    value: Number.NaN,
    lower: Number.NaN,
    upper: Number.NaN,
    cells: entry.cells.map((_, c) => (c === 0 ? TOO_FEW : NONE)),
  };
}

/** Columns for the results of an A/B test. */
function testBlock(answer: AbAnswer): Block {
  const { arms, lifts, control } = answer;
  const titles = rewardTitles(answer);
  // Without an attributed click, the reward per list is unknown.
  const perList = arms.some(({ perRequest }) => perRequest > 0) ? titles.perList : null;
  const mostMean = Math.max(...arms.map((arm) => meanOf(answer, arm)));
  const digits = meanDigits(mostMean);
  const listDigits = meanDigits(Math.max(...arms.map(({ perRequest }) => perRequest)));
  return {
    titles: [[titles.main], say`vs ${{ name: control }}`, ...(perList === null ? [] : [[perList]])],
    of: (model) => {
      const arm = arms.find((own) => own.model === model);
      if (arm === undefined) return undefined;
      const value = meanOf(answer, arm);
      const lift = lifts.find((own) => own.model === model);
      return {
        value,
        lower: Number.NaN,
        upper: Number.NaN,
        size: arm.users,
        clicks: arm.rewards,
        cells: [
          decimal(value, digits),
          lift === undefined ? '' : liftCell(lift, digits),
          ...(perList === null ? [] : [decimal(arm.perRequest, listDigits)]),
        ],
      };
    },
  };
}

/** Format the lift of a model, `+66 % (+55, +77)`; if the lift is unknown, the difference. */
function liftCell(own: AbAnswer['lifts'][number], digits: number): string {
  const { lift, liftLower, liftUpper, difference, lower, upper } = own;
  if (!isKnown(lift)) {
    return `${signed(difference, digits)} (${signed(lower, digits)}, ${signed(upper, digits)})`;
  }
  const width = liftUpper - liftLower;
  const end = (of: number) => shareWords(of, width).replace('\u00a0%', '');
  return `${shareWords(lift, width)} (${end(liftLower)}, ${end(liftUpper)})`;
}

/**
 * Columns for the reward per list, for windows without an A/B test. The reward is by requests or by
 * served lists. Undefined if no model has a value.
 */
function worthBlock(window: WindowSnapshot): Block | undefined {
  const served = rowsOf(OUTPUTS, window).filter(
    ({ family, estimator }) => family === 'values' && estimator === ON_POLICY.estimator,
  );
  const [valued] = leadingOf(OUTPUTS, {
    ...window,
    leads: 'values',
  });
  const [listed] = leadingOf(OUTPUTS, {
    ...window,
    leads: 'on_policy',
  });
  const rows = [...served, ...(valued?.rows ?? []), ...(listed?.rows ?? [])].filter(({ value }) =>
    isKnown(value),
  ) as WorthRow[];
  if (rows.length === 0) return undefined;
  const compared = rows.filter((row) => !servesRandom(window, row.model));
  const digits = meanDigits(Math.max(...compared.map(({ value }) => value)));
  return {
    titles: [['reward/list (95 % CI)']],
    of: (model) => {
      const row = rows.find((own) => own.model === model);
      if (row === undefined) return undefined;
      const { value, lower, upper, counts = {} } = row;
      const known = {
        size: counts['lists'] ?? counts['requests'] ?? 0,
        clicks: clicksOn(window, model),
      };
      if (servesRandom(window, model)) {
        return {
          ...known,
          value: Number.NaN,
          lower: Number.NaN,
          upper: Number.NaN,
          cells: [`${decimal(value, meanDigits(value))}, random lists`],
        };
      }
      return {
        ...known,
        value,
        lower,
        upper,
        cells: [within(value, lower, upper, digits)],
      };
    },
  };
}

/**
 * Whether a model only served random lists, although other models served lists of their own. Its
 * reward is not compared with theirs, since random lists may be longer or shown elsewhere.
 */
export function servesRandom(
  { drawnModels = [], onPolicy }: WindowSnapshot,
  model: string,
): boolean {
  if (!drawnModels.includes(model)) return false;
  return onPolicy?.values.some((own) => !drawnModels.includes(own.model)) === true;
}

/**
 * Number of clicks on a model's lists. If clicks were not counted, `FEW_CLICKS` is returned, so
 * that the reward is reported.
 */
function clicksOn({ onPolicy }: WindowSnapshot, model: string): number {
  return onPolicy?.values.find((own) => own.model === model)?.counts.clicks ?? FEW_CLICKS;
}

/** Whether a model's lists have too few clicks for an estimate of their reward. */
export function hasFewClicks(window: WindowSnapshot, model: string): boolean {
  return clicksOn(window, model) < FEW_CLICKS;
}

type WorthRow = Pick<EstimateRow, 'model' | 'value' | 'lower' | 'upper'> & {
  readonly counts?: Readonly<Record<string, number>>;
};

function within(value: number, lower: number, upper: number, digits: number): string {
  const ends = isKnown(lower) && isKnown(upper);
  return ends
    ? `${decimal(value, digits)} (${decimal(lower, digits)} to ${decimal(upper, digits)})`
    : decimal(value, digits);
}

const METRIC_DIGITS = 3;

/**
 * Columns for the metric. With randomised traffic, they are the value from that traffic and the
 * corrected value. Without it, they are the corrected value and the uncorrected value. The
 * corrected value then has its interval if the log determines γ, and otherwise its range over
 * plausible γ.
 */
function metricBlock(snapshot: Snapshot, window: WindowSnapshot, measure: Measure): Block {
  const isOwn = (row: EstimateRow) =>
    row.metric === measure.metric && row.k === measure.k && isGiven(row);
  const all = window.results.filter(isOwn);
  const isUncaused = window.leads === 'uncaused';
  const organic = (window.feedback?.uncaused?.results ?? []).filter(isOwn);
  const corrected = ofLeadingForm(
    (isUncaused ? organic : all).filter(({ estimator }) => estimator === LEADING),
  );
  const [like] = corrected;
  const plain = (isUncaused ? organic : all).filter(
    ({ estimator, form }) =>
      estimator === UNCORRECTED && (like === undefined || form === like.form),
  );
  const randomised = ofLeadingForm(all.filter(({ estimator }) => estimator === RANDOMISED)).filter(
    ({ value }) => isKnown(value),
  );
  const name = metricName(measure);
  if (randomised.length > 0) {
    const hasBeside = corrected.some(({ value }) => isKnown(value));
    return {
      titles: [[`${name}, randomised (95 % CI)`], ...(hasBeside ? [[LEADING]] : [])],
      of: (model) => {
        const row = randomised.find((own) => own.model === model);
        const beside = corrected.find((own) => own.model === model);
        const cells = hasBeside ? [decimal(beside?.value, METRIC_DIGITS)] : [];
        if (row !== undefined) return entry(row, row, cells);
        if (beside === undefined) return undefined;
        // The model that served the random lists has no value from them, only a corrected one.
        const none = {
          ...beside,
          value: Number.NaN,
          lower: Number.NaN,
          upper: Number.NaN,
        };
        return entry(none, none, cells);
      },
    };
  }
  const { isKnown: isGammaKnown } = knownGamma(snapshot.propensity, window.exponentTest);
  const bands =
    isGammaKnown || isUncaused
      ? []
      : (window.sensitivity.find(({ metric, k }) => metric === measure.metric && k === measure.k)
          ?.bands ?? []);
  const isTest = snapshot.experiment !== undefined;
  const isNone = corrected.every(({ value }) => !isKnown(value));
  const what = isUncaused || (isTest && isNone) ? 'organic, corrected' : 'corrected';
  const ends = isGammaKnown ? ' (95 % CI)' : bands.length > 0 ? ' (range over γ)' : '';
  return {
    titles: isTest ? [[`${name}, ${what}${ends}`]] : [[`${name}, ${what}${ends}`], ['uncorrected']],
    of: (model) => {
      const row = corrected.find((own) => own.model === model && isKnown(own.value));
      if (row === undefined) return undefined;
      const band = bands.find((own) => own.model === model && row.form === 'pooled');
      const range =
        band ??
        (isGammaKnown
          ? row
          : {
              lower: Number.NaN,
              upper: Number.NaN,
            });
      const beside = plain.find((own) => own.model === model);
      return entry(row, range, isTest ? [] : [decimal(beside?.value, METRIC_DIGITS)]);
    },
  };
}

/**
 * Columns for a metric of predicted ratings, corrected if possible; undefined if none was
 * requested.
 */
function ratingBlock(window: WindowSnapshot): Block | undefined {
  const all = rowsOf(OUTPUTS, window).filter(({ family }) => family === 'ratings') as EstimateRow[];
  const [first] = all;
  if (first === undefined) return undefined;
  const own = all.filter(({ metric, k }) => metric === first.metric && k === first.k);
  const [leading] = ofLeadingForm(own);
  const ofName = (name: string) => own.filter(({ estimator }) => estimator === name);
  const rows = ofName(leading!.estimator);
  const plain = leading!.estimator === UNCORRECTED ? [] : ofName(UNCORRECTED);
  const name = metricName(first);
  const beside = plain.length === 0 ? [] : [['uncorrected']];
  return {
    titles: [[`${name} (95 % CI)`], ...beside],
    of: (model) => {
      const row = rows.find((each) => each.model === model && isKnown(each.value));
      if (row === undefined) return undefined;
      const other = plain.find((each) => each.model === model);
      return entry(row, row, beside.length === 0 ? [] : [decimal(other?.value, METRIC_DIGITS)]);
    },
  };
}

function entry(
  { value, counts }: EstimateRow,
  {
    lower,
    upper,
  }: {
    readonly lower: number;
    readonly upper: number;
  },
  beside: readonly string[],
): Entry {
  const cells = [within(value, lower, upper, METRIC_DIGITS), ...beside];
  const { rows = FEW_CLICKS } = counts as Readonly<Record<string, number | undefined>>;
  return {
    value,
    lower,
    upper,
    size: rows,
    clicks: rows,
    cells,
  };
}
