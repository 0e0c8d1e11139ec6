import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const RULES_FOLDER = fileURLToPath(new URL('../../deploy/prometheus/rules', import.meta.url));

export interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const ruleFiles = (): string[] =>
  readdirSync(RULES_FOLDER).map((name) => `${RULES_FOLDER}/${name}`);

/** All rules of deploy/prometheus/rules. */
export function rules(): Rule[] {
  return ruleFiles()
    .map((path) => parse(readFileSync(path, 'utf8')) as { groups: { rules: Rule[] }[] })
    .flatMap(({ groups }) => groups)
    .flatMap((group) => group.rules);
}
