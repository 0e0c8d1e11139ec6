import { Type } from 'typebox';
import { RatingsReport } from './ratings/schema.js';

/** The shapes of features' reports, as OpenAPI and the browser have them. */
export const FEATURE_SCHEMAS = { ratings: Type.Optional(RatingsReport) };
