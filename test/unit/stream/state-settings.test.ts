import { expect, it } from 'vitest';
import type { MonitorOptions } from '../../../src/stream/options.js';
import { stateSettings } from '../../../src/stream/state-settings.js';
import { smallOptions } from '../../support/log.js';

const stated = (actions: Record<string, number>, more: Partial<MonitorOptions> = {}) =>
  stateSettings(smallOptions({ actions, ...more }))['events.actions'];

it('only actions of weight 0 are part of the state settings by default', () => {
  expect(stated({ purchase: 5 })).toEqual(stated({}));
  expect(stated({ view: 0 })).not.toEqual(stated({}));
});
