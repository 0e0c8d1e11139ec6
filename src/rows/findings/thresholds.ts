/** From where on something is said. Each threshold stands here once, for all that show findings. */

/** Below this many effective users nothing should be decided on an estimate. */
export { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';

/** This many standard errors apart, two numbers differ: once in 370 times by chance. */
export const CLEARLY_APART = 3;
export { SOURCES_APART } from '../../estimators/propensity/gamma-error.js';

/** A fitted γ of a larger standard error says little. */
export const UNCERTAIN_GAMMA = 0.25;

/**
 * Positive interactions a pair above which counts are too noisy for the exponent that is read off
 * them: at 1.25 it is .07 too near to the middle where it is 1.5, at 2 by .15.
 */
export const POSITIVES_A_PAIR = 1.2;

/** Share of sound events that are late or duplicates from which on it is a matter; so does `UnskewEventsNotCounted`. */
export const UNCOUNTED_SHARE = 0.05;
/** Share of the users, or of the pairs, from which on something of them is reported. */
export const NOTABLE_SHARE = 0.05;
/** Share of the users, and number of them, in several partitions that is not chance; so does `UnskewUsersSplit`. */
export const SPLIT_SHARE = 0.01;
export const FEW_SPLIT = 5;
/** Share of the users with one event from which on a mean over users says little. */
export const MANY_SINGLE = 0.5;
/** Below this many effective rows of the median user a mean over users is partly naive, corrected or not. */
export const FEW_OF_USER = 5;
/** Share of the weight on items counted once above which no weight makes up for what is missing beside them. */
export const MUCH_COUNTED_ONCE = 0.2;
/** Share of the weight on items too rare for a model's lists above which it is said. */
export const MUCH_UNREACHED = 0.2;
/** Gain expected there from which on none at all is not chance: e⁻⁵ is .007. */
export const EXPECTED_GAIN = 5;
/** Share of the weight above which a single event decides too much. */
export const HEAVY_EVENT = 0.1;
/** Share of the events above which faulty ones ask for care. */
export const FAULTY_SHARE = 0.01;

/** Total variation from its weights above which a sample is only partly debiased. */
export const FAR_FROM_WEIGHTS = 0.1;
/** With fewer rows a set decides little. */
export const FEW_ROWS = 100;
/** Share of the weight above which a row of a set, which counts once when it is drawn, has too much. */
export const HEAVY_ROW = 0.01;
/** Share of the interactions above which repeated pairs are worth a word. */
export const MANY_REPEATED = 0.5;

/** A Gini index that moves by less is steady. */
export const NOTABLE_GINI = 0.01;
/** A trend needs at least this many ticks. */
export const LEAST_TICKS = 10;

/** How far Σ 1 / P may be from the number of pairs, as a share of it, before it is said. */
export const OFF_PAIRS = 0.05;
/** From so many days on learned propensities are old; so do `UnskewPropensitiesStale` and its test. */
export const STALE_PROPENSITIES_DAYS = 30;
/** Share of the ratings elsewhere, beyond chance, above which the margins have drifted; so does the alert. */
export const DRIFTED_MARGINS = 0.1;
/** Difference of ΣP from the ratings of an item or user, as a share of the mean one's. */
export const OFF_MARGIN = 0.2;
