import type uPlot from 'uplot';

/** Room above and below, and never a range so narrow that noise looks like news. */
export function padded(
  low: number,
  high: number,
  includes: readonly number[] = [],
): [number, number] {
  const values = [low, high, ...includes].filter((v) => v !== null && Number.isFinite(v));
  if (values.length === 0) return [0, 1];
  const least = Math.min(...values);
  const most = Math.max(...values);
  const room = Math.max((most - least) * 0.08, Math.abs(most) * 0.01, 1e-6);
  return [least >= 0 ? Math.max(0, least - room) : least - room, most + room];
}

/** As wide as the values, and not to the next power of ten. */
export const LOG_SCALE: uPlot.Scale = {
  time: false,
  distr: 3,
  range: (_, low, high) => (low > 0 ? [low / 1.4, high * 1.4] : [1, 10]),
};

/** 1, 2 and 5 of each power of ten. */
export const LOG_AXIS: Pick<uPlot.Axis, 'splits' | 'filter'> = {
  splits: (_, __, low, high) => {
    const found: number[] = [];
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
      for (const step of [1, 2, 5]) found.push(step * 10 ** power);
    }
    return found.filter((split) => split >= low && split <= high);
  },
  filter: (_, splits) => splits,
};

/** uPlot leaves out labels of a log axis by null. */
export function textOf(value: number | null, format: (value: number) => string): string {
  return value === null ? '' : format(value);
}

/** By the distance of the ticks, s: what is shown, and what is added where it changes. */
export const TIME_FORMATS: uPlot.Axis.Values = [
  [86_400, '{MM}-{DD}', null, null, null, null, null, null, 1],
  [3600, '{HH}:{mm}', '\n{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [60, '{HH}:{mm}', '\n{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
];
