import type { FastifyInstance } from 'fastify';
import type { LookupSource } from '../outputs/http/routes/lookup-routes.js';
import { addSegmentRoute } from './segments/route.js';
import { addWhyRoute } from './why/route.js';

type Routes = readonly ((api: FastifyInstance, source: LookupSource) => void)[];

/** Routes of features that give numbers. */
export const NUMBER_ROUTES: Routes = [addSegmentRoute];

/** Routes of features that look something up. */
export const LOOKUP_ROUTES: Routes = [addWhyRoute];
