import { compact, decimal, isKnown } from '../../rows/figures.js';
import { logTicks } from '../../rows/scale.js';
import type { ExposureCurve } from '../../rows/table.js';
import { html, type Markup } from './markup.js';
import { across, lineLegend, pathThrough, plot, up } from './plot.js';

/**
 * Draw exposures per item against popularity on log-log axes, with both fits of γ; null with fewer
 * than two points.
 */
export function exposurePlot(curve: ExposureCurve): Markup | null {
  const points = curve.points.filter(({ exposuresPerItem }) => exposuresPerItem > 0);
  if (points.length < 2) return null;
  const x = points.map(({ meanLevel }) => meanLevel);
  const y = points.map(({ exposuresPerItem }) => exposuresPerItem);
  const xAxis = logAxis(x);
  const yAxis = logAxis(y);
  const dots = points.map(
    ({ level }, p) =>
      html`<circle class="level" cx="${across(xAxis.place(x[p]))}" cy="${up(yAxis.place(y[p]))}" r="4.5"><title>popularity ${level} to ${2 * level - 1}: ${compact(y[p])} exposures per item</title></circle>`,
  );
  const ends = [x[0], x[x.length - 1]];
  const lineOf = ({ gamma, intercept }: ExposureCurve['fits'][number]) =>
    ends.map(
      (n) => [xAxis.place(n), yAxis.place(Math.exp(intercept! + gamma! * Math.log(n)))] as const,
    );
  const fits = curve.fits.filter(({ gamma }) => isKnown(gamma));
  const frame = {
    title: 'Exposures per item by popularity, both axes logarithmic',
    x: {
      title: 'popularity n of the item before its exposures',
      ticks: xAxis.ticks,
    },
    y: {
      title: 'exposures per item, f(n)',
      ticks: yAxis.ticks,
    },
  };
  const lines = fits.map(
    (fit, s) =>
      html`<path class="series s${s}" clip-path="url(#plot-area)" d="${pathThrough(lineOf(fit))}"/>`,
  );
  const clip = html`<clipPath id="plot-area"><rect x="${across(0)}" y="${up(1)}" width="${across(1) - across(0)}" height="${up(0) - up(1)}"/></clipPath>`;
  const names = fits.map(
    ({ name, gamma, stdErr }) => `${name}: γ = ${decimal(gamma, 3)} ± ${decimal(stdErr, 3)}`,
  );
  return html`${plot(frame, [clip, ...lines, ...dots])}${lineLegend(names)}`;
}

function logAxis(values: readonly number[]) {
  const { from, to, ticks } = logTicks(values);
  const place = (value: number) => Math.log(value / from) / Math.log(to / from);
  const every = Math.ceil(ticks.length / 7);
  return {
    place,
    ticks: ticks
      .filter((_, t) => t % every === 0)
      .map((tick) => ({
        at: place(tick),
        label: compact(tick),
      })),
  };
}
