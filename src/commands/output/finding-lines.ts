import type { Finding } from '../../findings/finding.js';
import { SEVERITY_WORDS, sentenceOf } from '../../findings/words.js';
import { printable } from './terminal.js';

/** Findings as lines, each with how grave it is. */
export function findingLines(findings: readonly Finding[]): string[] {
  return findings.map((finding) => {
    const parts = sentenceOf(finding).map((part) => {
      if (typeof part === 'string') return part;
      return 'name' in part ? printable(part.name) : part.strong;
    });
    return `${SEVERITY_WORDS[finding.severity]}: ${parts.join('')}`;
  });
}
