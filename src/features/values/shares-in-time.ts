import { NumberedSums } from '../../estimators/partitions/rounds.js';
import type { NumberCodec } from '../../state/binary/numbers.js';

const SHAPE = 0x7368_7265;

/** Shares of arms, and when requests first had them. */
interface FirstShares {
  readonly name: string;
  readonly ts: number;
  readonly shares: readonly number[];
}

/** Which shares requests had and from when on, if these are few. */
export class SharesInTime extends NumberedSums<SharesInTime> {
  /** There were more: then it says no more than that. */
  areTooMany = false;
  readonly #arms: number;
  readonly #most: number;
  readonly #found = new Map<string, FirstShares>();

  constructor(arms: number, most: number) {
    super(SHAPE + arms);
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

  pass(through: NumberCodec): void {
    this.areTooMany = through.number(this.areTooMany ? 1 : 0) === 1;
    const found = this.areTooMany ? [] : [...this.#found.values()];
    const size = through.number(found.length);
    for (let n = 0; n < size; n++) {
      const ts = through.number(found[n]?.ts ?? 0);
      const own = Float64Array.from(found[n]?.shares ?? { length: this.#arms });
      through.numbers(own);
      if (through.reads) this.add([...own], ts);
    }
  }
}
