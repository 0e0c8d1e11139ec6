import type { EstimateOptions } from '../options.js';
import { PairedDifferences, ReferenceSums } from '../uncertainty/paired-differences.js';
import { BootstrapReplicates, BootstrapWeights } from '../uncertainty/poisson-bootstrap.js';
import type { Lane } from './lane.js';

/** What is kept of a lane beside its moments. */
export interface LaneStudy {
  readonly replicates: BootstrapReplicates | null;
  /** With the reference model's lane of the same family; null for that lane itself. */
  readonly paired: { readonly reference: Lane; readonly sums: PairedDifferences } | null;
}

/**
 * Attaches to each lane what the options need: sums with the reference model, replicates of the
 * bootstrap. The reference's lane has to come before the others of its family.
 *
 * @param reference number of the model that differences are taken against; −1 for none.
 */
export function studyLanes(
  lanes: readonly Lane[],
  reference: number,
  options: EstimateOptions,
): Map<Lane, LaneStudy> {
  const studies = new Map<Lane, LaneStudy>();
  const weights = options.interval === 'bootstrap' ? new BootstrapWeights() : null;
  // Weights are made once a chunk, before any lane uses them.
  if (weights !== null) lanes[0]?.observers.push(weights);
  const references = new Map<string, { lane: Lane; sums: ReferenceSums }>();
  for (const lane of lanes) {
    const moments = lane.moments();
    let replicates: BootstrapReplicates | null = null;
    if (weights !== null) {
      replicates = new BootstrapReplicates(weights, moments.length);
      lane.observers.push(replicates);
    }
    const known = references.get(lane.family);
    if (lane.model === reference) {
      const sums = new ReferenceSums(moments.length);
      references.set(lane.family, { lane, sums });
      lane.observers.push(sums);
    }
    let paired: LaneStudy['paired'] = null;
    if (known !== undefined) {
      const sums = new PairedDifferences(known.sums, moments, known.lane.moments());
      lane.observers.push(sums);
      paired = { reference: known.lane, sums };
      if (lane.segments !== null) lane.segments.reference = known.lane.segments;
    }
    studies.set(lane, { replicates, paired });
  }
  return studies;
}
