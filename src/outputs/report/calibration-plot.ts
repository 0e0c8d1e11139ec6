import { decimal, isKnown, whole } from '../../rows/figures.js';
import { type LinearScale, linearScale } from '../../rows/scale.js';
import type { CalibrationPoint } from '../../rows/table.js';
import { html, type Markup, named } from './markup.js';
import { across, pathThrough, plot, up } from './plot.js';

const CORRECTED = 'mean rating of all users, corrected by propensities';
const RATED = 'mean of the observed ratings';

/**
 * Draw calibration plots, actual against predicted rating, one per model on a common scale; null
 * without bins.
 */
export function calibrationPlots(bins: readonly CalibrationPoint[]): Markup | null {
  if (bins.length === 0) return null;
  const scale = linearScale(
    bins
      .flatMap(({ predicted, rated, corrected }) => [predicted, rated, corrected])
      .filter(isKnown),
  );
  const models = [...new Set(bins.map(({ model }) => model))];
  const plots = models.map((model) => {
    const own = bins.filter((bin) => bin.model === model);
    return html`<div class="calibration"><h4>${named(model)}</h4>${ofModel(own, model, scale)}</div>`;
  });
  return html`<div class="columns">${plots}</div>${legend()}`;
}

function ofModel(bins: readonly CalibrationPoint[], model: string, scale: LinearScale): Markup {
  const place = (value: number) => (value - scale.from) / (scale.to - scale.from);
  const ticks = scale.ticks.map((tick) => ({
    at: place(tick),
    label: decimal(tick, scale.digits),
  }));
  const frame = {
    title: `Mean rating against mean prediction of ${model}; on the diagonal, predictions match ratings`,
    x: {
      title: 'mean prediction, by fifths of the pairs',
      ticks,
    },
    y: {
      title: 'mean rating',
      ticks,
    },
  };
  const even = html`<path class="even" d="${pathThrough([
    [0, 0],
    [1, 1],
  ])}"/>`;
  return plot(frame, [
    even,
    ...lineOf(bins, 'rated', RATED, place),
    ...lineOf(bins, 'corrected', CORRECTED, place),
  ]);
}

/** Draw one line of a calibration plot. `corrected` has no line without propensities. */
function lineOf(
  bins: readonly CalibrationPoint[],
  kind: 'rated' | 'corrected',
  words: string,
  place: (value: number) => number,
): Markup[] {
  const known = bins.filter((bin) => isKnown(bin[kind]) && isKnown(bin.predicted));
  if (known.length === 0) return [];
  const line = known.map((bin) => [place(bin.predicted!), place(bin[kind]!)] as const);
  const dots = known.map((bin, b) => {
    const title = `mean prediction ${decimal(bin.predicted, 2)}; ${words}: ${decimal(bin[kind], 2)}; ${whole(bin.rows)} pairs`;
    return html`<circle class="${kind}" cx="${across(line[b][0])}" cy="${up(line[b][1])}" r="4.5"><title>${title}</title></circle>`;
  });
  return [html`<path class="joined ${kind}" d="${pathThrough(line)}"/>`, ...dots];
}

function legend(): Markup {
  const key = (kind: string) =>
    html`<svg width="14" height="12" aria-hidden="true"><circle class="${kind}" cx="7" cy="6" r="4.5"/></svg>`;
  return html`<ul class="legend"><li>${key('rated')} ${RATED}</li><li>${key('corrected')} ${CORRECTED}</li><li>on the dotted line, predictions match ratings</li></ul>
`;
}
