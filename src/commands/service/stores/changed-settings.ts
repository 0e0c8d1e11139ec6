import { EFFECT_WORDS } from '../../../stream/checkpoint/changed-settings.js';
import type { Pipeline } from '../../../stream/pipeline.js';
import type { Logger } from '../../cli/io.js';

/** Says once of each setting that the state was made with another value, and what becomes of it. */
export function tellOfChangedSettings(
  { settings$ }: Pick<Pipeline, 'settings$'>,
  log: Logger,
): void {
  const told = new Set<string>();
  settings$.subscribe((changes) => {
    for (const { name, made, now, effect } of changes) {
      const key = `${name}/${made}`;
      if (told.has(key)) continue;
      told.add(key);
      log.warn({ setting: name, made, now }, `${name} has changed: ${EFFECT_WORDS[effect]}`);
    }
  });
}
