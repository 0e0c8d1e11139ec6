import type { Mapping } from './mapping.js';

/**
 * Mapping of Metarank's `ranking` and `interaction` events; its `item` and `user` events, which are
 * metadata, are ignored. Metarank's events name no model, so the model is a constant. If an event
 * has no user, its session is the user.
 *
 * @example
 * new Decoder({ maxFutureMs: 60_000, mapping: metarankMapping('ltr-2') });
 */
export function metarankMapping(model = 'metarank'): Mapping {
  return {
    kind: {
      path: '/event',
      values: {
        ranking: 'exposure',
        interaction: 'interaction',
        item: 'ignored',
        user: 'ignored',
      },
    },
    tsUnit: 'ms',
    exposure: {
      id: '/id',
      ts: '/timestamp',
      user: ['/user', '/session'],
      model: { constant: model },
      items: {
        path: '/items',
        each: '/id',
      },
    },
    interaction: {
      id: '/id',
      ts: '/timestamp',
      user: ['/user', '/session'],
      item: '/item',
      action: '/type',
      exposure: '/ranking',
    },
  };
}

export const METARANK: Mapping = metarankMapping();
