import type { EarningAction } from '../../../state/panes/experiment-events.js';

/** Options of the A/B test analysis. */
export interface AbOptions {
  /** Configured share by model; undefined if not configured. */
  readonly split?: Readonly<Record<string, number>> | undefined;
  readonly earning?: EarningAction | undefined;
  readonly control?: string | undefined;
  readonly horizonMs: number;
  /** Unit of randomisation if the log does not show it; `auto` means the user. */
  readonly unit: 'auto' | 'user' | 'request';
  /** δ, the equivalence margin as a share of the control's reward. */
  readonly margin: number;
  /** Whether `events.actions` maps other actions to the same reward as a click. */
  readonly hasOtherClicks: boolean;
}
