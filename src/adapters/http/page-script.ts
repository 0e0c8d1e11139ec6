/**
 * The page's script, as it is sent. It asks the API every two seconds and builds the tables anew
 * when the pane has changed. Text goes in as text nodes only: a model's name can be anything.
 */
export const PAGE_SCRIPT = `'use strict';
(() => {
  const POLL_MS = 2000;
  const TIMEOUT_MS = 5000;
  const LOW_ESS = 30;
  const AGGREGATIONS = [['user', 'Mean over users'], ['pooled', 'Over all events']];
  const SOURCES = {
    fixed: 'fixed by configuration',
    fit: 'fitted to this pane',
    last_good: 'last good fit',
    default: 'default: no good fit yet',
  };
  const STATUSES = {
    ok: '✓ ok',
    too_few_levels: '– too few levels',
    poor_fit: '✕ poor fit',
    stale: '– stale',
  };
  const byId = (id) => document.getElementById(id);
  const known = new Map();
  let panels = 0;
  let shownPane;
  let receivedAt;

  const finite = (x) => typeof x === 'number' && Number.isFinite(x);
  const fixed = (x, digits = 4) => (finite(x) ? x.toFixed(digits) : '–');
  const whole = (x) => (finite(x) ? Math.round(x).toLocaleString('en') : '–');
  const percent = (x) => (finite(x) ? (100 * x).toFixed(1) + ' %' : '–');
  const signed = (x) => (x < 0 ? '−' : '+') + Math.abs(x).toFixed(4);
  const clock = (ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ') + ' UTC';

  function make(tag, className, ...children) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }

  function head(text, scope, className, span) {
    const cell = make('th', className, text);
    cell.scope = scope;
    if (span) cell.colSpan = span;
    return cell;
  }

  const cut = (row) => row.metric + (row.k === null ? '' : '@' + row.k);
  const key = (...parts) => JSON.stringify(parts);

  /** How an estimate stands to naive: an arrow and a sign, boxed where naive is outside its interval. */
  function difference(row, naive) {
    if (!naive || row === naive || !finite(row.value) || !finite(naive.value)) return null;
    const gap = row.value - naive.value;
    if (Math.abs(gap) < 5e-5) return make('small', '', '= naive');
    const up = gap > 0;
    const far = finite(row.lower) && (naive.value < row.lower || naive.value > row.upper);
    return make('small', (up ? 'up' : 'down') + (far ? ' far' : ''), (up ? '▲ ' : '▼ ') + signed(gap));
  }

  function estimateCell(row, naive, nearest) {
    if (!row) return make('td', '', '–');
    const value = make('span', nearest ? 'nearest' : '', fixed(row.value));
    if (nearest) value.title = 'nearest to the true value';
    return make('td', '', value, make('small', '', '± ' + fixed(row.stdErr)), difference(row, naive));
  }

  /** The estimate that is nearest to the truth, where there is a truth. */
  function nearestTo(truth, rows) {
    if (truth === undefined) return undefined;
    return rows
      .filter((row) => row && finite(row.value))
      .sort((a, b) => Math.abs(a.value - truth) - Math.abs(b.value - truth))[0];
  }

  function windowTable(view, truths) {
    const estimators = [...new Set(view.results.map((row) => row.estimator))];
    const rows = new Map(view.results.map((row) => [key(row.model, cut(row), row.estimator, row.aggregation), row]));
    const width = estimators.length + (truths ? 1 : 0);
    const groups = make('tr', '', head('', 'col'));
    const names = make('tr', '', head('metric', 'col'));
    for (const [, title] of AGGREGATIONS) {
      groups.append(head(title, 'colgroup', 'group', width));
      estimators.forEach((name, index) => names.append(head(name, 'col', index === 0 ? 'group' : '')));
      if (truths) names.append(head('true', 'col'));
    }
    const table = make('table', '', make('thead', '', groups, names));
    for (const model of view.models) table.append(modelRows(view, model, { estimators, rows, truths }));
    return table;
  }

  function modelRows(view, model, { estimators, rows, truths }) {
    const body = make('tbody');
    const facts = whole(model.users) + ' users, ' + whole(model.events) + ' events, '
      + whole(model.unranked) + ' without a list, ' + percent(model.singletonUserRatio) + ' of users with one event';
    const span = 1 + AGGREGATIONS.length * (estimators.length + (truths ? 1 : 0));
    const label = make('span', 'label', model.model, make('small', '', facts));
    body.append(make('tr', 'model', head(label, 'rowgroup', '', span)));
    const metrics = [...new Set(view.results.filter((row) => row.model === model.model).map(cut))];
    for (const metric of metrics) {
      const line = make('tr', '', head(metric, 'row'));
      for (const [aggregation] of AGGREGATIONS) {
        const found = estimators.map((name) => rows.get(key(model.model, metric, name, aggregation)));
        const truth = truths?.get(key(model.model, metric, aggregation));
        const nearest = nearestTo(truth, found);
        const naive = rows.get(key(model.model, metric, 'naive', aggregation));
        found.forEach((row, index) => {
          const cell = estimateCell(row, naive, row !== undefined && row === nearest);
          if (index === 0) cell.classList.add('group');
          line.append(cell);
        });
        if (truths) line.append(make('td', 'true', fixed(truth)));
      }
      body.append(line);
    }
    body.append(sizeRow(view, model.model, estimators, truths));
    return body;
  }

  function sizeRow(view, model, estimators, truths) {
    const line = make('tr', 'size', head('effective users', 'row'));
    for (const [aggregation] of AGGREGATIONS) {
      estimators.forEach((name, index) => {
        const sizes = view.results
          .filter((row) => row.model === model && row.estimator === name && row.aggregation === aggregation)
          .map((row) => row.ess)
          .filter(finite);
        const least = sizes.length === 0 ? NaN : Math.min(...sizes);
        const cell = make('td', index === 0 ? 'group' : '', fixed(least, 1));
        if (least < LOW_ESS) cell.append(' ', make('span', 'low', 'low'));
        line.append(cell);
      });
      if (truths) line.append(make('td', 'true'));
    }
    return line;
  }

  /** A titled box that keeps its place and its scroll position when its table is replaced. */
  function panel(parent, id, title, note, table) {
    let found = known.get(id);
    if (!found) {
      const heading = make('h2');
      heading.id = 'panel-' + panels++;
      const box = make('div', 'box');
      box.tabIndex = 0;
      box.setAttribute('role', 'region');
      box.setAttribute('aria-labelledby', heading.id);
      const text = make('p');
      const section = make('section', '', make('header', '', heading, text), box);
      found = { section, heading, text, box };
      known.set(id, found);
      parent.append(section);
    }
    found.heading.textContent = title;
    found.text.textContent = note;
    const left = found.box.scrollLeft;
    found.box.replaceChildren(table);
    found.box.scrollLeft = left;
    return id;
  }

  function listTable(titles, lines) {
    const table = make('table', '', make('thead', '', make('tr', '', ...titles.map((title) => head(title, 'col')))));
    const body = make('tbody');
    for (const [name, ...cells] of lines) {
      body.append(make('tr', '', head(name, 'row'), ...cells.map((cell) => make('td', '', cell))));
    }
    table.append(body);
    return table;
  }

  function fitTable(fits) {
    return listTable(['model', 'γ (OLS)', '±', 'R²', 'levels', 'unexposed', 'status'],
      Object.entries(fits).map(([model, fit]) => [
        model === '*' ? 'all models' : model, fixed(fit.ols.gamma, 3), fixed(fit.ols.stdErr, 3), fixed(fit.ols.r2, 3),
        whole(fit.levels), whole(fit.zeroLevels), STATUSES[fit.status] ?? fit.status]));
  }

  function popularityTable(popularity) {
    const line = (name, c) => (c.total === 0
      ? [name, '–', '–', '–', '–', '0']
      : [name, fixed(c.gini, 3), percent(c.coverage), percent(c.topShare), fixed(c.averagePopularity, 1), whole(c.total)]);
    return listTable(['counts of', 'Gini', 'coverage', 'top 1 %', 'mean popularity', 'total'], [
      line('interactions', popularity.interactions),
      ...Object.entries(popularity.exposures).map(([model, c]) => line('shown by ' + model, c)),
    ]);
  }

  function showSummary({ paneEnd, propensity, popularity, catalogueSize, models }) {
    const fact = (name, value, note) => make('div', '', make('dt', '', name), make('dd', '', value, make('small', '', note)));
    const exposed = Object.values(popularity.exposures).filter((c) => c.total > 0).map((c) => c.gini).filter(finite);
    byId('summary').replaceChildren(
      fact('Event time reached', clock(paneEnd).slice(11), clock(paneEnd).slice(0, 10)),
      fact('γ used', fixed(propensity.gamma, 3), (SOURCES[propensity.source] ?? propensity.source) + ', β = ' + fixed(propensity.beta, 3)),
      fact('Gini of interactions', fixed(popularity.interactions.gini, 3),
        exposed.length ? 'shown lists ' + fixed(Math.min(...exposed), 3) + ' to ' + fixed(Math.max(...exposed), 3) : 'no lists shown yet'),
      fact('Catalogue', whole(catalogueSize), 'items'),
      fact('Models', whole(models.length), whole(popularity.interactions.total) + ' interactions in the horizon'),
    );
    byId('summary').hidden = false;
  }

  function show(snapshot) {
    byId('waiting').hidden = true;
    byId('legend').hidden = false;
    byId('legend-truth').hidden = snapshot.truth === undefined;
    const truths = snapshot.truth && new Map(snapshot.truth.map((row) => [key(row.model, cut(row), row.aggregation), row.value]));
    showSummary(snapshot);
    const current = new Set(snapshot.windows.map((view) => {
      const { counts } = view;
      const note = clock(view.from) + ' to ' + clock(view.to) + ' · ' + whole(counts.interactions) + ' pairs, '
        + whole(counts.positives) + ' positive · ' + whole(counts.users) + ' users · ' + whole(counts.items) + ' items';
      return panel(byId('windows'), 'window ' + view.name, 'Last ' + view.name, note, windowTable(view, truths));
    }));
    current.add(panel(byId('below'), 'fits', 'Presentation bias γ', 'fit of exposure to popularity', fitTable(snapshot.propensity.fits)));
    current.add(panel(byId('below'), 'popularity', 'Concentration', 'over the popularity horizon', popularityTable(snapshot.popularity)));
    for (const [id, { section }] of known) {
      if (!current.has(id)) { section.remove(); known.delete(id); }
    }
  }

  function say(state, text) {
    const status = byId('status');
    status.dataset.state = state;
    // A live region that is rewritten with the same words would be read out again.
    if (status.textContent !== text) status.textContent = text;
  }

  async function refresh() {
    try {
      const response = await fetch('/api/v1/estimates', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (response.status === 404) {
        byId('waiting').hidden = shownPane !== undefined;
        say('waiting', 'Connected, no estimates yet');
        return;
      }
      if (!response.ok) throw new Error('the service answered ' + response.status);
      const text = await response.text();
      if (text !== shownPane) {
        show(JSON.parse(text));
        shownPane = text;
      }
      receivedAt = new Date();
      say('live', 'Live');
    } catch (error) {
      const since = receivedAt ? ' The values below were received at ' + receivedAt.toLocaleTimeString() + '.' : '';
      const reason = error instanceof TypeError || error.name === 'TimeoutError' ? 'Cannot reach the service' : 'Cannot show the estimates (' + error.message + ')';
      say('lost', reason + '; trying again.' + since);
    } finally {
      setTimeout(refresh, POLL_MS);
    }
  }

  refresh();
})();
`;
