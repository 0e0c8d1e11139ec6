import { percent } from '../../rows/figures.js';
import { linearScale } from '../../rows/scale.js';
import type { WeightPoint } from '../../rows/table.js';
import { html, type Markup } from './markup.js';
import { across, plot, up } from './plot.js';

/**
 * Draw the distribution of weights: for each bin of weight, the fraction of rows and of total
 * weight side by side. Null without bins.
 */
export function weightPlot(bins: readonly WeightPoint[]): Markup | null {
  if (bins.length === 0) return null;
  const rows = bins.reduce((sum, bin) => sum + bin.rows, 0);
  const first = Math.log2(bins[0].from);
  const slots = Math.log2(bins[bins.length - 1].from) - first + 1;
  const shares = bins.flatMap((bin) => [bin.rows / rows, bin.weightShare ?? 0]);
  const scale = linearScale([0, ...shares]);
  const bars = bins.map((bin) => {
    const left = (Math.log2(bin.from) - first) / slots;
    const title = `${times(bin.from)} to ${times(2 * bin.from)} the mean weight: ${percent(bin.rows / rows, 1)} of the events, ${percent(bin.weightShare, 1)} of the weight`;
    return html`<g><title>${title}</title>${bar('rows', left + 0.1 / slots, 0.4 / slots, bin.rows / rows / scale.to)}${bar('weight', left + 0.5 / slots, 0.4 / slots, (bin.weightShare ?? 0) / scale.to)}</g>`;
  });
  const every = Math.ceil(slots / 7);
  const ticks = Array.from({ length: slots + 1 }, (_, t) => t)
    .filter((t) => (first + t) % every === 0)
    .map((t) => ({
      at: t / slots,
      label: times(2 ** (first + t)),
    }));
  const frame = {
    title: 'Share of the events and of the total weight, by size of the weight',
    x: {
      title: 'weight, relative to the mean',
      ticks,
    },
    y: {
      title: 'share',
      ticks: scale.ticks.map((tick) => ({
        at: tick / scale.to,
        label: percent(tick, 0),
      })),
    },
  };
  const key = (kind: string) =>
    html`<svg width="14" height="12" aria-hidden="true"><rect class="bar ${kind}" width="12" height="12" x="1"/></svg>`;
  return html`${plot(frame, bars)}<ul class="legend"><li>${key('rows')} events</li><li>${key('weight')} weight</li></ul>
`;
}

function bar(kind: string, left: number, width: number, height: number): Markup {
  const x = across(left);
  return html`<rect class="bar ${kind}" x="${x}" y="${up(height)}" width="${across(left + width) - x}" height="${up(0) - up(height)}"/>`;
}

function times(ratio: number): string {
  return ratio < 1 ? `÷${1 / ratio}` : `×${ratio}`;
}
