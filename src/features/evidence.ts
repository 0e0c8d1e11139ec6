import type { Forms, Measured } from '../estimators/evidence/anchored-rule.js';
import type { UnpredictedPart } from '../estimators/evidence/bounds.js';
import type { NoVerdictReason, PairVerdict, Rung } from './verdict.js';

/** Why evidence decides nothing, with the figures that it rests on. */
export interface Objection {
  readonly reason: NoVerdictReason;
  readonly figures: Readonly<Record<string, number>>;
  /** Names that it is about, as in `PairVerdict`. */
  readonly of?: readonly string[];
}

/** What a pair that is looked at again and again is held to beside. */
interface Watched {
  /** The same over whole days, and at the ends of what γ may be: it takes all of them. */
  readonly also: readonly Forms[];
  /** D of the last day; undefined before one is over. */
  readonly lastDay: Measured | undefined;
  /** The sign that stands from the look before; 0 for none. */
  readonly standing: -1 | 0 | 1;
}

/** What one kind of evidence says of a pair: numbers, of whichever family they are. */
export interface PairEvidence extends Forms {
  readonly rung: Rung;
  readonly model: string;
  readonly reference: string;
  readonly measure: {
    readonly metric: string;
    readonly k: number | null;
  };
  readonly objection: Objection | null;
  /** D, the model's minus the reference's; of bounds the least that it may be. */
  readonly anchor: Measured;
  /** The most that D may be, where a part of the model's lists is shown by nobody. */
  readonly most?: Measured;
  /** How much of what users would look at in the model's lists is shown. */
  readonly covered?: number;
  /** Share of the requests with a list of both, which D is about. */
  readonly listed?: number;
  /** What the reference earned in the others, per request of all, at its upper limit; 0 for nothing to fear. */
  readonly lost?: number;
  /** Of ratings that one of the two did not predict; D is over those that both did. */
  readonly unpredicted?: UnpredictedPart;
  /** δ: a smaller difference does not matter; none by default. */
  readonly margin?: number;
  /** Whether the lists of both were equal wherever it counts. */
  readonly isAlike?: boolean;
  /** Whether the lower value is the better one. */
  readonly isError?: boolean;
  /** What is earned above the first different place, where that differs: users choose by the whole list. */
  readonly above?: number;
  /** Share of what users found that they had found before, where a pair counts once: sizes are off. */
  readonly repeated?: number;
  /** γ at which the two change places, where that is plausible. */
  readonly flip?: PairVerdict['flip'] | undefined;
  /** The same without correction. */
  readonly uncorrected?: Measured;
  readonly isOfUncaused?: true;
  /** Left out at one look. */
  readonly watched?: Watched;
  /** Evidence among users with one value of a dimension. */
  readonly segments?: readonly {
    readonly of: readonly string[];
    readonly anchor: Measured;
  }[];
  readonly ess: number;
}
