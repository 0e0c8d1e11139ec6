import { OUTPUTS } from '../../features/outputs.js';
import { comparedValueFindings } from '../../features/values/compared-values.js';
import { valueFindings } from '../../features/values/value-reasons.js';
import { leadingValueFindings } from '../../features/values/values-lead.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
import { coverageFindings, modelsLeftOutFindings } from './coverage.js';
import { type Finding, SEVERITIES } from './finding.js';
import { gammaFindings } from './gamma.js';
import { heavyUserFindings } from './heavy-users.js';
import { learningFindings } from './learning.js';
import { randomisedFindings } from './randomised.js';
import { rankingFindings } from './rankings.js';
import { refusedFindings } from './refused.js';
import { sampleFindings, userSampleFindings } from './sample.js';
import { shownListFindings } from './shown-lists.js';
import { splitUserFindings } from './split-users.js';
import { feedbackFindings } from './withheld.js';

/**
 * What speaks for and against the numbers of one window, the gravest first. It is of the results that
 * the window holds: of a part of them it is about that part.
 *
 * @param more what was found elsewhere, of the reading or of the service
 */
export function windowFindings(
  snapshot: Pick<
    Snapshot,
    'sampling' | 'propensity' | 'heavyUsers' | 'modelsLeftOut' | 'homes' | 'drift'
  >,
  window: WindowSnapshot,
  more: readonly Finding[] = [],
): Finding[] {
  return gravestFirst([
    ...splitUserFindings(snapshot),
    ...coverageFindings(window),
    ...modelsLeftOutFindings(snapshot),
    ...feedbackFindings(window),
    ...shownListFindings(window),
    ...leadingValueFindings(window),
    ...comparedValueFindings(window),
    ...valueFindings(window),
    ...randomisedFindings(window),
    ...OUTPUTS.flatMap((feature) => feature.findings?.(window) ?? []),
    ...more,
    ...refusedFindings(window),
    ...userSampleFindings(snapshot.sampling),
    ...heavyUserFindings(snapshot),
    ...sampleFindings(window),
    ...gammaFindings(snapshot.propensity, window.exponentTest, window.counts),
    ...rankingFindings(window),
    ...learningFindings(snapshot),
  ]);
}

function gravestFirst(findings: readonly Finding[]): Finding[] {
  return SEVERITIES.flatMap((severity) => findings.filter((own) => own.severity === severity));
}
