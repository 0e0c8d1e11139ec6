import { ExposureColumns, InteractionColumns } from '../../events/columns.js';

/** One partition's share of a chunk of events. */
export interface Share {
  readonly interactions: InteractionColumns;
  readonly exposures: ExposureColumns;
}

/** Splits chunks of events into partitions, each user's events into one, in their order. */
export class SplitByUser {
  readonly #shares: readonly Share[];

  constructor(partitions: number) {
    this.#shares = Array.from({ length: partitions }, () => ({
      interactions: new InteractionColumns(),
      exposures: new ExposureColumns(),
    }));
  }

  /** @returns by partition; used again by the next call. */
  split(interactions: InteractionColumns, exposures: ExposureColumns): readonly Share[] {
    const shares = this.#shares;
    if (shares.length === 1) return [{ interactions, exposures }];
    shares.forEach((share, s) => {
      share.interactions.clear();
      share.exposures.clear();
      share.interactions.addRows(interactions, rowsOf(s, shares.length, interactions));
      share.exposures.addRows(exposures, rowsOf(s, shares.length, exposures));
    });
    return shares;
  }
}

/** The rows whose users live in this partition. */
function rowsOf(
  partition: number,
  partitions: number,
  { user, length }: { readonly user: Int32Array; readonly length: number },
): Int32Array {
  const rows = new Int32Array(length);
  let size = 0;
  for (let r = 0; r < length; r++) if (user[r] % partitions === partition) rows[size++] = r;
  return rows.subarray(0, size);
}
