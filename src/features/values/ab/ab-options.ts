import type { EarningAction } from '../../../state/panes/experiment-events.js';

/** How a test is read. */
export interface AbOptions {
  /** By model; undefined if nobody states it. */
  readonly split?: Readonly<Record<string, number>> | undefined;
  readonly earning?: EarningAction | undefined;
  readonly control?: string | undefined;
  readonly horizonMs: number;
  /** Taken where the log cannot tell; `auto`: the user. */
  readonly unit: 'auto' | 'user' | 'request';
  /** δ as a share of what the control earns. */
  readonly margin: number;
  /** What `events.actions` says of other actions that are worth what a click is. */
  readonly hasOtherClicks: boolean;
}
