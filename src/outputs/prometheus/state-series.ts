import { Gauge, type Registry } from 'prom-client';
import { STATE_CODES, type StateCode } from '../../rows/findings/state.js';

/** States that a service knows of itself; that a page is cut off it cannot know. */
const OWN = STATE_CODES.filter((code) => code !== 'stream_cut');

/** Shows which states hold as of the scrape; every one is there from the first on. */
export function registerStates(
  registry: Registry,
  states: () => readonly { readonly code: StateCode }[],
): void {
  const gauge: Gauge = new Gauge({
    name: 'unskew_state',
    help: '1 while the state shown on the page holds, else 0',
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
