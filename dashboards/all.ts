import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { dataQuality } from './data-quality.js';
import { overview } from './overview.js';
import { propensity } from './propensity.js';
import { service } from './service.js';

/** Every dashboard by the name of its file. */
export const DASHBOARDS: Readonly<Record<string, Dashboard>> = {
  overview,
  propensity,
  'data-quality': dataQuality,
  service,
};

/** As it is committed. */
export function dashboardFile(dashboard: Dashboard): string {
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
