import type { IdTable } from './columns.js';

/** Default action, and the reward of the default action and of unlisted ones. */
export const USUAL_ACTION = 'click';
const USUAL_WORTH = 1;

/** Maximum number of distinct rewards above 0. */
export const MOST_WORTHS = 250;

/**
 * Rewards of actions as a table of classes: actions with the same reward share a class, and classes
 * are ordered by reward. Class 0 has reward 0.
 *
 * An event without an action is a click. An unlisted action has reward 1, with a separate code
 * after the classes, so that it can be counted. Events of the click's class have −1, as those
 * without an action, so that nothing is stored for them.
 *
 * @example
 * new ActionWorths({ view: 0, click: 1, purchase: 5 }).worths; // [0, 1, 5]
 */
export class ActionWorths implements IdTable {
  /** Reward by class. */
  readonly worths: readonly number[];
  /** Class of an event without an action. */
  readonly usual: number;
  /** Code of the rewarded action of a test; NaN if there is none. */
  readonly earning: number;
  /** Separate code of the rewarded action, if another action has the same class. */
  readonly #apart: number;
  readonly #apartWorth: number;
  readonly #isApart: boolean;
  readonly #classes: readonly {
    readonly name: Uint8Array;
    readonly code: number;
  }[];

  /** @param earning action that gets its own code. */
  constructor(worthOf: Readonly<Record<string, number>>, earning?: string) {
    const click = Object.hasOwn(worthOf, USUAL_ACTION) ? worthOf[USUAL_ACTION] : USUAL_WORTH;
    const all = new Set([0, USUAL_WORTH, click, ...Object.values(worthOf)]);
    this.worths = [...all].sort((a, b) => a - b);
    this.usual = this.worths.indexOf(click);
    // Behind the code of an action that is not named.
    this.#apart = this.worths.length + 1;
    this.#isApart = earning !== undefined;
    const isClick = earning === USUAL_ACTION;
    this.#apartWorth = isClick ? click : (worthOf[earning ?? ''] ?? USUAL_WORTH);
    this.earning = earning === undefined ? Number.NaN : isClick ? -1 : this.#apart;
    // An event without an action is a click, so of those with its code all others go apart.
    const codeOf = (action: string, worth: number) => {
      const code = this.#codeOf(worth);
      if (isClick) return code === -1 && action !== USUAL_ACTION ? this.#apart : code;
      return action === earning ? this.#apart : code;
    };
    const known = {
      [USUAL_ACTION]: click,
      ...worthOf,
    };
    const named =
      earning === undefined
        ? known
        : {
            [earning]: this.#apartWorth,
            ...known,
          };
    const encoder = new TextEncoder();
    this.#classes = Object.entries(named).map(([action, worth]) => ({
      name: encoder.encode(action),
      code: codeOf(action, worth),
    }));
  }

  /** @returns the class of an action; −1 for that of a click, `unknown` for an unlisted one. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    for (const { name, code } of this.#classes) {
      if (name.length === end - start && isAt(name, bytes, start)) return code;
    }
    return this.unknown;
  }

  /** Code of an unlisted action. */
  get unknown(): number {
    return this.worths.length;
  }

  /** The class of a code in a column of actions. */
  classOf(code: number): number {
    if (code === this.#apart) return this.worths.indexOf(this.#apartWorth);
    if (code === this.unknown) return this.worths.indexOf(USUAL_WORTH);
    return code < 0 ? this.usual : code;
  }

  /** Reward by action code plus one. */
  byCode(): Float64Array {
    const apart = this.#isApart ? [this.#apartWorth] : [];
    return Float64Array.of(this.worths[this.usual], ...this.worths, USUAL_WORTH, ...apart);
  }

  /** By action code plus one: 1 if the reward is above 0; undefined if all are. */
  worthwhile(): Uint8Array | undefined {
    const worths = this.byCode();
    const isWorthless = ({ code }: { readonly code: number }) => worths[code + 1] === 0;
    const hasWorthless = this.usual === 0 || this.#classes.some(isWorthless);
    return hasWorthless ? Uint8Array.from(worths, (worth) => Number(worth > 0)) : undefined;
  }

  #codeOf(worth: number): number {
    const code = this.worths.indexOf(worth);
    return code === this.usual ? -1 : code;
  }
}

function isAt(name: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < name.length; i++) {
    if (bytes[start + i] !== name[i]) return false;
  }
  return true;
}
