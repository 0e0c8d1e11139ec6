import type { Measure } from '../../estimators/metrics/metric-gain.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import { OF_OWN_NUMBERS } from '../../features/findings.js';
import { percent } from '../../rows/figures.js';
import type { Finding } from '../../rows/findings/finding.js';
import { type Sentence, say } from '../../rows/findings/sentence.js';
import { windowFindings } from '../../rows/findings/window-findings.js';
import { OF_EVENTS, windowTrust } from '../../rows/findings/window-trust.js';
import { sentenceOf } from '../../rows/findings/words.js';
import { reasonOf } from '../../rows/reading.js';
import type { Snapshot, WindowSnapshot } from '../../stream/tick/snapshot.js';
import type { ModelRows } from './model-rows.js';
import type { Caution } from './opening.js';

interface Known {
  readonly first: Finding | undefined;
  readonly table: ModelRows;
  readonly measure: Measure | null;
  readonly found: readonly Finding[];
}

/**
 * List the cautions for the opening, one line each. First come those that could change the verdict,
 * then those that affect all numbers, then those on the metric. If the metric is not reported, one
 * line gives all reasons.
 */
export function cautionsOf(
  snapshot: Snapshot,
  window: WindowSnapshot,
  { table, measure, found }: Known,
): Caution[] {
  const { reasons } = windowTrust(snapshot, window, found);
  const all = [...reasons, ...windowFindings(snapshot, window, found)].filter(
    ({ severity }) => severity === 'problem' || severity === 'caution',
  );
  const isOfTest = ({ code }: Finding) => code.startsWith('test_');
  const isOfEvents = ({ code }: Finding) => OF_EVENTS.has(code) || OF_LOG.has(code);
  const isOfWorth = ({ code }: Finding) => OF_OWN_NUMBERS.some((has) => has(code));
  const isTest = snapshot.experiment !== undefined;
  const ofTest = all.filter((own) => isOfTest(own) && !SAID_BESIDE.has(own.code));
  const ofEvents = all.filter(isOfEvents);
  const isLeft = (own: Finding) => isOfTest(own) || isOfEvents(own) || SAID_BESIDE.has(own.code);
  const ofWorth = isTest ? [] : all.filter((own) => isOfWorth(own) && !isLeft(own));
  const ofMetric = all.filter((own) => !isOfWorth(own) && !isLeft(own));
  const metric = table.hasMetric ? ofMetric.map(line) : notReported(window, measure);
  const ordered = [
    ...[...ofTest, ...ofEvents].map(line),
    ...(table.isByMetric ? [...metric, ...ofWorth.map(line)] : [...ofWorth.map(line), ...metric]),
  ];
  // If several cautions have the same code, such as one per model, only the first is shown.
  const codes = new Set<string>();
  return ordered.filter(({ code }) => !codes.has(code) && codes.add(code));
}

/** Codes of findings that affect all numbers; those about invalid events are in `OF_EVENTS`. */
const OF_LOG: ReadonlySet<Finding['code']> = new Set([
  'models_full',
  'nothing_evaluated',
  'reference_away',
]);

/** Codes of findings that the opening shows elsewhere, so they are not repeated as cautions. */
const SAID_BESIDE: ReadonlySet<Finding['code']> = new Set([
  'on_policy_leads',
  'values_lead',
  'estimates_beside',
  'chance_decided',
  'chance_unknown',
  'places_assumed',
  // The line of evidence gives the days, and the closing line gives the split.
  'test_part_week',
  'test_split_unchecked',
]);

/** Explain in one line why no model has a value of the metric. */
function notReported(window: WindowSnapshot, measure: Measure | null): Caution[] {
  if (measure === null) return [];
  const { metric } = measure;
  const { feedback, results } = window;
  const share = feedback?.caused ?? Number.NaN;
  const isCircular = (row: EstimateRow) => reasonOf(row) === 'circular';
  const why = (feedback?.uncaused?.results ?? results).some(isCircular)
    ? 'nearly all clicks without a list id are on items of served lists'
    : feedback?.source === 'unknown'
      ? 'no click gives the id of the list that led to it'
      : share > 0.995
        ? 'every click came from a list that these models served'
        : share > 0.1
          ? `${percent(share)} of the clicks came from lists that these models served`
          : 'too few clicks count towards it';
  return [
    {
      code: metric,
      words: [`${metric} is not reported: ${why}.`],
    },
  ];
}

function line(finding: Finding): Caution {
  return {
    code: finding.code,
    words: firstSentence(sentenceOf(finding)),
  };
}

/**
 * Cut a finding after its first sentence; the page of its code has the rest.
 *
 * @example
 * firstSentence(['Users of ', { name: 'a.b' }, ' left. Wait.']); // ['Users of ', { name: 'a.b' }, ' left.']
 */
export function firstSentence(sentence: Sentence): Sentence {
  const at = sentence.findIndex((part) => typeof part === 'string' && /[.!?] \p{Lu}/u.test(part));
  if (at < 0) return sentence;
  const part = sentence[at] as string;
  const end = /[.!?](?= \p{Lu})/u.exec(part)!.index + 1;
  return say`${sentence.slice(0, at)}${part.slice(0, end)}`;
}
