/** What every query goes to: which Prometheus it is, is chosen on the dashboard. */
export const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
