import type { Finding } from '../../rows/findings/finding.js';
import { SEVERITY_WORDS, sentenceOf } from '../../rows/findings/words.js';
import { sentenceText } from './section-lines.js';

/** Findings as lines, each with how grave it is. */
export function findingLines(findings: readonly Finding[]): string[] {
  return findings.map((finding) => `${SEVERITY_WORDS[finding.severity]}: ${findingText(finding)}`);
}

/** The sentence of a finding; names cannot steer the terminal. */
export function findingText(finding: Finding): string {
  return sentenceText(sentenceOf(finding));
}
