import { NumberReader } from '../../state/binary/number-reader.js';
import { NumberWriter } from '../../state/binary/number-writer.js';
import type { PartitionSums } from '../partitions/rounds.js';

const SHAPE = 0x7365_7276;

/** What the causes of some users' positive rows come to, before a share is made of it. */
export class ServedTallies implements PartitionSums<ServedTallies> {
  /** Positive rows. */
  rows = 0;
  /** Those that name a list. */
  named = 0;
  /** By model, the longest of its lists that was served to a user with such a row; 0 if none was. */
  readonly depths: Int32Array;

  /** @param models how many there are. */
  constructor(models: number) {
    this.depths = new Int32Array(models);
  }

  ofOthers(): ServedTallies {
    return new ServedTallies(this.depths.length);
  }

  merge({ rows, named, depths }: ServedTallies): void {
    this.rows += rows;
    this.named += named;
    for (let m = 0; m < depths.length; m++) this.depths[m] = Math.max(this.depths[m], depths[m]);
  }

  encode(): Uint8Array {
    const to = new NumberWriter();
    for (const number of [this.rows, this.named, ...this.depths]) to.number(number);
    return to.seal(SHAPE + this.depths.length);
  }

  decode(bytes: Uint8Array): ServedTallies {
    const tallies = this.ofOthers();
    const { depths } = tallies;
    const from = new NumberReader(bytes, SHAPE + depths.length, 64 + 10 * (2 + depths.length));
    tallies.rows = from.number(0);
    tallies.named = from.number(0);
    for (let m = 0; m < depths.length; m++) depths[m] = from.number(0);
    from.finish();
    return tallies;
  }
}
