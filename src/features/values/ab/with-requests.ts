import type { Objection, PairEvidence } from '../../evidence.js';
import type { NoVerdictReason } from '../../verdict.js';
import type { AbCaution } from '../../verdicts/answer.js';
import type { AbPair, AbRead } from './ab-read.js';
import type { AbFound } from './ab-test.js';

/** Reasons against a verdict by request that do not affect the users' total rewards. */
const OF_REQUESTS: readonly NoVerdictReason[] = [
  'few_users',
  'few_rewards',
  'no_rewards',
  'names_differ',
  'one_user',
  'arms_disagree',
];

/**
 * Combine a test of served lists with the evidence from requests that have the lists of all models.
 *
 * If users were randomised, all rewards of users remain the anchor of the comparison, and
 * objections to the randomisation that the requests raise count for it too. If requests were
 * randomised, the evidence from requests becomes the anchor, with the larger of both errors.
 * Evidence on models that are not arms of the test is not changed.
 */
export function withRequests(test: AbFound, evidence: readonly PairEvidence[]): AbFound {
  const { read } = test;
  const arms = read.arms.map(({ model }) => model);
  const isOfArms = ({ rung, model, reference }: PairEvidence) =>
    (rung === 'experiment' || rung === 'observed') &&
    arms.includes(model) &&
    arms.includes(reference);
  const drawn = evidence.filter((each) => each.rung === 'experiment' && isOfArms(each));
  const others = evidence.filter((each) => !isOfArms(each));
  const against = drawn.map((each) => each.objection).find((each) => isAgainst(each, read.unit));
  const objection = read.objection ?? against ?? null;
  const merged = test.evidence.map((own) => {
    const ofRequests = drawn.find(
      ({ model, reference }) => model === own.model && reference === own.reference,
    );
    if (ofRequests === undefined || read.unit !== 'request') {
      return {
        ...own,
        objection,
      };
    }
    const { stdErr } = ofRequests.anchor;
    const anchor = {
      ...ofRequests.anchor,
      stdErr: Math.max(stdErr, own.anchor.stdErr),
    };
    return {
      ...ofRequests,
      anchor,
      objection,
    };
  });
  const isChecked = drawn.length > 0;
  return {
    read: {
      ...read,
      objection,
      isRandomisationAssumed: read.isRandomisationAssumed && !isChecked,
      cautions: [...itemsDiffer(read, drawn), ...read.cautions],
      pairs: read.pairs.map((pair) => byRequests(pair, read, drawn)),
    },
    evidence: [...merged, ...others],
  };
}

/** Add a caution to a test by user if users of its arms treat the same items differently. */
function itemsDiffer({ unit }: AbRead, drawn: readonly PairEvidence[]): AbCaution[] {
  if (unit !== 'user') return [];
  return drawn.flatMap(({ model, objection }): AbCaution[] =>
    objection?.reason === 'arms_disagree'
      ? [
          {
            code: 'items_differ',
            figures: { ...objection.figures },
            of: [model],
          },
        ]
      : [],
  );
}

function isAgainst(objection: Objection | null, unit: AbRead['unit']): objection is Objection {
  if (objection === null) return false;
  return unit !== 'user' || !OF_REQUESTS.includes(objection.reason);
}

/** Replace a pair's difference and error by those from requests, if requests are the anchor. */
function byRequests(pair: AbPair, read: AbRead, drawn: readonly PairEvidence[]): AbPair {
  const found = drawn.find(
    ({ model, reference }) => model === pair.model && reference === read.control,
  );
  if (found === undefined || read.unit !== 'request') return pair;
  const { value, stdErr } = found.anchor;
  const { whole } = pair;
  const scale = whole.wald > 0 ? (stdErr / whole.wald) ** 2 : 1;
  const { own, other, both } = whole.variance;
  return {
    ...pair,
    whole: {
      ...whole,
      difference: value,
      own: whole.other + value,
      wald: stdErr,
      variance: {
        own: scale * own,
        other: scale * other,
        both: scale * both,
      },
    },
  };
}
