import { percent, whole } from '../../rows/figures.js';
import type { Finding, Words } from '../../rows/findings/finding.js';
import { say } from '../../rows/findings/sentence.js';
import { FEW_USERS, NOTABLE_SHARE } from '../../rows/findings/thresholds.js';
import { isGiven } from '../../rows/reading.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import type { OnPolicyReport } from './report.js';

declare module '../../rows/findings/finding.js' {
  interface FiguresByCode {
    rewards_unknown: Record<never, number>;
    on_policy_leads: { users: number };
    lists_not_known: { share: number };
    never_named: { lists: number };
  }
}

/** Findings about the rewards of served lists; none if interactions are not traced to lists. */
export function shownListFindings({ onPolicy, leads, results }: WindowSnapshot): Finding[] {
  if (onPolicy === undefined) return [];
  const isWithheld = !results.every(isGiven);
  if (onPolicy.refused !== null) {
    return isWithheld ? [caution('rewards_unknown', {}, {})] : [];
  }
  const found: Finding[] = leads === 'on_policy' ? [leading(onPolicy)] : [];
  const share = onPolicy.elsewhere / onPolicy.named;
  if (share > NOTABLE_SHARE) {
    found.push(caution('lists_not_known', {}, { share }));
  }
  for (const { model, counts, value } of onPolicy.values) {
    const { lists } = counts;
    if (value > 0 || lists < FEW_USERS) continue;
    found.push(caution('never_named', { models: [model] }, { lists }));
  }
  return found;
}

function leading({ values }: OnPolicyReport): Finding {
  const users = Math.max(...values.map(({ ess }) => ess));
  const figures = { users };
  const severity = users < FEW_USERS ? 'problem' : 'caution';
  return {
    code: 'on_policy_leads',
    severity,
    subject: {},
    figures,
  };
}

function caution<Code extends 'rewards_unknown' | 'lists_not_known' | 'never_named'>(
  code: Code,
  subject: Finding<Code>['subject'],
  figures: Finding<Code>['figures'],
): Finding {
  return {
    code,
    severity: 'caution',
    subject,
    figures,
  } as Finding;
}

/** Texts of the findings about rewards of served lists. */
export const SHOWN_LIST_WORDS = {
  rewards_unknown: () =>
    say`Reward per list is not known, because no click has its list’s id. Send the list’s id in \`exposure\` with each click.`,
  on_policy_leads: ({ figures }) =>
    say`Reward per served list is shown first instead, from up to ${whole(figures.users)} effective users. It says nothing about shadow models (never served).`,
  lists_not_known: ({ figures }) =>
    say`${percent(figures.share)} of the clicks with a list’s id have the id of a list that is not in the log or does not contain the clicked item. So reward per list is underestimated. Log whole lists.`,
  never_named: ({ subject: { models = [] }, figures }) =>
    say`No click has the id of any of the ${whole(figures.lists)} served lists of ${{ name: models[0] }}. Either nobody clicked, or the clicks lack the list’s id in \`exposure\`.`,
} satisfies Words;
