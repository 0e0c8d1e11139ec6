import { UNCORRECTED } from '../estimators/names.js';
import { BASIS_WORDS } from '../features/page-words.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { isKnown, signedPercent, whole } from '../rows/figures.js';
import type { Sentence } from '../rows/findings/sentence.js';
import { clock, day, duration } from '../rows/times.js';
import { metricName } from '../rows/words.js';
import { byId, make, setText, spoken } from './element.js';
import { verdictOf } from './said.js';
import { differenceOf, type Ends, type Standing, type Standings } from './standings.js';
import type { View } from './view.js';

/** Shows the verdict, what it rests on, and the way to what is behind it. */
export function showVerdict(view: View, standings: Standings): void {
  const box = byId('verdict');
  const { tone, sentence, others, held } = verdictOf(view.tick, view.states);
  box.dataset['tone'] = tone;
  box.querySelector('.sentence')!.replaceChildren(...inTwo(sentence));
  box.querySelector('.basis')!.replaceChildren(...basisOf(view));
  const lift = byId('lift');
  lift.replaceChildren(...spoken(liftOf(view, standings)));
  lift.hidden = lift.textContent === '';
  const reason = box.querySelector<HTMLElement>('.held')!;
  reason.hidden = held === undefined;
  reason.replaceChildren(...spoken(held ?? []));
  showOthers(box.querySelector('details')!, others);
}

/** What it says up to its colon is set large, the figures behind it smaller; the words are the judge’s. */
function inTwo(sentence: Sentence): Node[] {
  const at = sentence.findIndex((part) => typeof part === 'string' && part.includes(': '));
  if (at < 0) return [make('span', 'said', ...spoken(sentence))];
  const part = sentence[at] as string;
  const cut = part.indexOf(': ') + 1;
  return [
    make('span', 'said', ...spoken([...sentence.slice(0, at), part.slice(0, cut)])),
    make('span', 'figures', ...spoken([part.slice(cut), ...sentence.slice(at + 1)])),
  ];
}

/** Since when, on how many users, by what evidence, and why. */
function basisOf({ tick, choose }: View): (Node | string)[] {
  const { verdictBasis: basis, verdict, window, chosen } = tick;
  if (basis === undefined) return [];
  // What is earned is summed by groups of users, which are fewer than they.
  const isEarned = verdict?.[0]?.subject.metrics?.[0] === 'value';
  const { users } = window.counts;
  const parts = [
    `Since ${moment(basis.since)}`,
    isEarned
      ? `${whole(users)} users in the last ${chosen.window}`
      : `${whole(basis.ess)} effective users`,
    BASIS_WORDS[basis.rung],
  ];
  const [model = '', against = ''] = verdict?.[0]?.subject.models ?? [];
  const why = make('a', 'why', 'Why: items and users behind it');
  why.id = 'why-better';
  why.href = '#panel-why';
  why.addEventListener('click', () => choose({ why: model, against }));
  return [`${parts.join(' · ')} · `, why];
}

function moment(ms: number): string {
  return `${day(ms)} ${clock(ms)} UTC`;
}

/** By what share the first model is ahead in this window, whether that is the other way round than the verdict, or correction turned it round. */
function liftOf({ tick, estimator }: View, standings: Standings): Sentence {
  const [a, b] = tick.verdict?.[0]?.subject.models ?? standings.rows.map(({ model }) => model);
  if (a === undefined || b === undefined) return [];
  const of = (model: string) => standings.rows.find((row) => row.model === model);
  const own = of(a);
  const other = of(b);
  if (!own || !other || !isKnown(own.value) || !isKnown(other.value) || other.value <= 0) return [];
  const difference = differenceOf(tick, standings, a, b);
  const [lower, upper] = difference ? shareLimits(own, other, difference) : [];
  const limits = lower === undefined ? '' : ` (${signedPercent(lower)} to ${signedPercent(upper)})`;
  const isTurned = own.value < other.value && isAheadSince(tick);
  const isClear = difference ? difference.upper < 0 : (own.upper ?? Infinity) < (other.lower ?? 0);
  return [
    { strong: `${signedPercent(own.value / other.value - 1)}${limits}` },
    ` ${standings.unit} in the last ${tick.chosen.window}, `,
    { name: a },
    ' against ',
    { name: b },
    ...(isTurned ? [turnedWords(tick, isClear)] : ['.', ...uncorrectedOf(tick, estimator)]),
  ];
}

/** Codes by which the first of two models is the one to take. */
const AHEAD: ReadonlySet<string> = new Set(['verdict_prefer', 'verdict_probably', 'verdict_leads']);

function isAheadSince({ verdict, verdictBasis }: LiveTick): boolean {
  return verdictBasis !== undefined && AHEAD.has(verdict?.[0]?.code ?? '');
}

/** A table that says the opposite of the verdict above it, however little, asks for a word. */
function turnedWords({ verdictBasis }: LiveTick, isClear: boolean): string {
  const { since, at } = verdictBasis!;
  const rests = `the verdict rests on ${duration(at - since)}`;
  return isClear
    ? `: the other way round, and beyond chance, while ${rests}. Over time, below, shows what changed.`
    : `: the other way round, but not beyond chance, and ${rests}.`;
}

/**
 * The 95 % limits of ρ − 1, ρ = a / b, from those of a, b and a − b: (a − ρ b)² ≤ A − 2 ρ C + ρ² B, with
 * squared half-widths A, B, D and C = (A + B − D) / 2. It holds 0 where the interval of a − b does. None
 * where b may be 0. Neither model earns less than nothing, so no end is below −1.
 * Source: Fieller 1954.
 */
function shareLimits(own: Standing, other: Standing, difference: Ends): readonly number[] {
  const [square, base, apart] = [own, other, difference].map(
    ({ lower, upper }) => ((upper ?? Number.NaN) - (lower ?? Number.NaN)) ** 2 / 4,
  ) as [number, number, number];
  const a = own.value!;
  const b = other.value!;
  const over = b * b - base;
  const half = a * b - (square + base - apart) / 2;
  const root = Math.sqrt(half * half - over * (a * a - square));
  const ends = [-root, root].map((each) => Math.max(-1, (half + each) / over - 1));
  return over > 0 && ends.every(isKnown) ? ends : [];
}

/** Which model would win by the plain metric, where that is another one. */
function uncorrectedOf(
  { window: { estimates }, models, chosen }: LiveTick,
  estimator: string,
): Sentence {
  const best = (wanted: (name: string) => boolean) =>
    estimates
      .filter((row) => wanted(row.estimator) && models.includes(row.model) && isKnown(row.value))
      .sort((a, b) => b.value! - a.value!)[0]?.model;
  const plain = best((name) => name === UNCORRECTED);
  const corrected = best((name) => name === estimator);
  if (plain === undefined || corrected === undefined || plain === corrected) return [];
  return [
    ` Uncorrected, ${metricName(chosen)} says `,
    { name: plain },
    '; corrected, ',
    { name: corrected },
    '.',
  ];
}

function showOthers(details: HTMLDetailsElement, others: readonly Sentence[]): void {
  details.hidden = others.length === 0;
  const pairs = others.length === 1 ? 'pair' : 'pairs';
  setText(details.querySelector('summary')!, `${whole(others.length)} more ${pairs}`);
  const lines = others.map((each) => make('li', '', ...spoken(each)));
  details.querySelector('ul')!.replaceChildren(...lines);
}
