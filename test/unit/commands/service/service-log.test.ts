import { NEVER, Subject } from 'rxjs';
import { expect, it } from 'vitest';
import type { Logger } from '../../../../src/commands/cli/io.js';
import { ServiceLog } from '../../../../src/commands/service/service-log.js';
import type { Flow } from '../../../../src/stream/flow.js';

it('the service logs once that the reference sends no lists, and once that it does', () => {
  const ticks = new Subject<unknown>();
  const lines: string[] = [];
  const say = (level: string) => (fields: { reference?: string }, message: string) =>
    lines.push(`${level} ${fields.reference} ${message}`);
  const pipeline = {
    applied$: NEVER,
    gaps$: NEVER,
    logChanges$: NEVER,
    lostPanes$: NEVER,
    state$: NEVER,
    assigned$: NEVER,
  };
  new ServiceLog(
    { ...pipeline, ticks$: ticks, checkpointer: undefined } as unknown as Flow,
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
    'warn next the model of comparisons.control sends no lists, so models are not compared',
  ]);
  tick('old', 'next');
  tick('old', 'next');
  expect(lines.slice(1)).toEqual([
    'info next the model of comparisons.control sends lists again, so models are compared',
  ]);
});

it('the service logs lost panes once per partition and assignment', () => {
  const lines: unknown[] = [];
  const assigned$ = new Subject<number[]>();
  const lostPanes$ = new Subject<unknown>();
  const others = { applied$: NEVER, gaps$: NEVER, logChanges$: NEVER, state$: NEVER };
  new ServiceLog(
    { ...others, ticks$: NEVER, assigned$, lostPanes$ } as unknown as Flow,
    { warn: (fields: unknown) => lines.push(fields), info: () => {} } as unknown as Logger,
    {
      topics: { exposures: 'e', interactions: 'i' },
      itemLimit: 1,
      reference: undefined,
      now: () => 0,
    },
  );
  for (const pane of [4, 5]) lostPanes$.next({ partition: 2, pane });
  lostPanes$.next({ partition: 3, pane: 5 });
  expect(lines).toEqual([{ partition: 2 }, { partition: 3 }]);
  assigned$.next([2]);
  lostPanes$.next({ partition: 2, pane: 6 });
  expect(lines).toHaveLength(3);
});
