import type { Finding } from '../../rows/findings/finding.js';
import { ANSWER_WORDS } from '../../rows/findings/reasons.js';
import type { Trust } from '../../rows/findings/window-trust.js';
import { SEVERITY_WORDS } from '../../rows/findings/words.js';
import { findingText } from './finding-lines.js';
import type { Paint, Style } from './paint.js';
import { wrapped } from './terminal.js';

const TONES: Readonly<Record<Trust['answer'], Style>> = {
  yes: 'good',
  comparisons: 'caution',
  no: 'problem',
};

/**
 * What limits the numbers: whether they can be trusted and why, then each problem and caution that
 * this has not said yet. Notes are left to `--all`.
 */
export function limitLines(
  { answer, reasons }: Trust,
  findings: readonly Finding[],
  paint: Paint,
): string[] {
  const why = reasons.map(findingText);
  const told = new Set(why);
  const trust = `Can these numbers be trusted? ${ANSWER_WORDS[answer]}.`;
  return [
    ...begunBy(trust, why.join(' '), (text) => paint(TONES[answer], text)),
    ...findings
      .filter(({ severity }) => severity === 'problem' || severity === 'caution')
      .filter((finding) => !told.has(findingText(finding)))
      .flatMap((finding) => {
        const word = `${SEVERITY_WORDS[finding.severity]}:`;
        return begunBy(word, findingText(finding), (text) => paint(finding.severity, text));
      }),
  ];
}

/** Lines of a text whose beginning is painted; it is short of a line. */
function begunBy(begin: string, text: string, paint: (text: string) => string): string[] {
  const [first, ...rest] = wrapped(`${begin} ${text}`);
  return [paint(begin) + first!.slice(begin.length), ...rest];
}
