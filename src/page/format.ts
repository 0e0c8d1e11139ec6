/** Figures as the page words them; what is unknown is a dash. */
export type Figure = number | null | undefined;

export function isKnown(value: Figure): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

export function fixed(value: Figure, digits: number): string {
  return isKnown(value) ? value.toFixed(digits).replace('-', '−') : '–';
}

/** Three significant digits, for numbers whose size is not known beforehand. */
export function short(value: Figure): string {
  if (!isKnown(value)) return '–';
  const size = Math.abs(value);
  if (size >= 1000) return whole(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  return fixed(value, digits);
}

export function whole(value: Figure): string {
  return isKnown(value) ? Math.round(value).toLocaleString('en').replace('-', '−') : '–';
}

export function percent(value: Figure, digits = 0): string {
  return isKnown(value) ? `${fixed(100 * value, digits)}\u00a0%` : '–';
}

/** With its sign, which a difference always has. */
export function signedPercent(value: Figure): string {
  if (!isKnown(value)) return '–';
  return `${value > 0 ? '+' : ''}${percent(value)}`;
}

export function clock(ms: Figure): string {
  return isKnown(ms) ? new Date(ms).toISOString().slice(11, 16) : '–';
}

export function clockWithSeconds(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

export function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The largest unit that says enough: 45 s, 12 min, 3.5 h. */
export function duration(ms: Figure): string {
  if (!isKnown(ms)) return '–';
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1).replace('.0', '')} h`;
}

export function metricName(metric: string, k: number | null): string {
  return k === null ? metric : `${metric}@${k}`;
}
