import type { Measure } from '../../estimators/metrics/metric-gain.js';
import { UNCORRECTED } from '../../estimators/names.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import { type FeatureStanding, leadingOf } from '../../features/output.js';
import { OUTPUTS } from '../../features/outputs.js';
import type { Finding } from '../../rows/findings/finding.js';
import { leadingMeasure } from '../../rows/findings/window-trust.js';
import { isGiven, ofLeadingForm } from '../../rows/reading.js';
import { metricName } from '../../rows/words.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { type Dumbbell, dumbbellPlot } from './dumbbell-plot.js';
import { findingMarkup } from './findings-section.js';
import { html, type Markup, shortNamed } from './markup.js';

/** As many models as fit on the first page beside all else. */
const MOST_MODELS = 8;

/** What the first chart is of. */
interface Standing {
  readonly heading: string;
  readonly column: string;
  readonly rows: readonly (Dumbbell & Pick<FeatureStanding, 'model'>)[];
}

/**
 * How the models stand by the numbers that lead, the best first, and why some have none; null where
 * there is no model.
 */
export function standingSection(
  snapshot: Snapshot,
  window: WindowSnapshot,
  findings: readonly Finding[],
): Markup | null {
  const { heading, column, rows } = standing(snapshot, window);
  const given = new Set(rows.map(({ model }) => model));
  const withheld = snapshot.models.filter((model) => !given.has(model));
  if (rows.length + withheld.length === 0) return null;
  const shown = rows.slice(0, MOST_MODELS);
  const others = rows.length - shown.length;
  const more = others === 0 ? '' : ` The ${shown.length} best of ${rows.length} models.`;
  const isCorrected = rows.some(({ uncorrected }) => uncorrected !== undefined);
  return html`<section aria-labelledby="standing">
<h2 id="standing">${heading}</h2>
${rows.length === 0 ? null : dumbbellPlot(shown, column)}${withheld.slice(0, MOST_WITHHELD).map((model) => withheldLine(model, findings))}<p class="lead">${isCorrected ? 'Dots are corrected for popularity, lines their 95 % intervals, diamonds what they were before.' : 'Dots are estimates, lines their 95 % intervals.'}${more}</p>
</section>
`;
}

/** More are in the appendix. */
const MOST_WITHHELD = 3;

/** A model that has no number here, and why. */
function withheldLine(model: string, findings: readonly Finding[]): Markup {
  const why = findings.find(
    ({ severity, subject }) => severity !== 'good' && subject.models?.includes(model),
  );
  const said = why === undefined ? 'No number is given.' : findingMarkup(why, shortNamed);
  return html`<p class="lead withheld"><b>${shortNamed(model)}</b> ${said}</p>
`;
}

function standing(snapshot: Snapshot, window: WindowSnapshot): Standing {
  const [leading] = leadingOf(OUTPUTS, window);
  if (leading !== undefined) {
    const { heading, rows } = leading;
    return { ...{ heading, column: 'reward' }, rows: ordered(rows, [], snapshot) };
  }
  const measure = leadingMeasure(window, snapshot.verdicts);
  const named = measure === null ? '' : metricName(measure);
  if (window.leads === 'uncaused') {
    return {
      ...{ heading: `${named} of what users found by themselves`, column: 'corrected' },
      rows: estimated(window.feedback?.uncaused?.results ?? [], measure, snapshot),
    };
  }
  return {
    ...{ heading: `${named}, corrected and not`, column: 'corrected' },
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
        ...{ model, value, lower, upper, ...(uncorrected !== undefined && { uncorrected }) },
        name: html`${shortNamed(model)}${model === baseline ? html` <small>built in</small>` : null}`,
      };
    });
}
