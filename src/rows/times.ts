import { type Figure, isKnown } from './figures.js';

/** Format a time, ms since the epoch, as a date in UTC. */
export function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function clock(ms: Figure): string {
  return isKnown(ms) ? new Date(ms).toISOString().slice(11, 16) : '–';
}

export function clockWithSeconds(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19);
}

export function instant(ms: number): string {
  return `${day(ms)} ${clockWithSeconds(ms)} UTC`;
}

/** Format a range of times in UTC; the end has a date only if it is on another day. */
export function span(from: number, to: number): string {
  if (from === to) return 'no events';
  const end = day(from) === day(to) ? '' : `${day(to)} `;
  return `${clockWithSeconds(from)} to ${end}${clockWithSeconds(to)} UTC`;
}

/** Format a duration in the largest suitable unit: 45 s, 12 min, 3.5 h, 10 days. */
export function duration(ms: Figure): string {
  if (!isKnown(ms)) return '–';
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 172_800_000) return `${rounded(ms / 3_600_000)} h`;
  return `${rounded(ms / 86_400_000)} days`;
}

function rounded(units: number): string {
  return units.toFixed(1).replace('.0', '');
}
