/** Numbers as the report writes them. What is undefined is a dash. */

export function decimal(value: number, digits: number): string {
  if (!Number.isFinite(value)) return '–';
  const text = value.toFixed(digits);
  // What rounds to nothing has no sign.
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

/** With its sign, for differences. */
export function signed(value: number, digits: number): string {
  return Number(value.toFixed(digits)) > 0 ? `+${decimal(value, digits)}` : decimal(value, digits);
}

export function percent(ratio: number, digits = 0): string {
  if (!Number.isFinite(ratio)) return '–';
  const shown = 100 * ratio;
  // What is not nothing is not shown as nothing.
  if (shown > 0 && shown < 0.5 && digits === 0) return 'under 1\u00a0%';
  return `${decimal(shown, digits)}\u00a0%`;
}

export function whole(count: number): string {
  return Number.isFinite(count) ? Math.round(count).toLocaleString('en') : '–';
}

/** A few digits that tell it apart from others, e.g. for axes and sizes of any order. */
export function compact(value: number): string {
  if (!Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1000) return whole(value);
  return String(Number(value.toPrecision(3))).replace('-', '−');
}

export function day(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Two times of one day, or with the day of the second. */
export function span(from: number, to: number): string {
  const time = (ms: number) => new Date(ms).toISOString().slice(11, 19);
  const end = day(from) === day(to) ? time(to) : `${day(to)} ${time(to)}`;
  return from === to ? 'no events' : `${time(from)} to ${end} UTC`;
}

export function metricName({ metric, k }: { metric: string; k: number | null }): string {
  return k === null ? metric : `${metric}@${k}`;
}

/** `a`, `a and b`, `a, b and c`. */
export function listed<T>(items: readonly T[], and = ' and '): (T | string)[] {
  return items.flatMap((item, i) => {
    if (i === 0) return [item];
    return [i === items.length - 1 ? and : ', ', item];
  });
}
