import { LONGEST_MARK_TEXT, type StatedSettings } from '../../../history/marks.js';
import type { SettingChange } from '../../../stream/checkpoint/changed-settings.js';
import type { Pipeline } from '../../../stream/pipeline.js';
import type { Logger } from '../../cli/io.js';
import type { MarkBook } from './mark-book.js';

/**
 * Marks each setting that the state was made with another value. Every partition and every worker
 * may say so: the first one does.
 *
 * @param compared the configuration of the last start: what it holds is marked by that comparison
 */
export function markChangedSettings(
  { settings$ }: Pick<Pipeline, 'settings$'>,
  marks: MarkBook,
  log: Logger,
  compared: Promise<StatedSettings | undefined> = Promise.resolve(undefined),
): void {
  settings$.subscribe((changes) => {
    for (const change of changes) {
      const mark = async () => {
        if (change.name in ((await compared) ?? {})) return;
        await marks.add({ kind: 'config', text: textOf(change) }, change.name);
      };
      mark().catch((error: Error) => {
        log.warn({ setting: change.name, err: error }, 'a change of a setting is not marked');
      });
    }
  });
}

function textOf({ name, made, now }: SettingChange): string {
  const text = `${name}: ${made} → ${now}`;
  return text.length <= LONGEST_MARK_TEXT ? text : `${text.slice(0, LONGEST_MARK_TEXT - 1)}…`;
}
