import { decoderOptions } from '../service/monitor-options.js';
import { openSchemas } from '../service/schemas.js';
import { watchedStorage } from '../service/watched-stores.js';
import { forgottenUsers } from '../state/stored-checkpoints.js';
import { runNight } from '../threads/night-work.js';
import { KafkaSetReader } from './kafka-reader.js';
import { makeSet } from './make-set.js';
import { planOf } from './plan.js';
import { eventSettings, kafkaOptions } from './reading.js';
import { setPropensities } from './set-propensities.js';
import { storageAt } from './storage.js';

// Thread that makes a nightly set, which takes minutes of CPU time.
await runNight(async ({ config, order, io, onProgress, onStorageFailure, mayCommit }) => {
  const { from, to, name } = order;
  const propensities = await setPropensities(config.export.propensities);
  const { counts } = await makeSet({
    plan: planOf(config, [], {
      from,
      to,
      hasTrain: false,
      propensities: propensities?.stamp,
    }),
    propensities,
    events: eventSettings(config),
    reader: new KafkaSetReader({
      kafka: kafkaOptions(config, io),
      decoder: decoderOptions(config),
      forgotten: () => forgottenUsers(config),
      schemas: openSchemas(config, io),
      start: { fromMs: from },
      allowMissing: config.export.allowMissing,
      maxFaults: Number.POSITIVE_INFINITY,
      onProgress: (done, total) =>
        onProgress({
          step: 'reading',
          done,
          total,
        }),
      io,
    }),
    storage: watchedStorage(await storageAt(config.export.out!, config.export), onStorageFailure),
    name,
    memoryBytes: config.export.memoryBytes,
    io,
    onStep: (step, done, total) =>
      onProgress({
        step,
        done,
        total,
      }),
    mayCommit,
  });
  return counts.drawn;
});
