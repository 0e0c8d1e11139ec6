import { Chart } from '../charts/chart.js';
import { faded, palette } from '../charts/colours.js';
import type { Line } from '../charts/line.js';
import { fixed, metricName, percent, short, whole } from '../format.js';
import { colourOf, shownModels, shownPart, type View } from '../view.js';

/** Estimates of the chosen metric: solid debiased with its interval, dashed naive, dotted truth. */
export function estimatesOverTime(host: HTMLElement): (view: View) => void {
  const chart = new Chart(host, { x: 'time', formatY: (y) => short(y), height: 300 });
  return (view) => {
    const { chosen } = view.tick;
    const part = shownPart(view, view.tables.estimates);
    const { metric, k, aggregation, window } = chosen;
    const lines = shownModels(view).flatMap((model): Line[] => {
      const of = (estimator: string, value: string) =>
        part.column({ model, metric, k, estimator, aggregation, window }, value);
      const n = colourOf(view, model);
      const colour = palette().of(n);
      const band = { lower: of(view.estimator, 'lower'), upper: of(view.estimator, 'upper') };
      const main = { label: model, colour, dash: palette().dash(n), width: 2.25 };
      const light = { label: '', colour: faded(colour, 0.6), width: 1.25 };
      return [
        { ...light, values: of('naive', 'value'), dash: [6, 4] },
        { ...light, values: of('truth', 'value'), dash: [1.5, 3] },
        { ...main, values: of(view.estimator, 'value'), band },
      ];
    });
    chart.show(part.times, lines, view.marks);
    const name = metricName(metric, k);
    const newest = lines
      .filter(({ label }) => label !== '')
      .map(({ label, values }) => `${label} ${fixed(values.at(-1), 3)}`);
    chart.describe(`${name} by ${view.estimator} over time; newest: ${newest.join(', ')}`);
  };
}

/** Gini or top share of interactions and of what each model showed. */
export function concentrationOverTime(
  host: HTMLElement,
  value: 'gini' | 'topShare',
): (view: View) => void {
  const formatY = value === 'gini' ? (y: number) => fixed(y, 3) : (y: number) => percent(y, 1);
  const chart = new Chart(host, { x: 'time', formatY });
  return (view) => {
    const part = shownPart(view, view.tables.popularity);
    const colours = palette();
    const interactions = part.column({ stream: 'interactions', model: null }, value);
    const lines: Line[] = shownModels(view).map((model) => {
      const n = colourOf(view, model);
      const values = part.column({ stream: 'exposures', model }, value);
      return { label: model, colour: colours.of(n), dash: colours.dash(n), values };
    });
    lines.push({ label: 'interactions', colour: colours.ink, values: interactions, dash: [5, 3] });
    const shown = lines.filter(({ values }) => values.some((own) => own !== null));
    chart.show(part.times, shown, view.marks);
    const name = value === 'gini' ? 'Gini' : 'Share of the top 1 %';
    const newest = shown.map((line) => `${line.label} ${formatY(line.values.at(-1) ?? 0)}`);
    chart.describe(`${name} over time; newest: ${newest.join(', ')}`);
  };
}

/** γ that is used, with its error, and the fit of each model. */
export function gammaOverTime(host: HTMLElement): (view: View) => void {
  const chart = new Chart(host, { x: 'time', formatY: (y) => fixed(y, 2) });
  return (view) => {
    const part = shownPart(view, view.tables.propensity);
    const { fit, gamma, fits } = view.tick.propensity;
    const colours = palette();
    const models = shownModels(view).filter((model) => fits[model]?.status === 'ok');
    const lines: Line[] = models.map((model) => {
      const n = colourOf(view, model);
      const colour = faded(colours.of(n), 0.75);
      return { label: model, colour, values: part.column({ model, fit }, 'gamma'), width: 1.25 };
    });
    const used = part.column({ model: '*', fit: 'used' }, 'gamma');
    const error = part.column({ model: '*', fit: 'used' }, 'stdErr');
    const edge = (side: number) =>
      used.map((own, t) => (own === null ? null : own + side * 1.96 * (error[t] ?? 0)));
    const band = { lower: edge(-1), upper: edge(1) };
    lines.push({ label: 'used', colour: colours.ink, values: used, width: 2.5, band });
    chart.show(part.times, lines, view.marks);
    chart.describe(`γ over time; used now: ${fixed(gamma, 3)}`);
  };
}

/** Effective users of the chosen estimator, with the size below which nothing should be decided. */
export function sampleSizesOverTime(host: HTMLElement): (view: View) => void {
  const chart = new Chart(host, { x: 'time', formatY: whole, includes: [0] });
  return (view) => {
    const part = shownPart(view, view.tables.samples);
    const colours = palette();
    const { window } = view.tick.chosen;
    const lines: Line[] = shownModels(view).map((model) => {
      const n = colourOf(view, model);
      const values = part.column({ model, estimator: view.estimator, window }, 'users');
      return { label: model, colour: colours.of(n), dash: colours.dash(n), values };
    });
    const floor = part.times.map(() => 30);
    lines.push({
      label: 'too few',
      colour: colours.warn,
      values: floor,
      dash: [3, 3],
      width: 1.25,
    });
    chart.show(part.times, lines, view.marks);
    const newest = lines.map(({ label, values }) => `${label} ${whole(values.at(-1))}`);
    chart.describe(`Effective users over time; newest: ${newest.join(', ')}`);
  };
}

/** Records that are not read yet, by topic. */
export function lagOverTime(host: HTMLElement): (view: View) => void {
  const chart = new Chart(host, { x: 'time', formatY: whole, includes: [0], height: 160 });
  return (view) => {
    const part = shownPart(view, view.tables.quality);
    const colours = palette();
    const topics = view.tick.quality.topics.map(({ topic }) => topic);
    const lines = topics.map((topic, n): Line => {
      const label = topic.split('.').at(-1) ?? topic;
      return { label, colour: colours.of(n), values: part.column({ topic }, 'lag') };
    });
    chart.show(part.times, lines, view.marks);
    chart.describe(`Records not read yet over time, by topic`);
  };
}
