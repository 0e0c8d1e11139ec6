import { RANDOMISED } from '../../estimators/names.js';
import { LIST_FINDINGS, TICK_FINDINGS, WINDOW_FINDINGS } from '../../features/findings.js';
import type { SnapshotReports } from '../../stream/feature-types.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import {
  coverageFindings,
  heavyUserFindings,
  modelsLeftOutFindings,
  randomisedFindings,
  renamedUserFindings,
  splitUserFindings,
} from './coverage.js';
import { type Finding, SEVERITIES } from './finding.js';
import { gammaFindings } from './gamma.js';
import { hausmanFindings } from './hausman.js';
import { rankingFindings } from './rankings.js';
import { refusedFindings } from './refused.js';
import { sampleFindings, userSampleFindings } from './sample.js';
import { feedbackFindings } from './withheld.js';

/**
 * Codes of findings that recommendations drove, or may have driven, a relevant share of
 * interactions.
 */
export const OF_CAUSES: ReadonlySet<Finding['code']> = new Set([
  'caused_in_part',
  'cause_unknown',
  'cause_uncertain',
  'names_incomplete',
]);

/**
 * Whether the estimates depend on γ and on interactions driven by recommendations. Only estimates
 * from randomised traffic do not. True if there is no estimate.
 */
export function isWeighed(results: WindowSnapshot['results']): boolean {
  return results.length === 0 || results.some(({ estimator }) => estimator !== RANDOMISED);
}

function isOfWeights(code: Finding['code']): boolean {
  return OF_CAUSES.has(code) || code === 'counted_once' || /^(gamma|exponent)_/.test(code);
}

/**
 * Findings for and against the numbers of one window, the most severe first. If the window has only
 * some of the results, the findings are about those.
 *
 * @param more further findings, about reading or the service
 */
export function windowFindings(
  snapshot: Pick<Snapshot, 'sampling' | 'propensity' | 'heavyUsers' | 'modelsLeftOut' | 'homes'> &
    SnapshotReports,
  window: WindowSnapshot,
  more: readonly Finding[] = [],
): Finding[] {
  const all = [
    ...splitUserFindings(snapshot),
    ...renamedUserFindings(window),
    ...coverageFindings(window),
    ...modelsLeftOutFindings(snapshot),
    ...feedbackFindings(window),
    ...LIST_FINDINGS.flatMap((find) => find(window)),
    ...randomisedFindings(window),
    ...WINDOW_FINDINGS.flatMap((find) => find(window)),
    ...more,
    ...refusedFindings(window),
    ...userSampleFindings(snapshot.sampling),
    ...heavyUserFindings(snapshot),
    ...sampleFindings(window),
    ...gammaFindings(snapshot.propensity, window.exponentTest, window.counts),
    ...hausmanFindings(window),
    ...rankingFindings(window),
    ...TICK_FINDINGS.flatMap((find) => find(snapshot)),
  ];
  const { results } = window;
  return gravestFirst(isWeighed(results) ? all : all.filter(({ code }) => !isOfWeights(code)));
}

function gravestFirst(findings: readonly Finding[]): Finding[] {
  return SEVERITIES.flatMap((severity) => findings.filter((own) => own.severity === severity));
}
