import { VERDICT_ANSWERS, VERDICT_SENTENCES } from '../features/page-words.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { isKnown } from '../rows/figures.js';
import type { Finding } from '../rows/findings/finding.js';
import { ANSWER_WORDS } from '../rows/findings/reasons.js';
import { type Sentence, say } from '../rows/findings/sentence.js';
import { heldBack } from '../rows/findings/state.js';
import { clock, day, instant } from '../rows/times.js';
import { capital } from '../rows/words.js';
import type { ShownState } from './shown-states.js';

type Said = NonNullable<LiveTick['verdict']>[number];
export type Reason = LiveTick['window']['trust']['reasons'][number];

const NONE_YET =
  'No verdict yet: the first comes once two models have sent lists for a day. Until then an interval below holds for one look.';
const NOT_ASKED = 'No verdict: none is asked for, as decision.metric is none.';

/** What is said of which model is better. */
export interface Verdict {
  /** `good`: it can be acted on; `care`: read on before deciding. */
  readonly tone: 'good' | 'care' | 'unknown';
  readonly sentence: Sentence;
  readonly others: readonly Sentence[];
  /** Why it is not of now; it stays in sight nevertheless. */
  readonly held: Sentence | undefined;
}

/** The judge’s sentences, what can be acted on first. */
export function verdictOf(
  { verdict, verdictBasis, paneEnd }: Pick<LiveTick, 'verdict' | 'verdictBasis' | 'paneEnd'>,
  states: readonly ShownState[],
): Verdict {
  const [first, ...others] = verdict ?? [];
  if (first === undefined) {
    const sentence = [verdict === undefined ? NOT_ASKED : NONE_YET];
    return { tone: 'unknown', sentence, others: [], held: undefined };
  }
  // Why that is so the line of the status says.
  const before = heldBack(states)
    ? say`This is how it stood at ${instant(paneEnd)}.`
    : startsAgain(verdictBasis);
  return {
    tone: before === undefined ? toneOf(first) : 'unknown',
    sentence: sentenceOf(first),
    others: others.map((each) => sentenceOf(each)),
    held: before,
  };
}

/** A model has changed since the look: until when there is no verdict on what it is now. */
function startsAgain(basis: LiveTick['verdictBasis']): Sentence | undefined {
  const { startsAgain: at, changed = '' } = basis ?? {};
  if (!isKnown(at)) return undefined;
  return say`This is from before ${{ name: changed }} changed. Its verdict starts again at ${moment(at)}, and takes a whole day, until ${moment(at + DAY_MS)}.`;
}

const DAY_MS = 86_400_000;

function moment(ms: number): string {
  return `${day(ms)} ${clock(ms)} UTC`;
}

/** Green is for what can be acted on. */
function toneOf(first: Said): Verdict['tone'] {
  const [model = ''] = first.subject.models ?? [];
  return (
    VERDICT_ANSWERS[first.code]?.(model).tone ?? (first.severity === 'good' ? 'good' : 'unknown')
  );
}

/** With names apart; JSON has no NaN, so what is not known of its figures is null there. */
function sentenceOf(finding: Said): Sentence {
  const figures = Object.entries(finding.figures).map(([name, value]) => [
    name,
    isKnown(value) ? value : Number.NaN,
  ]);
  const words = VERDICT_SENTENCES[finding.code];
  return words?.({ ...finding, figures: Object.fromEntries(figures) } as Finding) ?? [finding.text];
}

const SAID_ABOVE = 'The status line above says why.';

/** Whether the numbers can be trusted, as the service says and as far as its state allows. */
export function trustOf({ window }: Pick<LiveTick, 'window'>, states: readonly ShownState[]) {
  const { answer, reasons } = window.trust;
  const held = heldBack(states);
  const isClear = answer === 'yes' && reasons.every(({ severity }) => severity !== 'caution');
  const tone = answer === 'no' ? 'bad' : isClear ? 'good' : 'care';
  // Those of one kind, as of many models, stand together.
  const kinds = [...new Set(reasons.map(({ code }) => code))].map((code) =>
    reasons.filter((reason) => reason.code === code),
  );
  return held === undefined
    ? { tone, word: ANSWER_WORDS[answer], held: [], kinds }
    : { tone: 'bad', word: ANSWER_WORDS.no, held: [SAID_ABOVE], kinds };
}

export function reasonText({ text, subject: { models = [] } }: Reason): string {
  // A name stays as it is.
  return models.length > 0 && text.startsWith(models[0]!) ? text : capital(text);
}
