import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { UnskewError } from '../../errors.js';
import { KINDS, type Kind } from '../../learning/kinds.js';

export const SHADOW_SCHEMA = 'unskew/shadow@1';
export const LISTS_FILE = 'lists.ndjson';
export const MODEL_FILE = 'model.ndjson';

const COUNT = Type.Integer({ minimum: 0 });

/** What is said of lists that were learned, beside them. */
const MANIFEST = Type.Object({
  schema: Type.Literal(SHADOW_SCHEMA),
  /** Of the program. */
  version: Type.String(),
  kind: Type.Union(KINDS.map((kind) => Type.Literal(kind))),
  seed: COUNT,
  /** What was learned from, event time from ≤ ts < to, ms. */
  from: Type.Number(),
  to: Type.Number(),
  /** How deep users had to lie to be learned from. */
  level: COUNT,
  /** Interactions of the range, and how many ratings, users and items were learned from. */
  interactions: COUNT,
  ratings: COUNT,
  users: COUNT,
  items: COUNT,
  /** The list for users whom the baseline does not know. */
  popular: Type.Object({ items: Type.Array(Type.String()), candidates: COUNT }),
  /** Of a factorisation. */
  fit: Type.Optional(
    Type.Object({
      factors: COUNT,
      lambda: Type.Number(),
      objective: Type.Number(),
      sweeps: COUNT,
      pairsCovered: Type.Number(),
      /** Whether the best λ is the least or the most that was tried. */
      isAtEdge: Type.Boolean(),
    }),
  ),
  files: Type.Array(Type.Object({ name: Type.String(), bytes: COUNT, sha256: Type.String() })),
});

export type ShadowManifest = Omit<Static<typeof MANIFEST>, 'kind'> & { readonly kind: Kind };

/** @throws UnskewError FILE for what is none */
export function parsedManifest(text: string, where: string): ShadowManifest {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    found = undefined;
  }
  if (Value.Check(MANIFEST, found)) return found as unknown as ShadowManifest;
  throw new UnskewError('FILE', `${where}: its manifest is not one of lists (${SHADOW_SCHEMA})`);
}
