import { expect, it } from 'vitest';
import type { Objection, PairEvidence } from '../../../src/features/evidence.js';
import type { AbRead } from '../../../src/features/values/ab/ab-read.js';
import type { AbFound } from '../../../src/features/values/ab/ab-test.js';
import { withRequests } from '../../../src/features/values/ab/with-requests.js';
import { anAnswer } from '../../support/shop-test.js';

const PAIR = { model: 'treatment', reference: 'control' };

/** A test by that unit, with what requests say of the same arms. */
function merged(unit: 'user' | 'request', objection: Objection): AbFound {
  const { lifts: _l, refusal: _r, rule: _s, ...known } = anAnswer({ unit, cautions: [] });
  const read: AbRead = { ...known, pairs: [], objection: null };
  const evidence: PairEvidence = {
    ...PAIR,
    rung: 'experiment',
    measure: { metric: 'value', k: null },
    objection,
    anchor: { value: 0.1, stdErr: 0.05, freedom: 100 },
    margin: 0,
    ess: 100,
  };
  return withRequests({ read, evidence: [{ ...evidence, objection: null }] }, [evidence]);
}

it('a test by user stands, with a caution, if its arms treat items differently', () => {
  const { read, evidence } = merged('user', { reason: 'arms_disagree', figures: { z: 4 } });
  expect(read.objection).toBeNull();
  expect(evidence[0]!.objection).toBeNull();
  expect(read.cautions).toEqual([{ code: 'items_differ', figures: { z: 4 }, of: ['treatment'] }]);
});

it('a test by request is refused if its arms treat items differently', () => {
  const { read } = merged('request', { reason: 'arms_disagree', figures: { z: 4 } });
  expect(read.objection?.reason).toBe('arms_disagree');
  expect(read.cautions).toEqual([]);
});

it('a test by user is refused if its log does not look randomised', () => {
  const { read } = merged('user', { reason: 'draw_turns', figures: {} });
  expect(read.objection?.reason).toBe('draw_turns');
});
