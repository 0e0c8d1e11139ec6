import type { LiveTick } from '../../adapters/http/schema/live-tick.js';
import { fixed, isKnown, percent, whole } from '../format.js';
import type { Answer } from './answer.js';

const FEW_USERS = 30;
const MANY_SINGLETONS = 0.5;
const MANY_UNRANKED = 0.05;
const MANY_FAULTS = 0.01;

const STATUS_WORDS: Readonly<Record<string, string>> = {
  too_few_levels: 'there are too few levels of popularity to fit γ to',
  poor_fit: 'exposures do not follow a power of popularity, so γ is in doubt',
  stale: 'there is nothing to fit γ to any more',
};

/** Can I trust these numbers? Every reason not to; the gravest decides the word. */
export function trustAnswer(tick: LiveTick, estimator: string, isConnected: boolean): Answer {
  const bad = [
    ...(isConnected ? [] : ['the stream is cut and what you see is old']),
    ...(tick.quality.ready ? [] : ['the service is still reading what came before']),
    ...fewUsers(tick, estimator),
  ];
  const care = [...gammaDoubts(tick), ...coverageDoubts(tick)];
  if (bad.length === 0 && care.length === 0) {
    return { tone: 'good', word: 'Yes', sentence: [reassurance(tick, estimator)] };
  }
  const sentence = [listed([...bad, ...care])];
  return bad.length > 0
    ? { tone: 'bad', word: 'Not now', sentence }
    : { tone: 'care', word: 'With care', sentence };
}

function fewUsers({ window, models }: LiveTick, estimator: string): string[] {
  const few = models.filter((model) =>
    window.estimates.some(
      (row) =>
        row.model === model &&
        row.estimator === estimator &&
        isKnown(row.ess) &&
        row.ess < FEW_USERS,
    ),
  );
  if (few.length === 0) return [];
  return [`fewer than ${FEW_USERS} effective users stand behind ${few.join(', ')}`];
}

function gammaDoubts({ propensity }: LiveTick): string[] {
  const { source, fits, gamma, gammaStdErr, fit } = propensity;
  const all = fits['*'];
  const status = all?.status ?? 'stale';
  if (source === 'last_good' || source === 'default') {
    const kept = source === 'default' ? 'the default' : 'the last good';
    return [`${STATUS_WORDS[status] ?? 'γ was not fitted'} (${kept} ${fixed(gamma, 2)} is used)`];
  }
  if (source === 'fixed' && status === 'ok' && all !== undefined) {
    const { gamma: fitted, stdErr } = all[fit];
    const isFar = isKnown(fitted) && isKnown(stdErr) && Math.abs(fitted - gamma) > 3 * stdErr;
    if (isFar) return [`γ is fixed at ${fixed(gamma, 2)} while exposures say ${fixed(fitted, 2)}`];
  }
  if (source === 'fit' && gammaStdErr !== null && gammaStdErr > 0.25) {
    return [`γ is known to ± ${fixed(gammaStdErr, 2)} only`];
  }
  return [];
}

function coverageDoubts({ window, models, chosen, quality }: LiveTick): string[] {
  const found: string[] = [];
  const summaries = window.models.filter(({ model }) => models.includes(model));
  const singles = Math.max(0, ...summaries.map((model) => model.singletonUserRatio ?? 0));
  if (chosen.aggregation === 'user' && singles > MANY_SINGLETONS) {
    found.push(`${percent(singles)} of users have one event, which leaves nothing to reweight`);
  }
  const missing = Math.max(
    0,
    ...summaries.map(({ events, unranked }) => unranked / Math.max(1, events + unranked)),
  );
  if (missing > MANY_UNRANKED) found.push(`${percent(missing)} of pairs have no list of a model`);
  const faults = faultShare(quality);
  if (faults > MANY_FAULTS) found.push(`${percent(faults, 1)} of events are faulty`);
  return found;
}

export function faultShare({ topics }: LiveTick['quality']): number {
  let faulty = 0;
  let all = 0;
  for (const { accepted, late, duplicate, faults } of topics) {
    const own = Object.values(faults).reduce((sum, count) => sum + count, 0);
    faulty += own;
    all += accepted + late + duplicate + own;
  }
  return all === 0 ? 0 : faulty / all;
}

function reassurance({ window, propensity, quality }: LiveTick, estimator: string): string {
  const sizes = window.estimates
    .filter((row) => row.estimator === estimator)
    .map(({ ess }) => ess)
    .filter(isKnown);
  const least = sizes.length === 0 ? '' : `At least ${whole(Math.min(...sizes))} effective users, `;
  const gamma =
    propensity.source === 'fit'
      ? `γ fits at ${fixed(propensity.gamma, 2)}\u00a0±\u00a0${fixed(propensity.gammaStdErr, 2)}, `
      : `γ is fixed at ${fixed(propensity.gamma, 2)}, `;
  return capital(`${least}${gamma}${percent(faultShare(quality), 1)} faulty events.`);
}

function listed(reasons: readonly string[]): string {
  return `${capital(reasons.join('; '))}.`;
}

/** A Greek letter stays what it is. */
function capital(text: string): string {
  return text.replace(/^[a-z]/, (first) => first.toUpperCase());
}
