import type { Finding } from '../../rows/findings/finding.js';
import { SEVERITY_WORDS, sentenceOf } from '../../rows/findings/words.js';
import { printable } from './terminal.js';

/** Findings as lines, each with how grave it is. */
export function findingLines(findings: readonly Finding[]): string[] {
  return findings.map((finding) => `${SEVERITY_WORDS[finding.severity]}: ${findingText(finding)}`);
}

/** The sentence of a finding; names cannot steer the terminal. */
export function findingText(finding: Finding): string {
  const parts = sentenceOf(finding).map((part) => {
    if (typeof part === 'string') return part;
    return 'name' in part ? printable(part.name) : part.strong;
  });
  return parts.join('');
}
