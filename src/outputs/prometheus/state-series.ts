import { Gauge, type Registry } from 'prom-client';
import { STATE_CODES, type StateCode } from '../../rows/findings/state.js';

/**
 * Codes of the states that a service can determine. It cannot know that a page has lost its
 * connection.
 */
const OWN = STATE_CODES.filter((code) => code !== 'stream_cut');

/**
 * Register one gauge per state code, read at each scrape. All series exist from the first scrape
 * on.
 */
export function registerStates(
  registry: Registry,
  states: () => readonly { readonly code: StateCode }[],
): void {
  const gauge: Gauge = new Gauge({
    name: 'unskew_state',
    help: '1 while the state is active and shown on the page, else 0',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      const holding = new Set(states().map(({ code }) => code));
      for (const code of OWN) {
        gauge.set({ state: code }, Number(holding.has(code)));
      }
    },
  });
}
