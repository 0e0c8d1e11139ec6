import { LIST_FINDINGS, TICK_FINDINGS, WINDOW_FINDINGS } from '../../features/findings.js';
import type { SnapshotReports } from '../../stream/feature-types.js';
import type { Snapshot, WindowSnapshot } from '../../stream/snapshot.js';
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
import { rankingFindings } from './rankings.js';
import { refusedFindings } from './refused.js';
import { sampleFindings, userSampleFindings } from './sample.js';
import { feedbackFindings } from './withheld.js';

/**
 * What speaks for and against the numbers of one window, the gravest first. It is of the results that
 * the window holds: of a part of them it is about that part.
 *
 * @param more what was found elsewhere, of the reading or of the service
 */
export function windowFindings(
  snapshot: Pick<Snapshot, 'sampling' | 'propensity' | 'heavyUsers' | 'modelsLeftOut' | 'homes'> &
    SnapshotReports,
  window: WindowSnapshot,
  more: readonly Finding[] = [],
): Finding[] {
  return gravestFirst([
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
    ...rankingFindings(window),
    ...TICK_FINDINGS.flatMap((find) => find(snapshot)),
  ]);
}

function gravestFirst(findings: readonly Finding[]): Finding[] {
  return SEVERITIES.flatMap((severity) => findings.filter((own) => own.severity === severity));
}
