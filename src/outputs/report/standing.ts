import type { Measure } from '../../estimators/metrics/metric-gain.js';
import { ON_POLICY, UNCORRECTED } from '../../estimators/names.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import { verdictGround } from '../../features/findings.js';
import { type FeatureStanding, leadingOf, rowsOf } from '../../features/output.js';
import { OUTPUTS } from '../../features/outputs.js';
import { whole } from '../../rows/figures.js';
import { leadingMeasure } from '../../rows/findings/window-trust.js';
import { isGiven, ofLeadingForm } from '../../rows/reading.js';
import { listed, metricName } from '../../rows/words.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { hasFewClicks, servesRandom } from '../opening/model-rows.js';
import { type Dumbbell, dumbbellPlot } from './dumbbell-plot.js';
import { html, type Markup, type Piece, shortNamed } from './markup.js';

/** Maximum number of models in the chart of the first page. */
const MOST_MODELS = 8;

/** Content of the chart of models on the first page. */
interface Standing {
  readonly heading: string;
  readonly column: string;
  readonly rows: readonly (Dumbbell & Pick<FeatureStanding, 'model'>)[];
}

/**
 * Render the chart that ranks the models by the leading numbers, and the reason why some models
 * have none. Null without models.
 */
export function standingSection(snapshot: Snapshot, window: WindowSnapshot): Markup | null {
  const { heading, column, rows } = standing(snapshot, window);
  const given = new Set(rows.map(({ model }) => model));
  const withheld = snapshot.models.filter((model) => !given.has(model));
  if (rows.length + withheld.length === 0) return null;
  const shown = rows.slice(0, MOST_MODELS);
  const others = rows.length - shown.length;
  const more =
    others === 0 ? '' : ` The chart shows the best ${shown.length} of ${rows.length} models.`;
  const isCorrected = rows.some(({ uncorrected }) => uncorrected !== undefined);
  return html`<section aria-labelledby="standing">
<h2 id="standing">${heading}</h2>
${rows.length === 0 ? null : dumbbellPlot(shown, column)}${withheldLine(withheld)}<p class="lead">${isCorrected ? 'Dots are estimates corrected for popularity, lines are their 95 % intervals, and diamonds are the uncorrected values.' : 'Dots are estimates, and lines are their 95 % intervals.'}${more}</p>
</section>
`;
}

/** Maximum number of models without a number that are named; the appendix has all. */
const MOST_WITHHELD = 3;

/** Write the line on models that have no number in the chart; null if all have one. */
function withheldLine(models: readonly string[]): Markup | null {
  if (models.length === 0) return null;
  const rest = models.length - MOST_WITHHELD;
  const names: Piece[] = models
    .slice(0, MOST_WITHHELD)
    .map((model) => html`<b>${shortNamed(model)}</b>`);
  const all = listed(rest > 0 ? [...names, `${whole(rest)} more`] : names);
  return html`<p class="lead withheld">Not in this chart: ${all}. A caution above gives the reason. If there is none, the lists are random, no user with a list of the model had an interaction, or there are too few clicks.</p>
`;
}

function standing(snapshot: Snapshot, window: WindowSnapshot): Standing {
  const isOnWorth = verdictGround(snapshot) !== undefined;
  const [leading] = leadingOf(
    OUTPUTS,
    isOnWorth
      ? {
          ...window,
          leads: 'values',
        }
      : window,
  );
  if (leading !== undefined) {
    const { heading, rows } = leading;
    // If requests were assigned at random, the observed reward of a served model is used.
    const served = (isOnWorth ? rowsOf(OUTPUTS, window) : []).filter(
      ({ family, estimator }) => family === 'values' && estimator === ON_POLICY.estimator,
    ) as readonly FeatureStanding[];
    const others = rows.filter(({ model }) => served.every((own) => own.model !== model));
    return {
      heading,
      column: 'reward',
      rows: ordered(
        [...served, ...others].filter(
          ({ model }) => !hasFewClicks(window, model) && !servesRandom(window, model),
        ),
        [],
        snapshot,
      ),
    };
  }
  const measure = leadingMeasure(window, snapshot.verdicts);
  const named = measure === null ? '' : metricName(measure);
  if (window.leads === 'uncaused') {
    return {
      heading: `${named} from organic interactions`,
      column: 'corrected',
      rows: estimated(window.feedback?.uncaused?.results ?? [], measure, snapshot),
    };
  }
  return {
    heading: `${named}, corrected and uncorrected`,
    column: 'corrected',
    rows: estimated(window.results, measure, snapshot),
  };
}

function estimated(
  results: readonly EstimateRow[],
  measure: Measure | null,
  snapshot: Snapshot,
): Standing['rows'] {
  const own = results.filter(
    (row) => row.metric === measure?.metric && row.k === measure?.k && isGiven(row),
  );
  const leading = ofLeadingForm(own);
  const [first] = leading;
  const isPlain = first === undefined || first.estimator === UNCORRECTED;
  const plain = own.filter(
    ({ estimator, form }) => estimator === UNCORRECTED && form === first?.form,
  );
  return ordered(leading, isPlain ? [] : plain, snapshot);
}

function ordered(
  rows: readonly FeatureStanding[],
  plain: readonly EstimateRow[],
  { baseline }: Snapshot,
): Standing['rows'] {
  return rows
    .filter(({ value }) => !Number.isNaN(value))
    .sort((a, b) => b.value - a.value)
    .map(({ model, value, lower, upper }) => {
      const uncorrected = plain.find((row) => row.model === model)?.value;
      return {
        model,
        value,
        lower,
        upper,
        ...(uncorrected !== undefined && { uncorrected }),
        name: html`${shortNamed(model)}${model === baseline ? html` <small>built in</small>` : null}`,
      };
    });
}
