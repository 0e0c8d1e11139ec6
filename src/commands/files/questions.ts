import type { OrganicEstimates, OrganicJob } from '../../estimators/lanes/lane-window.js';
import type { RowsRequest } from '../../state/panes/group-by-user.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import type { ShardCounts, ShardEvents, ShardOptions } from '../../stream/evaluation-shard.js';

/** What is asked of a thread that helps with an evaluation. */
export type Question =
  | {
      readonly kind: 'close';
      readonly shard: number;
      readonly events: ShardEvents;
      readonly options: ShardOptions;
    }
  | {
      readonly kind: 'part';
      readonly shard: number;
      readonly request: RowsRequest;
      readonly keys: Int32Array | undefined;
    }
  | { readonly kind: 'estimate'; readonly job: OrganicJob };

/** Its answers, by the kind of the question. */
export interface Answers {
  readonly close: ShardCounts;
  readonly part: WindowPart | undefined;
  readonly estimate: OrganicEstimates;
}
