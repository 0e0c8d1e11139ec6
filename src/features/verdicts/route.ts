import type { FastifyInstance } from 'fastify';
import { answers, sendJson, sendNothingYet } from '../../outputs/http/answers.js';
import type { LookupSource } from '../../outputs/http/lookup-source.js';
import { worded } from '../../rows/findings/words.js';
import { verdictsOn } from './said-findings.js';
import { VerdictReport } from './schema.js';

/** Add the route `GET /verdicts`: the verdicts of the newest look. */
export function addVerdictRoute(
  app: FastifyInstance,
  { latest }: Pick<LookupSource, 'latest'>,
): void {
  app.get('/verdicts', {
    schema: {
      summary: 'Which model is better, for all pairs of models',
      tags: ['numbers'],
      response: answers(VerdictReport, 'Verdicts at the newest look', 404),
    },
    handler: (_request, reply) => {
      const snapshot = latest();
      if (snapshot === undefined) return sendNothingYet(reply);
      const { paneEnd, verdicts = [], experiment } = snapshot;
      const findings = worded(verdictsOn(snapshot) ?? []);
      const report: VerdictReport = {
        paneEnd,
        verdicts,
        ...(experiment && { experiment }),
        findings,
      };
      return sendJson(reply, report);
    },
  });
}
