import { VERDICTS_WITH_CARE, verdictsOn } from '../../features/findings.js';
import { splitFlag, splitWords } from '../../features/tests.js';
import type { RestartCause } from '../../features/verdict.js';
import type { Finding } from '../../rows/findings/finding.js';
import { faultyEvents, type ReadingCounts, readingFindings } from '../../rows/findings/reading.js';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import { leadingMeasure } from '../../rows/findings/window-trust.js';
import { sentenceOf } from '../../rows/findings/words.js';
import { clock, day } from '../../rows/times.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { cautionsOf } from './cautions.js';
import { groundsOf } from './grounds.js';
import { modelTable } from './model-rows.js';
import type { Opening } from './opening.js';

const NONE_YET =
  'No verdict yet: the first one appears once two models have served lists for a day.';
const NOT_ASKED = 'No verdict: verdicts are turned off (decision.metric is none).';

/**
 * Build the opening for one window of a snapshot.
 *
 * @param reading outcomes of the events. @param more further findings, for example about the
 * service
 */
export function openingOf(
  snapshot: Snapshot,
  window: WindowSnapshot,
  reading: ReadingCounts,
  more: readonly Finding[] = [],
): Opening {
  const verdicts = verdictsOn(snapshot);
  const [first, ...others] = verdicts ?? [];
  const measure = shownMeasure(window, snapshot.verdicts);
  const table = modelTable(snapshot, window, measure, first);
  const headline = first === undefined ? withoutVerdict(snapshot, verdicts) : sentenceOf(first);
  const change = first === undefined ? undefined : changeOf(snapshot, first);
  const test = snapshot.experiment;
  const found = [...readingFindings(reading, window), ...more];
  return {
    tone: first === undefined || change !== undefined ? 'unknown' : toneOf(first),
    headline: change ?? headline,
    earlier: change === undefined ? null : headline,
    grounds: groundsOf(snapshot, window, first),
    others: others.map(sentenceOf),
    columns: table.columns,
    rows: table.rows,
    cautions: cautionsOf(snapshot, window, {
      first,
      table,
      measure,
      found,
    }),
    invalid: faultyEvents(reading).count,
    split: test === undefined ? null : splitWords(test),
    splitFlag: (test && splitFlag(test)) ?? null,
  };
}

/**
 * Choose the metric and cut-off to show: those of the verdicts. Without a verdict on the metric,
 * use cut-off 10 if there is one.
 */
function shownMeasure(window: WindowSnapshot, verdicts: Snapshot['verdicts'] = []) {
  const measure = leadingMeasure(window, verdicts);
  if (measure === null || verdicts.some(({ metric }) => metric === measure.metric)) return measure;
  const { metric } = measure;
  const hasTen = window.results.some((row) => row.metric === metric && row.k === USUAL_CUT);
  return hasTen
    ? {
        metric,
        k: USUAL_CUT,
      }
    : measure;
}

const USUAL_CUT = 10;

function withoutVerdict({ models }: Snapshot, verdicts: readonly Finding[] | undefined): Sentence {
  if (models.length === 0)
    return say`No verdict: no user of an interaction has a list. Check that lists come before interactions and use the same user ids.`;
  if (models.length === 1) {
    return say`No verdict: ${{ name: models[0]! }} is the only model, so there is nothing to compare it with. Add lists of a second model.`;
  }
  return [verdicts === undefined ? NOT_ASKED : NONE_YET];
}

/**
 * Explain that a verdict no longer holds, because one of its models has changed since: an alarm or
 * a deployment restarted the comparison. Undefined if no model has changed.
 */
function changeOf(
  { verdicts = [], paneEnd }: Snapshot,
  { subject }: Finding,
): Sentence | undefined {
  const { models = [] } = subject;
  const found = verdicts.find(
    ({ model, reference, changed }) =>
      changed !== undefined && models.includes(model) && models.includes(reference),
  );
  if (found?.changed === undefined) return undefined;
  const { changed, startsAgain, changedAt, changedBy, at } = found;
  const when = changedAt ?? startsAgain ?? at;
  const cause = changedBy === undefined ? '' : ` (${CAUSES[changedBy]})`;
  const on = day(when) === day(paneEnd) ? '' : ` on ${day(when)}`;
  return say`${{ name: changed }} changed at ${clock(when)} UTC${on}${cause}: the comparison has restarted.`;
}

const CAUSES: Readonly<Record<RestartCause, string>> = {
  alarm: 'alarm',
  mark: 'deployment',
  gamma: 'new source of γ',
};

function toneOf({ code, severity }: Finding): Opening['tone'] {
  if (VERDICTS_WITH_CARE.has(code)) return 'care';
  return severity === 'good' ? 'good' : 'unknown';
}
