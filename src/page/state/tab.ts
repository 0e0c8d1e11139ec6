import { byId, setText } from '../element.js';
import { problemOf, type ShownState } from './shown-states.js';

const TITLE = 'unskew: debiased metrics, live';

/** What the tab and the head of the page say: live only if nothing speaks against the numbers. */
export function showStatus(
  states: readonly ShownState[],
  hasNumbers: boolean,
  environment?: string,
): void {
  const status = byId('status');
  const problem = problemOf(states);
  const isCut = problem?.code === 'stream_cut';
  status.dataset['state'] = statusOf(problem, hasNumbers);
  const waiting = states[0]?.label ?? 'Connected, no numbers yet';
  // Why it is cut the connection knows better.
  if (!isCut) setText(status, problem?.label ?? (hasNumbers ? 'Live' : waiting));
  const name = problem === undefined ? TITLE : `${problem.label} · unskew`;
  document.title = environment === undefined ? name : `${name} · ${environment}`;
  setText(byId('environment'), environment ?? '');
  byId('environment').hidden = environment === undefined;
  const icon = problem === undefined ? '/icon.svg' : '/icon-alert.svg';
  const link = byId<HTMLLinkElement>('tab-icon');
  if (link.getAttribute('href') !== icon) link.setAttribute('href', icon);
}

function statusOf(problem: ShownState | undefined, hasNumbers: boolean): string {
  if (problem?.code === 'stream_cut') return 'lost';
  if (problem !== undefined) return 'problem';
  return hasNumbers ? 'live' : 'waiting';
}
