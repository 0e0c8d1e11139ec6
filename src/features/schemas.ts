import { type Static, type TObject, Type } from 'typebox';
import { RatingsReport } from './ratings/schema.js';

/** The shapes of features' reports, as OpenAPI and the browser have them. */
export const FEATURE_SCHEMAS = { ratings: Type.Optional(RatingsReport) };

/** The reports as version 1 of the JSON has them. */
export type FeaturesV1 = Static<TObject<typeof FEATURE_SCHEMAS>>;
