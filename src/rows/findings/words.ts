import { TREND_WORDS } from '../../features/drift/trend.js';
import { COMPARED_VALUE_WORDS } from '../../features/values/compared-values.js';
import { VALUE_WORDS } from '../../features/values/value-reasons.js';
import { VALUES_LEAD_WORDS } from '../../features/values/values-lead.js';
import { VERDICT_WORDS } from '../../features/verdicts/verdict-words.js';
import { FEATURE_WORDS } from '../../features/words.js';
import { COVERAGE_WORDS } from './coverage.js';
import type { Finding, FindingCode, Severity, WordedFinding, WordsOf } from './finding.js';
import { GAMMA_WORDS } from './gamma.js';
import { HEAVY_USER_WORDS } from './heavy-users.js';
import { LEARNING_WORDS } from './learning.js';
import { PROPENSITY_WORDS } from './propensities.js';
import { RANDOMISED_WORDS } from './randomised.js';
import { RANKING_WORDS } from './rankings.js';
import { READING_WORDS } from './reading.js';
import { TRUST_WORDS } from './reasons.js';
import { REFUSED_WORDS } from './refused.js';
import { SAMPLE_WORDS } from './sample.js';
import { plainText, type Sentence } from './sentence.js';
import { SET_WORDS } from './set.js';
import { SHOWN_LIST_WORDS } from './shown-lists.js';
import { SPLIT_USER_WORDS } from './split-users.js';
import { FEEDBACK_WORDS } from './withheld.js';

/** The sentence of every code: a code without one does not compile. */
const WORDS: WordsOf<FindingCode> = {
  ...COVERAGE_WORDS,
  ...FEEDBACK_WORDS,
  ...HEAVY_USER_WORDS,
  ...SPLIT_USER_WORDS,
  ...SHOWN_LIST_WORDS,
  ...SAMPLE_WORDS,
  ...GAMMA_WORDS,
  ...RANDOMISED_WORDS,
  ...REFUSED_WORDS,
  ...RANKING_WORDS,
  ...READING_WORDS,
  ...LEARNING_WORDS,
  ...TREND_WORDS,
  ...SET_WORDS,
  ...PROPENSITY_WORDS,
  ...FEATURE_WORDS,
  ...TRUST_WORDS,
  ...VALUE_WORDS,
  ...VALUES_LEAD_WORDS,
  ...COMPARED_VALUE_WORDS,
  ...VERDICT_WORDS,
};

export const FINDING_CODES = Object.keys(WORDS) as readonly FindingCode[];

export const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  problem: 'Problem',
  caution: 'Caution',
  note: 'Note',
  good: 'Good',
};

/** A finding as a sentence, names apart. */
export function sentenceOf(finding: Finding): Sentence {
  return (WORDS[finding.code] as (finding: Finding) => Sentence)(finding);
}

export function textOf(finding: Finding): string {
  return plainText(sentenceOf(finding));
}

/** Findings with their sentences, as JSON has them. */
export function worded(findings: readonly Finding[]): WordedFinding[] {
  return findings.map((finding) => ({ ...finding, text: textOf(finding) }));
}
