import type { GammaFit } from '../../estimators/propensity/gamma.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import { type GuaranteeName, PROMISES } from '../../estimators/uncertainty/guarantees.js';
import { verdictsOn } from '../../features/findings.js';
import { evaluatedReports } from '../../features/output.js';
import { allOutputs } from '../../features/outputs.js';
import { TICK_LINES } from '../../features/text.js';
import { decimal, percent, whole } from '../../rows/figures.js';
import type { Finding } from '../../rows/findings/finding.js';
import { faultyEvents, type ReadingCounts, readingFindings } from '../../rows/findings/reading.js';
import { windowFindings } from '../../rows/findings/window-findings.js';
import { windowTrust, wordedTrust } from '../../rows/findings/window-trust.js';
import { worded } from '../../rows/findings/words.js';
import { instant } from '../../rows/times.js';
import { GAMMA_SOURCE_WORDS, GAMMA_STATUS_WORDS } from '../../rows/words.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import { v1Drawn, type v1Estimate, v1Window } from '../json/v1.js';
import { openingOf } from '../opening/opening-of.js';
import { windowSections } from '../sections/window-sections.js';
import { findingLines, findingText } from './finding-lines.js';
import { openingLines } from './opening-lines.js';
import { type Paint, PLAIN } from './paint.js';
import { rankingLines } from './ranking-lines.js';
import { sectionLines } from './section-lines.js';
import { plainSpaces, wrapped } from './terminal.js';
import { trustLines } from './trust-lines.js';

/**
 * Convert one window of a snapshot to an object of `unskew/evaluation@1`. `evaluate --json` prints
 * one such object, and `replay --json` one for each pane and window.
 */
export function toEvaluationJson(snapshot: Snapshot, windowIndex: number, reading: ReadingCounts) {
  const own = snapshot.windows[windowIndex]!;
  const window = v1Window(own);
  const { name, from, to, counts, models, results, differences } = window;
  const reports = evaluatedReports(allOutputs(), own, window);
  const verdict = verdictsOn(snapshot);
  const { againstBaseline, agreements, sensitivity, interventions, drawn } = window;
  const { absoluteScale, randomized, exponentTest, controlVariates, refusals, singleCountShare } =
    window;
  const { fits, ...propensity } = snapshot.propensity;
  const { duplicate: duplicates, late } = reading;
  return {
    schema: 'unskew/evaluation@1' as const,
    ...(verdict && { verdict: worded(verdict) }),
    ...(snapshot.experiment && { experiment: snapshot.experiment }),
    window: {
      name,
      from,
      to,
    },
    counts: {
      ...counts,
      faults: faultyEvents(reading).count,
      duplicates,
      late,
      ...requestFaults(reading),
    },
    sampling: snapshot.sampling,
    ...(snapshot.heavyUsers && { heavyUsers: snapshot.heavyUsers }),
    propensity: {
      ...propensity,
      fits: withoutCurves(fits),
    },
    popularity: snapshot.popularity,
    models,
    baseline: snapshot.baseline,
    results: [...withoutSums(results), ...reports.results],
    differences: [...differences, ...reports.differences],
    ...reports.own,
    againstBaseline,
    agreements,
    sensitivity,
    interventions,
    drawn: drawn.map(v1Drawn),
    absoluteScale,
    randomized,
    exponentTest,
    controlVariates,
    refusals,
    ...(singleCountShare === undefined ? {} : { singleCountShare }),
    findings: worded(findingsOf(snapshot, windowIndex, reading)),
    trust: wordedTrust(snapshot, own, readingFindings(reading, own)),
    alarms: snapshot.alarms,
    ...(snapshot.notices && { notices: snapshot.notices }),
    promises: promisesOf(own.results),
    ...feedbackOf(window, reports.feedback),
  };
}

/** Counts of invalid requests by reason; empty if no request is invalid. */
function requestFaults({ requestFaults: faults }: ReadingCounts) {
  return faults === undefined || faults.size === 0
    ? {}
    : { requestFaults: Object.fromEntries([...faults].sort()) };
}

function withoutSums(results: readonly V1Numbers[]) {
  return results.map(({ numerator: _n, denominator: _d, ...rest }) => rest);
}

type V1Numbers = ReturnType<typeof v1Estimate>;

/**
 * Build the JSON fields on interactions driven by recommendations. Without fields if such
 * interactions are not identified.
 */
function feedbackOf(
  { feedback, leads }: ReturnType<typeof v1Window<WindowSnapshot>>,
  reports: object,
) {
  if (feedback === undefined) return {};
  const { uncaused, ...rest } = feedback;
  if (!uncaused) {
    return {
      feedback,
      ...reports,
      leads,
    };
  }
  const { segments: _, ...found } = uncaused;
  return {
    ...reports,
    leads,
    feedback: {
      ...rest,
      uncaused: {
        ...found,
        results: withoutSums(uncaused.results),
      },
    },
  };
}

/** Statements of the guarantees that the reported bounds have, by name of the guarantee. */
function promisesOf(results: readonly EstimateRow[]): Partial<Record<GuaranteeName, string>> {
  const given = new Set(results.flatMap(({ guarantees }) => guarantees.map(({ name }) => name)));
  return Object.fromEntries([...given].map((name) => [name, PROMISES[name]]));
}

/**
 * Remove the curves from γ fits. The result has no prototype, since a model may be called
 * `__proto__`.
 */
function withoutCurves(fits: Readonly<Record<string, GammaFit>>) {
  const result: Record<string, Omit<GammaFit, 'curve'>> = Object.create(null);
  for (const [model, { curve: _, ...fit }] of Object.entries(fits)) {
    result[model] = fit;
  }
  return result;
}

function findingsOf(snapshot: Snapshot, windowIndex: number, reading: ReadingCounts): Finding[] {
  const window = snapshot.windows[windowIndex]!;
  return windowFindings(snapshot, window, readingFindings(reading, window));
}

/** Summarise one window in at most twelve lines; `evaluationTable` prints everything. */
export function evaluationSummary(
  snapshot: Snapshot,
  windowIndex: number,
  reading: ReadingCounts,
  paint = PLAIN,
): string {
  const opening = openingOf(snapshot, snapshot.windows[windowIndex]!, reading);
  return `${openingLines(opening, paint).join('\n')}\n`;
}

function tickLines(snapshot: Snapshot): string[] {
  return TICK_LINES.flatMap((lines) => lines(snapshot));
}

/** Maximum number of verdicts in the summary; the JSON has all. */
const MOST_VERDICTS = 5;

/** Format the verdicts as lines of text; empty without verdicts. */
function verdictLines(snapshot: Snapshot, paint: Paint): string[] {
  const found = verdictsOn(snapshot) ?? [];
  const lines = found
    .slice(0, MOST_VERDICTS)
    .flatMap((finding) =>
      wrapped(findingText(finding)).map((line) => paint(finding.severity, line)),
    );
  const more = found.length - MOST_VERDICTS;
  if (more > 0) {
    lines.push(`… and ${more} more verdicts`);
  }
  return lines.length === 0 ? [] : [...lines, ''];
}

/** Format the verdicts and the ranking of the models as lines of text. */
function headLines(snapshot: Snapshot, window: WindowSnapshot, paint: Paint): string[] {
  const ranked = rankingLines(snapshot, window, paint);
  const said = verdictLines(snapshot, paint);
  // An empty line separates verdicts and ranking.
  return ranked.length === 0 ? said.slice(0, -1) : [...said, ...ranked];
}

/** Format everything about one window as text, at most 100 columns wide. */
export function evaluationTable(
  snapshot: Snapshot,
  windowIndex: number,
  reading: ReadingCounts,
  paint = PLAIN,
): string {
  const window = snapshot.windows[windowIndex]!;
  const head = headLines(snapshot, window, paint);
  const lines = [
    ...head,
    ...(head.length === 0 ? [] : ['']),
    ...windowLines(window, reading),
    ...propensityLines(snapshot),
  ];
  lines.push(...windowSections(snapshot, window).flatMap(sectionLines));
  const trust = windowTrust(snapshot, window, readingFindings(reading, window));
  const beside = [
    ...trustLines(trust, window),
    ...findingLines(findingsOf(snapshot, windowIndex, reading)),
    ...tickLines(snapshot),
  ];
  if (beside.length > 0) {
    lines.push('', ...beside.flatMap(wrapped));
  }
  return plainSpaces(`${lines.join('\n')}\n\n`);
}

function windowLines({ name, from, to, counts }: WindowSnapshot, reading: ReadingCounts): string[] {
  return [
    `Window ${name}: ${instant(from)} to ${instant(to)}`,
    `${whole(counts.interactions)} pairs, ${whole(counts.positives)} positive, of ` +
      `${whole(counts.users)} users and ${whole(counts.items)} items; ` +
      `${whole(counts.unranked)} without a list`,
    `events: ${whole(faultyEvents(reading).count)} invalid, ${whole(reading.duplicate)} duplicate, ` +
      `${whole(reading.late)} late`,
  ];
}

function propensityLines({ propensity, popularity }: Snapshot): string[] {
  const { gamma, beta, source, fits } = propensity;
  const fit = fits['*'];
  const used = fit?.[propensity.fit];
  const fitted =
    fit === undefined || used === undefined
      ? ''
      : `; ${propensity.fit} fit ${decimal(used.gamma, 3)} ± ${decimal(used.stdErr, 3)}, ${GAMMA_STATUS_WORDS[fit.status]}`;
  return [
    `γ = ${decimal(gamma, 3)} (${GAMMA_SOURCE_WORDS[source]}), β = ${decimal(beta, 3)}${fitted}`,
    `interactions: Gini ${decimal(popularity.interactions.gini, 3)}, ` +
      `coverage ${percent(popularity.interactions.coverage, 1)}`,
  ];
}
