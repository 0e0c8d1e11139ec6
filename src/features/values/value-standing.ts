import { PROVED } from '../../outputs/json/v1-row.js';
import { decimal, isKnown, signed } from '../../rows/figures.js';
import type { ValueConsequence } from './reasons.js';

/** What to make of a value, by the gravest of what speaks against it; `given` if nothing does. */
export type ValueStanding = ValueConsequence | 'given';

const GRAVEST_FIRST: readonly ValueConsequence[] = ['refused', 'bound', 'undecided', 'caution'];

/** In a word or two, for tables; why it is so is a finding. */
export const VALUE_STANDINGS: Readonly<Record<ValueStanding, string>> = {
  refused: 'not given',
  bound: 'lower bound',
  undecided: 'too few rewards',
  caution: 'with care',
  given: 'yes',
};

interface Reasoned {
  readonly reasons: readonly { readonly consequence: string }[];
}

/** @example valueStanding({ reasons: [{ consequence: 'caution' }] }); // 'caution' */
export function valueStanding({ reasons }: Reasoned): ValueStanding {
  const found = GRAVEST_FIRST.find((own) => reasons.some(({ consequence }) => consequence === own));
  return found ?? 'given';
}

/**
 * Value and interval as a table has them: what bounds the value from below says nothing about how
 * much more it is.
 */
export function writtenValue({ value, lower, upper, reasons }: WrittenValue): [string, string] {
  const isBound = valueStanding({ reasons }) === 'bound';
  const given = isKnown(value) ? `${isBound ? '≥ ' : ''}${decimal(value, 4)}` : '–';
  if (!isKnown(lower) || !isKnown(upper)) return [given, '–'];
  const from = decimal(lower, 4);
  return [given, isBound ? `from ${from}` : `${from} to ${decimal(upper, 4)}`];
}

/**
 * How much more a model's lists are worth than the control's, as a table has it: the interval, which
 * may be open at an end, and what is proved in the window.
 */
export function writtenDifference(row: WrittenDifference | undefined): [string, string] {
  if (row === undefined || !isKnown(row.value)) return ['–', '–'];
  const { lower, upper } = row;
  const proved = PROVED[Math.sign(row.more?.['proved'] ?? 0) + 1];
  const from = isKnown(lower) ? signed(lower, 4) : undefined;
  const to = isKnown(upper) ? signed(upper, 4) : undefined;
  if (from === undefined) return [to === undefined ? '–' : `up to ${to}`, proved ?? '–'];
  return [to === undefined ? `from ${from}` : `${from} to ${to}`, proved ?? '–'];
}

interface WrittenDifference {
  readonly value: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
  readonly more?: Readonly<Record<string, number | null>>;
}

interface WrittenValue extends Reasoned {
  readonly value: number | null;
  readonly lower: number | null;
  readonly upper: number | null;
}
