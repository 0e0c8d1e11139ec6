import { writeFileSync } from 'node:fs';
import { DASHBOARDS, dashboardFile } from './all.js';

/** `npm run dashboards`: writes the files that Grafana is given. */
for (const [name, dashboard] of Object.entries(DASHBOARDS)) {
  writeFileSync(new URL(`json/${name}.json`, import.meta.url), dashboardFile(dashboard));
}
