import { NumberReader } from '../../state/binary/number-reader.js';
import { NumberWriter } from '../../state/binary/number-writer.js';
import { WeightBins } from '../interventions/weight-bins.js';
import type { PartitionSums } from './rounds.js';

const SHAPE = 0x6269_6e73;
const MOST_BYTES = 1 << 24;

/** Rows by weight, of several interventions. */
export class BinSums implements PartitionSums<BinSums> {
  readonly bins: readonly WeightBins[];

  constructor(interventions: number) {
    this.bins = Array.from({ length: interventions }, () => new WeightBins());
  }

  ofOthers(): BinSums {
    return new BinSums(this.bins.length);
  }

  merge({ bins }: BinSums): void {
    this.bins.forEach((own, n) => {
      own.merge(bins[n]);
    });
  }

  encode(): Uint8Array {
    const to = new NumberWriter();
    for (const own of this.bins) own.pass(to);
    return to.seal(SHAPE + this.bins.length);
  }

  decode(bytes: Uint8Array): BinSums {
    const sums = this.ofOthers();
    const from = new NumberReader(bytes, SHAPE + this.bins.length, MOST_BYTES);
    for (const own of sums.bins) own.pass(from);
    from.finish();
    return sums;
  }
}
