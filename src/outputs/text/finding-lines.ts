import type { Finding } from '../../rows/findings/finding.js';
import { SEVERITY_WORDS, sentenceOf } from '../../rows/findings/words.js';
import { sentenceText } from './section-lines.js';

/** Format findings as lines, each with its severity. */
export function findingLines(findings: readonly Finding[]): string[] {
  return findings.map((finding) => `${SEVERITY_WORDS[finding.severity]}: ${findingText(finding)}`);
}

/** Format the sentence of a finding as text, without terminal control characters in names. */
export function findingText(finding: Finding): string {
  return sentenceText(sentenceOf(finding));
}
