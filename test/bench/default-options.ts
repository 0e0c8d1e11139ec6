import { monitorOptions } from '../../src/commands/service/monitor-options.js';
import { readConfig } from '../../src/config.js';
import type { MonitorOptions } from '../../src/stream/options.js';

/** What is asked for by both; drift has a bench of its own. */
const ASKED = {
  'time.tick': '1m',
  'time.windows': '1h',
  'time.lateness': '0s',
  baseline: 'none',
  'estimates.metrics': 'recall,dcg',
  'estimates.ks': '5,10',
  'drift.detectors': '',
  'estimates.estimators': 'naive,snips,gs,skew,wtd_h',
};

export const optionsOf = (more: Record<string, string>): MonitorOptions =>
  monitorOptions(readConfig({ env: {}, overrides: { ...ASKED, ...more } }).config);

/** As the papers have it. */
export const PAPERS = optionsOf({ preset: 'papers' });

/** What numbers on real traffic need. */
export const DEFAULTS = optionsOf({});

/** The values that one query of SQL gives. */
export const AS_SQL = optionsOf({
  preset: 'papers',
  'estimates.ks': '10',
  'estimates.estimators': 'naive,snips',
  'segments.builtIn': '',
});
