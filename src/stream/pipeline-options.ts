import type { Decoder } from '../events/decode.js';
import type { CheckpointerOptions } from './checkpoint/checkpointer.js';
import type { MonitorOptions } from './options.js';
import type { PaneExchange, StartPosition, TopicRole } from './ports.js';
import type { Turns } from './sliced.js';

export interface PipelineOptions {
  readonly monitor: MonitorOptions;
  readonly decoder: Decoder;
  readonly topics: Readonly<Record<TopicRole, string>>;
  readonly start: StartPosition;
  /** A partition that is silent for this long holds time back no further than it is known to be read. */
  readonly idleMs: number;
  /** Whether an intake writes the topics: then it says how far they are, and silence says nothing. */
  readonly areBrought?: boolean;
  readonly turns: Turns;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
  /**
   * How long the group counts a worker that has died, ms. A worker that has a part of the partitions,
   * and cannot see the panes of others, closes none before it knows that the others live; without
   * this it closes them at once.
   */
  readonly sessionTimeoutMs?: number;
  /** How far ahead of the clock an event may lie; the clock is not compared with the log without. */
  readonly maxFutureMs?: number;
  /** Without a store the log is read again when the assignment changes. */
  readonly checkpoints?: Omit<CheckpointerOptions, 'turns' | 'now' | 'toldOf'> & {
    /** How long the last checkpoints may take when the process stops, ms. */
    readonly stopMs: number;
    /** Where other processes of the group leave their panes; without it each goes by itself. */
    readonly exchange?: PaneExchange;
  };
}
