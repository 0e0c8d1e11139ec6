import { type Static, Type } from 'typebox';
import type { Wire } from '../../../rows/row.js';

/** An error as RFC 9457 words it; without `type` the title says it all. */
export const Problem = Type.Object({
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.Optional(Type.String()),
});
export type Problem = Wire<Static<typeof Problem>>;
