import { decimal } from '../../rows/figures.js';
import { ANSWER_WORDS } from '../../rows/findings/reasons.js';
import type { Trust } from '../../rows/findings/window-trust.js';
import { metricName } from '../../rows/words.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import { findingText } from './finding-lines.js';
import { printable } from './terminal.js';

/** Format the trust in the numbers with its reasons, and the range of each model's value over γ. */
export function trustLines(
  { answer, measure, reasons }: Trust,
  { sensitivity }: Pick<WindowSnapshot, 'sensitivity'>,
): string[] {
  const why = reasons.map(findingText).join(' ');
  const own =
    measure?.metric === 'value'
      ? sensitivity[0]
      : sensitivity.find(({ metric, k }) => metric === measure?.metric && k === measure.k);
  const bands = (own?.bands ?? []).map(
    ({ model, lower, upper }) => `${printable(model)} ${decimal(lower, 4)} to ${decimal(upper, 4)}`,
  );
  return [
    `Can these numbers be trusted? ${ANSWER_WORDS[answer]}. ${why}`,
    ...(own === undefined
      ? []
      : [`${metricName(own)} by snips over γ from −1 to 1: ${bands.join(', ')}.`]),
  ];
}
