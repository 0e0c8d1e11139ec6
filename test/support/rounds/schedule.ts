/** Virtual time: what is to happen, in its order, and chance by a seed. */
export class Schedule {
  now = 0;
  readonly #due: { readonly atMs: number; readonly n: number; readonly run: () => void }[] = [];
  #n = 0;
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2_654_435_761 + 97) >>> 0;
  }

  /** Uniform in [0, 1): mulberry32. */
  random = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };

  whole = (below: number): number => Math.floor(this.random() * below);

  after = (ms: number, run: () => void): void => {
    const each = { atMs: this.now + ms, n: this.#n++, run };
    let at = this.#due.length;
    this.#due.push(each);
    for (; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (isBefore(this.#due[parent]!, each)) break;
      this.#due[at] = this.#due[parent]!;
      at = parent;
    }
    this.#due[at] = each;
  };

  /** @returns false where nothing is left to happen */
  step(): boolean {
    const first = this.#due[0];
    if (first === undefined) return false;
    const last = this.#due.pop()!;
    if (this.#due.length > 0) this.#sink(last);
    this.now = first.atMs;
    first.run();
    return true;
  }

  #sink(each: { atMs: number; n: number; run: () => void }): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#due.length) break;
      const other = this.#due[child + 1];
      if (other !== undefined && isBefore(other, this.#due[child]!)) child++;
      if (isBefore(each, this.#due[child]!)) break;
      this.#due[at] = this.#due[child]!;
      at = child;
    }
    this.#due[at] = each;
  }
}

function isBefore(a: { atMs: number; n: number }, b: { atMs: number; n: number }): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.n < b.n);
}
