import { type Command, Option } from 'commander';
import { type LoadedConfig, readConfig } from '../../config.js';
import { setting } from './arguments.js';

/** Flags that stand for one setting of the configuration: flag, path, what it is. */
type SettingFlag = readonly [flag: string, path: string, description: string];

export const TIME_FLAGS: readonly SettingFlag[] = [
  ['--tick <duration>', 'time.tick', 'length of a pane'],
  ['--windows <durations>', 'time.windows', 'lengths of the windows'],
  ['--lateness <duration>', 'time.lateness', 'how late an event may be'],
];

export const ESTIMATE_FLAGS: readonly SettingFlag[] = [
  ['--gamma <number|fit>', 'gamma', 'exponent of presentation bias'],
  ['--gamma-fit <ols|poisson>', 'gammaFit', 'which fit of the exponent is used'],
  ['--k <numbers>', 'estimates.ks', 'cut-offs of recall and dcg'],
  ['--metrics <names>', 'estimates.metrics', 'metrics'],
  ['--estimators <names>', 'estimates.estimators', 'estimators'],
  ['--interval <t-logit|bootstrap>', 'estimates.interval', 'how 95 % intervals are made'],
  ['--guarantees <names>', 'estimates.guarantees', 'bounds beside the intervals'],
  ['--reference <model>', 'estimates.reference', 'model that the others are compared with'],
  ['--strata <number>', 'estimates.strata', 'strata of gs'],
  ['--strata-scheme <name>', 'estimates.strataScheme', 'how strata are cut'],
  ['--cold <smooth|drop>', 'estimates.cold', 'what becomes of items without a count'],
  ['--smoothing <number>', 'estimates.smoothing', 'count that cold items are given'],
  ['--draws <number>', 'estimates.draws', 'test sets to draw of each intervention'],
  ['--seed <number>', 'estimates.seed', 'seed of the first of them'],
  ['--positive <number>', 'positive.minValue', 'least value of a positive interaction'],
  ['--popularity <positive|all>', 'popularity.of', 'interactions that make popularity'],
  ['--baseline <popularity|none>', 'baseline', 'built-in model that the others are held against'],
  ['--catalog-size <number>', 'catalogue.size', 'items in the catalogue'],
  ['--attribution-ttl <duration>', 'attribution.ttl', 'how long a list counts'],
];

export const EXPORT_FLAGS: readonly SettingFlag[] = [
  ['--strategy <name>', 'export.strategy', 'wtd_h, wtd, skew, reg, full or wtd_ipf'],
  ['--size <share|rows>', 'export.size', 'share of the part, or a number of rows'],
  ['--seed <number>', 'export.seed', 'the same seed and events give the same bytes'],
  ['--split <share>', 'export.split', 'share of the train part'],
  ['--exponent <number>', 'export.exponent', 'exponent of the item’s weight'],
  ['--smoothing <number>', 'export.smoothing', 'added to every count; 0 leaves zero counts out'],
  ['--part <test|train>', 'export.part', 'part that the set is drawn from'],
  ['--with-train', 'export.withTrain', 'write all rows of the train part too'],
  ['--format <name>', 'export.format', 'parquet, csv or ndjson'],
  ['--allow-missing', 'export.allowMissing', 'take a range whose beginning Kafka has lost'],
  ['--memory <size>', 'export.memory', 'rows beyond it go to disk meanwhile'],
  ['--positive <number>', 'positive.minValue', 'least value of a positive interaction'],
];

export const EVENT_FLAGS: readonly SettingFlag[] = [
  ['--mapping <metarank|JSON>', 'events.mapping', 'how foreign events are read'],
  ['--max-bytes <size>', 'events.maxBytes', 'largest event'],
];

/** Adds `--config`, `--set` and flags for settings; defaults are the configuration's. */
export function addSettings(command: Command, flags: readonly SettingFlag[] = []): Command {
  const { entries } = readConfig({ env: {} });
  const defaults = new Map(entries.map(({ path, value }) => [path, value]));
  command.option('--config <file>', 'configuration in YAML (also UNSKEW_CONFIG)');
  for (const [flag, path, description] of flags) {
    const value = defaults.get(path);
    const note = value === undefined ? '' : ` (default: ${[value].flat().join(',')})`;
    command.addOption(new Option(flag, description + note));
  }
  const any = 'any setting of the configuration, such as time.idle=10s';
  return command.option('--set <path=value>', any, setting);
}

/** The configuration that a command's flags, the environment and the file give together. */
export function settingsOf(
  command: Command,
  env: Readonly<Record<string, string | undefined>>,
  flags: readonly SettingFlag[] = [],
): LoadedConfig {
  const given = command.opts<{ config?: string; set?: Record<string, string> }>();
  const overrides: Record<string, unknown> = { ...given.set };
  const overrideOrigins: Record<string, string> = {};
  for (const path of Object.keys(overrides)) overrideOrigins[path] = '--set';
  for (const [flag, path] of flags) {
    const option = command.options.find((candidate) => candidate.flags === flag)!;
    const value: unknown = command.getOptionValue(option.attributeName());
    if (value === undefined) continue;
    overrides[path] = value;
    overrideOrigins[path] = option.long!;
  }
  return readConfig({ file: given.config, env, overrides, overrideOrigins });
}
