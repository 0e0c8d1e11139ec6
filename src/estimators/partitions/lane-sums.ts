import { NumberReader } from '../../state/binary/number-reader.js';
import { NumberWriter } from '../../state/binary/number-writer.js';
import { XxHash32 } from '../../state/binary/xxhash32.js';
import type { Lane } from '../lanes/lane.js';
import { type LaneStudy, studyLanes } from '../lanes/lane-observers.js';
import type { EstimateOptions } from '../options.js';
import type { PartitionSums } from './rounds.js';

/** Changes with what sums consist of: those of another version are refused. */
const VERSION = 1;
/** Far above what any window has: bytes beyond it are not of one. */
const MOST_BYTES = 1 << 26;

/**
 * All that the weighing pass sums of some users of a window: what every lane adds up to, and what its
 * differences and replicates do.
 *
 * Sums of the parts of a window, each begun by `ofOthers`, merged into one in the order of partitions,
 * give the same bits whatever process made which. Merged into sums without users, those of a part are
 * what they were, to the bit. In another order, or divided in another way, they differ by rounding.
 *
 * **Source**: the pairwise update of Chan, Golub & LeVeque 1983 (moments.ts); differences are about
 * ratios of their own, and moved exactly (paired-differences.ts).
 */
export class LaneSums implements PartitionSums<LaneSums> {
  readonly lanes: readonly Lane[];
  readonly studies: ReadonlyMap<Lane, LaneStudy>;
  readonly #reference: number;
  readonly #options: EstimateOptions;

  /** @param lanes see `makeLanes`. @param reference number of the model of differences; −1 for none. */
  constructor(lanes: readonly Lane[], reference: number, options: EstimateOptions) {
    this.lanes = lanes;
    this.studies = studyLanes(lanes, reference, options);
    this.#reference = reference;
    this.#options = options;
  }

  /** The same sums without users yet. They are added to while these are not. */
  ofOthers(): LaneSums {
    const lanes = this.lanes.map((lane) => lane.ofOthers());
    return new LaneSums(lanes, this.#reference, this.#options);
  }

  /** Takes the sums of other users. @param others begun by `ofOthers`. */
  merge(others: LaneSums): void {
    this.lanes.forEach((lane, l) => {
      const other = others.lanes[l];
      lane.merge(other);
      const [own, study] = [this.studies.get(lane)!, others.studies.get(other)!];
      if (study.replicates !== null) own.replicates?.merge(study.replicates);
      if (study.paired !== null) own.paired?.sums.merge(study.paired.sums);
    });
  }

  /** As bytes, for another process with sums of the same shape. */
  encode(): Uint8Array {
    const to = new NumberWriter();
    this.#pass(to);
    return to.seal(this.#shape());
  }

  /**
   * Sums of the same shape from what `encode` made of them.
   *
   * @throws DamagedNumbers if they are of another version or shape, or the bytes were changed.
   */
  decode(bytes: Uint8Array): LaneSums {
    const sums = this.ofOthers();
    const from = new NumberReader(bytes, this.#shape(), MOST_BYTES);
    sums.#pass(from);
    from.finish();
    return sums;
  }

  #pass(through: NumberReader | NumberWriter): void {
    for (const lane of this.lanes) {
      lane.pass(through);
      const { replicates, paired } = this.studies.get(lane)!;
      replicates?.pass(through);
      paired?.sums.pass(through);
    }
  }

  /** What the numbers are of, as a hash. */
  #shape(): number {
    const { estimators, strata, interval, userForm, guarantees, segments } = this.#options;
    const lanes = this.lanes.map(({ model, family, metrics, levels, feedback }) => [
      ...[model, family, metrics.map(({ metric, k }) => [metric, k])],
      ...[levels?.rows.length ?? null, feedback !== undefined],
    ]);
    const divided = segments && { segments: segments.names };
    const asked = { estimators, strata, interval, userForm, guarantees, ...divided };
    const text = JSON.stringify([VERSION, this.#reference, asked, lanes]);
    return new XxHash32().update(new TextEncoder().encode(text)).digest();
  }
}
