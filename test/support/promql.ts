import { parser } from '@prometheus-io/lezer-promql';

export interface Selector {
  readonly metric: string;
  /** Names of the labels that it matches on. */
  readonly labels: readonly string[];
}

/** What the grammar does not know in an expression, functions included. */
export function faultsOf(expression: string): string[] {
  const faults: string[] = [];
  parser.parse(expression).iterate({
    enter(node) {
      if (node.type.isError) faults.push(`at ${node.from}: ${expression.slice(node.from - 20)}`);
    },
  });
  return faults;
}

/** Metrics that an expression reads. */
export function selectorsOf(expression: string): Selector[] {
  const found: { metric: string; labels: string[] }[] = [];
  let isInMatchers = false;
  parser.parse(expression).iterate({
    enter(node) {
      const text = expression.slice(node.from, node.to);
      if (node.name === 'VectorSelector') found.push({ metric: '', labels: [] });
      else if (node.name === 'Identifier' && found.at(-1)?.metric === '')
        found.at(-1)!.metric = text;
      else if (node.name === 'LabelMatchers') isInMatchers = true;
      else if (node.name === 'LabelName' && isInMatchers) found.at(-1)!.labels.push(text);
    },
    leave(node) {
      if (node.name === 'LabelMatchers') isInMatchers = false;
    },
  });
  return found;
}

/** An expression of a panel with its variables put in, as Grafana does before it asks. */
export function rendered(expression: string, values: Readonly<Record<string, string>>): string {
  return expression.replace(/\$(\w+)/g, (found, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${found} is not a variable: ${expression}`);
    return value;
  });
}
