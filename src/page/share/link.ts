import { type Choice, writeChoice } from '../choice.js';
import type { View } from '../view.js';

const MINUTE = 60_000;

/** The address that shows a panel as it is now, to anyone: nothing in it is left to a default. */
export function linkTo({ tick, choice, estimator, since, until }: View, name: string): string {
  const { window, metric, k, aggregation } = tick.chosen;
  const from = Math.max(0, Math.floor(since / MINUTE) * MINUTE);
  const to = Math.max(from + MINUTE, Math.ceil(Math.min(until, tick.paneEnd) / MINUTE) * MINUTE);
  const resolved: Choice = {
    ...choice,
    ...{ window, metric, k: String(k ?? 'none'), aggregation, estimator },
    ...{ span: 'own', from: minuteAt(from), to: minuteAt(to) },
  };
  return `${location.origin}${location.pathname}${writeChoice(resolved)}#panel-${name}`;
}

function minuteAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16);
}
