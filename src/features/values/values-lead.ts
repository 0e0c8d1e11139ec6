import { whole } from '../../rows/figures.js';
import type { Finding, Words } from '../../rows/findings/finding.js';
import { say } from '../../rows/findings/sentence.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';

/**
 * Finding that reward per request is the main result, since the metrics from interactions are
 * withheld.
 */
export function leadingValueFindings({ leads, values = [] }: WindowSnapshot): Finding[] {
  if (leads !== 'values') return [];
  const requests = Math.max(...values.map((row) => row.counts.requests));
  return [
    {
      code: 'values_lead',
      severity: 'caution',
      subject: {},
      figures: { requests },
    },
  ];
}

export const VALUES_LEAD_WORDS = {
  values_lead: ({ figures }) =>
    say`Reward per request is shown first instead, from ${whole(figures.requests)} requests. It says what a request would earn if the model’s list were served, and covers shadow models (never served).`,
} satisfies Words;
