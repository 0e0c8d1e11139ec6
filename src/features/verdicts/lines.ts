import { findingText } from '../../outputs/text/finding-lines.js';
import type { Paint } from '../../outputs/text/paint.js';
import { wrapped } from '../../outputs/text/terminal.js';
import type { Snapshot } from '../../stream/snapshot.js';
import { verdictFindings } from './verdict-findings.js';

/** So many are said; who compares more models reads JSON. */
const MOST_LINES = 5;

/** Which model is better, before all numbers; nothing where nobody asks. */
export function verdictLines({ verdicts }: Pick<Snapshot, 'verdicts'>, paint: Paint): string[] {
  const found = verdictFindings(verdicts);
  const lines = found
    .slice(0, MOST_LINES)
    .flatMap((finding) =>
      wrapped(findingText(finding)).map((line) => paint(finding.severity, line)),
    );
  if (found.length > MOST_LINES) lines.push(`… and ${found.length - MOST_LINES} more verdicts`);
  return lines.length === 0 ? [] : [...lines, ''];
}
