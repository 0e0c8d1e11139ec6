import type { LiveTick } from '../../adapters/http/schema/live-tick.js';
import { decimal, isKnown, percent, whole } from '../../figures/figures.js';
import { capital, GAMMA_SOURCE_WORDS } from '../../figures/words.js';
import type { WordedFinding } from '../../findings/finding.js';
import { faultyEvents, readingOf, STREAM_CUT } from '../../findings/reading.js';
import { worded } from '../../findings/words.js';
import type { Answer } from './answer.js';

/** What the page needs of a finding, from the service or from here. */
interface Shown extends Pick<WordedFinding, 'severity' | 'text'> {
  readonly subject: {
    readonly models?: readonly string[];
    readonly estimators?: readonly string[];
    readonly aggregation?: string;
  };
}

/** Can I trust these numbers? Every problem and caution that was found; the gravest decides. */
export function trustAnswer(tick: LiveTick, estimator: string, isConnected: boolean): Answer {
  const cut: Shown[] = isConnected ? [] : worded([STREAM_CUT]);
  const found: Shown[] = [...cut, ...tick.window.findings].filter((own) =>
    concerns(own, tick, estimator),
  );
  const problems = found.filter(({ severity }) => severity === 'problem');
  const cautions = found.filter(({ severity }) => severity === 'caution');
  if (problems.length === 0 && cautions.length === 0) {
    return { tone: 'good', word: 'Yes', sentence: [reassurance(tick, estimator)] };
  }
  const sentence = [[...problems, ...cautions].map(({ text }) => capital(text)).join(' ')];
  return problems.length > 0
    ? { tone: 'bad', word: 'Not now', sentence }
    : { tone: 'care', word: 'With care', sentence };
}

/** Whether a finding is about what is looked at. */
function concerns({ subject }: Shown, { models, chosen }: LiveTick, estimator: string): boolean {
  const { aggregation } = subject;
  return (
    (subject.estimators?.some((name) => name === estimator) ?? true) &&
    (subject.models?.some((model) => models.includes(model)) ?? true) &&
    (aggregation === undefined || aggregation === chosen.aggregation)
  );
}

function reassurance({ window, propensity, quality }: LiveTick, estimator: string): string {
  const sizes = window.estimates
    .filter((row) => row.estimator === estimator)
    .map(({ ess }) => ess)
    .filter(isKnown);
  const least = sizes.length === 0 ? '' : `At least ${whole(Math.min(...sizes))} effective users, `;
  const { source, gamma, gammaStdErr } = propensity;
  const error =
    isKnown(gammaStdErr) && gammaStdErr > 0 ? `\u00a0±\u00a0${decimal(gammaStdErr, 2)}` : '';
  const used = `γ is ${GAMMA_SOURCE_WORDS[source]} at ${decimal(gamma, 2)}${error}, `;
  return capital(
    `${least}${used}${percent(faultyEvents(readingOf(quality.topics)).share, 1)} faulty events.`,
  );
}
