import type { Mapping } from './mapping.js';

/**
 * Mapping of CloudEvents of the types `unskew.exposure` and `unskew.interaction`, whose data has
 * the canonical fields; other types are ignored. `subject` is the user if the data has none.
 *
 * In structured mode an event is one JSON object with its `data` inside. In binary mode the value
 * of a record is the data alone, and its headers have the rest, which the intake reads.
 *
 * **Source**: CNCF, *CloudEvents*, version 1.0.2, its JSON format and its Kafka protocol binding.
 */
export const CLOUDEVENTS: Mapping = {
  kind: {
    path: [{ header: 'ce_type' }, '/type'],
    values: {
      'unskew.exposure': 'exposure',
      'unskew.interaction': 'interaction',
    },
    others: 'ignored',
  },
  tsUnit: 'iso',
  exposure: {
    id: [{ header: 'ce_id' }, '/id'],
    ts: ['/data/ts', '/ts', { header: 'ce_time' }, '/time'],
    user: ['/data/user', '/user', { header: 'ce_subject' }, '/subject'],
    model: {
      path: ['/data/model', '/model'],
      default: 'cloudevents',
    },
    items: ['/data/items', '/items'],
    shown: ['/data/shown', '/shown'],
    request: ['/data/request', '/request'],
    share: ['/data/share', '/share'],
    firstRank: ['/data/firstRank', '/firstRank'],
  },
  interaction: {
    id: [{ header: 'ce_id' }, '/id'],
    ts: ['/data/ts', '/ts', { header: 'ce_time' }, '/time'],
    user: ['/data/user', '/user', { header: 'ce_subject' }, '/subject'],
    item: ['/data/item', '/item'],
    action: ['/data/action', '/action'],
    value: ['/data/value', '/value'],
    exposure: ['/data/exposure', '/exposure'],
  },
};
