import type { IdTable } from './columns.js';

/** What an action is worth that an event does not state, or that is not among those named. */
export const USUAL_ACTION = 'click';
const USUAL_WORTH = 1;

/** How many different worths there may be above 0. */
export const MOST_WORTHS = 250;

/**
 * What actions are worth, as a table of classes: actions of the same worth are of one class, and
 * classes rise with the worth. Class 0 is worth nothing.
 *
 * An event without an action is a click; an action that is not named is worth 1, and has a code of
 * its own behind the classes, so that it can be counted. Events of the class of a click have −1, as those
 * without an action do, so that nothing is kept for them.
 *
 * @example
 * new ActionWorths({ view: 0, click: 1, purchase: 5 }).worths; // [0, 1, 5]
 */
export class ActionWorths implements IdTable {
  /** By class. */
  readonly worths: readonly number[];
  /** Class of an event that states no action. */
  readonly usual: number;
  /** Code of the action that earns in a test; NaN without one. */
  readonly earning: number;
  /** Code of what would have that of another action, and is kept apart for a test. */
  readonly #apart: number;
  readonly #apartWorth: number;
  readonly #isApart: boolean;
  readonly #classes: readonly {
    readonly name: Uint8Array;
    readonly code: number;
  }[];

  /** @param earning an action that no other shares its code with, whatever it is worth. */
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

  /** @returns the class of an action; −1 for that of a click, `unknown` for one that is not named. */
  intern(bytes: Uint8Array, start: number, end: number): number {
    for (const { name, code } of this.#classes) {
      if (name.length === end - start && isAt(name, bytes, start)) return code;
    }
    return this.unknown;
  }

  /** Code of an action that is not named. */
  get unknown(): number {
    return this.worths.length;
  }

  /** The class of what a column of actions holds. */
  classOf(code: number): number {
    if (code === this.#apart) return this.worths.indexOf(this.#apartWorth);
    if (code === this.unknown) return this.worths.indexOf(USUAL_WORTH);
    return code < 0 ? this.usual : code;
  }

  /** By what a column of actions holds plus one: what such an action is worth. */
  byCode(): Float64Array {
    const apart = this.#isApart ? [this.#apartWorth] : [];
    return Float64Array.of(this.worths[this.usual], ...this.worths, USUAL_WORTH, ...apart);
  }

  /** By the same: 1 where it is worth anything; undefined where every action is. */
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
