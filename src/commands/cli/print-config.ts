import type { ConfigEntry } from '../../config.js';

/** The effective configuration as YAML that can be used as a file; the origin stands behind each value. */
export function configListing(entries: readonly ConfigEntry[]): string {
  const lines: string[] = [];
  let open: readonly string[] = [];
  for (const { key: described, path, value, origin } of entries) {
    const { secret, variable, serviceDefault } = described;
    const groups = path.split('.');
    const key = groups.pop()!;
    groups.forEach((group, depth) => {
      if (open.slice(0, depth + 1).join('.') === groups.slice(0, depth + 1).join('.')) return;
      lines.push(`${'  '.repeat(depth)}${group}:`);
    });
    open = groups;
    const indent = '  '.repeat(groups.length);
    const text = value === undefined ? '' : secret ? '"***"' : JSON.stringify(value);
    const served = serviceDefault === undefined ? '' : `, a service takes ${serviceDefault}`;
    const note = value === undefined ? `not given${served}; ${variable}` : origin;
    lines.push(`${`${indent}${key}: ${text}`.trimEnd()}  # ${note}`);
  }
  return `${lines.join('\n')}\n`;
}
