import type { PartitionSums } from '../../estimators/partitions/rounds.js';
import { NumberReader, NumberWriter } from '../../state/binary/numbers.js';

const SHAPE = 0x7368_7265;
const MOST_BYTES = 1 << 24;

/** Shares of arms, and when requests first had them. */
interface FirstShares {
  readonly name: string;
  readonly ts: number;
  readonly shares: readonly number[];
}

/** Which shares requests had and from when on, if these are few. */
export class SharesInTime implements PartitionSums<SharesInTime> {
  /** There were more: then it says no more than that. */
  areTooMany = false;
  readonly #arms: number;
  readonly #most: number;
  readonly #found = new Map<string, FirstShares>();

  constructor(arms: number, most: number) {
    this.#arms = arms;
    this.#most = most;
  }

  /** @param ts Infinity where no request had them. @returns what shares that are alike are known by */
  add(shares: readonly number[], ts: number): string {
    const name = shares.join(' ');
    const known = this.#found.get(name);
    if (ts < (known?.ts ?? Number.POSITIVE_INFINITY)) this.#found.set(name, { name, ts, shares });
    if (this.#found.size > this.#most) this.areTooMany = true;
    return name;
  }

  /** By their first requests; of as old ones the first by name. */
  inOrder(): FirstShares[] {
    const found = [...this.#found.values()];
    return found.sort((a, b) => a.ts - b.ts || (a.name < b.name ? -1 : 1));
  }

  ofOthers(): SharesInTime {
    return new SharesInTime(this.#arms, this.#most);
  }

  merge(others: SharesInTime): void {
    for (const { shares, ts } of others.#found.values()) this.add(shares, ts);
    if (others.areTooMany) this.areTooMany = true;
  }

  encode(): Uint8Array {
    const to = new NumberWriter();
    to.number(this.areTooMany ? 1 : 0);
    to.number(this.areTooMany ? 0 : this.#found.size);
    for (const { shares, ts } of this.areTooMany ? [] : this.#found.values()) {
      for (const number of [ts, ...shares]) to.number(number);
    }
    return to.seal(SHAPE + this.#arms);
  }

  decode(bytes: Uint8Array): SharesInTime {
    const sums = this.ofOthers();
    const from = new NumberReader(bytes, SHAPE + this.#arms, MOST_BYTES);
    sums.areTooMany = from.number(0) === 1;
    for (let left = from.number(0); left > 0; left--) {
      const ts = from.number(0);
      sums.add(
        Array.from({ length: this.#arms }, () => from.number(0)),
        ts,
      );
    }
    from.finish();
    return sums;
  }
}
