import { NEVER, Subject } from 'rxjs';
import { expect, it } from 'vitest';
import type { Logger } from '../../../../src/commands/cli/io.js';
import { ServiceLog } from '../../../../src/commands/service/service-log.js';
import type { Pipeline } from '../../../../src/stream/pipeline.js';

it('says once that no list is of the reference, and once that one is', () => {
  const ticks = new Subject<unknown>();
  const lines: string[] = [];
  const say = (level: string) => (fields: { reference?: string }, message: string) =>
    lines.push(`${level} ${fields.reference} ${message}`);
  const pipeline = {
    ...{ applied$: NEVER, gaps$: NEVER, logChanges$: NEVER },
    ...{ state$: NEVER, assigned$: NEVER },
  };
  new ServiceLog(
    { ...pipeline, ticks$: ticks, checkpointer: undefined } as unknown as Pipeline,
    { warn: say('warn'), info: say('info') } as unknown as Logger,
    {
      topics: { exposures: 'e', interactions: 'i' },
      itemLimit: Number.POSITIVE_INFINITY,
      reference: 'next',
      now: () => 0,
    },
  );
  const tick = (...models: string[]) =>
    ticks.next({
      snapshot: {
        alarms: [],
        sampling: { ratio: 1 },
        baseline: 'popularity',
        windows: [
          {
            averageRecommendationPopularity: Object.fromEntries(models.map((name) => [name, 1])),
            results: [],
          },
        ],
      },
    });
  tick('old');
  tick('old');
  expect(lines).toEqual([
    'warn next no list is of the model comparisons.control: models are not compared until one is',
  ]);
  tick('old', 'next');
  tick('old', 'next');
  expect(lines.slice(1)).toEqual(['info next models are compared with comparisons.control']);
});
