import type { Config } from '../../config.js';
import type { ErrorCode } from '../../errors.js';
import type { NightOrder, NightProgress } from '../../export/night-ports.js';

/** What a run is started with. */
export interface NightWork {
  readonly config: Config;
  readonly order: NightOrder;
}

/** From the thread that does the work of a night. */
export type FromNight =
  | ({ readonly kind: 'progress' } & NightProgress)
  | { readonly kind: 'ready' }
  /** The storage did not do what it was asked. */
  | { readonly kind: 'storage'; readonly operation: string }
  | { readonly kind: 'made'; readonly rows: number }
  | { readonly kind: 'failed'; readonly code: ErrorCode | undefined; readonly message: string };

/** To it: `go` and `refused` answer `ready`. */
export type ToNight =
  | { readonly kind: 'go' }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'stop' };
