import type { FastifyInstance } from 'fastify';
import type { History } from '../outputs/history/history.js';
import type { LookupSource } from '../outputs/http/lookup-source.js';
import { addAlarmRoute } from './drift/route.js';
import { addSegmentRoute } from './segments/route.js';
import { addVerdictRoute } from './verdicts/route.js';
import { addWhyRoute } from './why/route.js';

interface Source extends LookupSource {
  readonly history: History;
}

type Routes = readonly ((api: FastifyInstance, source: Source) => void)[];

/**
 * HTTP routes of features. The key is the group of routes that they follow in the OpenAPI document.
 */
export const FEATURE_ROUTES: Readonly<
  Record<'estimates' | 'numbers' | 'history' | 'lookup', Routes>
> = {
  estimates: [addVerdictRoute],
  numbers: [addSegmentRoute],
  history: [addAlarmRoute],
  lookup: [addWhyRoute],
};
