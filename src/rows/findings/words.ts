import { FEATURE_WORDS } from '../../features/words.js';
import {
  COVERAGE_WORDS,
  HEAVY_USER_WORDS,
  RANDOMISED_WORDS,
  SPLIT_USER_WORDS,
} from './coverage.js';
import type { Finding, FindingCode, Severity, WordedFinding, WordsOf } from './finding.js';
import { GAMMA_WORDS } from './gamma.js';
import { HAUSMAN_WORDS } from './hausman.js';
import { PROPENSITY_WORDS } from './propensities.js';
import { RANKING_WORDS } from './rankings.js';
import { READING_WORDS } from './reading.js';
import { TRUST_WORDS } from './reasons.js';
import { REFUSED_WORDS } from './refused.js';
import { SAMPLE_WORDS } from './sample.js';
import { plainText, type Sentence } from './sentence.js';
import { SET_WORDS } from './set.js';
import { TREND_WORDS } from './trend.js';
import { FEEDBACK_WORDS } from './withheld.js';

/** Sentence of each finding code; a missing one is a compile error. */
const WORDS: WordsOf<FindingCode> = {
  ...COVERAGE_WORDS,
  ...FEEDBACK_WORDS,
  ...HEAVY_USER_WORDS,
  ...SPLIT_USER_WORDS,
  ...FEATURE_WORDS.shownLists,
  ...SAMPLE_WORDS,
  ...GAMMA_WORDS,
  ...HAUSMAN_WORDS,
  ...RANDOMISED_WORDS,
  ...REFUSED_WORDS,
  ...RANKING_WORDS,
  ...READING_WORDS,
  ...FEATURE_WORDS.detectors,
  ...TREND_WORDS,
  ...SET_WORDS,
  ...PROPENSITY_WORDS,
  ...FEATURE_WORDS.ratings,
  ...TRUST_WORDS,
  ...FEATURE_WORDS.worth,
  ...FEATURE_WORDS.verdicts,
  ...FEATURE_WORDS.grounds,
};

export const FINDING_CODES = Object.keys(WORDS) as readonly FindingCode[];

export const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  problem: 'Problem',
  caution: 'Caution',
  note: 'Note',
  good: 'Good',
};

/** Write the sentence of a finding. */
export function sentenceOf(finding: Finding): Sentence {
  return (WORDS[finding.code] as (finding: Finding) => Sentence)(finding);
}

export function textOf(finding: Finding): string {
  return plainText(sentenceOf(finding));
}

/** Add their sentences to findings, as in the JSON. */
export function worded(findings: readonly Finding[]): WordedFinding[] {
  return findings.map((finding) => ({
    ...finding,
    text: textOf(finding),
  }));
}
