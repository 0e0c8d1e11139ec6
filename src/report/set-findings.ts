import { decimal, percent, whole } from './figures.js';
import { html } from './markup.js';
import type { ReportedSet } from './reported-set.js';
import { caution, type Finding, note } from './sections/finding.js';

/** With fewer rows a set decides little. */
const FEW_ROWS = 100;
/** A single row of more than this share of the weight has a say of its own. */
const LARGE_SHARE = 0.01;
/** A set further from its weights than this is only partly debiased. */
const FAR = 0.1;

/** What to know of a set before it is used, cautions first. */
export function setFindings(set: ReportedSet): Finding[] {
  const { weights, counts, items, raking, sources } = set;
  const found: Finding[] = [];
  if (counts.drawn < FEW_ROWS) {
    found.push(
      caution(html`The set has ${whole(counts.drawn)} rows: too few to tell models apart.`),
    );
  }
  if (weights.largestShare > LARGE_SHARE) {
    found.push(
      caution(
        html`One row has ${percent(weights.largestShare, 1)} of the weight. Look at the users and items with the lowest counts, or raise the smoothing.`,
      ),
    );
  }
  if (sources.some((source) => source.kind === 'kafka' && source.missing.length > 0)) {
    found.push(caution(html`The log no longer held the whole range: the set lacks its beginning.`));
  }
  if (raking?.isDamped) {
    found.push(
      caution(
        html`Even margins were out of reach (the rows fall into ${raking.components} unconnected parts): the weights are a compromise.`,
      ),
    );
  }
  if (items.expected.gini > items.before.gini) {
    found.push(
      note(
        html`The items of the set are spread less evenly than before (Gini ${decimal(items.before.gini, 3)} before, ${decimal(items.expected.gini, 3)} expected). Where popularity is even already, the weights go past the mark; skew or a lower exponent is milder.`,
      ),
    );
  }
  if (weights.distance > FAR) {
    found.push(
      note(
        html`The set is only part of the way to its weights (distance ${decimal(weights.distance, 2)}): a smaller share of the rows gets nearer.`,
      ),
    );
  }
  if (counts.leftOut.repeated > counts.interactions / 2) {
    found.push(
      note(
        html`More than half of the interactions repeat a pair, which counts once: the set says who meets what, not how often.`,
      ),
    );
  }
  return found;
}
