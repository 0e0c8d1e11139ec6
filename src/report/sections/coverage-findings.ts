import type { WindowSnapshot } from '../../stream/snapshot.js';
import { listed, percent, whole } from '../figures.js';
import { html, type Markup, named } from '../markup.js';
import { caution, type Finding, note } from './finding.js';
import { AGGREGATION_WORDS } from './ranking-section.js';

const NOTABLE_SHARE = 0.05;
const FAULTY_SHARE = 0.01;

/** What the reading of the events counted. */
export interface ReportedReading {
  readonly accepted: number;
  readonly duplicate: number;
  readonly faults: readonly number[];
}

/** What is not in the numbers: pairs without a list, refused estimators, faulty events. */
export function coverageFindings(window: WindowSnapshot, reading: ReportedReading): Finding[] {
  const found: Finding[] = [];
  if (window.models.length === 0) {
    found.push(caution(html`No model has a list here: nothing is evaluated.`));
  }
  for (const { model, events, unranked } of window.models) {
    const share = unranked / (events + unranked);
    if (!(share >= NOTABLE_SHARE)) continue;
    found.push(
      caution(
        html`${percent(share)} of the positive pairs have no list of ${named(model)} and are not in its numbers; the rest may be a special kind.`,
      ),
    );
  }
  found.push(...differentUsers(window), ...randomized(window), ...faulty(reading));
  for (const { estimator, metric, aggregation, reason } of window.refusals) {
    const measure = metric === undefined ? '' : ` on ${metric}`;
    const form = aggregation === undefined ? '' : `, ${AGGREGATION_WORDS[aggregation]},`;
    found.push(note(html`${estimator}${measure}${form} is not given: it ${reason}.`));
  }
  if (window.absoluteScale !== null) {
    const { scale, passedOver } = window.absoluteScale;
    const better = passedOver.map((other): Markup => html`${other.scale} (${other.reason})`);
    const instead = better.length === 0 ? '' : html`, for want of ${listed(better)}`;
    const text = html`ips has its propensities from the ${scale} scale${instead}.`;
    found.push(scale === 'relative' ? caution(text) : note(text));
  }
  return found;
}

function differentUsers({ models }: WindowSnapshot): Finding[] {
  const sizes = models.map(({ users }) => users);
  if (sizes.length < 2 || Math.min(...sizes) >= Math.max(...sizes) * (1 - NOTABLE_SHARE)) return [];
  const each = listed(
    models.map(({ model, users }): Markup => html`${named(model)} ${whole(users)}`),
  );
  return [caution(html`The models are evaluated on different users: ${each}.`)];
}

function randomized({ randomized: traffic }: WindowSnapshot): Finding[] {
  if (traffic.users === 0) return [];
  return [
    note(
      html`Randomised traffic reached ${whole(traffic.users)} users; ${percent(traffic.withoutPositive)} of them have no positive interaction from it and so no part in ure.`,
    ),
  ];
}

function faulty({ accepted, duplicate, faults }: ReportedReading): Finding[] {
  const count = faults.reduce((sum, own) => sum + own, 0);
  if (count === 0) return [];
  const share = count / (count + accepted + duplicate);
  const text = html`${whole(count)} faulty events (${percent(share, 1)}) were left out.`;
  return [share > FAULTY_SHARE ? caution(text) : note(text)];
}
