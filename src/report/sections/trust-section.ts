import { UNCORRECTED } from '../../estimators/names.js';
import type { MeasureSensitivity } from '../../estimators/results/sensitivity.js';
import { decimal } from '../../figures/figures.js';
import { metricName } from '../../figures/words.js';
import { ANSWER_WORDS } from '../../findings/trust/reasons.js';
import type { Trust } from '../../findings/trust/window-trust.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import { html, type Markup, named, type Piece } from '../markup.js';
import { table } from '../table.js';
import { findingMarkup } from './findings-section.js';

/** Whether the numbers can be trusted and why, and what other values of γ would make of them. */
export function trustSection(
  { answer, reasons }: Trust,
  { sensitivity }: Pick<WindowSnapshot, 'sensitivity'>,
): Markup {
  return html`<section aria-labelledby="trust">
<h2 id="trust">Can these numbers be trusted?</h2>
<p class="lead"><b>${ANSWER_WORDS[answer]}.</b> ${reasons.map((reason) => html`${findingMarkup(reason)} `)}</p>
${
  sensitivity.length === 0
    ? null
    : html`<p class="lead">Snips over all events at other values of γ: −1 is naive, 1 gives all items the same relevance.</p>
${sensitivity.map(bandTable)}`
}</section>
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
