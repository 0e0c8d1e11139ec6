import type { ExponentTest } from '../../estimators/results/exponent-test.js';
import type { GammaFit, GammaStatus } from '../../propensity/gamma.js';
import type { PropensityReport } from '../../stream/snapshot.js';
import { decimal } from '../figures.js';
import { html } from '../markup.js';
import { caution, type Finding, note } from './finding.js';

/** Beyond so many standard errors two numbers are taken to differ. */
const CLEAR = 2;

const STATUS_WORDS: Readonly<Record<GammaStatus, string>> = {
  ok: 'the fit is good',
  too_few_levels: 'there are too few levels of popularity',
  poor_fit: 'exposures do not follow a power of popularity',
  stale: 'there are no exposures to fit to any more',
};

/** Where γ comes from, and whether the data speak for it. */
export function gammaFindings(
  propensity: PropensityReport,
  exponentTest: ExponentTest | null,
): Finding[] {
  const found = [originOfGamma(propensity)];
  if (exponentTest !== null && Number.isFinite(exponentTest.deviation)) {
    found.push(exponentFinding(exponentTest));
  }
  return found;
}

function originOfGamma({ gamma, gammaStdErr, source, fit, fits }: PropensityReport): Finding {
  const all = fits['*'];
  const value = decimal(gamma, 2);
  const status = statusWords(all);
  if (source === 'fit') {
    return note(
      html`γ was fitted to the exposures: ${value} ± ${decimal(gammaStdErr, 2)}. The intervals allow for that error.`,
    );
  }
  if (source === 'default') {
    return caution(html`γ was not fitted, because ${status}; the default ${value} was used.`);
  }
  if (source === 'last_good') {
    return caution(
      html`γ was not fitted, because ${status}; the last good value ${value} was used.`,
    );
  }
  if (gamma === -1) return note(html`γ is fixed at −1: snips and gs correct nothing.`);
  if (all === undefined || all.status !== 'ok') {
    return note(
      html`γ is fixed at ${value}, and the exposures here cannot test that, because ${status}.`,
    );
  }
  const { gamma: fitted, stdErr } = all[fit];
  const away = Math.abs(fitted - gamma) / stdErr;
  const words = html`γ is fixed at ${value}; a fit to the exposures gives ${decimal(fitted, 2)} ± ${decimal(stdErr, 2)}`;
  if (!(away > CLEAR)) return note(html`${words}, which agrees.`);
  return caution(
    html`${words}, ${decimal(away, 1)} standard errors away. Compare the estimates at both values.`,
  );
}

function statusWords(fit: GammaFit | undefined): string {
  if (fit === undefined || (fit.levels === 0 && fit.status === 'too_few_levels')) {
    return 'nothing was shown of what was popular before';
  }
  return STATUS_WORDS[fit.status];
}

function exponentFinding({ beta, stdErr, used, deviation }: ExponentTest): Finding {
  const words = html`Randomised traffic asks for an exponent β of ${decimal(beta, 2)} ± ${decimal(stdErr, 2)}; ${decimal(used, 2)} is used`;
  if (deviation <= CLEAR) return note(html`${words}, which agrees.`);
  const way = beta < used ? 'too far' : 'not far enough';
  return caution(
    html`${words}, ${decimal(deviation, 1)} standard errors away: snips and gs correct ${way}.`,
  );
}
