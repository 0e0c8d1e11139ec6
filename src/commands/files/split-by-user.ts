import { ExposureColumns, HAS_PROPENSITIES, InteractionColumns } from '../../events/columns.js';

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
    for (const share of shares) {
      share.interactions.clear();
      share.exposures.clear();
    }
    for (let r = 0; r < interactions.length; r++) {
      copyInteraction(interactions, r, shares[interactions.user[r] % shares.length].interactions);
    }
    for (let r = 0; r < exposures.length; r++) {
      copyExposure(exposures, r, shares[exposures.user[r] % shares.length].exposures);
    }
    return shares;
  }
}

function copyInteraction(from: InteractionColumns, r: number, to: InteractionColumns): void {
  to.reserve();
  const at = to.length++;
  to.ts[at] = from.ts[r];
  to.user[at] = from.user[r];
  to.item[at] = from.item[r];
  to.value[at] = from.value[r];
  to.idHigh[at] = from.idHigh[r];
  to.idLow[at] = from.idLow[r];
  to.exposureHigh[at] = from.exposureHigh[r];
  to.exposureLow[at] = from.exposureLow[r];
  to.flags[at] = from.flags[r];
}

function copyExposure(from: ExposureColumns, r: number, to: ExposureColumns): void {
  const list = from.items.subarray(from.listStart[r], from.listStart[r + 1]);
  to.reserve(list.length);
  const at = to.length++;
  to.ts[at] = from.ts[r];
  to.user[at] = from.user[r];
  to.model[at] = from.model[r];
  to.idHigh[at] = from.idHigh[r];
  to.idLow[at] = from.idLow[r];
  to.flags[at] = from.flags[r];
  to.candidates[at] = from.candidates[r];
  to.items.set(list, to.listStart[at]);
  if ((from.flags[r] & HAS_PROPENSITIES) !== 0) {
    to.reservePropensities();
    const own = from.propensities.subarray(from.listStart[r], from.listStart[r + 1]);
    to.propensities.set(own, to.listStart[at]);
  }
  to.listStart[at + 1] = to.listStart[at] + list.length;
}
