import type { SnapshotFacts, StateSettings } from '../rows/findings/facts.js';
import type { Finding, FindingCode } from '../rows/findings/finding.js';
import type { State } from '../rows/findings/state.js';
import type { SnapshotReports } from '../stream/feature-types.js';
import type { Snapshot, WindowSnapshot } from '../stream/tick/snapshot.js';
import { driftStates } from './drift/alarm-states.js';
import { learningFindings } from './drift/findings.js';
import { shownListFindings } from './on-policy/findings.js';
import { isOfRatingFile, ratingFileFindings } from './ratings/findings.js';
import { comparedValueFindings } from './values/compared-values.js';
import { isOfValues, valueFindings } from './values/value-reasons.js';
import { leadingValueFindings } from './values/values-lead.js';
import type { PairVerdict } from './verdict.js';
import { groundOf } from './verdicts/ground-findings.js';
import { testCautions } from './verdicts/test-findings.js';

export { verdictOn, verdictsOn } from './verdicts/said-findings.js';
export { VERDICTS_WITH_CARE } from './verdicts/verdict-words.js';

type OfWindow = readonly ((window: WindowSnapshot) => readonly Finding[])[];

/** Functions that report findings about reward per request, in the order of the report. */
export const LIST_FINDINGS: OfWindow = [
  shownListFindings,
  leadingValueFindings,
  comparedValueFindings,
  valueFindings,
];

/** Functions that report those findings about a window that are not about reward per request. */
export const WINDOW_FINDINGS: OfWindow = [ratingFileFindings];

/** Functions that report findings about a whole tick. */
export const TICK_FINDINGS: readonly ((snapshot: SnapshotReports) => Finding[])[] = [
  learningFindings,
  ({ experiment }) => (experiment === undefined ? [] : testCautions(experiment)),
];

const PAIR_GROUNDS: readonly ((verdicts?: readonly PairVerdict[]) => Finding | undefined)[] = [
  groundOf,
];

/** Finding about the evidence behind the first verdict, if that verdict compares rewards. */
export function verdictGround({ verdicts }: Pick<Snapshot, 'verdicts'>): Finding | undefined {
  return PAIR_GROUNDS.map((find) => find(verdicts)).find((ground) => ground !== undefined);
}

/** Functions that report status lines of a service. */
export const FEATURE_STATES: readonly ((
  snapshot: SnapshotFacts,
  settings: StateSettings,
) => State[])[] = [driftStates];

/**
 * Functions that recognise findings about a feature's own numbers, which do not concern estimates.
 */
export const OF_OWN_NUMBERS: readonly ((code: FindingCode) => boolean)[] = [
  isOfValues,
  isOfRatingFile,
  (code) => code.startsWith('test_'),
];
