import type { Mapping } from './mapping.js';

/**
 * CloudEvents in structured JSON whose `data` has the fields of ours, of the types
 * `unskew.exposure` and `unskew.interaction`; others are passed over. `subject` is the user where `data` names none.
 *
 * **Source**: CNCF, *CloudEvents*, version 1.0.2, and its JSON format.
 */
export const CLOUDEVENTS: Mapping = {
  kind: {
    path: '/type',
    values: { 'unskew.exposure': 'exposure', 'unskew.interaction': 'interaction' },
    others: 'ignored',
  },
  tsUnit: 'iso',
  exposure: {
    id: '/id',
    ts: ['/data/ts', '/time'],
    user: ['/data/user', '/subject'],
    model: { path: '/data/model', default: 'cloudevents' },
    items: '/data/items',
    shown: '/data/shown',
    request: '/data/request',
    share: '/data/share',
    firstRank: '/data/firstRank',
  },
  interaction: {
    id: '/id',
    ts: ['/data/ts', '/time'],
    user: ['/data/user', '/subject'],
    item: '/data/item',
    action: '/data/action',
    value: '/data/value',
    exposure: '/data/exposure',
  },
};
