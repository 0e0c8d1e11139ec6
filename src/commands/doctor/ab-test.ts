import { stringify } from 'yaml';
import { upperGamma } from '../../estimators/mathematics/distributions.js';

/**
 * Arms of an A/B test found in a log: for each model, the number of users that only this model
 * served.
 */
export type Arms = ReadonlyMap<string, number>;

/** User and model of a list. */
interface Served {
  readonly user: string;
  readonly model: string;
  /** False for shadow lists, which no user saw. */
  readonly isServed?: boolean;
}

/**
 * A log does not look like an A/B test if more than this share of its users have lists of several
 * models.
 */
const MOST_OF_SEVERAL = 0.01;
/** A χ² test needs at least this expected number of users per arm. */
const LEAST_USERS = 5;
/** If the p-value of the χ² test is below this, the arms do not have equal shares. */
const LEAST_P = 0.001;

/**
 * Find the arms of a log that looks like an A/B test by user: several models served lists, and each
 * user has one of them.
 */
export function armsOf(lists: readonly Served[]): Arms | undefined {
  const models = new Map<string, Set<string>>();
  for (const { user, model, isServed } of lists) {
    if (isServed === false) continue;
    const own = models.get(user) ?? new Set();
    models.set(user, own.add(model));
  }
  const arms = new Map<string, number>();
  let several = 0;
  for (const own of models.values()) {
    const [model = ''] = own;
    if (own.size > 1) {
      several++;
    } else {
      arms.set(model, (arms.get(model) ?? 0) + 1);
    }
  }
  const isTest = arms.size > 1 && several <= MOST_OF_SEVERAL * models.size;
  const isLarge = models.size >= LEAST_USERS * arms.size;
  return isTest && isLarge ? new Map([...arms].sort(([a], [b]) => (a < b ? -1 : 1))) : undefined;
}

/**
 * Write the section `experiment` for a log that looks like an A/B test. The section states equal
 * shares. If a χ² test rejects equal shares, the section is a comment.
 */
export function experimentText(arms: Arms): string {
  const counts = [...arms.values()];
  const users = counts.reduce((sum, each) => sum + each, 0);
  const even = users / counts.length;
  const chiSquare = counts.reduce((sum, each) => sum + (each - even) ** 2 / even, 0);
  const p = upperGamma((counts.length - 1) / 2, chiSquare / 2);
  const names = [...arms].map(([model, count]) => `${model} (${count})`).join(', ');
  const section = stringify({ experiment: { split: equalShares([...arms.keys()]) } });
  if (p >= LEAST_P) {
    return `# One model served each user, as in an A/B test, in equal shares: ${names}. The served split is tested against this one. Remove it if users were not assigned at random.\n${section}`;
  }
  const commented = section.replaceAll(/^(?=.)/gm, '# ');
  return `# One model served each user, as in an A/B test, in unequal shares: ${names}. If users were assigned at random, enter the planned shares:\n${commented}`;
}

/** Equal shares of four decimals that sum to 1. */
function equalShares(models: readonly string[]): Readonly<Record<string, number>> {
  const share = Math.floor(10_000 / models.length);
  const rest = 10_000 - share * models.length;
  return Object.fromEntries(
    models.map((model, n) => [model, (share + (n < rest ? 1 : 0)) / 10_000]),
  );
}
