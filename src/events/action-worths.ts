import type { IdTable } from './columns.js';

/** Action of an interaction that states none. */
export const USUAL_ACTION = 'click';
/** Reward of a click by default, and of every action without a configured reward. */
const USUAL_WORTH = 1;

/** Maximum number of distinct rewards above 0 that a configuration may give to actions. */
export const MOST_WORTHS = 250;

/**
 * Rewards of actions as a table of classes: actions with the same reward share a class, and classes
 * are ordered by reward. Class 0 has reward 0.
 *
 * Interactions store a code for their action in the column `action`. The code of the click, of an
 * event without an action (which is a click) and of every action with the click's reward is −1. The
 * code of another action with a configured reward is its class. Actions without a configured reward
 * have reward 1 and share one code after the classes, so that they can be counted.
 *
 * @example
 * new ActionWorths({ view: 0, click: 1, purchase: 5 }).worths; // [0, 1, 5]
 */
export class ActionWorths implements IdTable {
  /** Reward of each class; the index is the class. */
  readonly worths: readonly number[];
  /** Class of an event without an action. */
  readonly usual: number;
  /** Code of the action that is the reward of the A/B test; NaN if the test names none. */
  readonly earning: number;
  /**
   * Extra code that separates the rewarded action of the A/B test from actions with the same
   * reward. If the rewarded action is the click, its code stays −1, and the other actions with its
   * reward have the extra code. Otherwise the rewarded action has the extra code.
   */
  readonly #apart: number;
  readonly #apartWorth: number;
  readonly #isApart: boolean;
  readonly #classes: readonly {
    readonly name: Uint8Array;
    readonly code: number;
  }[];

  /**
   * @param worthOf  reward by action
   * @param earning  rewarded action of the A/B test, which gets its own code
   */
  constructor(worthOf: Readonly<Record<string, number>>, earning?: string) {
    const click = Object.hasOwn(worthOf, USUAL_ACTION) ? worthOf[USUAL_ACTION] : USUAL_WORTH;
    const all = new Set([0, USUAL_WORTH, click, ...Object.values(worthOf)]);
    this.worths = [...all].sort((a, b) => a - b);
    this.usual = this.worths.indexOf(click);
    // The next code after that of unlisted actions.
    this.#apart = this.worths.length + 1;
    this.#isApart = earning !== undefined;
    const isClick = earning === USUAL_ACTION;
    this.#apartWorth = isClick ? click : (worthOf[earning ?? ''] ?? USUAL_WORTH);
    this.earning = earning === undefined ? Number.NaN : isClick ? -1 : this.#apart;
    // Events without an action have −1 and are clicks, so if clicks are the reward, the other
    // actions of their class get the separate code.
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

  /**
   * @returns the code of an action in the column `action`; `unknown` if it has no configured reward
   */
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

  /** Class of a code from the `action` column. */
  classOf(code: number): number {
    if (code === this.#apart) return this.worths.indexOf(this.#apartWorth);
    if (code === this.unknown) return this.worths.indexOf(USUAL_WORTH);
    return code < 0 ? this.usual : code;
  }

  /** Rewards of all codes; the reward of code c has index c + 1. */
  byCode(): Float64Array {
    const apart = this.#isApart ? [this.#apartWorth] : [];
    return Float64Array.of(this.worths[this.usual], ...this.worths, USUAL_WORTH, ...apart);
  }

  /**
   * A flag for each code, at index code + 1: 1 if the reward of the code is above 0. Undefined if
   * no action has reward 0.
   */
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
