import { rangeText } from '../../config/words.js';
import type { ConfigEntry } from '../../config.js';

/**
 * The effective configuration as YAML that can be used as a file; the origin stands behind each value.
 *
 * @param isDescribed with what each key means, in a comment above it.
 */
export function configListing(entries: readonly ConfigEntry[], isDescribed = false): string {
  const lines: string[] = [];
  let open: readonly string[] = [];
  for (const entry of entries) {
    const groups = entry.path.split('.');
    const name = groups.pop()!;
    groups.forEach((group, depth) => {
      if (open.slice(0, depth + 1).join('.') === groups.slice(0, depth + 1).join('.')) return;
      lines.push(`${'  '.repeat(depth)}${group}:`);
    });
    open = groups;
    const indent = '  '.repeat(groups.length);
    if (isDescribed) {
      const { description } = entry.key;
      lines.push(`${indent}# ${description} Expected: ${rangeText(entry.key)}.`);
    }
    lines.push(indent + valueLine(name, entry));
  }
  return `${lines.join('\n')}\n`;
}

function valueLine(name: string, { key, value, origin }: ConfigEntry): string {
  const { secret, variable, serviceDefault } = key;
  const text = value === undefined ? '' : secret === true ? '"***"' : JSON.stringify(value);
  const served = serviceDefault === undefined ? '' : `, a service takes ${serviceDefault}`;
  const note = value === undefined ? `not given${served}; ${variable}` : origin;
  return `${`${name}: ${text}`.trimEnd()}  # ${note}`;
}
