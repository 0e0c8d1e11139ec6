import { UNCORRECTED } from '../../estimators/names.js';
import type { MeasureSensitivity } from '../../estimators/results/sensitivity.js';
import { decimal } from '../../rows/figures.js';
import { metricName } from '../../rows/words.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { html, type Markup, named, type Piece } from './markup.js';
import { folded, table } from './table.js';

/** What other values of γ would make of the numbers; null where nothing depends on it. */
export function sensitivitySection({
  sensitivity,
}: Pick<WindowSnapshot, 'sensitivity'>): Markup | null {
  if (sensitivity.length === 0) return null;
  return html`<section aria-labelledby="sensitivity">
<h2 id="sensitivity">At other values of γ</h2>
<p class="lead">Snips over all events: γ = −1 is naive, 1 gives all items the same relevance.</p>
${folded('For each metric, from −1 to 1', html`${sensitivity.map(bandTable)}`)}</section>
`;
}

function bandTable(sensitivity: MeasureSensitivity): Markup {
  const { bands, flips } = sensitivity;
  return html`${table(
    `${metricName(sensitivity)} over γ from −1 to 1`,
    ['model', 'least', 'greatest', 'γ = −1', 'γ = 1', 'changes places'],
    bands.map(({ model, lower, upper, [UNCORRECTED]: uncorrected, equal }) => ({
      heading: named(model),
      cells: [
        ...[lower, upper, uncorrected, equal].map((value) => decimal(value, 4)),
        changes(model, flips),
      ],
    })),
  )}`;
}

/** With whom a model changes places, and where. */
function changes(model: string, flips: MeasureSensitivity['flips']): Piece {
  const own = flips.filter(({ below, above }) => below === model || above === model);
  if (own.length === 0) return '–';
  return html`${own.map(
    ({ below, above, gamma }, n) =>
      html`${n === 0 ? '' : ', '}${named(below === model ? above : below)} at ${decimal(gamma, 2)}`,
  )}`;
}
