// src/errors.ts
var ERROR_CODES = {
  /** Wrong flag, wrong configuration, a metric or estimator that is refused: mend the call. */
  USAGE: { exitCode: 2 },
  /** A file or folder that cannot be read or written. */
  FILE: { exitCode: 1 },
  /** The broker cannot be reached or refuses: try again later. */
  BROKER: { exitCode: 1 },
  /** The store of checkpoints cannot be reached or refuses, or holds what cannot be used. */
  STATE: { exitCode: 1 },
  /** The port is taken or the address is not ours. */
  LISTEN: { exitCode: 1 },
  /** Event files without an event that could be evaluated. */
  EVENTS: { exitCode: 1 },
  /** More faulty events than `--max-faults` allows. */
  FAULTS: { exitCode: 3 },
  /** A set that cannot be drawn from what there is, or that is not what its manifest says. */
  SET: { exitCode: 1 },
  /** The user stopped it: what was being made was not finished. */
  INTERRUPTED: { exitCode: 1 }
};
var UnskewError = class extends Error {
  code;
  constructor(code, message, options) {
    super(message, options);
    this.name = "UnskewError";
    this.code = code;
  }
  get exitCode() {
    return ERROR_CODES[this.code].exitCode;
  }
};

// src/propensity/power-law.ts
function propensityExponent(gamma) {
  return (gamma + 1) / 2;
}
function unnormalizedPropensity(count, beta) {
  return count ** beta;
}
function importanceWeight(beta, { cold, smoothing }) {
  const isDropped = cold === "drop" || smoothing === 0;
  const coldWeight = isDropped ? 0 : unnormalizedPropensity(smoothing, -beta);
  return perLevel((n) => n > 0 ? unnormalizedPropensity(n, -beta) : coldWeight);
}
function importanceWeightSlope(beta, items) {
  const weightOf = importanceWeight(beta, items);
  return perLevel((n) => {
    const weight = weightOf(n);
    return weight === 0 ? 0 : -0.5 * weight * Math.log(n > 0 ? n : items.smoothing);
  });
}
function perLevel(of) {
  const known = new Float64Array(SMALL_COUNT).fill(Number.NaN);
  return (count) => {
    if (!(count < SMALL_COUNT) || Math.trunc(count) !== count) return of(count);
    const value = known[count];
    if (!Number.isNaN(value)) return value;
    known[count] = of(count);
    return known[count];
  };
}
var SMALL_COUNT = 4096;

// src/estimators/diagnostics/quantile-groups.ts
function quantileGroups(counts, groups) {
  const sorted = counts.slice().sort();
  const known = /* @__PURE__ */ new Map();
  for (let r = 0; r < sorted.length; r++) {
    if (!known.has(sorted[r])) known.set(sorted[r], Math.floor(groups * r / sorted.length));
  }
  return (count) => known.get(count) ?? 0;
}

// src/estimators/diagnostics/control-variate.ts
var DECILES = 10;
var ACTIVITY_GROUPS = 3;
function* controlVariates({ organic, randomized }, { popularity, items }, weight, sliceRows) {
  const decileOf = quantileGroups(popularity.subarray(0, items), DECILES);
  yield;
  const activity = groupsOfUsers(organic);
  const sums = Array.from({ length: (ACTIVITY_GROUPS + 1) * DECILES }, () => new CellSums());
  for (const [traffic, parts] of [organic, randomized].entries()) {
    let seen = 0;
    for (const part of parts) {
      const { positive, item, userStart } = part;
      for (let s = 0; s < part.users; s++) {
        const group = activity(part, s);
        for (let r = userStart[s]; r < userStart[s + 1]; r++) {
          const w = weight[item[r]];
          if (positive[r] === 0 || w === 0) continue;
          const decile = decileOf(popularity[item[r]]);
          for (const own of [sums[decile], sums[(group + 1) * DECILES + decile]]) {
            own.add(traffic === 0, w);
          }
        }
        seen += userStart[s + 1] - userStart[s];
        if (seen >= sliceRows) {
          yield;
          seen = 0;
        }
      }
    }
  }
  return Array.from(
    { length: ACTIVITY_GROUPS + 1 },
    (_, g) => compared(sums.slice(g * DECILES, (g + 1) * DECILES), g === 0 ? null : g - 1)
  ).flat();
}
var CellSums = class {
  organic = 0;
  weight = 0;
  squares = 0;
  randomized = 0;
  add(isOrganic2, weight) {
    if (!isOrganic2) {
      this.randomized++;
      return;
    }
    this.organic++;
    this.weight += weight;
    this.squares += weight * weight;
  }
};
function compared(cells, userGroup) {
  const total = (of) => cells.reduce((sum, cell) => sum + of(cell), 0);
  const weight = total((cell) => cell.weight);
  const squares = total((cell) => cell.squares);
  const randomized = total((cell) => cell.randomized);
  const effective = weight ** 2 / squares;
  return cells.flatMap((cell, decile) => {
    if (cell.organic + cell.randomized === 0) return [];
    const s = cell.weight / weight;
    const r = cell.randomized / randomized;
    const organicVariance = ((1 - s) ** 2 * cell.squares + s * s * (squares - cell.squares)) / weight ** 2;
    const p = (effective * s + randomized * r) / (effective + randomized);
    return [
      {
        ...{ userGroup, decile, organic: cell.organic, randomized: cell.randomized },
        ...{ weightShare: s, randomizedShare: r },
        z: (s - r) / Math.sqrt(organicVariance + p * (1 - p) / randomized)
      }
    ];
  });
}
function groupsOfUsers(parts) {
  const counts = [];
  for (const { users, userStart, userCount } of parts) {
    for (let s = 0; s < users; s++) if (userStart[s + 1] > userStart[s]) counts.push(userCount[s]);
  }
  const groupOf = quantileGroups(Float64Array.from(counts), ACTIVITY_GROUPS);
  return ({ userCount }, s) => groupOf(userCount[s]);
}

// src/estimators/diagnostics/randomized-traffic.ts
function* randomizedTraffic(parts, rows, counts, sliceRows) {
  let interactions = 0;
  for (let i = 0; i < counts.items; i++) interactions += counts.randomized[i];
  let users = 0;
  let itemsShown = 0;
  for (const part of parts) {
    users += part.randomizedUsers;
    itemsShown += part.randomizedItems;
  }
  let positives = 0;
  let usersWithPositive = 0;
  let work = 0;
  for (const { userStart, positive, ...part } of rows) {
    for (let s = 0; s < part.users; s++) {
      let own = 0;
      for (let r = userStart[s]; r < userStart[s + 1]; r++) own += positive[r];
      positives += own;
      if (own > 0) usersWithPositive++;
      work += userStart[s + 1] - userStart[s];
      if (work >= sliceRows) {
        yield;
        work = 0;
      }
    }
  }
  users = Math.max(users, usersWithPositive);
  const withoutPositive = (users - usersWithPositive) / users;
  return { interactions, users, itemsShown, positives, usersWithPositive, withoutPositive };
}

// src/estimators/diagnostics/ranking-agreement.ts
var TIE = 1e-12;
function order(a, b) {
  return Math.abs(a - b) <= TIE * Math.max(Math.abs(a), Math.abs(b)) ? 0 : Math.sign(a - b);
}
function kendallTau(a, b) {
  let balance = 0;
  let untiedA = 0;
  let untiedB = 0;
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < i; j++) {
      const signA = order(a[i], a[j]);
      const signB = order(b[i], b[j]);
      balance += signA * signB;
      untiedA += signA * signA;
      untiedB += signB * signB;
    }
  }
  return balance / Math.sqrt(untiedA * untiedB);
}
function rankingAgreements(results) {
  const groups = /* @__PURE__ */ new Map();
  for (const row of results) {
    const key = `${row.metric} ${row.k} ${row.aggregation}`;
    const group = groups.get(key);
    if (group === void 0) groups.set(key, [row]);
    else group.push(row);
  }
  return [...groups.values()].flatMap(agreementsOf);
}
function agreementsOf(rows) {
  const { metric, k, aggregation } = rows[0];
  const models = [...new Set(rows.map(({ model }) => model))];
  const place = new Map(models.map((model, m) => [model, m]));
  const columns = /* @__PURE__ */ new Map();
  for (const { estimator, model, value } of rows) {
    let column = columns.get(estimator);
    if (column === void 0) {
      column = models.map(() => Number.NaN);
      columns.set(estimator, column);
    }
    column[place.get(model)] = value;
  }
  const found = [];
  const estimators = [...columns];
  for (const [e, [first, a]] of estimators.entries()) {
    for (const [second, b] of estimators.slice(e + 1)) {
      const shared = [...a.keys()].filter((m) => !Number.isNaN(a[m]) && !Number.isNaN(b[m]));
      if (shared.length < 2) continue;
      const tau = kendallTau(
        shared.map((m) => a[m]),
        shared.map((m) => b[m])
      );
      const pairs = flips(shared, a, b).map(
        ([one, other]) => [models[one], models[other]]
      );
      found.push({ metric, k, aggregation, estimators: [first, second], tau, flips: pairs });
    }
  }
  return found;
}
function flips(models, a, b) {
  const found = [];
  for (const one of models) {
    for (const other of models)
      if (order(a[one], a[other]) > 0 && order(b[one], b[other]) < 0) found.push([one, other]);
  }
  return found;
}

// src/estimators/diagnostics/single-count-share.ts
function* singleCountShare(parts, { popularity }, weight, sliceRows) {
  let once = 0;
  let total = 0;
  for (const { rows, item, positive } of parts) {
    for (let from = 0; from < rows; from += sliceRows) {
      const to = Math.min(rows, from + sliceRows);
      for (let r = from; r < to; r++) {
        const own = positive[r] * weight[item[r]];
        total += own;
        if (popularity[item[r]] === 1) once += own;
      }
      yield;
    }
  }
  return once / total;
}

// src/estimators/diagnostics/weight-distribution.ts
function* weightDistribution(parts, weight, sliceRows) {
  const rowsOf2 = new Float64Array(weight.length);
  for (const { rows: rows2, item, positive } of parts) {
    for (let from = 0; from < rows2; from += sliceRows) {
      const to = Math.min(rows2, from + sliceRows);
      for (let r = from; r < to; r++) rowsOf2[item[r]] += positive[r];
      yield;
    }
  }
  let rows = 0;
  let total = 0;
  for (let i = 0; i < weight.length; i++) {
    if (weight[i] > 0) rows += rowsOf2[i];
    total += rowsOf2[i] * weight[i];
  }
  yield;
  const bins = new Bins();
  for (let from = 0; from < weight.length; from += sliceRows) {
    const to = Math.min(weight.length, from + sliceRows);
    for (let i = from; i < to; i++) {
      if (rowsOf2[i] === 0 || !(weight[i] > 0)) continue;
      bins.add(weight[i] * rows / total, rowsOf2[i], rowsOf2[i] * weight[i]);
    }
    yield;
  }
  return bins.filled(total);
}
var LEAST_EXPONENT = -1074;
var EXPONENTS = 2098;
var EDGE = 1 + 1e-9;
var Bins = class {
  #rows = new Float64Array(EXPONENTS);
  #sum = new Float64Array(EXPONENTS);
  add(ratio2, rows, sum) {
    const exponent = Math.floor(Math.log2(ratio2 * EDGE));
    this.#rows[exponent - LEAST_EXPONENT] += rows;
    this.#sum[exponent - LEAST_EXPONENT] += sum;
  }
  filled(total) {
    const bins = [];
    this.#rows.forEach((rows, b) => {
      if (rows === 0) return;
      bins.push({ from: 2 ** (b + LEAST_EXPONENT), rows, weightShare: this.#sum[b] / total });
    });
    return bins;
  }
};

// src/sampling/bottom-k.ts
var BottomK = class {
  k;
  /** A heap with the largest key on top. */
  #heap = [];
  /** @throws RangeError for a k that is no whole number of at least 0. */
  constructor(k) {
    if (!Number.isSafeInteger(k) || k < 0) throw new RangeError(`k is ${k}`);
    this.k = k;
  }
  add(key, idHigh, idLow) {
    if (!(key < Number.POSITIVE_INFINITY)) return;
    this.#take({ key, idHigh, idLow });
  }
  /** Takes in what another part drew, with the same seed and weights. */
  merge(other) {
    for (const row of other.#heap) this.#take(row);
  }
  /** The sample in ascending order of key. */
  rows() {
    return [...this.#heap].sort(compare);
  }
  #take(row) {
    const heap = this.#heap;
    if (heap.length < this.k) {
      heap.push(row);
      this.#rise(heap.length - 1);
    } else if (heap.length > 0 && compare(row, heap[0]) < 0) {
      heap[0] = row;
      this.#sink();
    }
  }
  #rise(from) {
    const heap = this.#heap;
    const row = heap[from];
    let at = from;
    while (at > 0) {
      const parent = at - 1 >> 1;
      if (compare(heap[parent], row) >= 0) break;
      heap[at] = heap[parent];
      at = parent;
    }
    heap[at] = row;
  }
  #sink() {
    const heap = this.#heap;
    const row = heap[0];
    let at = 0;
    for (; ; ) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && compare(heap[child + 1], heap[child]) > 0) child++;
      if (compare(heap[child], row) <= 0) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = row;
  }
};
function compare(a, b) {
  return a.key - b.key || a.idHigh - b.idHigh || a.idLow - b.idLow;
}

// src/sampling/sampling-key.ts
function hash53(seed, idHigh, idLow) {
  const seedHigh = Math.floor(seed / 4294967296);
  const first = mixed(mixed(mixed(mixed(seed ^ 1013904242) ^ seedHigh) ^ idHigh) ^ idLow);
  const second = mixed(mixed(mixed(mixed(seed ^ 461845907) ^ idLow) ^ seedHigh) ^ idHigh);
  return (first >>> 5) * 67108864 + (second >>> 6);
}
function samplingKey(seed, idHigh, idLow, weight) {
  if (weight === 0) return Number.POSITIVE_INFINITY;
  return -Math.log((hash53(seed, idHigh, idLow) + 0.5) / 9007199254740992) / weight;
}
function mixed(word) {
  let hash = word + 2127912214 | 0;
  hash = Math.imul(hash ^ hash >>> 16, 2246822507);
  hash = Math.imul(hash ^ hash >>> 13, 3266489909);
  return hash ^ hash >>> 16;
}

// src/mathematics/incomplete-beta.ts
function incompleteBeta(x, y, a, b) {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  const logFront = a * Math.log(x) + b * Math.log(y) + logGamma(a + b) - logGamma(a) - logGamma(b);
  if (x < (a + 1) / (a + b + 2)) return Math.exp(logFront) * betaFraction(x, a, b) / a;
  return 1 - Math.exp(logFront) * betaFraction(y, b, a) / b;
}
function betaFraction(x, a, b) {
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / keepAway(1 - (a + b) * x / (a + 1), tiny);
  let fraction = d;
  for (let m = 1; m < 2e4; m++) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / keepAway(1 + even * d, tiny);
    c = keepAway(1 + even / c, tiny);
    fraction *= d * c;
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / keepAway(1 + odd * d, tiny);
    c = keepAway(1 + odd / c, tiny);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return fraction;
}
function keepAway(value, tiny) {
  return Math.abs(value) < tiny ? tiny : value;
}
var OF_HALVES = new Float64Array(2048).fill(Number.NaN);
function logGamma(x) {
  const halves = 2 * x;
  const isKept = halves > 0 && halves < OF_HALVES.length && halves === Math.floor(halves);
  if (!isKept) return stirling(x);
  if (Number.isNaN(OF_HALVES[halves])) OF_HALVES[halves] = stirling(x);
  return OF_HALVES[halves];
}
function stirling(x) {
  let shift = 0;
  let z = x;
  while (z < 10) {
    shift += Math.log(z);
    z += 1;
  }
  const r = 1 / (z * z);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * (691 / 360360)))))) / z;
  return (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + series - shift;
}

// src/mathematics/student-t.ts
function studentTQuantile(p, df) {
  if (p === 0.5) return 0;
  if (p < 0.5) return -studentTQuantile(1 - p, df);
  const tail = 2 * (1 - p);
  let low = -700;
  let high = 350;
  let logT = 0.5;
  if (studentTTail(Math.exp(high), df) > tail) return Number.POSITIVE_INFINITY;
  for (let step = 0; step < 200; step++) {
    const t = Math.exp(logT);
    const excess = studentTTail(t, df) - tail;
    if (excess > 0) low = logT;
    else high = logT;
    const next = logT + excess / (2 * t * density(t, df));
    const middle = next > low && next < high ? next : (low + high) / 2;
    if (Math.abs(middle - logT) < 1e-14) return Math.exp(middle);
    logT = middle;
  }
  return Math.exp(logT);
}
function studentTTail(t, df) {
  const x = df / (df + t * t);
  const y = t * t / (df + t * t);
  return incompleteBeta(x, Number.isNaN(y) ? 1 : y, df / 2, 0.5);
}
function density(t, df) {
  const logScale = logGamma((df + 1) / 2) - logGamma(df / 2) - Math.log(df * Math.PI) / 2;
  return Math.exp(logScale - (df + 1) / 2 * Math.log1p(t * t / df));
}

// src/estimators/uncertainty/interval.ts
function intervalFactor(ess) {
  return ess > 1 ? studentTQuantile(0.975, ess - 1) : Number.POSITIVE_INFINITY;
}
function binomialFactor(ess, factorOf) {
  return factorOf(Math.max(ess, 1.5));
}
function intervalFactors() {
  const factors = /* @__PURE__ */ new Map();
  return (ess) => {
    const factor = factors.get(ess) ?? intervalFactor(ess);
    factors.set(ess, factor);
    return factor;
  };
}
function logitInterval(value, stdErr, factor) {
  if (stdErr === 0) return [value, value];
  if (Number.isNaN(stdErr) || factor === Number.POSITIVE_INFINITY) return [0, 1];
  if (value > 1) return [Math.max(0, value - factor * stdErr), value + factor * stdErr];
  if (value <= 0 || value >= 1) {
    return [Math.max(0, value - factor * stdErr), Math.min(1, value + factor * stdErr)];
  }
  const logit = Math.log(value / (1 - value));
  const half = factor * stdErr / (value * (1 - value));
  return [
    Math.min(value, 1 / (1 + Math.exp(half - logit))),
    Math.max(value, 1 / (1 + Math.exp(-half - logit)))
  ];
}

// src/estimators/rules/full.ts
var full = {
  kind: "intervention",
  cost: 6,
  needs: {},
  weights: { user: null, item: null },
  keepsAll: true
};

// src/estimators/uncertainty/stratified-bound.ts
var ALPHA = 0.05;
var BOUND = "gs-bernstein";
var StratifiedBound = class {
  #scale;
  #rows;
  #sums;
  /** Users, and Σ_u of what their half widths are made of; Infinity where a user has no bound. */
  #users = 0;
  #root = 0;
  #linear = 0;
  constructor(scale, strata) {
    this.#scale = scale;
    this.#rows = new Float64Array(strata);
    this.#sums = new Float64Array(strata);
  }
  add(rows) {
    for (let u = 0; u < rows.users; u++) this.#addUser(rows, rows.start[u], rows.start[u + 1]);
  }
  merge(other) {
    this.#users += other.#users;
    this.#root += other.#root;
    this.#linear += other.#linear;
  }
  #addUser(selection, from, to) {
    const [rows, sums] = [this.#rows.fill(0), this.#sums.fill(0)];
    let n = 0;
    for (let i = from; i < to; i++) {
      const inverse = this.#inverseOf(selection, i);
      rows[selection.stratum[i]]++;
      sums[selection.stratum[i]] += inverse;
      n += inverse;
    }
    let squares = 0;
    let largest = 0;
    for (let v = 0; v < rows.length; v++) {
      if (rows[v] === 0) continue;
      squares += sums[v] ** 2 / rows[v];
      largest = Math.max(largest, sums[v] / rows[v]);
    }
    this.#users++;
    this.#root += n > 1 ? Math.sqrt(2 * squares / (n * (n - 1))) : Number.POSITIVE_INFINITY;
    this.#linear += n > 1 ? 7 * largest / (3 * (n - 1)) : Number.POSITIVE_INFINITY;
  }
  #inverseOf({ item, row, part }, i) {
    const { inverse } = this.#scale;
    if (inverse !== null) return inverse[item[i]];
    const logged = part.propensity?.[row[i]] ?? 0;
    return logged > 0 ? 1 / logged : 0;
  }
  /** The user form has the bound. */
  extras({ aggregation, value }) {
    if (aggregation !== "user") return {};
    const log = Math.log(4 * this.#users / ALPHA);
    const half = (Math.sqrt(log) * this.#root + log * this.#linear) / this.#users;
    const bound = {
      name: BOUND,
      lower: Math.max(0, value - half),
      upper: Math.min(1, value + half)
    };
    return { guarantees: [bound] };
  }
};

// src/estimators/rules/gs.ts
function gsRule(strata) {
  const rows = new Float64Array(strata);
  const sums = new Float64Array(strata);
  const slopes = new Float64Array(strata);
  return {
    dependsOnGamma: true,
    squaresUserRows: true,
    weigh(selection, out) {
      const { start, users, weight, weightSlope, stratum, gainful } = selection;
      const { mean, meanSlope } = selection.strata;
      let slopeTotal = 0;
      let squares = 0;
      for (let u = 0; u < users; u++) {
        const from = start[u];
        const to = start[u + 1];
        let total = 0;
        let slope = 0;
        for (let i = from; i < to; i++) {
          rows[stratum[i]]++;
          sums[stratum[i]] += weight[i];
          slopes[stratum[i]] += weightSlope[i];
          total += weight[i];
          slope += weightSlope[i];
        }
        out.userDenominator.values[u] = total > 0 ? 1 : 0;
        const scale = total > 0 ? 1 / total : 0;
        for (let i = from; i < to; i++) {
          const v = stratum[i];
          out.pooled[i] = mean[v];
          slopeTotal += meanSlope[v];
          if (gainful[i] === 0) continue;
          out.user[i] = sums[v] / rows[v] * scale;
          out.userSlope[i] = (slopes[v] - sums[v] * slope * scale) / rows[v] * scale;
          out.pooledSlope[i] = meanSlope[v];
        }
        let own = 0;
        for (let i = from; i < to; i++) {
          const v = stratum[i];
          if (rows[v] === 0) continue;
          own += sums[v] * sums[v] / rows[v];
          rows[v] = 0;
          sums[v] = 0;
          slopes[v] = 0;
        }
        squares += own * scale * scale;
      }
      out.pooledSlopeTotal = slopeTotal;
      out.squaredUserRows = squares;
    }
  };
}
var gs = {
  kind: "weighted",
  isDefault: true,
  cost: 4,
  needs: { itemWeights: true, strata: true, scaleFor: BOUND },
  rule({ scale, options: { strata, guarantees: guarantees2 } }) {
    const rule = gsRule(strata);
    if (scale === null || !guarantees2.includes(BOUND)) return rule;
    return { ...rule, ownSums: () => new StratifiedBound(scale, strata) };
  }
};

// src/estimators/uncertainty/ips-bound.ts
var ALPHA2 = 0.05;
function ipsHalfWidth(users, items, gains, largestInverse) {
  if (!(largestInverse > 1)) return 0;
  const squares = gains.reduce((sum, gain) => sum + gain * gain, 0);
  return Math.sqrt(Math.log(2 / ALPHA2) / 2 * users * squares) * largestInverse / (users * items);
}
var BOUND2 = "ips-hoeffding";
function ipsBound({ inverse }, { guarantees: guarantees2, catalogueSize }) {
  if (!guarantees2.includes(BOUND2) || inverse === null) return () => ({});
  const largest = inverse.reduce((a, b) => Math.max(a, b), 0);
  return ({ users, value }, { table, set }) => {
    if (table === null || set !== null) return {};
    const half = ipsHalfWidth(users, catalogueSize, table, largest);
    const bound = { name: BOUND2, lower: Math.max(0, value - half), upper: value + half };
    return { guarantees: [bound] };
  };
}

// src/estimators/rules/ips.ts
function ipsRule({ inverse, slope }, catalogueSize) {
  return {
    dependsOnGamma: slope !== null,
    denominator: catalogueSize,
    weigh({ rows, users, row, item, part }, out) {
      out.user.fill(0, 0, rows);
      out.userSlope.fill(0, 0, rows);
      out.userDenominator.values.fill(0, 0, users);
      const logged = part.propensity;
      for (let i = 0; i < rows; i++) {
        if (inverse !== null) out.pooled[i] = inverse[item[i]];
        else out.pooled[i] = logged !== void 0 && logged[row[i]] > 0 ? 1 / logged[row[i]] : 0;
        if (slope !== null) out.pooledSlope[i] = slope[item[i]];
      }
      out.pooledSlopeTotal = 0;
    }
  };
}
var ips = {
  kind: "weighted",
  cost: 3,
  needs: {
    scale: "needs absolute propensities: none are logged, no randomised traffic or list of the window tells them, and no item has a count"
  },
  without: {
    user: "divides by the number of items that are relevant to a user, which implicit feedback does not tell; with the estimate \u03A3 1/P of it, it is snips"
  },
  rule({ scale, options }) {
    const bound = ipsBound(scale, options);
    const from = { scale: scale.report.scale };
    return {
      ...ipsRule(scale, options.catalogueSize),
      extras: (result, measured) => ({ ...bound(result, measured), ...from })
    };
  }
};

// src/estimators/rules/naive.ts
function naiveRule() {
  return {
    sets: "rows",
    weigh(selection, out) {
      const { start, users } = selection;
      for (let u = 0; u < users; u++) {
        const coefficient = 1 / (start[u + 1] - start[u]);
        for (let i = start[u]; i < start[u + 1]; i++) out.user[i] = coefficient;
      }
      out.userDenominator.values.fill(1, 0, users);
      out.pooled.fill(1, 0, selection.rows);
    }
  };
}
var naive = {
  kind: "observed",
  isDefault: true,
  cost: 2,
  needs: {},
  rule: naiveRule
};

// src/estimators/rules/reg.ts
var reg = {
  kind: "intervention",
  cost: 6,
  needs: {},
  weights: { user: null, item: null }
};

// src/sampling/intervention-weights.ts
function interventionWeight(count, smoothing, exponent) {
  const smoothed = count + smoothing;
  return smoothed > 0 ? smoothed ** -exponent : 0;
}
function targetedWeight(target, count, smoothing, exponent) {
  return (target + smoothing) ** exponent * interventionWeight(count, smoothing, exponent);
}

// src/estimators/rules/skew.ts
var skew = {
  kind: "intervention",
  isDefault: true,
  cost: 6,
  needs: {},
  weights: {
    user: null,
    item: (n, _, smoothing) => interventionWeight(n, smoothing, 1)
  }
};

// src/estimators/uncertainty/effective-sample-size.ts
function effectiveSampleSize(sum, sumOfSquares) {
  return sumOfSquares > 0 ? sum * sum / sumOfSquares : 0;
}

// src/estimators/uncertainty/user-form-sums.ts
var BINS_PER_DOUBLING = 64;
var BINS = 14 * BINS_PER_DOUBLING + 1;
var UserFormSums = class {
  /** Σ_u R_u without the correction, by metric. */
  #numerators;
  #users = new Float64Array(BINS);
  constructor(metrics) {
    this.#numerators = new Float64Array(metrics);
  }
  add(rows, { pooled, pooledDenominator, pooledSquares }, measured) {
    for (let u = 0; u < rows.users; u++) {
      const size = effectiveSampleSize(pooledDenominator.values[u], pooledSquares[u]);
      if (size > 0) this.#users[binOf(size)]++;
    }
    measured.forEach(({ hits: { row, user, gain, size }, set }, m) => {
      if (set !== null) return;
      for (let h = 0; h < size; h++) {
        this.#numerators[m] += pooled[row[h]] * gain[h] / pooledDenominator.values[user[h]];
      }
    });
  }
  merge(other) {
    for (let m = 0; m < this.#numerators.length; m++) this.#numerators[m] += other.#numerators[m];
    for (let bin = 0; bin < BINS; bin++) this.#users[bin] += other.#users[bin];
  }
  /** Of the user form. */
  extras({ aggregation, denominator }, _, m) {
    if (aggregation !== "user") return {};
    return { uncorrected: this.#numerators[m] / denominator, withinUserEss: this.#median() };
  }
  #median() {
    const half = this.#users.reduce((a, b) => a + b, 0) / 2;
    let below = 0;
    for (let bin = 0; bin < BINS; bin++) {
      below += this.#users[bin];
      if (below >= half) return 2 ** (bin / BINS_PER_DOUBLING);
    }
    return Number.NaN;
  }
};
function binOf(size) {
  return Math.min(BINS - 1, Math.max(0, Math.round(Math.log2(size) * BINS_PER_DOUBLING)));
}

// src/estimators/rules/corrected-user-form.ts
function correctedSnipsRule() {
  return {
    dependsOnGamma: true,
    ownSums: (metrics) => new UserFormSums(metrics),
    weigh(selection, out) {
      const { start, users, weight, weightSlope } = selection;
      let slopeTotal = 0;
      for (let u = 0; u < users; u++) {
        let total = 0;
        let slope = 0;
        for (let i = start[u]; i < start[u + 1]; i++) {
          out.pooled[i] = weight[i];
          total += weight[i];
          slope += weightSlope[i];
        }
        slopeTotal += slope;
        out.userDenominator.values[u] = total > 0 ? 1 : 0;
        weighUser(selection, start[u], start[u + 1], total, slope, out);
      }
      out.pooledSlopeTotal = slopeTotal;
    }
  };
}
function weighUser({ weight, weightSlope, gainful }, from, to, total, slope, out) {
  const scale = total > 0 ? 1 / total : 0;
  let squares = 0;
  let slopeOfSquares = 0;
  for (let i = from; i < to; i++) {
    const share = weight[i] * scale;
    squares += share * share;
    slopeOfSquares += 2 * share * (weightSlope[i] - share * slope) * scale;
  }
  const factor = to - from > 1 ? (to - from) / (to - from - 1) : 0;
  for (let i = from; i < to; i++) {
    if (gainful[i] === 0) continue;
    const share = weight[i] * scale;
    const ofShare = (weightSlope[i] - share * slope) * scale;
    const excess = factor * (share - squares);
    out.user[i] = share * (1 + excess);
    out.userSlope[i] = ofShare * (1 + excess) + share * factor * (ofShare - slopeOfSquares);
    out.pooledSlope[i] = weightSlope[i];
  }
}

// src/estimators/rules/snips.ts
function snipsRule() {
  return {
    dependsOnGamma: true,
    weigh(selection, out) {
      const { start, users, weight, weightSlope, gainful } = selection;
      let slopeTotal = 0;
      for (let u = 0; u < users; u++) {
        let total = 0;
        let slope = 0;
        for (let i = start[u]; i < start[u + 1]; i++) {
          total += weight[i];
          slope += weightSlope[i];
        }
        slopeTotal += slope;
        out.userDenominator.values[u] = total > 0 ? 1 : 0;
        const scale = total > 0 ? 1 / total : 0;
        for (let i = start[u]; i < start[u + 1]; i++) {
          out.pooled[i] = weight[i];
          if (gainful[i] === 0) continue;
          out.user[i] = weight[i] * scale;
          out.userSlope[i] = (weightSlope[i] - weight[i] * slope * scale) * scale;
          out.pooledSlope[i] = weightSlope[i];
        }
      }
      out.pooledSlopeTotal = slopeTotal;
    }
  };
}
var snips = {
  kind: "weighted",
  isDefault: true,
  cost: 3,
  needs: { itemWeights: true },
  rule: ({ options: { userForm } }) => userForm === "corrected" ? correctedSnipsRule() : snipsRule()
};

// src/estimators/rules/ure.ts
function ureRule() {
  return { weigh: naiveRule().weigh };
}
var ure = {
  kind: "randomised",
  cost: 3,
  needs: {
    randomized: {
      of: "positives",
      reason: "needs positive interactions from randomised traffic, and the window holds none"
    }
  },
  rule: ureRule
};

// src/estimators/rules/wtd.ts
var wtd = {
  kind: "intervention",
  cost: 10,
  needs: {
    randomized: {
      of: "interactions",
      reason: "needs randomised traffic for its targets, and the popularity horizon holds none"
    }
  },
  weights: {
    user: (n, m, smoothing) => targetedWeight(m, n, smoothing, 1),
    item: (n, m, smoothing, exponent) => targetedWeight(m, n, smoothing, exponent),
    isTargeted: true,
    hasExponent: true
  }
};

// src/estimators/rules/wtd-h.ts
var wtd_h = {
  kind: "intervention",
  isDefault: true,
  cost: 10,
  needs: {},
  weights: {
    user: (n, _, smoothing) => interventionWeight(n, smoothing, 1),
    item: (n, _, smoothing, exponent) => interventionWeight(n, smoothing, exponent),
    hasExponent: true
  }
};

// src/estimators/rules/wtd-ipf.ts
var wtd_ipf = {
  kind: "intervention",
  cost: 20,
  needs: {},
  weights: "raked"
};

// src/estimators/registry/registry.ts
var DRAWING = {
  full,
  reg,
  skew,
  wtd,
  wtd_h,
  wtd_ipf
};
var ENTRIES = {
  naive,
  ips,
  snips,
  gs,
  ...DRAWING,
  ure
};
var ESTIMATORS = Object.keys(ENTRIES);
var DEFAULT_ESTIMATORS = ESTIMATORS.filter((name) => estimatorOf(name).isDefault);
function estimatorOf(name) {
  return ENTRIES[name];
}
function interventionOf(name) {
  return DRAWING[name];
}
function isIntervention(name) {
  return Object.hasOwn(DRAWING, name);
}

// src/estimators/rows/chunks.ts
var CHUNK_ROWS = 2048;
function* chunks(parts) {
  for (const part of parts) {
    let from = 0;
    while (from < part.users) {
      let to = from + 1;
      const end = part.userStart[from] + CHUNK_ROWS;
      while (to < part.users && part.userStart[to + 1] <= end) to++;
      yield { part, from, to };
      from = to;
    }
  }
}

// src/state/panes/taken-rows.ts
function taken(from, rows) {
  const into = new from.constructor(rows.length);
  for (let at = 0; at < rows.length; at++) into[at] = from[rows[at]];
  return into;
}

// src/state/panes/row-causes.ts
var UNCAUSED = 0;
function takenCauses({ cause, served }, rows) {
  return { cause: taken(cause, rows), served: taken(served, rows) };
}

// src/state/panes/window-part.ts
var NOT_IN_LIST = 65535;
var UNRANKED = 65534;
var LIST_LENGTH_MASK = 16383;
var LIST_CANDIDATES_UNSTATED = 0;
var LIST_FULL = 16384;
var LIST_PARTIAL = 32768;
var LIST_SAMPLED_FULL = 49152;
var ORGANIC_TRAFFIC = 1;
var RANDOMIZED_TRAFFIC = 2;

// src/estimators/rows/complete-list.ts
function ranksAllCandidates(list, catalogueSize) {
  const candidates = list & LIST_SAMPLED_FULL;
  if (candidates === LIST_FULL || candidates === LIST_SAMPLED_FULL) return true;
  return candidates === LIST_CANDIDATES_UNSTATED && (list & LIST_LENGTH_MASK) >= catalogueSize;
}
var MostCandidates = class {
  most = 0;
  #catalogueSize;
  constructor(catalogueSize) {
    this.#catalogueSize = catalogueSize;
  }
  /** Takes the rows of a chunk, with the list codes of their part. */
  take({ row, rows }, lists) {
    for (let i = 0; i < rows && this.most < Number.POSITIVE_INFINITY; i++) {
      const list = lists[row[i]];
      if (!ranksAllCandidates(list, this.#catalogueSize)) this.most = Number.POSITIVE_INFINITY;
      else this.most = Math.max(this.most, list & LIST_LENGTH_MASK);
    }
  }
  /** Takes what was seen of other users. */
  merge({ most }) {
    this.most = Math.max(this.most, most);
  }
};

// src/estimators/rows/stratum-sums.ts
var StratumSums = class {
  rows;
  weight;
  slope;
  /** Once they are settled: s_v / n_v and its slope. */
  mean;
  meanSlope;
  constructor(strata) {
    this.rows = new Float64Array(strata);
    this.weight = new Float64Array(strata);
    this.slope = new Float64Array(strata);
    this.mean = new Float64Array(strata);
    this.meanSlope = new Float64Array(strata);
  }
  add(other) {
    for (let v = 0; v < this.rows.length; v++) {
      this.rows[v] += other.rows[v];
      this.weight[v] += other.weight[v];
      this.slope[v] += other.slope[v];
    }
  }
  /** Completes the means once the whole window is summed. */
  settle() {
    for (let v = 0; v < this.rows.length; v++) {
      if (this.rows[v] === 0) continue;
      this.mean[v] = this.weight[v] / this.rows[v];
      this.meanSlope[v] = this.slope[v] / this.rows[v];
    }
  }
  equals({ rows, weight, slope }) {
    for (let v = 0; v < this.rows.length; v++) {
      if (this.rows[v] !== rows[v] || this.weight[v] !== weight[v]) return false;
      if (this.slope[v] !== slope[v]) return false;
    }
    return true;
  }
};

// src/estimators/rows/selection.ts
var Selection = class {
  users = 0;
  rows = 0;
  start = new Int32Array(0);
  /** The part that the rows are of. */
  part;
  /** The user's segment of the part. */
  segment = new Int32Array(0);
  /** Row of the part. */
  row = new Int32Array(0);
  item = new Int32Array(0);
  weight = new Float64Array(0);
  weightSlope = new Float64Array(0);
  stratum = new Uint16Array(0);
  /** 1 where some model gives the row a gain: only there a coefficient matters. */
  gainful = new Uint8Array(0);
  /** Those of the whole window, if an estimator has to know them. */
  strata = new StratumSums(0);
  reserve(rows) {
    if (rows <= this.row.length) return;
    this.start = new Int32Array(rows + 1);
    this.segment = new Int32Array(rows);
    this.row = new Int32Array(rows);
    this.item = new Int32Array(rows);
    this.weight = new Float64Array(rows);
    this.weightSlope = new Float64Array(rows);
    this.stratum = new Uint16Array(rows);
    this.gainful = new Uint8Array(rows);
  }
  /** Takes the positive rows of users from .. to − 1 that are not left out. */
  takePositive(part, from, to, columns) {
    this.reserve(part.userStart[to] - part.userStart[from]);
    this.part = part;
    const { positive, item, userStart } = part;
    let rows = 0;
    let users = 0;
    for (let s = from; s < to; s++) {
      const first = rows;
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        if (positive[r] === 0) continue;
        const weight = columns.weight[item[r]];
        if (weight === 0) continue;
        this.row[rows] = r;
        this.item[rows] = item[r];
        this.weight[rows] = weight;
        this.weightSlope[rows] = columns.weightSlope[item[r]];
        this.stratum[rows] = columns.stratum[item[r]];
        rows++;
      }
      if (rows === first) continue;
      this.start[users] = first;
      this.segment[users++] = s;
    }
    this.start[users] = rows;
    this.users = users;
    this.rows = rows;
  }
  /** Marks the rows to which some model gives a rank below `limit`. */
  markGainful(ranks, limit) {
    const { gainful, row, rows } = this;
    gainful.fill(0, 0, rows);
    for (const rank of ranks) {
      for (let i = 0; i < rows; i++) gainful[i] |= rank[row[i]] - limit >>> 31;
    }
  }
  /** Marks the rows that shown lists caused too: it is asked what they weigh. */
  markCaused() {
    const causes = this.part?.causes;
    if (causes === void 0) return;
    for (let i = 0; i < this.rows; i++) {
      if (causes.cause[this.row[i]] !== UNCAUSED) this.gainful[i] = 1;
    }
  }
  /** Takes the rows of `from` that a model ranks with a list that the family accepts. */
  takeRanked(from, part, { model, family }, size) {
    this.reserve(from.row.length);
    this.part = part;
    const ranks = part.ranks[model];
    const lists = part.lists[model];
    let rows = 0;
    let users = 0;
    for (let u = 0; u < from.users; u++) {
      const first = rows;
      for (let i = from.start[u]; i < from.start[u + 1]; i++) {
        const r = from.row[i];
        if (!isEvaluated(ranks[r], lists[r], family, size)) continue;
        this.row[rows] = r;
        this.item[rows] = from.item[i];
        this.weight[rows] = from.weight[i];
        this.weightSlope[rows] = from.weightSlope[i];
        this.stratum[rows] = from.stratum[i];
        this.gainful[rows] = from.gainful[i];
        rows++;
      }
      if (rows === first) continue;
      this.start[users] = first;
      this.segment[users++] = from.segment[u];
    }
    this.start[users] = rows;
    this.users = users;
    this.rows = rows;
  }
  /** Whether `takeRanked` would take every row. */
  isRankedThroughout(part, { model, family }, size) {
    const ranks = part.ranks[model];
    const lists = part.lists[model];
    for (let i = 0; i < this.rows; i++) {
      const r = this.row[i];
      if (!isEvaluated(ranks[r], lists[r], family, size)) return false;
    }
    return true;
  }
  /** Users with a single row. */
  singletons() {
    let users = 0;
    for (let u = 0; u < this.users; u++) if (this.start[u + 1] - this.start[u] === 1) users++;
    return users;
  }
  /** Rows, weight and its slope per stratum: n_v, s_v and ∂s_v/∂γ. */
  sumStrata({ rows, weight, slope }) {
    rows.fill(0);
    weight.fill(0);
    slope.fill(0);
    for (let i = 0; i < this.rows; i++) {
      const v = this.stratum[i];
      rows[v]++;
      weight[v] += this.weight[i];
      slope[v] += this.weightSlope[i];
    }
  }
  /** Holds the same rows of the same part. */
  equals(other) {
    if (this.rows !== other.rows) return false;
    for (let i = 0; i < this.rows; i++) if (this.row[i] !== other.row[i]) return false;
    return true;
  }
};
function isEvaluated(rank, list, family, catalogueSize) {
  if (rank === UNRANKED) return false;
  if (family === "complete") return ranksAllCandidates(list, catalogueSize);
  return (list & LIST_SAMPLED_FULL) !== LIST_SAMPLED_FULL;
}

// src/estimators/rows/lane-rows.ts
var LaneRows = class {
  positive = new Selection();
  latest = null;
  spare = new Selection();
  other = new Selection();
  /** Starts a chunk with its positive rows. */
  begin(positive) {
    this.positive = positive;
    this.latest = null;
  }
  of(part, lane, catalogueSize) {
    if (this.positive.isRankedThroughout(part, lane, catalogueSize)) {
      this.latest = this.positive;
      return this.positive;
    }
    const rows = this.spare;
    rows.takeRanked(this.positive, part, lane, catalogueSize);
    if (rows.rows === 0) return rows;
    if (this.latest?.equals(rows)) return this.latest;
    [this.spare, this.other] = [this.other, rows];
    this.latest = rows;
    return rows;
  }
};

// src/estimators/rows/window-counts.ts
var WindowCounts = class {
  interactions = 0;
  positives = 0;
  users = 0;
  items = 0;
  seen;
  models;
  constructor(items, models) {
    this.seen = new Uint8Array(items);
    this.models = Array.from({ length: models }, () => ({
      users: 0,
      events: 0,
      unranked: 0,
      singletons: 0
    }));
  }
  /**
   * Counts the rows of users from .. to − 1.
   *
   * @param rows the positive ones that are evaluated. @param rankedThroughout models that are known
   * to rank all of these.
   */
  add(part, from, to, rows, rankedThroughout) {
    this.addPairs(part, from, to);
    const singletons = rows.singletons();
    this.models.forEach((total, m) => {
      if (rankedThroughout.has(m)) {
        total.users += rows.users;
        total.events += rows.rows;
        total.singletons += singletons;
      } else {
        this.addModel(m, part.ranks[m], rows);
      }
    });
  }
  /** Counts their pairs alone, of whatever traffic. */
  addPairs(part, from, to) {
    const { userStart } = part;
    for (let s = from; s < to; s++) if (userStart[s + 1] > userStart[s]) this.users++;
    this.interactions += userStart[to] - userStart[from];
    this.addRows(part, userStart[from], userStart[to]);
  }
  addRows(part, from, to) {
    const { seen } = this;
    const { item, positive } = part;
    let positives = 0;
    for (let r = from; r < to; r++) {
      positives += positive[r];
      if (item[r] >= seen.length) throw new RangeError(`item ${item[r]} has no count`);
      if (seen[item[r]] === 0) {
        seen[item[r]] = 1;
        this.items++;
      }
    }
    this.positives += positives;
  }
  addModel(model, ranks, rows) {
    const total = this.models[model];
    const { start, row } = rows;
    let unranked = 0;
    for (let u = 0; u < rows.users; u++) {
      let events = 0;
      for (let i = start[u]; i < start[u + 1]; i++) {
        if (ranks[row[i]] === UNRANKED) unranked++;
        else events++;
      }
      if (events > 0) total.users++;
      if (events === 1) total.singletons++;
      total.events += events;
    }
    total.unranked += unranked;
  }
  summaries(models) {
    return this.models.map(({ users, events, unranked, singletons }, m) => ({
      model: models[m],
      users,
      events,
      unranked,
      singletonUserRatio: users === 0 ? 0 : singletons / users
    }));
  }
  totals() {
    return {
      interactions: this.interactions,
      positives: this.positives,
      users: this.users,
      items: this.items,
      unranked: this.models.reduce((sum, { unranked }) => sum + unranked, 0)
    };
  }
};

// src/estimators/lanes/count-pass.ts
function* countWindow(parts, columns, lanes, models, options, sliceRows, isUncounted = false) {
  const windowCounts = new WindowCounts(columns.weight.length, models);
  const positive = new Selection();
  const laneRows = new LaneRows();
  const rankedThroughout = /* @__PURE__ */ new Set();
  const strata = new StratumSums(options.strata);
  const sumsStrata = options.estimators.some((name) => estimatorOf(name).needs.strata);
  if (isUncounted && !sumsStrata) return windowCounts;
  let work = 0;
  for (const { part, from, to } of chunks(parts)) {
    positive.takePositive(part, from, to, columns);
    laneRows.begin(positive);
    rankedThroughout.clear();
    let summed = null;
    for (const lane of lanes) {
      const ranked = laneRows.of(part, lane, options.catalogueSize);
      if (ranked === positive) rankedThroughout.add(lane.model);
      if (!sumsStrata || ranked.rows === 0) continue;
      if (ranked !== summed) ranked.sumStrata(strata);
      summed = ranked;
      lane.strata.add(strata);
    }
    if (!isUncounted) windowCounts.add(part, from, to, positive, rankedThroughout);
    work += part.userStart[to] - part.userStart[from];
    if (work >= sliceRows) {
      yield;
      work = 0;
    }
  }
  for (const lane of lanes) lane.strata.settle();
  return windowCounts;
}
function* countPairs(parts, items) {
  const pairs = new WindowCounts(items, 0);
  for (const { part, from, to } of chunks(parts)) {
    pairs.addPairs(part, from, to);
    yield;
  }
  return pairs;
}

// src/estimators/aggregations.ts
var AGGREGATIONS = ["user", "pooled"];

// src/estimators/names.ts
var LEADING = "snips";

// src/estimators/uncertainty/poisson-bootstrap.ts
var BOOTSTRAP_REPLICATES = 100;
var BootstrapWeights = class {
  /** By user from the chunk's first on, then by replicate. */
  values = new Uint8Array(0);
  from = 0;
  begin(part, from, to) {
    if (part.userKey === void 0) throw new RangeError("the bootstrap needs keys of users");
    const size = (to - from) * BOOTSTRAP_REPLICATES;
    if (size > this.values.length) this.values = new Uint8Array(size);
    this.from = from;
    for (let s = from; s < to; s++) {
      fillWeights(part.userKey[s], this.values, (s - from) * BOOTSTRAP_REPLICATES);
    }
  }
  observe() {
  }
};
function fillWeights(key, values, at) {
  for (let b = 0; b < BOOTSTRAP_REPLICATES; b += 2) {
    const hash = mixed2(key ^ Math.imul(b + 1, 2654435761));
    values[at + b] = POISSON_OF[hash & 65535];
    values[at + b + 1] = POISSON_OF[hash >>> 16];
  }
}
function mixed2(value) {
  let h = value;
  h = Math.imul(h ^ h >>> 16, 2246822507);
  h = Math.imul(h ^ h >>> 13, 3266489909);
  h = Math.imul(h ^ h >>> 16, 2146121005);
  h = Math.imul(h ^ h >>> 15, 2221713035);
  return h ^ h >>> 16;
}
var POISSON_OF = poissonQuantiles(65536);
function poissonQuantiles(size) {
  const quantiles = new Uint8Array(size);
  let count = 0;
  let chance = Math.exp(-1);
  let below = chance;
  for (let i = 0; i < size; i++) {
    while ((i + 0.5) / size > below) {
      count++;
      chance /= count;
      below += chance;
    }
    quantiles[i] = count;
  }
  return quantiles;
}
var BootstrapReplicates = class {
  #weights;
  #numerators;
  #denominators;
  /** @param weights filled for the chunk before this takes it in. */
  constructor(weights, slots) {
    this.#weights = weights;
    const sums = () => new Float64Array(BOOTSTRAP_REPLICATES);
    this.#numerators = Array.from({ length: slots }, sums);
    this.#denominators = Array.from({ length: slots }, sums);
  }
  begin() {
  }
  observe(slot, numerators, { values }, selection) {
    this.#add(this.#numerators[slot], numerators, selection);
    this.#add(this.#denominators[slot], values, selection);
  }
  /** R_b of every replicate; NaN where no user with weight was drawn. */
  ratios(slot) {
    return this.#numerators[slot].map((n, b) => n / this.#denominators[slot][b]);
  }
  #add(sums, values, { segment, users }) {
    const { values: weights, from } = this.#weights;
    for (let u = 0; u < users; u++) {
      const value = values[u];
      if (value === 0) continue;
      const at = (segment[u] - from) * BOOTSTRAP_REPLICATES;
      for (let b = 0; b < BOOTSTRAP_REPLICATES; b++) sums[b] += value * weights[at + b];
    }
  }
};
function replicateStdErr(ratios) {
  const known = ratios.filter((ratio2) => !Number.isNaN(ratio2));
  if (known.length < 2) return Number.NaN;
  const mean = known.reduce((sum, ratio2) => sum + ratio2, 0) / known.length;
  const squares = known.reduce((sum, ratio2) => sum + (ratio2 - mean) ** 2, 0);
  return Math.sqrt(squares / (known.length - 1));
}

// src/mathematics/beta-quantile.ts
function betaQuantile(p, a, b) {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  const logScale = logGamma(a + b) - logGamma(a) - logGamma(b);
  let low = 0;
  let high = 1;
  let x = a / (a + b);
  for (let step = 0; step < 200; step++) {
    const excess = incompleteBeta(x, 1 - x, a, b) - p;
    if (excess > 0) high = x;
    else low = x;
    const density2 = Math.exp(logScale + (a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x));
    const next = x - excess / density2;
    const middle = next > low && next < high ? next : (low + high) / 2;
    if (Math.abs(middle - x) <= 1e-14 * middle) return middle;
    x = middle;
  }
  return x;
}

// src/estimators/uncertainty/korn-graubard.ts
var Z = 1.959963984540054;
var TAIL = 0.025;
var FEW_HITS = 10;
var MANY_HITS = 100;
var MANY_COUNTED = 10;
var ROUNDING = 1e-12;
function kornGraubard(of, factor) {
  const { value } = of;
  if (value === 0) return [0, limitOfNone(drawsAt(cappedSize(of), factor))];
  if (value >= 1 - ROUNDING) {
    return of.isCertain ? [value, value] : [Math.min(value, 1 - limitOfNone(drawsAt(cappedSize(of), factor))), 1];
  }
  if (of.isConstant) return [value, value];
  if (Number.isNaN(of.stdErr) || factor === Number.POSITIVE_INFINITY) return [0, 1];
  const draws = value * (1 - value) / variance(of);
  if (draws === Number.POSITIVE_INFINITY) return [value, value];
  const [lower, upper] = binomialInterval(value, drawsAt(draws, factor));
  return [Math.min(value, lower), Math.max(value, upper)];
}
function drawsAt(draws, factor) {
  return draws * (Z / factor) ** 2;
}
function limitOfNone(draws) {
  return -Math.expm1(Math.log(TAIL) / draws);
}
function cappedSize({ hits, misses, userEss, rowEss }) {
  return Math.min(hits, misses) >= FEW_HITS ? rowEss : userEss;
}
function variance(of) {
  const { value, stdErr, gammaStdErr, squaredGain, hits, misses } = of;
  const sampling = stdErr * stdErr;
  if (Math.min(hits, misses) >= MANY_HITS) return sampling + gammaStdErr ** 2;
  const ofGains = value * Math.max(0, squaredGain - value);
  const capped = ofGains <= ROUNDING * value * squaredGain ? 0 : ofGains / cappedSize(of);
  return Math.max(sampling, capped) + gammaStdErr ** 2;
}
function binomialInterval(share, draws) {
  const hits = share * draws;
  const misses = draws - hits;
  if (hits < MANY_COUNTED || misses < MANY_COUNTED) {
    return [betaQuantile(TAIL, hits, misses + 1), betaQuantile(1 - TAIL, hits + 1, misses)];
  }
  const z2 = Z * Z / draws;
  const centre = (share + z2 / 2) / (1 + z2);
  const half = Math.sqrt(z2 * (share * (1 - share) + z2 / 4)) / (1 + z2);
  return [centre - half, centre + half];
}

// src/estimators/uncertainty/mover.ts
function moverInterval(a, b, rho) {
  const difference = a.value - b.value;
  return [
    difference - distance(a.value - a.lower, b.upper - b.value, rho),
    difference + distance(a.upper - a.value, b.value - b.lower, rho)
  ];
}
function distance(x, y, rho) {
  return Math.sqrt(Math.max(0, x * x + y * y - 2 * rho * x * y));
}

// src/estimators/lanes/lane-intervals.ts
function estimateInterval(of, errors, method, factorOf) {
  if (method === "korn-graubard") return binomialInterval2(of, errors, factorOf);
  return logitInterval(of.value, Math.hypot(errors.stdErr, errors.gammaStdErr), factorOf(of.ess));
}
function binomialInterval2(of, errors, factorOf) {
  if (!of.isNormalized) return unnormalizedInterval(of, errors, factorOf);
  const { value, ess, rowEss, squaredGain, hits, misses, isConstant, isCertain } = of;
  const mean = {
    ...{ value, ...errors, userEss: ess, rowEss, squaredGain, hits, misses },
    ...{ isConstant, isCertain }
  };
  return kornGraubard(mean, binomialFactor(ess, factorOf));
}
function unnormalizedInterval({ value, ess, weight, moments }, { stdErr, gammaStdErr }, factorOf) {
  if (value > 0) return logitInterval(value, Math.hypot(stdErr, gammaStdErr), factorOf(ess));
  const draws = drawsAt(ess, binomialFactor(ess, factorOf));
  return [0, weight / moments.denominator * limitOfNone(draws)];
}
var ENOUGH_HITS = 20;
function differenceInterval(own, other, errors, method, factorOf) {
  const { stdErr, gammaStdErr, correlation } = errors;
  const value = own.value - other.value;
  const factor = factorOf(Math.min(own.ess, other.ess));
  const areConstant = own.isConstant && other.isConstant;
  const isRare = Math.min(rareness(own), rareness(other)) < ENOUGH_HITS;
  const isUnknown = Number.isNaN(stdErr);
  if (method !== "korn-graubard" || isUnknown || !(areConstant || isRare)) {
    return pairedInterval(value, Math.hypot(stdErr, gammaStdErr), factor);
  }
  const rho = own.isConstant || other.isConstant ? 0 : correlation();
  const [lower, upper] = moverInterval(sideOf(own, factorOf), sideOf(other, factorOf), rho);
  const ofGamma = gammaStdErr > 0 ? factor * gammaStdErr : 0;
  return withinOne(
    value - Math.hypot(value - lower, ofGamma),
    value + Math.hypot(upper - value, ofGamma)
  );
}
function rareness(of) {
  return of.isNormalized ? Math.min(of.hits, of.misses) : of.hits;
}
function sideOf(of, factorOf) {
  const stdErr = of.isConstant ? 0 : of.moments.stdErr(of.users);
  const [lower, upper] = binomialInterval2(of, { stdErr, gammaStdErr: 0 }, factorOf);
  return { value: of.value, lower, upper };
}
function pairedInterval(value, stdErr, factor) {
  if (stdErr === 0) return [value, value];
  if (Number.isNaN(stdErr) || factor === Number.POSITIVE_INFINITY) return [-1, 1];
  return withinOne(value - factor * stdErr, value + factor * stdErr);
}
function withinOne(lower, upper) {
  return [Math.max(-1, lower), Math.min(1, upper)];
}

// src/estimators/lanes/user-sums.ts
function slotOf(metric, estimator, aggregation, estimators) {
  return (metric * estimators + estimator) * 2 + aggregation;
}

// src/estimators/lanes/lane-number.ts
var LaneNumber = class {
  slot;
  lane;
  m;
  e;
  aggregation;
  constructor(lane, m, e, aggregation) {
    this.lane = lane;
    this.m = m;
    this.e = e;
    this.aggregation = aggregation;
    this.slot = slotOf(m, e, aggregation, lane.sums.length);
  }
  get sums() {
    return this.lane.sums[this.e];
  }
  get moments() {
    const { user, pooled } = this.sums;
    return (this.aggregation === 0 ? user : pooled)[this.m];
  }
  /** Some user has weight. */
  get isGiven() {
    if (!this.isNormalized && this.sums.weightSum === 0) return false;
    return this.moments.denominator > 0;
  }
  /** A gain that does not vary has no error, not even with a single user. */
  get isConstant() {
    const { least, most } = this.lane.metrics[this.m];
    return least === most && (this.isNormalized || most === 0);
  }
  /** A weighted mean of gains. */
  get isNormalized() {
    return this.sums.isNormalized;
  }
  get users() {
    const { users, pooledUsers } = this.sums;
    return this.aggregation === 0 ? users : pooledUsers;
  }
  get ess() {
    const { weightSum, squaredUserWeights } = this.sums;
    if (!this.isNormalized) return effectiveSampleSize(weightSum, squaredUserWeights);
    return effectiveSampleSize(this.moments.denominator, this.moments.squaredDenominator);
  }
  get value() {
    const { least, most } = this.lane.metrics[this.m];
    if (!this.isNormalized) return this.moments.ratio;
    return Math.min(most, Math.max(least, this.moments.ratio));
  }
  /** ∂R/∂γ = (Σ λ ∂c/∂γ − R Σ ∂c/∂γ) / ΣD, c the coefficients; those of the user form sum to D. */
  get gammaSlope() {
    if (this.isConstant) return 0;
    const { userSlope, pooledSlope, weightSlope } = this.sums;
    const { denominator, ratio: ratio2 } = this.moments;
    if (this.aggregation === 0) return userSlope[this.m] / denominator;
    return (pooledSlope[this.m] - ratio2 * weightSlope) / denominator;
  }
  /** Σ D, Σ b of an estimator that does not normalise itself. */
  get weight() {
    return this.isNormalized ? this.moments.denominator : this.sums.weightSum;
  }
  /** Kish effective sample size over rows; over users for a measure of whole sets. */
  get rowEss() {
    if (this.lane.metrics[this.m].set !== null) return this.ess;
    const { squaredWeights, hits } = this.sums;
    const squares = this.aggregation === 0 ? hits.squaredUserRows : squaredWeights;
    return effectiveSampleSize(this.weight, squares);
  }
  /** Effective numbers of hits and of misses over users. */
  get hits() {
    const { numerator, squaredNumerator } = this.moments;
    return effectiveSampleSize(numerator, squaredNumerator);
  }
  get misses() {
    const { numerator, denominator, squaredComplement } = this.moments;
    return effectiveSampleSize(denominator - numerator, squaredComplement);
  }
  /** m₂, see `kornGraubard`. */
  get squaredGain() {
    const { numerator } = this.moments;
    return numerator > 0 ? this.sums.hits.squaredGains(this.m, this.aggregation) / numerator : 1;
  }
  /** Every list ranks all its candidates, and so few that all of them gain 1. */
  get isCertain() {
    return this.lane.candidates.most <= placesThatGainAll(this.lane.metrics[this.m]);
  }
  /** Every user counts alike, or not at all. */
  get isPlainMean() {
    const { denominator, squaredDenominator } = this.moments;
    return denominator === this.users && squaredDenominator === this.users;
  }
};
function placesThatGainAll({ table, ofList, set }) {
  if (set !== null) return 0;
  if (table === null) return ofList.gain(0, 1) === 1 ? 1 : 0;
  const less = table.findIndex((gain) => gain !== 1);
  return less < 0 ? table.length : less;
}
function* numbersOf(lane) {
  for (let m = 0; m < lane.metrics.length; m++) {
    for (let e = 0; e < lane.sums.length; e++) {
      for (const a of [0, 1]) {
        const number = new LaneNumber(lane, m, e, a);
        if (number.isGiven) yield [number, m, e, a];
      }
    }
  }
}

// src/estimators/lanes/lane-differences.ts
function laneDifferences(lane, names, study, referenceStudy, options, factorOf) {
  if (study.paired === null) return [];
  const { reference, sums } = study.paired;
  const differences = [];
  for (const [own, m, e, a] of numbersOf(lane)) {
    const other = new LaneNumber(reference, m, e, a);
    if (!other.isGiven) continue;
    const paired = sums.at(own.slot);
    const users = paired.users(own.users, other.users);
    const ess = Math.min(own.ess, other.ess);
    const sampling = study.replicates === null ? paired.stdErr(users, ess) : pairedStdErr(study.replicates, referenceStudy.replicates, own.slot);
    const stdErr = own.isConstant && other.isConstant ? 0 : sampling;
    const gammaStdErr = Math.abs(own.gammaSlope - other.gammaSlope) * options.gammaStdErr;
    const value = own.value - other.value;
    const errors = { stdErr, gammaStdErr, correlation: () => paired.correlation };
    const [lower, upper] = differenceInterval(own, other, errors, options.interval, factorOf);
    const { metric, k } = lane.metrics[m];
    const estimator = options.estimators[e];
    differences.push({
      ...{ ...names, metric, k, estimator, aggregation: AGGREGATIONS[a] },
      ...{ value, stdErr, lower, upper, users, ess, gammaStdErr }
    });
  }
  return differences;
}
function pairedStdErr(own, other, slot) {
  const others = other.ratios(slot);
  return replicateStdErr(own.ratios(slot).map((ratio2, b) => ratio2 - others[b]));
}

// src/estimators/uncertainty/guarantees.ts
var GENERAL_GUARANTEES = ["hoeffding", "empirical-bernstein", "anytime"];
var GUARANTEES = [...GENERAL_GUARANTEES, "ips-hoeffding", "gs-bernstein"];
var ALPHA3 = 0.05;
var ANYTIME_TIGHTEST_AT = 1e3;
function guarantees(names, of) {
  return names.flatMap((name) => {
    const half = halfWidth(name, of);
    if (Number.isNaN(half)) return [];
    return [{ name, lower: Math.max(0, of.value - half), upper: Math.min(1, of.value + half) }];
  });
}
function halfWidth(name, of) {
  if (name === "anytime") return anytimeHalfWidth(of.stdErr, of.ess, ANYTIME_TIGHTEST_AT);
  if (!of.isPlainMean) return Number.NaN;
  if (name === "hoeffding") return hoeffdingHalfWidth(of.users);
  if (name === "empirical-bernstein") return empiricalBernsteinHalfWidth(of.stdErr, of.users);
  return Number.NaN;
}
function hoeffdingHalfWidth(users) {
  return Math.sqrt(Math.log(2 / ALPHA3) / (2 * users));
}
function empiricalBernsteinHalfWidth(stdErr, users) {
  if (users < 2) return Number.NaN;
  const log = Math.log(2 / (ALPHA3 / 2));
  return stdErr * Math.sqrt(2 * log) + 7 * log / (3 * (users - 1));
}
function anytimeHalfWidth(stdErr, t, tightestAt) {
  if (stdErr === 0) return 0;
  const logAlpha = Math.log(ALPHA3);
  const rho2 = (-2 * logAlpha + Math.log(1 - 2 * logAlpha)) / tightestAt;
  const scaled2 = t * rho2 + 1;
  return stdErr * Math.sqrt(2 * scaled2 / (t * rho2) * (Math.log(scaled2) / 2 - logAlpha));
}

// src/estimators/lanes/lane-estimates.ts
function laneEstimates(lane, model, rules2, { replicates }, options, factorOf) {
  const estimates = [];
  for (const [number, m, e, a] of numbersOf(lane)) {
    const { value, ess, users, moments, gammaSlope, isPlainMean } = number;
    const sampling = replicates === null ? moments.stdErr(users) : replicateStdErr(replicates.ratios(number.slot));
    const stdErr = number.isConstant ? 0 : sampling;
    const gammaStdErr = Math.abs(gammaSlope) * options.gammaStdErr;
    const errors = { stdErr, gammaStdErr };
    const [lower, upper] = estimateInterval(number, errors, options.interval, factorOf);
    const { metric, k } = lane.metrics[m];
    const aggregation = AGGREGATIONS[a];
    const { numerator, denominator } = moments;
    const found = { aggregation, value, users, denominator };
    const { guarantees: own = [], ...extras } = extrasOf(found, lane, m, e, rules2[e]);
    const general = guarantees(options.guarantees, { value, stdErr, ess, users, isPlainMean });
    estimates.push({
      ...{ model, metric, k, estimator: options.estimators[e], aggregation },
      ...{ value, stdErr, lower, upper, users, events: lane.events, ess, gammaSlope, gammaStdErr },
      guarantees: [...general, ...own],
      ...{ numerator, denominator, ...extras },
      ...sharesOf(lane, number, m, e, a)
    });
  }
  return estimates;
}
function sharesOf({ feedback, sums, metrics }, { moments: { numerator, denominator }, isNormalized }, m, e, a) {
  if (feedback === void 0) return {};
  const weight = isNormalized ? denominator : sums[e].weightSum;
  const isSetMetric = metrics[m].set !== null;
  const shares = feedback[e].shares(m, a, { numerator, denominator, weight, isSetMetric });
  return { shares };
}
function extrasOf(found, { metrics, sums }, m, e, rule) {
  return { ...rule.extras?.(found, metrics[m]), ...sums[e].own?.extras(found, metrics[m], m) };
}
function laneSampleSizes(lane, model, { estimators }) {
  return estimators.flatMap((estimator, e) => {
    const { isNormalized, squaredWeights, largestWeight, weightSum, squaredUserWeights, pooled } = lane.sums[e];
    const { denominator, squaredDenominator } = pooled[0];
    if (!(denominator > 0)) return [];
    const total = isNormalized ? denominator : weightSum;
    if (total === 0) return [];
    return [
      {
        model,
        estimator,
        events: effectiveSampleSize(total, squaredWeights),
        users: effectiveSampleSize(total, isNormalized ? squaredDenominator : squaredUserWeights),
        largestShare: largestWeight / total
      }
    ];
  });
}

// src/estimators/uncertainty/moments.ts
var Denominators = class {
  values;
  /** How many of `values` are in use. */
  users = 0;
  /** Users with D_u > 0. */
  weighted = 0;
  sum = 0;
  squares = 0;
  constructor(capacity) {
    this.values = new Float64Array(capacity);
  }
  /** Completes the sums once the first `users` values stand. */
  settle(users) {
    let weighted = 0;
    let sum = 0;
    let squares = 0;
    for (let u = 0; u < users; u++) {
      const weight = this.values[u];
      if (weight > 0) weighted++;
      sum += weight;
      squares += weight * weight;
    }
    this.users = users;
    this.weighted = weighted;
    this.sum = sum;
    this.squares = squares;
  }
};
var RatioMoments = class {
  numerator = 0;
  denominator = 0;
  squaredDenominator = 0;
  residual = 0;
  cross = 0;
  /** R; NaN without users of weight. */
  get ratio() {
    return this.numerator / this.denominator;
  }
  /**
   * Adds users.
   *
   * @param numerators N_u. @param total Σ N_u over them. @param denominators D_u ≥ 0 of as many.
   */
  add(numerators, total, denominators) {
    const { values, users, sum, squares } = denominators;
    if (!(sum > 0)) return;
    const ratio2 = total / sum;
    let q = 0;
    let c = 0;
    for (let u = 0; u < users; u++) {
      const weight = values[u];
      const error = numerators[u] - ratio2 * weight;
      q += error * error;
      c += error * weight;
    }
    this.mergeSums(total, sum, squares, q, c);
  }
  /** Takes the sums of other users. */
  merge(other) {
    const { numerator, denominator, squaredDenominator, residual, cross } = other;
    if (denominator > 0) {
      this.mergeSums(numerator, denominator, squaredDenominator, residual, cross);
    }
  }
  mergeSums(n, d, dd, q, c) {
    if (this.denominator === 0) {
      this.numerator = n;
      this.denominator = d;
      this.squaredDenominator = dd;
      this.residual = q;
      this.cross = c;
      return;
    }
    const before = this.ratio;
    this.numerator += n;
    this.denominator += d;
    const own = this.ratio - before;
    const other = this.ratio - n / d;
    const ownDd = this.squaredDenominator;
    this.residual += q - 2 * (own * this.cross + other * c) + own * own * ownDd + other * other * dd;
    this.cross += c - own * ownDd - other * dd;
    this.squaredDenominator += dd;
  }
  /** Σ N_u². */
  get squaredNumerator() {
    return this.squaresAbout(-this.ratio);
  }
  /** Σ (D_u − N_u)²: what is left of weighted means of gains in [0, 1]. */
  get squaredComplement() {
    return this.squaresAbout(1 - this.ratio);
  }
  /** Σ (N_u − R D_u − x D_u)². */
  squaresAbout(x) {
    return Math.max(0, this.residual - 2 * x * this.cross + x * x * this.squaredDenominator);
  }
  /** Σ (N_u − R D_u)² / (ΣD)². */
  get spread() {
    return Math.max(0, this.residual) / this.denominator ** 2;
  }
  /**
   * Standard error of R, clustered by user.
   *
   * √((U − 1) / U · Σ (N_u − R D_u)²) / (ΣD (1 − 1/E)), E the Kish effective sample size of the
   * D_u; with D_u = 1 this is s / √U.
   * Source: the delete-one-user jackknife, whose Σ ((N_u − R D_u) / (ΣD − D_u))² needs ΣD before the
   * first user; here each D_u stands at its weighted mean ΣD / E. At an E of 27 it is within 1 % of
   * it and covers as often, where the linearised error falls 2.5 % short.
   *
   * @param users U with D_u > 0.
   * @returns NaN below two users, or where one has all the weight: the spread is unknown.
   */
  stdErr(users) {
    const ess = this.denominator ** 2 / this.squaredDenominator;
    return Math.sqrt(this.spread * jackknifeFactor(users, ess));
  }
};
function jackknifeFactor(users, ess) {
  if (users < 2 || ess < 1 + 1e-9) return Number.NaN;
  return (users - 1) / users * (ess / (ess - 1)) ** 2;
}

// src/estimators/uncertainty/paired-differences.ts
var ReferenceSums = class {
  /** By slot, then as the users stand in `segment`. */
  numerators;
  denominators;
  /** The users' segments, ascending. */
  segment = new Int32Array(0);
  users = 0;
  constructor(slots) {
    this.numerators = Array.from({ length: slots }, () => new Float64Array(0));
    this.denominators = Array.from({ length: slots }, () => new Float64Array(0));
  }
  begin() {
    this.users = 0;
  }
  /** Where each of the users stands here; −1 for one who does not. Ascending segments both. */
  find(segment, users, at) {
    for (let u = 0, o = 0; u < users; u++) {
      while (o < this.users && this.segment[o] < segment[u]) o++;
      at[u] = o < this.users && this.segment[o] === segment[u] ? o : -1;
    }
  }
  observe(slot, numerators, { values }, { segment, users }) {
    if (slot === 0) {
      this.users = users;
      this.segment = held(this.segment, segment, users);
    }
    this.numerators[slot] = held(this.numerators[slot], numerators, users);
    this.denominators[slot] = held(this.denominators[slot], values, users);
  }
};
function held(room, values, size) {
  if (room.length < size) return values.slice();
  for (let i = 0; i < size; i++) room[i] = values[i];
  return room;
}
var PairedDifferences = class {
  #reference;
  /** Where the chunk's users stand in the reference. */
  #at = new Int32Array(0);
  #moments;
  /** @param own moments of the model by slot. @param other those of the reference. */
  constructor(reference, own, other) {
    this.#reference = reference;
    this.#moments = own.map((moments, slot) => new PairedMoments(moments, other[slot]));
  }
  begin() {
  }
  observe(slot, numerators, { values }, { segment, users }) {
    const reference = this.#reference;
    if (slot === 0) {
      if (this.#at.length < users) this.#at = new Int32Array(users);
      reference.find(segment, users, this.#at);
    }
    const n = reference.numerators[slot];
    const d = reference.denominators[slot];
    this.#moments[slot].add(numerators, values, n, d, this.#at, users);
  }
  at(slot) {
    return this.#moments[slot];
  }
};
var PairedMoments = class {
  #own;
  #other;
  #ownAt = Number.NaN;
  #otherAt = Number.NaN;
  /** Σ e_A e_B, Σ e_A D_B, Σ D_A e_B, Σ D_A D_B and users with weight in both. */
  #ee = 0;
  #ed = 0;
  #de = 0;
  #dd = 0;
  #both = 0;
  /** Both must have taken in a chunk before this does. */
  constructor(own, other) {
    this.#own = own;
    this.#other = other;
  }
  /** Adds a chunk; `at` is where each of its users stands in the other's sums, −1 for nowhere. */
  add(ownN, ownD, otherN, otherD, at, users) {
    if (Number.isNaN(this.#ownAt) || Number.isNaN(this.#otherAt)) {
      this.#ownAt = this.#own.ratio;
      this.#otherAt = this.#other.ratio;
      if (Number.isNaN(this.#ownAt) || Number.isNaN(this.#otherAt)) return;
    }
    const a = this.#ownAt;
    const b = this.#otherAt;
    let ee = 0;
    let ed = 0;
    let de = 0;
    let dd = 0;
    let both = 0;
    for (let u = 0; u < users; u++) {
      const o = at[u];
      if (o < 0) continue;
      const d = otherD[o];
      const own = ownD[u];
      const e = ownN[u] - a * own;
      const f = otherN[o] - b * d;
      ee += e * f;
      ed += e * d;
      de += own * f;
      dd += own * d;
      if (d !== 0 && own !== 0) both++;
    }
    this.#ee += ee;
    this.#ed += ed;
    this.#de += de;
    this.#dd += dd;
    this.#both += both;
  }
  /** Users with weight in either model. @param own how many in this one. @param other in the other. */
  users(own, other) {
    return own + other - this.#both;
  }
  /**
   * Standard error of the difference.
   *
   * @param users as `users` gives them. @param ess the lesser effective sample size.
   * @returns NaN where the spread is unknown, see `RatioMoments.stdErr`.
   */
  stdErr(users, ess) {
    const factor = jackknifeFactor(users, ess);
    if (Number.isNaN(factor)) return factor;
    const own = this.#own.spread;
    const other = this.#other.spread;
    const variance2 = own + other - 2 * this.#cross();
    if (variance2 <= ROUNDING2 * (own + other)) return 0;
    return Math.sqrt(factor * variance2);
  }
  /** Correlation of the two estimates over users; 0 where one of them does not vary. */
  get correlation() {
    const scale = Math.sqrt(this.#own.spread * this.#other.spread);
    return scale > 0 ? Math.min(1, Math.max(-1, this.#cross() / scale)) : 0;
  }
  /** Σ (e_A / ΣD_A)(e_B / ΣD_B) about the final ratios. */
  #cross() {
    if (this.#both === 0) return 0;
    const a = this.#own.ratio - this.#ownAt;
    const b = this.#other.ratio - this.#otherAt;
    const sum = this.#ee - b * this.#ed - a * this.#de + a * b * this.#dd;
    return sum / (this.#own.denominator * this.#other.denominator);
  }
};
var ROUNDING2 = 1e-12;

// src/estimators/lanes/lane-observers.ts
function studyLanes(lanes, reference, options) {
  const studies = /* @__PURE__ */ new Map();
  const weights = options.interval === "bootstrap" ? new BootstrapWeights() : null;
  if (weights !== null) lanes[0]?.observers.push(weights);
  const references = /* @__PURE__ */ new Map();
  for (const lane of lanes) {
    const moments = lane.moments();
    let replicates = null;
    if (weights !== null) {
      replicates = new BootstrapReplicates(weights, moments.length);
      lane.observers.push(replicates);
    }
    const known = references.get(lane.family);
    if (lane.model === reference) {
      const sums = new ReferenceSums(moments.length);
      references.set(lane.family, { lane, sums });
      lane.observers.push(sums);
    }
    let paired = null;
    if (known !== void 0) {
      const sums = new PairedDifferences(known.sums, moments, known.lane.moments());
      lane.observers.push(sums);
      paired = { reference: known.lane, sums };
    }
    studies.set(lane, { replicates, paired });
  }
  return studies;
}

// src/gains/auc.ts
function aucGain(rank, length) {
  return 1 - rank / length;
}
var auc = {
  kind: "list",
  isDefault: true,
  inWords: "share of the candidates that stand below the positive one",
  gain: aucGain
};

// src/gains/average-precision.ts
var map = {
  kind: "set",
  isDefault: false,
  inWords: "mean precision at the relevant items of the first k places",
  bounds: { least: 0, most: 1 },
  share: "precision",
  norm: (k) => (n) => 1 / Math.min(k, n)
};

// src/gains/dcg.ts
function dcgGain(rank, k = Number.POSITIVE_INFINITY) {
  return rank < k ? 1 / Math.log2(rank + 2) : 0;
}
var dcg = {
  kind: "rank",
  isDefault: true,
  inWords: "1 / log2(rank + 1) of each positive interaction",
  isUncut: true,
  isCut: true,
  gain: dcgGain
};

// src/gains/mrr.ts
function mrrGain(rank) {
  return 1 / (rank + 1);
}
var mrr = {
  kind: "rank",
  isDefault: true,
  inWords: "1 / rank of each positive interaction",
  isUncut: true,
  isCut: false,
  gain: mrrGain
};

// src/gains/ndcg.ts
var ndcg = {
  kind: "set",
  isDefault: false,
  inWords: "dcg@k over the best there could be",
  bounds: { least: 0, most: 1 },
  share: (rank) => dcgGain(rank),
  norm: (k) => {
    const best = new Float64Array(k + 1);
    for (let z = 0; z < k; z++) best[z + 1] = best[z] + dcgGain(z);
    return (n) => 1 / best[Math.min(k, n)];
  }
};

// src/gains/precision.ts
var precision = {
  kind: "set",
  isDefault: false,
  inWords: "share of the first k places that hold a relevant item",
  bounds: { least: 0, most: 1 },
  share: () => 1,
  norm: (k) => () => 1 / k
};

// src/gains/recall.ts
function recallGain(rank, k) {
  return rank < k ? 1 : 0;
}
var recall = {
  kind: "rank",
  isDefault: true,
  inWords: "share of the positive interactions that stand among the first k",
  isUncut: false,
  isCut: true,
  gain: recallGain
};

// src/gains/registry.ts
var ENTRIES2 = {
  recall,
  dcg,
  mrr,
  auc,
  precision,
  ndcg,
  map
};
var METRICS = Object.keys(ENTRIES2);
var CUT_METRICS = METRICS.filter((name) => {
  const entry = metricOf(name);
  return entry.kind === "set" || entry.kind === "rank" && entry.isCut;
});
var ADDITIVE_METRICS = METRICS.filter((name) => ENTRIES2[name].kind !== "set");
var DEFAULT_METRICS = METRICS.filter((name) => ENTRIES2[name].isDefault);
function metricOf(name) {
  return ENTRIES2[name];
}
function byRank(names) {
  return ofKind("rank", names);
}
function byList(names) {
  return ofKind("list", names);
}
function ofSets(names) {
  return ofKind(
    "set",
    METRICS.filter((name) => names.includes(name))
  );
}
function ofKind(kind, names) {
  return [...new Set(names)].flatMap((name) => {
    const entry = ENTRIES2[name];
    return entry.kind === kind ? [[name, entry]] : [];
  });
}

// src/gains/metric-gain.ts
var MAX_LIST = 1e4;
function setGains(metrics, ks) {
  return ofSets(metrics).flatMap(
    ([metric, of]) => [...new Set(ks)].map((k) => ({ metric, k, of }))
  );
}
function listGains(metrics) {
  return byList(metrics).map(([metric, of]) => ({ metric, k: null, of }));
}
function placesBelow(k) {
  return tabulate((z) => z + 1, k);
}
function rankGains(metrics, ks) {
  const cuts = [...new Set(ks)];
  return byRank(metrics).flatMap(([metric, { isUncut, isCut, gain }]) => [
    ...isUncut ? [{ metric, k: null, table: uncut(gain) }] : [],
    ...isCut ? cuts.map((k) => ({ metric, k, table: tabulate((z) => gain(z, k), k) })) : []
  ]);
}
function measures(metrics, ks) {
  return [...rankGains(metrics, ks), ...setGains(metrics, ks), ...listGains(metrics)];
}
var UNCUT = /* @__PURE__ */ new Map();
function uncut(gain) {
  const known = UNCUT.get(gain);
  if (known !== void 0) return known;
  const table = tabulate((z) => gain(z, Number.POSITIVE_INFINITY), MAX_LIST);
  UNCUT.set(gain, table);
  return table;
}
function tabulate(gain, limit) {
  return Float64Array.from({ length: Math.min(limit, MAX_LIST) }, (_, rank) => gain(rank));
}

// src/estimators/feedback/feedback-mode.ts
function isFollowed({ feedback }) {
  return feedback !== void 0 && feedback !== "ignore";
}

// src/estimators/rows/expected-set.ts
var OwnHits = class {
  size = 0;
  rank = new Int32Array(16);
  chance = new Float64Array(16);
  add(rank, chance) {
    if (this.size === this.rank.length) {
      this.rank = grown(this.rank, new Int32Array(2 * this.size));
      this.chance = grown(this.chance, new Float64Array(2 * this.size));
    }
    this.rank[this.size] = rank;
    this.chance[this.size++] = chance;
  }
};
var ExpectedSet = class {
  /** Of its values. */
  bounds;
  /** Null where a hit adds the precision at its place. */
  #share;
  #norm;
  #k;
  #others = new Float64Array(0);
  #work = new Float64Array(0);
  #workOfTwo = new Float64Array(0);
  #hits = new OwnHits();
  /** @param k K ≥ 1. */
  constructor(metric, k) {
    this.#share = metric.share === "precision" ? null : metric.share;
    this.bounds = metric.bounds;
    this.#k = k;
    const norm = metric.norm(k);
    this.#norm = Float64Array.from({ length: k + 1 }, (_, n) => n === 0 ? 0 : norm(n));
  }
  /**
   * Writes each user's expected value times the chance to have a row in the sample.
   *
   * @param hits rows in the first K places, their gains 1 + rank, in the order of the users.
   * @param chances π by row of the selection; null: all rows are in. @param present the chance by
   * user, which bounds the value. @returns the sum over users.
   */
  addTo(sums, { start }, hits, chances, present) {
    let total = 0;
    for (let h = 0; h < hits.size; ) {
      const user = hits.user[h];
      const from = start[user];
      const to = start[user + 1];
      let next = h;
      while (next < hits.size && hits.user[next] === user) next++;
      const value = chances === null ? this.#complete(hits, h, next, to - from) : this.#expected(hits, h, next, from, to, chances);
      sums[user] = Math.min(value, present[user]);
      total += sums[user];
      h = next;
    }
    return total;
  }
  /** All rows are in the set. */
  #complete({ gain }, first, end, rows) {
    const share = this.#share;
    let sum = 0;
    for (let h = first; h < end; h++) {
      if (share !== null) {
        sum += share(gain[h] - 1);
        continue;
      }
      let above = 0;
      for (let j = first; j < end; j++) if (gain[j] < gain[h]) above++;
      sum += (1 + above) / gain[h];
    }
    return sum * this.#norm[Math.min(rows, this.#k)];
  }
  #expected({ row, gain }, first, end, from, to, chances) {
    const cap = Math.min(this.#k, to - from);
    this.#reserve(cap + 1);
    const own = this.#hits;
    own.size = 0;
    const others = this.#others.fill(0, 0, cap + 1);
    others[0] = 1;
    for (let i = from, h = first; i < to; i++) {
      if (h < end && row[h] === i) own.add(gain[h++] - 1, chances[i]);
      else include(others, cap, chances[i]);
    }
    return this.#share === null ? this.#averagePrecision(cap) : this.#additive(cap, this.#share);
  }
  #additive(cap, share) {
    const { size, rank, chance } = this.#hits;
    let sum = 0;
    for (let i = 0; i < size; i++) {
      if (chance[i] === 0) continue;
      const norm = this.#meanNorm(this.#without(i, -1, cap, this.#work), cap, 1);
      sum += chance[i] * share(rank[i]) * norm;
    }
    return sum;
  }
  #averagePrecision(cap) {
    const { size, rank, chance } = this.#hits;
    let sum = 0;
    for (let i = 0; i < size; i++) {
      if (chance[i] === 0) continue;
      let own = this.#meanNorm(this.#without(i, -1, cap, this.#work), cap, 1);
      for (let j = 0; j < size; j++) {
        if (rank[j] >= rank[i] || chance[j] === 0) continue;
        own += chance[j] * this.#meanNorm(this.#without(i, j, cap, this.#workOfTwo), cap, 2);
      }
      sum += chance[i] / (rank[i] + 1) * own;
    }
    return sum;
  }
  /** Distribution of how many rows are drawn beside hits i and j, up to `cap`. */
  #without(i, j, cap, into) {
    const { size, chance } = this.#hits;
    for (let m = 0; m <= cap; m++) into[m] = this.#others[m];
    for (let h = 0; h < size; h++) if (h !== i && h !== j) include(into, cap, chance[h]);
    return into;
  }
  /** E[1 / c(certain + X)]. */
  #meanNorm(distribution, cap, certain) {
    let mean = 0;
    for (let m = 0; m <= cap; m++) {
      mean += distribution[m] * this.#norm[Math.min(this.#k, m + certain)];
    }
    return mean;
  }
  #reserve(size) {
    if (size <= this.#others.length) return;
    this.#others = new Float64Array(size);
    this.#work = new Float64Array(size);
    this.#workOfTwo = new Float64Array(size);
  }
};
function include(distribution, cap, chance) {
  distribution[cap] += distribution[cap - 1] * chance;
  for (let m = cap - 1; m > 0; m--) {
    distribution[m] += (distribution[m - 1] - distribution[m]) * chance;
  }
  distribution[0] *= 1 - chance;
}
function grown(from, to) {
  to.set(from);
  return to;
}

// src/estimators/feedback/feedback-sums.ts
var FeedbackSums = class {
  /** By aggregation: user, pooled. */
  #caused = new Float64Array(2);
  #own = new Float64Array(2);
  /** By metric and aggregation. */
  #ownGain;
  /** Whether the own lists did not cause some row with weight. */
  #hasOthers = false;
  constructor(metrics) {
    this.#ownGain = new Float64Array(2 * metrics);
  }
  /** Takes a chunk: its rows, their coefficients, and the hits of each metric among them. */
  add(rows, { user, pooled }, selection, metrics) {
    const { isOwn, caused, size, ownHits } = rows;
    for (let c = 0; c < size; c++) {
      const i = caused[c];
      this.#caused[0] += user[i];
      this.#caused[1] += pooled[i];
      if (isOwn[i] === 0) continue;
      this.#own[0] += user[i];
      this.#own[1] += pooled[i];
    }
    this.#hasOthers ||= hasOthers(isOwn, pooled, selection.rows);
    for (let m = 0; m < ownHits.length; m++) {
      const { row, gain } = metrics[m].hits;
      const { at, size: hits } = ownHits[m];
      for (let o = 0; o < hits; o++) {
        const i = row[at[o]];
        this.#ownGain[2 * m] += user[i] * gain[at[o]];
        this.#ownGain[2 * m + 1] += pooled[i] * gain[at[o]];
      }
    }
  }
  /** Takes the sums of other users. */
  merge(other) {
    for (const a of [0, 1]) {
      this.#caused[a] += other.#caused[a];
      this.#own[a] += other.#own[a];
    }
    for (let at = 0; at < this.#ownGain.length; at++) this.#ownGain[at] += other.#ownGain[at];
    this.#hasOthers ||= other.#hasOthers;
  }
  /**
   * Shares of an estimate. In the user form a row weighs w / (W_u U), and R_other keeps these
   * weights and divides by their sum.
   */
  shares(m, aggregation, whole) {
    const { numerator, denominator, weight, isSetMetric } = whole;
    const own = this.#own[aggregation];
    const hasOthers2 = this.#hasOthers;
    const left = weight - own;
    const scale = weight / denominator;
    const other = (numerator - this.#ownGain[2 * m + aggregation]) / left * scale;
    return {
      caused: this.#caused[aggregation] / weight,
      own: own / weight,
      other: hasOthers2 && left > 0 && !isSetMetric ? Math.max(0, other) : Number.NaN,
      hasOthers: hasOthers2
    };
  }
};
function hasOthers(isOwn, pooled, rows) {
  for (let i = 0; i < rows; i++) if (isOwn[i] === 0 && pooled[i] > 0) return true;
  return false;
}
var CausedRows = class {
  /** Places in the selection. */
  caused = new Int32Array(0);
  size = 0;
  /** By place: 1 where the model's own list caused the row. */
  isOwn = new Uint8Array(0);
  /** By metric: which of its hits are own; none where no row is, or a set is measured. */
  ownHits = [];
  #room = [];
  #hasOwn = false;
  take({ rows, row, part }, model) {
    if (rows > this.caused.length) {
      this.caused = new Int32Array(rows);
      this.isOwn = new Uint8Array(rows);
    }
    const causes = part?.causes;
    this.size = 0;
    this.#hasOwn = false;
    this.isOwn.fill(0, 0, rows);
    if (causes === void 0) return;
    for (let i = 0; i < rows; i++) {
      const cause = causes.cause[row[i]];
      if (cause === UNCAUSED) continue;
      this.caused[this.size++] = i;
      if (cause !== model + 1) continue;
      this.isOwn[i] = 1;
      this.#hasOwn = true;
    }
  }
  /** Finds the own hits, for all estimators at once. */
  takeHits(metrics) {
    this.ownHits = this.#hasOwn ? metrics.map((metric, m) => this.#ownOf(metric, m)) : [];
  }
  #ownOf({ hits: { row, size }, set }, m) {
    this.#room[m] ??= { at: new Int32Array(0), size: 0 };
    const own = this.#room[m];
    own.size = 0;
    if (set !== null) return own;
    if (own.at.length < size) own.at = new Int32Array(size);
    for (let h = 0; h < size; h++) {
      own.at[own.size] = h;
      own.size += this.isOwn[row[h]];
    }
    return own;
  }
};

// src/estimators/rows/hits.ts
var RankedRows = class {
  size = 0;
  /** Row and user of the selection. */
  row = new Int32Array(0);
  user = new Int32Array(0);
  /** Below the limit. */
  rank = new Uint16Array(0);
  take(selection, ranks, limit) {
    if (selection.rows > this.row.length) {
      this.row = new Int32Array(selection.rows);
      this.user = new Int32Array(selection.rows);
      this.rank = new Uint16Array(selection.rows);
    }
    const { row, start, users } = selection;
    const { row: rows, user: segments, rank: found } = this;
    let size = 0;
    for (let u = 0; u < users; u++) {
      for (let i = start[u]; i < start[u + 1]; i++) {
        const rank = ranks[row[i]];
        rows[size] = i;
        segments[size] = u;
        found[size] = rank;
        size += rank - limit >>> 31;
      }
    }
    this.size = size;
  }
};
var Hits = class {
  size = 0;
  /** Row and user of the selection. */
  row = new Int32Array(0);
  user = new Int32Array(0);
  gain = new Float64Array(0);
  /** Extremes of the gain over the hits. */
  least = Number.POSITIVE_INFINITY;
  most = 0;
  /** What the last `addTo` or `addSlopes` came to. */
  userTotal = 0;
  pooledTotal = 0;
  /** Σ a_i λ_i² and Σ b_i λ_i², as `addWithSquares` left them. */
  userSquares = 0;
  pooledSquares = 0;
  reserve(rows) {
    if (rows <= this.row.length) return;
    this.row = new Int32Array(rows);
    this.user = new Int32Array(rows);
    this.gain = new Float64Array(rows);
  }
  /** Gains that depend on the rank alone; `ranked` holds every row below the table's end. */
  takeByRank(ranked, table) {
    this.reserve(ranked.size);
    const { row, user, rank } = ranked;
    const limit = table.length;
    let size = 0;
    const { row: rows, user: users, gain } = this;
    for (let h = 0; h < ranked.size; h++) {
      const z = rank[h];
      if (z >= limit) continue;
      rows[size] = row[h];
      users[size] = user[h];
      gain[size++] = table[z];
    }
    this.size = size;
    this.findExtremes();
  }
  /** Gains that depend on the list's length too; `ranked` holds every row in a list. */
  takeByShare(ranked, selection, lists, metric) {
    this.reserve(ranked.size);
    const { row, user, rank, size } = ranked;
    this.row.set(row.subarray(0, size));
    this.user.set(user.subarray(0, size));
    for (let h = 0; h < size; h++) {
      this.gain[h] = metric.gain(rank[h], lists[selection.row[row[h]]] & LIST_LENGTH_MASK);
    }
    this.size = size;
    this.findExtremes();
  }
  /**
   * Adds a_i λ_i and b_i λ_i of each hit to its user's elements of the sums, which are 0 before,
   * and leaves their totals in `userTotal` and `pooledTotal`.
   */
  addTo(userSums, pooledSums, coefficients) {
    const { row, user, gain, size } = this;
    const { user: a, pooled: b } = coefficients;
    let userTotal = 0;
    let pooledTotal = 0;
    for (let h = 0; h < size; h++) {
      const i = row[h];
      const own = user[h];
      const userShare = a[i] * gain[h];
      const pooledShare = b[i] * gain[h];
      userSums[own] += userShare;
      pooledSums[own] += pooledShare;
      userTotal += userShare;
      pooledTotal += pooledShare;
    }
    this.userTotal = userTotal;
    this.pooledTotal = pooledTotal;
  }
  /** As `addTo`, and leaves Σ a_i λ_i² and Σ b_i λ_i² in `userSquares` and `pooledSquares`. */
  addWithSquares(userSums, pooledSums, coefficients) {
    if (this.least === 1 && this.most === 1) {
      this.addTo(userSums, pooledSums, coefficients);
      this.userSquares = this.userTotal;
      this.pooledSquares = this.pooledTotal;
      return;
    }
    const { user: a, pooled: b } = coefficients;
    const { row, user, gain, size } = this;
    let userTotal = 0;
    let pooledTotal = 0;
    let userSquares = 0;
    let pooledSquares = 0;
    for (let h = 0; h < size; h++) {
      const i = row[h];
      const own = user[h];
      const squared = gain[h] * gain[h];
      const userShare = a[i] * gain[h];
      const pooledShare = b[i] * gain[h];
      userSums[own] += userShare;
      pooledSums[own] += pooledShare;
      userTotal += userShare;
      pooledTotal += pooledShare;
      userSquares += a[i] * squared;
      pooledSquares += b[i] * squared;
    }
    this.userTotal = userTotal;
    this.pooledTotal = pooledTotal;
    this.userSquares = userSquares;
    this.pooledSquares = pooledSquares;
  }
  /** Leaves Σ λ ∂a/∂γ and Σ λ ∂b/∂γ in `userTotal` and `pooledTotal`. */
  addSlopes({ userSlope, pooledSlope }) {
    const { row, gain, size } = this;
    let userTotal = 0;
    let pooledTotal = 0;
    for (let h = 0; h < size; h++) {
      const i = row[h];
      userTotal += userSlope[i] * gain[h];
      pooledTotal += pooledSlope[i] * gain[h];
    }
    this.userTotal = userTotal;
    this.pooledTotal = pooledTotal;
  }
  findExtremes() {
    let least = Number.POSITIVE_INFINITY;
    let most = 0;
    for (let h = 0; h < this.size; h++) {
      const gain = this.gain[h];
      if (gain < least) least = gain;
      if (gain > most) most = gain;
    }
    this.least = least;
    this.most = most;
  }
};

// src/estimators/uncertainty/hit-moments.ts
var HitMoments = class {
  /** By metric, then by form. */
  #squaredGains;
  /** Σ a_i². */
  squaredUserRows = 0;
  constructor(metrics) {
    this.#squaredGains = new Float64Array(2 * metrics);
  }
  /** Takes a chunk's hits of the m-th metric, right after `hits.addWithSquares`. */
  addHits(m, { userSquares, pooledSquares }) {
    this.#squaredGains[2 * m] += userSquares;
    this.#squaredGains[2 * m + 1] += pooledSquares;
  }
  /** Takes the users' values of the m-th metric, which measures whole sets. */
  addSets(m, numerators, { values, users }) {
    let squares = 0;
    for (let u = 0; u < users; u++) {
      if (values[u] > 0) squares += numerators[u] * numerators[u] / values[u];
    }
    this.#squaredGains[2 * m] += squares;
  }
  /** Takes the sums of other users. */
  merge(other) {
    this.squaredUserRows += other.squaredUserRows;
    for (let at = 0; at < this.#squaredGains.length; at++) {
      this.#squaredGains[at] += other.#squaredGains[at];
    }
  }
  /** Σ c λ² of the m-th metric in one form: 0 by user, 1 pooled. */
  squaredGains(m, form) {
    return this.#squaredGains[2 * m + form];
  }
};

// src/estimators/lanes/estimator-sums.ts
var EstimatorSums = class {
  /** By metric of the lane, in both forms. */
  user;
  pooled;
  /** Σ λ ∂a/∂γ and Σ λ ∂b/∂γ by metric, and Σ ∂b/∂γ; 0 where they do not depend on γ. */
  userSlope;
  pooledSlope;
  weightSlope = 0;
  /** Users with weight in each form. */
  users = 0;
  pooledUsers = 0;
  squaredWeights = 0;
  largestWeight = 0;
  /** A weighted mean of gains. */
  isNormalized;
  /** Σ_u W_u and Σ_u W_u² where it is none. */
  weightSum = 0;
  squaredUserWeights = 0;
  own;
  /** Where intervals are made of them. */
  hits;
  constructor(rule, metrics, keepsHits = false) {
    this.user = Array.from({ length: metrics }, () => new RatioMoments());
    this.pooled = Array.from({ length: metrics }, () => new RatioMoments());
    this.userSlope = new Float64Array(metrics);
    this.pooledSlope = new Float64Array(metrics);
    this.isNormalized = rule.denominator === void 0;
    this.own = rule.ownSums?.(metrics);
    this.hits = keepsHits ? new HitMoments(metrics) : null;
  }
  /** Takes the weights of a chunk. */
  addWeights(of) {
    this.users += of.userDenominator.weighted;
    this.pooledUsers += of.pooledDenominator.weighted;
    this.squaredWeights += of.squaredWeights;
    this.largestWeight = Math.max(this.largestWeight, of.largestWeight);
    this.weightSum += of.weightSum;
    this.squaredUserWeights += of.squaredUserWeights;
    if (this.hits !== null) this.hits.squaredUserRows += of.squaredUserRows;
  }
  /** Takes the slopes of a metric's hits. */
  addSlopes(m, hits, coefficients) {
    hits.addSlopes(coefficients);
    this.userSlope[m] += hits.userTotal;
    this.pooledSlope[m] += hits.pooledTotal;
  }
  /** Takes the sums of other users. */
  merge(other) {
    for (let m = 0; m < this.user.length; m++) {
      this.user[m].merge(other.user[m]);
      this.pooled[m].merge(other.pooled[m]);
      this.userSlope[m] += other.userSlope[m];
      this.pooledSlope[m] += other.pooledSlope[m];
    }
    this.weightSlope += other.weightSlope;
    this.users += other.users;
    this.pooledUsers += other.pooledUsers;
    this.squaredWeights += other.squaredWeights;
    this.largestWeight = Math.max(this.largestWeight, other.largestWeight);
    this.weightSum += other.weightSum;
    this.squaredUserWeights += other.squaredUserWeights;
    if (other.own !== void 0) this.own?.merge(other.own);
    if (other.hits !== null) this.hits?.merge(other.hits);
  }
};

// src/estimators/lanes/lane.ts
var LaneScratch = class {
  ranked = new RankedRows();
  caused = new CausedRows();
  /** Numerators of the chunk's users in both forms. */
  user = new Float64Array(CHUNK_ROWS);
  pooled = new Float64Array(CHUNK_ROWS);
  #nobody = new Denominators(CHUNK_ROWS);
  /** Denominators of 0. */
  nobody(users) {
    if (users > this.#nobody.values.length) this.#nobody.values = new Float64Array(users);
    this.#nobody.settle(users);
    return this.#nobody;
  }
  reserve(users) {
    if (users <= this.user.length) return;
    this.user = new Float64Array(users);
    this.pooled = new Float64Array(users);
  }
  clear(users) {
    this.user.fill(0, 0, users);
    this.pooled.fill(0, 0, users);
  }
};
var Lane = class {
  model;
  family;
  metrics;
  /** Ranks at or above it gain nothing. */
  rankLimit;
  /** By rule, in their order. */
  sums;
  /** Rows that were added. */
  events = 0;
  /** Of the whole window. */
  strata;
  /** What intervals ask of the lists, where they do; then the sums keep what they ask of hits. */
  candidates;
  /** Take part in each chunk, in this order. */
  observers = [];
  /** By rule; only there where causes are followed. */
  feedback;
  constructor(model, family, gains, rules2, strata, followsCauses, candidates = null) {
    this.model = model;
    this.family = family;
    this.metrics = gains.map((gain) => ({
      ...gain,
      hits: new Hits(),
      least: Number.POSITIVE_INFINITY,
      most: 0
    }));
    const limits = gains.map(({ table }) => table?.length ?? UNRANKED);
    this.rankLimit = Math.max(...limits);
    this.candidates = candidates;
    this.sums = rules2.map((rule) => new EstimatorSums(rule, gains.length, candidates !== null));
    this.strata = new StratumSums(strata);
    if (followsCauses) this.feedback = rules2.map(() => new FeedbackSums(gains.length));
  }
  /** Moments by slot. */
  moments() {
    return this.metrics.flatMap(
      (_, m) => this.sums.flatMap(({ user, pooled }) => [user[m], pooled[m]])
    );
  }
  /** Takes what a lane of the same model and metrics saw of other users. */
  merge(other) {
    this.events += other.events;
    if (other.candidates !== null) this.candidates?.merge(other.candidates);
    this.metrics.forEach((metric, m) => {
      const { least, most } = other.metrics[m];
      metric.least = Math.min(metric.least, least);
      metric.most = Math.max(metric.most, most);
    });
    this.sums.forEach((sums, e) => {
      sums.merge(other.sums[e]);
    });
    this.feedback?.forEach((sums, e) => {
      if (other.feedback !== void 0) sums.merge(other.feedback[e]);
    });
  }
  /** Adds a chunk: its rows, and each estimator's coefficients for them. */
  add(selection, part, rules2, coefficients, scratch) {
    this.events += selection.rows;
    this.candidates?.take(selection, part.lists[this.model]);
    this.measure(selection, part, scratch.ranked);
    scratch.reserve(selection.users);
    if (this.feedback !== void 0) {
      scratch.caused.take(selection, this.model);
      scratch.caused.takeHits(this.metrics);
    }
    for (let e = 0; e < coefficients.length; e++) {
      const own = coefficients[e];
      const sums = this.sums[e];
      const { dependsOnGamma } = rules2[e];
      sums.addWeights(own);
      for (let m = 0; m < this.metrics.length; m++) {
        const { hits, set } = this.metrics[m];
        scratch.clear(selection.users);
        if (set !== null) {
          this.addSets(m, e, selection, rules2[e], own, scratch);
          continue;
        }
        if (sums.hits === null) hits.addTo(scratch.user, scratch.pooled, own);
        else hits.addWithSquares(scratch.user, scratch.pooled, own);
        sums.user[m].add(scratch.user, hits.userTotal, own.userDenominator);
        sums.pooled[m].add(scratch.pooled, hits.pooledTotal, own.pooledDenominator);
        sums.hits?.addHits(m, hits);
        this.show(m, e, own.userDenominator, own.pooledDenominator, selection, scratch);
        if (dependsOnGamma) sums.addSlopes(m, hits, own);
      }
      if (dependsOnGamma) sums.weightSlope += own.pooledSlopeTotal;
      sums.own?.add(selection, own, this.metrics);
      this.feedback?.[e].add(scratch.caused, own, selection, this.metrics);
    }
  }
  /** Finds the hits of every metric in a chunk, and what their gains range over. */
  measure(selection, part, ranked) {
    ranked.take(selection, part.ranks[this.model], this.rankLimit);
    for (const metric of this.metrics) {
      const { hits, table, ofList, set } = metric;
      if (ofList !== null) hits.takeByShare(ranked, selection, part.lists[this.model], ofList);
      else hits.takeByRank(ranked, table);
      const { least, most } = set === null ? hits : set.bounds;
      if (hits.size < selection.rows) metric.least = 0;
      metric.least = Math.min(metric.least, least);
      metric.most = Math.max(metric.most, most);
    }
  }
  /** A set metric under one estimator; it has a form by user alone, where it has one. */
  addSets(m, e, selection, { sets }, own, scratch) {
    const { hits, set } = this.metrics[m];
    const nobody = scratch.nobody(selection.users);
    let present = nobody;
    if (sets !== void 0) {
      present = own.userDenominator;
      const chances = sets === "drawn" ? own.pooled : null;
      const total = set.addTo(scratch.user, selection, hits, chances, present.values);
      this.sums[e].user[m].add(scratch.user, total, present);
      this.sums[e].hits?.addSets(m, scratch.user, present);
    }
    this.show(m, e, present, nobody, selection, scratch);
  }
  /** Lets the observers see single users' sums. */
  show(m, e, user, pooled, selection, scratch) {
    const slot = slotOf(m, e, 0, this.sums.length);
    for (const observer of this.observers) {
      observer.observe(slot, scratch.user, user, selection);
      observer.observe(slot + 1, scratch.pooled, pooled, selection);
    }
  }
};

// src/estimators/lanes/make-lanes.ts
function makeLanes(models, reference, rules2, options) {
  const { metrics, ks, strata, interval, catalogueSize } = options;
  const followsCauses = isFollowed(options);
  const rest = models.map((_, m) => m).filter((m) => m !== reference);
  const order3 = reference in models ? [reference, ...rest] : rest;
  const ranked = [
    ...rankGains(metrics, ks).map((gain) => ({ ...gain, ofList: null, set: null })),
    ...setGains(metrics, ks).map(({ metric, k, of }) => ({
      ...{ metric, k, table: placesBelow(k), ofList: null },
      set: new ExpectedSet(of, k)
    }))
  ];
  const complete = listGains(metrics).map(({ metric, k, of }) => ({
    ...{ metric, k, table: null, ofList: of, set: null }
  }));
  const candidates = () => interval === "korn-graubard" ? new MostCandidates(catalogueSize) : null;
  const lanesOf = (family, gains) => gains.length > 0 ? order3.map((m) => new Lane(m, family, gains, rules2, strata, followsCauses, candidates())) : [];
  return [...lanesOf("ranked", ranked), ...lanesOf("complete", complete)];
}

// src/estimators/registry/coefficients.ts
var Coefficients = class {
  /** a_i per row. Only asked for where `selection.gainful`; anything elsewhere. */
  user;
  /** D_u of the user form; 0 leaves the user out. */
  userDenominator;
  /** b_i per row. */
  pooled;
  /** Σ b_i per user. */
  pooledDenominator;
  /**
   * ∂a_i/∂γ and ∂b_i/∂γ, where the rule depends on γ, and asked for like a_i; D_u of the user form
   * never depends on it.
   */
  userSlope;
  pooledSlope;
  /** Σ ∂b_i/∂γ. */
  pooledSlopeTotal = 0;
  /** Σ b_i² of each user. */
  pooledSquares;
  /** Σ b_i² and the largest b_i. */
  squaredWeights = 0;
  largestWeight = 0;
  /** Σ_u W_u and Σ_u W_u², W_u = Σ b_i, of a rule that does not normalise itself. */
  weightSum = 0;
  squaredUserWeights = 0;
  /** Σ a_i² over all rows. */
  squaredUserRows = 0;
  /** Σ b_i (1 − b_i): where b is the chance that a row is drawn, the variance of how many are. */
  drawVariance = 0;
  constructor(capacity) {
    this.user = new Float64Array(capacity);
    this.userDenominator = new Denominators(capacity);
    this.pooled = new Float64Array(capacity);
    this.pooledDenominator = new Denominators(capacity);
    this.pooledSquares = new Float64Array(capacity);
    this.userSlope = new Float64Array(capacity);
    this.pooledSlope = new Float64Array(capacity);
  }
  reserve(capacity) {
    if (capacity <= this.user.length) return;
    this.user = new Float64Array(capacity);
    this.userDenominator = new Denominators(capacity);
    this.pooled = new Float64Array(capacity);
    this.pooledDenominator = new Denominators(capacity);
    this.pooledSquares = new Float64Array(capacity);
    this.userSlope = new Float64Array(capacity);
    this.pooledSlope = new Float64Array(capacity);
  }
  /** Completes what follows from the rule's answer, but for what the rule sees to itself. */
  settle({ users, start }, { denominator, squaresUserRows = false }) {
    const { pooled, pooledSquares, userDenominator } = this;
    let variance2 = 0;
    let squares = 0;
    let largest = 0;
    let userRows = 0;
    for (let u = 0; u < users; u++) {
      let total = 0;
      let own = 0;
      for (let i = start[u]; i < start[u + 1]; i++) {
        const weight = pooled[i];
        total += weight;
        own += weight * weight;
        squares += weight * weight;
        variance2 += weight * (1 - weight);
        if (weight > largest) largest = weight;
      }
      this.pooledDenominator.values[u] = total;
      pooledSquares[u] = own;
      if (total > 0) userRows += own * (userDenominator.values[u] / total) ** 2;
    }
    if (!squaresUserRows) this.squaredUserRows = userRows;
    this.userDenominator.settle(users);
    this.pooledDenominator.settle(users);
    if (denominator !== void 0) this.replaceDenominator(users, denominator);
    this.drawVariance = variance2;
    this.squaredWeights = squares;
    this.largestWeight = largest;
  }
  replaceDenominator(users, denominator) {
    this.weightSum = this.pooledDenominator.sum;
    this.squaredUserWeights = this.pooledDenominator.squares;
    this.pooledDenominator.values.fill(denominator, 0, users);
    this.pooledDenominator.settle(users);
  }
};

// src/estimators/lanes/weigh-pass.ts
function* weighWindow(parts, columns, lanes, rules2, options, sliceRows) {
  const limit = Math.max(...lanes.map(({ rankLimit }) => rankLimit));
  const positive = new Selection();
  const laneRows = new LaneRows();
  const coefficients = rules2.map(() => new Coefficients(CHUNK_ROWS));
  const scratch = new LaneScratch();
  let work = 0;
  for (const { part, from, to } of chunks(parts)) {
    positive.takePositive(part, from, to, columns);
    positive.markGainful(part.ranks, limit);
    if (isFollowed(options)) positive.markCaused();
    laneRows.begin(positive);
    for (const lane of lanes) for (const observer of lane.observers) observer.begin(part, from, to);
    let weighed = null;
    let strataOf = null;
    for (const lane of lanes) {
      const rows = laneRows.of(part, lane, options.catalogueSize);
      if (rows.rows === 0) continue;
      if (rows !== weighed || strataOf === null || !lane.strata.equals(strataOf)) {
        rows.strata = lane.strata;
        weigh(rows, rules2, coefficients);
        weighed = rows;
        strataOf = lane.strata;
      }
      lane.add(rows, part, rules2, coefficients, scratch);
    }
    work += part.userStart[to] - part.userStart[from];
    if (work >= sliceRows || options.interval === "bootstrap") {
      yield;
      work = 0;
    }
  }
}
function weigh(rows, rules2, coefficients) {
  rules2.forEach((rule, e) => {
    coefficients[e].reserve(rows.rows);
    rule.weigh(rows, coefficients[e]);
    coefficients[e].settle(rows, rule);
  });
}

// src/estimators/lanes/lane-window.ts
function* laneWindow(parts, columns, models, rules2, options, sliceRows, isUncounted = false) {
  const reference = options.reference === void 0 ? 0 : models.indexOf(options.reference);
  const lanes = makeLanes(models, reference, rules2, options);
  const studies = studyLanes(lanes, reference, options);
  const counts = yield* countWindow(
    ...[parts, columns, lanes, models.length, options, sliceRows, isUncounted]
  );
  yield* weighWindow(parts, columns, lanes, rules2, options, sliceRows);
  const results = [];
  const differences = [];
  const effectiveSampleSizes = [];
  const factorOf = intervalFactors();
  for (let m = 0; m < models.length; m++) {
    const own = lanes.filter(({ model }) => model === m);
    for (const lane of own) {
      const study = studies.get(lane);
      results.push(...laneEstimates(lane, models[m], rules2, study, options, factorOf));
      if (study.paired === null) continue;
      const names = { model: models[m], reference: models[reference] };
      const other = studies.get(study.paired.reference);
      differences.push(...laneDifferences(lane, names, study, other, options, factorOf));
    }
    if (own.length > 0) effectiveSampleSizes.push(...laneSampleSizes(own[0], models[m], options));
    yield;
  }
  return { results, differences, effectiveSampleSizes, counts };
}

// src/mathematics/gauss-legendre.ts
function gaussLegendre(size) {
  const nodes = new Float64Array(size);
  const weights = new Float64Array(size);
  for (let q = 0; q < size; q++) {
    let x = Math.cos(Math.PI * (q + 0.75) / (size + 0.5));
    let slope = 1;
    for (let step = 0; step < 100; step++) {
      const [value, derivative] = legendre(size, x);
      slope = derivative;
      const next = x - value / derivative;
      const isSettled = Math.abs(next - x) < 1e-16;
      x = next;
      if (isSettled) break;
    }
    nodes[size - 1 - q] = (1 + x) / 2;
    weights[size - 1 - q] = 1 / ((1 - x * x) * slope * slope);
  }
  return { nodes, weights };
}
function legendre(n, x) {
  let before = 1;
  let value = x;
  for (let j = 2; j <= n; j++) {
    const next = ((2 * j - 1) * x * value - (j - 1) * before) / j;
    before = value;
    value = next;
  }
  return [value, n * (x * value - before) / (x * x - 1)];
}

// src/sampling/expected-mean.ts
var TOLERANCE = 1e-15;
var TAIL2 = 40;
var MAX_NODES = 32;
var rules = Array.from({ length: MAX_NODES }, (_, q) => gaussLegendre(q + 1));
var reach = Float64Array.from(rules, (_, q) => largestSum(q + 1));
var product = new Float64Array(MAX_NODES);
function expectedMeanCoefficients(pi, from, to, needed, out) {
  const size = to - from;
  if (size === 0) return 0;
  if (size === 1) {
    out[from] = pi[from];
    return pi[from];
  }
  if (size === 2) {
    const first = pi[from];
    const second = pi[from + 1];
    out[from] = first * (1 - second / 2);
    out[from + 1] = second * (1 - first / 2);
    return first + second - first * second;
  }
  return integrate(pi, from, to, needed, out);
}
function integrate(pi, from, to, needed, out) {
  let sum = 0;
  let anyNeeded = 0;
  let logMissing = 0;
  let missing = 1;
  for (let j = from; j < to; j++) {
    sum += pi[j];
    anyNeeded |= needed[j];
    missing *= 1 - pi[j];
  }
  if (missing > 0.5) {
    for (let j = from; j < to; j++) logMissing += Math.log1p(-pi[j]);
    missing = Math.exp(logMissing);
  }
  const present = missing > 0.5 ? -Math.expm1(logMissing) : 1 - missing;
  if (anyNeeded === 0) {
    out.fill(0, from, to);
    return present;
  }
  const length = sum > TAIL2 ? TAIL2 / sum : 1;
  const count = nodeCount(to - from, sum);
  const { nodes, weights } = rules[count - 1];
  for (let q = 0; q < count; q += 2) {
    const x = length * nodes[q];
    const y = length * nodes[q + 1];
    let atX = length * weights[q];
    let atY = length * weights[q + 1];
    for (let j = from; j < to; j++) {
      atX *= 1 - pi[j] * x;
      atY *= 1 - pi[j] * y;
    }
    product[q] = atX;
    product[q + 1] = atY;
  }
  for (let i = from; i < to; i++) {
    let integral = 0;
    if (needed[i] !== 0) {
      const chance = pi[i];
      for (let q = 0; q < count; q++) integral += product[q] / (1 - chance * length * nodes[q]);
      integral *= chance;
    }
    out[i] = integral;
  }
  return present;
}
function nodeCount(size, sum) {
  const exact = size + 1 >> 1;
  let count = 2;
  while (count < exact && count < MAX_NODES && reach[count - 1] < sum) count += 2;
  return count;
}
function largestSum(size) {
  let logFactorial = 0;
  for (let j = 2; j <= 2 * size; j++) logFactorial += Math.log(j);
  const isEnough = (s) => {
    const h = Math.min(1, TAIL2 / s);
    const logError = Math.log(2 * (1 + s) * h) + 2 * size * Math.log(h * s / 4) - logFactorial;
    return logError <= Math.log(TOLERANCE);
  };
  if (isEnough(1e12)) return Number.POSITIVE_INFINITY;
  let low = 0;
  let high = TAIL2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (isEnough(middle)) low = middle;
    else high = middle;
  }
  return low;
}

// src/estimators/uncertainty/sampling-error.ts
var SamplingError = class {
  /** Σ v, and Σ v λ and Σ v λ² for each metric. */
  #total = 0;
  #first;
  #second;
  constructor(metrics) {
    this.#first = new Float64Array(metrics);
    this.#second = new Float64Array(metrics);
  }
  add(_, { pooled: pi, drawVariance }, measured) {
    this.#total += drawVariance;
    for (let m = 0; m < measured.length; m++) {
      const { row, gain, size } = measured[m].hits;
      let first = 0;
      let second = 0;
      for (let h = 0; h < size; h++) {
        const share = pi[row[h]] * (1 - pi[row[h]]) * gain[h];
        first += share;
        second += share * gain[h];
      }
      this.#first[m] += first;
      this.#second[m] += second;
    }
  }
  merge(other) {
    this.#total += other.#total;
    for (let m = 0; m < this.#first.length; m++) {
      this.#first[m] += other.#first[m];
      this.#second[m] += other.#second[m];
    }
  }
  extras(result, { least, most }, m) {
    if (result.aggregation === "user") return {};
    if (least === most) return { samplingStdErr: 0 };
    const { value, denominator } = result;
    const variance2 = this.#second[m] - 2 * value * this.#first[m] + value * value * this.#total;
    return { samplingStdErr: Math.sqrt(Math.max(0, variance2)) / denominator };
  }
};

// src/estimators/interventions/intervened.ts
function intervened(chances) {
  return {
    sets: "drawn",
    ownSums: (metrics) => new SamplingError(metrics),
    weigh(selection, out) {
      const { start, users, gainful } = selection;
      fillChances(chances, selection, out.pooled);
      for (let u = 0; u < users; u++) {
        out.userDenominator.values[u] = expectedMeanCoefficients(
          out.pooled,
          start[u],
          start[u + 1],
          gainful,
          out.user
        );
      }
    }
  };
}
function fillChances(chances, selection, pi) {
  const isByItem = chances instanceof Float64Array;
  const from = isByItem ? chances : chances.get(selection.part);
  const key = isByItem ? selection.item : selection.row;
  for (let i = 0; i < selection.rows; i++) pi[i] = from[key[i]];
}

// src/estimators/interventions/drawn-sets.ts
function* drawnEstimates(prepared, parts, counts, columns, models, asked, sliceRows) {
  const { draws = 0, seed = 1 } = asked;
  if (draws === 0 || prepared.length === 0) return [];
  const options = {
    ...asked,
    estimators: prepared.map(({ name }) => name),
    ...{ interval: "t-logit", guarantees: [], reference: "" }
  };
  const values = /* @__PURE__ */ new Map();
  for (let draw = 0; draw < draws; draw++) {
    const rules2 = [];
    for (const own of prepared) {
      rules2.push(intervened(yield* drawn(own, parts, counts, asked, seed + draw)));
    }
    const { results } = yield* laneWindow(parts, columns, models, rules2, options, sliceRows);
    for (const row of results) {
      const { model, metric, k, estimator, aggregation } = row;
      const key = JSON.stringify([model, metric, k, estimator, aggregation]);
      const known = values.get(key);
      if (known === void 0) values.set(key, { row, values: [row.value] });
      else known.values.push(row.value);
    }
  }
  return [...values.values()].map(summary);
}
function* drawn({ name, sides }, parts, { itemKey }, { sampleShare }, seed) {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const sample = new BottomK(Math.round(interventionOf(name).keepsAll ? rows : sampleShare * rows));
  for (const [p, part] of parts.entries()) {
    const { userStart, item, userKey } = part;
    const userSide = sides.userSides?.get(part);
    for (let s = 0; s < part.users; s++) {
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        const weight = (userSide?.[s] ?? 1) * sides.itemSide[item[r]];
        sample.add(samplingKey(seed, userKey[s], itemKey(item[r]), weight), p, r);
      }
      if (s % 1024 === 1023) yield;
    }
  }
  const taken2 = parts.map(({ rows: own }) => new Float64Array(own));
  for (const { idHigh: p, idLow: r } of sample.rows()) taken2[p][r] = 1;
  yield;
  return new Map(parts.map((part, p) => [part, taken2[p]]));
}
function summary({ row, values }) {
  const { model, metric, k, estimator, aggregation } = row;
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const stdDev = values.length < 2 ? Number.NaN : Math.sqrt(squares / (values.length - 1));
  return { ...{ model, metric, k, estimator, aggregation }, draws: values.length, mean, stdDev };
}

// src/estimators/results/scale-report.ts
var SCALES = ["logged", "randomized", "reach", "relative"];

// src/estimators/known/absolute-scale.ts
var LOGGED_AT_LEAST = 0.95;
function* absoluteScale(parts, counts, columns, randomized, options, sliceRows) {
  const positives = yield* organicPositives(parts, columns.weight, sliceRows);
  const loggedShare = positives.logged / positives.rows;
  const attempts = {
    logged: () => fromLog(loggedShare),
    randomized: () => fromRandomized(columns, positives, randomized, options),
    reach: () => fromReach(parts, counts, options),
    relative: () => fromCounts(counts, columns, propensityExponent(options.gamma))
  };
  const passedOver = [];
  for (const scale of SCALES) {
    const found = attempts[scale]();
    yield;
    if (typeof found !== "string") {
      return { ...found, report: { scale, passedOver, loggedShare } };
    }
    passedOver.push({ scale, reason: found });
  }
  return null;
}
function* organicPositives(parts, weight, sliceRows) {
  const byItem = new Float64Array(weight.length);
  let [rows, logged, users, work] = [0, 0, 0, 0];
  for (const { users: segments, userStart, item, positive, propensity } of parts) {
    for (let s = 0; s < segments; s++) {
      const before = rows;
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        if (positive[r] === 0 || weight[item[r]] === 0) continue;
        rows++;
        byItem[item[r]]++;
        if (propensity !== void 0 && propensity[r] > 0) logged++;
      }
      if (rows > before) users++;
      work += userStart[s + 1] - userStart[s];
      if (work >= sliceRows) {
        yield;
        work = 0;
      }
    }
  }
  return { rows, logged, users, byItem };
}
function fromLog(share) {
  if (share >= LOGGED_AT_LEAST) return { inverse: null, slope: null };
  if (!(share > 0)) return "no event carries a propensity";
  return `${(100 * share).toFixed(1)} % of the rows carry a propensity, fewer than 95 %`;
}
function fromRandomized({ weight, weightSlope }, { byItem, users }, { positives, itemsShown }, { catalogueSize }) {
  if (positives === 0) return "the window holds no positive interaction from randomised traffic";
  if (!(itemsShown > 0)) return "not all lists of the randomised traffic are logged";
  const relevant = users * catalogueSize * (positives / itemsShown);
  let sum = 0;
  let slopeSum = 0;
  for (let i = 0; i < weight.length; i++) {
    sum += byItem[i] * weight[i];
    slopeSum += byItem[i] * weightSlope[i];
  }
  const scale = relevant / sum;
  const scaleSlope = -(scale * slopeSum) / sum;
  return scaled({ weight, weightSlope }, scale, scaleSlope);
}
function fromReach(parts, { items }, { cold, smoothing, noReach }) {
  if (noReach !== void 0) return noReach;
  if (parts.some(({ reach: reach2 }) => reach2 === void 0)) return "not all lists are known";
  const users = parts.reduce((sum, { reach: reach2 }) => sum + reach2.users, 0);
  if (users === 0) return "no list was shown in the window";
  const inverse = new Float64Array(items);
  for (let i = 0; i < items; i++) {
    let reached = 0;
    for (const { reach: reach2 } of parts) reached += reach2.items[i];
    if (reached === 0 && cold === "smooth") reached = smoothing;
    inverse[i] = reached === 0 ? 0 : users / reached;
  }
  return { inverse, slope: null };
}
function fromCounts({ popularity, items }, columns, beta) {
  let most = 0;
  for (let i = 0; i < items; i++) most = Math.max(most, popularity[i]);
  if (most === 0) return "no item has a count";
  const scale = most ** beta;
  return scaled(columns, scale, 0.5 * scale * Math.log(most));
}
function scaled({ weight, weightSlope }, scale, scaleSlope) {
  const inverse = weight.map((w) => w === 0 ? 0 : Math.max(1, scale * w));
  const slope = weight.map((w, i) => scale * w > 1 ? scale * weightSlope[i] + scaleSlope * w : 0);
  return { inverse, slope };
}

// src/estimators/known/per-item.ts
var SLICE_ITEMS = 32768;
function* perItem(counts, of, column) {
  for (let from = 0; from < column.length; from += SLICE_ITEMS) {
    fill(counts, of, column, from, Math.min(column.length, from + SLICE_ITEMS));
    yield;
  }
  return column;
}
function fill(counts, of, column, from, to) {
  for (let item = from; item < to; item++) column[item] = of(counts[item]);
}

// src/estimators/rows/narrowed-part.ts
function* narrowedPart(part, kept, userStart) {
  const { propensity, causes } = part;
  const narrowed = {
    rows: kept.length,
    userStart,
    item: taken(part.item, kept),
    positive: taken(part.positive, kept),
    traffic: taken(part.traffic, kept),
    ...propensity && { propensity: taken(propensity, kept) },
    ...causes && { causes: takenCauses(causes, kept) },
    ranks: [],
    lists: []
  };
  for (let m = 0; m < part.ranks.length; m++) {
    yield;
    narrowed.ranks.push(taken(part.ranks[m], kept));
    narrowed.lists.push(taken(part.lists[m], kept));
  }
  return { ...part, ...narrowed };
}

// src/estimators/known/separate-traffic.ts
function* separateTraffic(parts, sliceRows) {
  const organic = [];
  const randomized = [];
  for (const part of parts) {
    if (isMixed(part)) {
      organic.push(yield* rowsOf(part, ORGANIC_TRAFFIC, sliceRows));
      randomized.push(yield* rowsOf(part, RANDOMIZED_TRAFFIC, sliceRows));
    } else {
      organic.push(part);
      yield;
    }
  }
  return { organic, randomized };
}
function isMixed({ traffic, rows }) {
  let any = 0;
  for (let r = 0; r < rows; r++) any |= traffic[r];
  return (any & RANDOMIZED_TRAFFIC) !== 0;
}
function* rowsOf(part, bit, sliceRows) {
  const { users, userStart, traffic } = part;
  const kept = new Int32Array(countOf(part, bit));
  const start = new Int32Array(users + 1);
  let rows = 0;
  let work = 0;
  for (let s = 0; s < users; s++) {
    start[s] = rows;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      if ((traffic[r] & bit) !== 0) kept[rows++] = r;
    }
    work += userStart[s + 1] - userStart[s];
    if (work >= sliceRows) {
      yield;
      work = 0;
    }
  }
  start[users] = rows;
  yield;
  return yield* narrowedPart(part, kept, start);
}
function countOf({ traffic, rows }, bit) {
  let count = 0;
  for (let r = 0; r < rows; r++) if ((traffic[r] & bit) !== 0) count++;
  return count;
}

// src/estimators/known/strata.ts
function* stratify(counts, scheme, strata, beta) {
  const { items, popularity } = counts;
  const [min, max] = seenRange(popularity, items);
  yield;
  const stratumOf = new Uint16Array(items);
  if (!(max > min)) return stratumOf;
  if (scheme === "popularity-rank") return byRank2(counts, strata, min);
  const scale = SCALES2[scheme](beta);
  const ends = [scale(min), scale(max)];
  const low = Math.min(...ends);
  const width = Math.max(...ends) - low;
  if (!(width > 0)) return stratumOf;
  const stratumAt = perLevel(
    (n) => Math.min(strata - 1, Math.floor(strata * (scale(Math.max(n, min)) - low) / width))
  );
  return yield* perItem(popularity, stratumAt, stratumOf);
}
var SCALES2 = {
  "popularity-width": () => (count) => count,
  "propensity-width": (beta) => (count) => unnormalizedPropensity(count, beta),
  log: () => Math.log
};
function seenRange(popularity, items) {
  let min = Number.POSITIVE_INFINITY;
  let max = 0;
  for (let item = 0; item < items; item++) {
    const n = popularity[item];
    if (!(n > 0)) continue;
    if (n < min) min = n;
    if (n > max) max = n;
  }
  return [min, max];
}
function byRank2(counts, strata, min) {
  const { items, popularity } = counts;
  const byLevel = /* @__PURE__ */ new Map();
  let seen = 0;
  for (let item = 0; item < items; item++) {
    const n = popularity[item];
    if (!(n > 0)) continue;
    seen++;
    const level = byLevel.get(n);
    if (level === void 0) byLevel.set(n, [item]);
    else level.push(item);
  }
  const stratumOf = new Uint16Array(items);
  let rank = 0;
  for (const n of Float64Array.from(byLevel.keys()).sort().reverse()) {
    const level = byLevel.get(n);
    const first = Math.floor(strata * rank / seen);
    const last = Math.floor(strata * (rank + level.length - 1) / seen);
    if (first !== last) level.sort((a, b) => counts.compareIds(a, b));
    for (const item of level) stratumOf[item] = Math.floor(strata * rank++ / seen);
  }
  const least = Math.floor(strata * (seen - 1) / seen);
  for (let item = 0; item < items; item++) if (!(popularity[item] >= min)) stratumOf[item] = least;
  return stratumOf;
}

// src/estimators/registry/needs.ts
function needsScale({
  estimators,
  guarantees: guarantees2
}) {
  if (estimators.some((name) => estimatorOf(name).needs.scale !== void 0)) return true;
  return ESTIMATORS.some((name) => {
    const { scaleFor } = estimatorOf(name).needs;
    return scaleFor !== void 0 && guarantees2.includes(scaleFor);
  });
}

// src/estimators/feedback/uncaused-rows.ts
function* uncausedRows(parts) {
  const left = [];
  for (const part of parts) {
    left.push(yield* withoutCaused(part));
    yield;
  }
  return left;
}
function* withoutCaused(part) {
  const { users, userStart, causes } = part;
  if (causes === void 0 || !hasCaused(causes.cause)) return part;
  const kept = new Int32Array(part.rows);
  const start = new Int32Array(users + 1);
  let rows = 0;
  for (let s = 0; s < users; s++) {
    start[s] = rows;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      if (causes.cause[r] === UNCAUSED) kept[rows++] = r;
    }
  }
  start[users] = rows;
  yield;
  return yield* narrowedPart(part, kept.subarray(0, rows), start);
}
function hasCaused(cause) {
  for (let r = 0; r < cause.length; r++) if (cause[r] !== UNCAUSED) return true;
  return false;
}

// src/estimators/feedback/cause-by-arms.ts
var ArmCounts = class {
  shown;
  shownHits;
  hidden;
  hiddenHits;
  constructor(models) {
    this.shown = new Float64Array(models);
    this.shownHits = new Float64Array(models);
    this.hidden = new Float64Array(models);
    this.hiddenHits = new Float64Array(models);
  }
};
function* causeByArms(parts, models) {
  const depths = new Int32Array(models.length);
  for (const part of parts) {
    findDepths(part, depths);
    yield;
  }
  const counts = new ArmCounts(models.length);
  for (const part of parts) {
    countHits(part, depths, counts);
    yield;
  }
  const arms = models.flatMap((model, m) => {
    const [shownRows, hiddenRows] = [counts.shown[m], counts.hidden[m]];
    if (shownRows === 0 || hiddenRows === 0) return [];
    const hidden = counts.hiddenHits[m] / hiddenRows;
    if (hidden === 1) return [];
    const caused = (counts.shownHits[m] / shownRows - hidden) / (1 - hidden);
    return [{ model, shownRows, hiddenRows, caused }];
  });
  if (arms.length < 2) return null;
  const rows = arms.reduce((sum, { shownRows }) => sum + shownRows, 0);
  return { caused: arms.reduce((sum, arm) => sum + arm.caused * arm.shownRows, 0) / rows, arms };
}
function findDepths({ rows, positive, causes, lists }, depths) {
  if (causes === void 0) return;
  for (let r = 0; r < rows; r++) {
    const m = causes.served[r] - 1;
    if (positive[r] === 0 || m < 0 || m >= depths.length) continue;
    depths[m] = Math.max(depths[m], lists[m][r] & LIST_LENGTH_MASK);
  }
}
function countHits(part, depths, counts) {
  const { rows, positive, causes } = part;
  if (causes === void 0) return;
  const { served } = causes;
  for (let m = 0; m < depths.length; m++) {
    const depth = depths[m];
    if (depth === 0) continue;
    const [ranks, lists] = [part.ranks[m], part.lists[m]];
    for (let r = 0; r < rows; r++) {
      if (positive[r] === 0 || served[r] === 0 || ranks[r] === UNRANKED) continue;
      if ((lists[r] & LIST_SAMPLED_FULL) === LIST_SAMPLED_FULL) continue;
      const hit = ranks[r] < depth ? 1 : 0;
      if (served[r] === m + 1) {
        counts.shown[m]++;
        counts.shownHits[m] += hit;
      } else {
        counts.hidden[m]++;
        counts.hiddenHits[m] += hit;
      }
    }
  }
}

// src/estimators/feedback/window-cause.ts
function* windowCause(parts, models) {
  let rows = 0;
  let caused = 0;
  for (const { positive, causes, ...part } of parts) {
    for (let r = 0; r < part.rows; r++) {
      if (positive[r] === 0) continue;
      rows++;
      if (causes !== void 0 && causes.cause[r] !== UNCAUSED) caused++;
    }
    yield;
  }
  const arms = yield* causeByArms(parts, models);
  if (caused > 0) return { source: "named", caused: caused / rows, arms };
  if (arms !== null) return { source: "arms", caused: Math.max(0, arms.caused), arms };
  return { source: "unknown", caused: Number.NaN, arms };
}

// src/estimators/feedback/verdict.ts
var WITHHELD_ABOVE = 0.1;
var DOUBTFUL_ABOVE = 0.02;
var GIVEN_AGAIN_BELOW = 0.08;
function verdictOn({ caused, other, hasOthers: hasOthers2 }, value, stdErr, wasWithheld = false) {
  const limit = wasWithheld ? GIVEN_AGAIN_BELOW : WITHHELD_ABOVE;
  const inflation = value - other;
  if (!hasOthers2) return { withheld: "no_other_rows", isDoubtful: false };
  if (isBeyond(caused, limit, wasWithheld)) {
    return { withheld: "caused_by_lists", isDoubtful: false };
  }
  if (isBeyond(inflation, limit * other, wasWithheld) && inflation > 0) {
    return { withheld: "own_lists", isDoubtful: false };
  }
  const isDoubtful = caused > DOUBTFUL_ABOVE || inflation > DOUBTFUL_ABOVE * other + ROUNDING3 || inflation > stdErr / 2 + ROUNDING3;
  return { withheld: null, isDoubtful };
}
var ROUNDING3 = 1e-12;
function isBeyond(value, limit, wasWithheld) {
  return wasWithheld ? value >= limit : value > limit + ROUNDING3;
}

// src/estimators/feedback/withhold.ts
function withhold(results, differences, report, before) {
  const judged = results.map((row) => judge(row, report, before.has(nameOf(row))));
  const withheld = new Map(judged.map((row) => [nameOf(row), row.withheld ?? null]));
  return {
    results: judged,
    differences: differences.map((row) => {
      const reason = withheld.get(nameOf(row)) ?? withheld.get(nameOf(row, row.reference)) ?? null;
      return reason === null ? { ...row, withheld: null } : { ...row, ...UNKNOWN, withheld: reason };
    })
  };
}
function nameOf({ model, metric, k, estimator, aggregation }, of = model) {
  return JSON.stringify([of, metric, k, estimator, aggregation]);
}
var UNKNOWN = {
  value: Number.NaN,
  stdErr: Number.NaN,
  lower: Number.NaN,
  upper: Number.NaN,
  gammaStdErr: Number.NaN
};
var NO_NUMBERS = {
  ...UNKNOWN,
  ...{ gammaSlope: Number.NaN, numerator: Number.NaN, denominator: Number.NaN },
  ...{ other: Number.NaN, guarantees: [] }
};
function judge(row, { mode, source, caused }, wasWithheld) {
  const { shares: found, ...estimate } = row;
  if (found === void 0) return { ...estimate, withheld: null };
  const shares = source === "named" ? found : unnamed(caused);
  const verdict = verdictOn(shares, row.value, row.stdErr, wasWithheld);
  const { own, other } = shares;
  const known = { ...estimate, caused: shares.caused, own, other };
  if (mode === "caution") return { ...known, withheld: null, isDoubtful: isObjected(verdict) };
  if (verdict.withheld !== null) {
    const { samplingStdErr: _, ...rest } = known;
    return { ...rest, ...NO_NUMBERS, withheld: verdict.withheld, isDoubtful: false };
  }
  return { ...known, ...verdict };
}
function unnamed(caused) {
  return { caused, own: Number.NaN, other: Number.NaN, hasOthers: true };
}
function isObjected({ withheld, isDoubtful }) {
  return withheld !== null || isDoubtful;
}

// src/estimators/window/feedback-estimates.ts
function* feedbackEstimates(job, extras, estimates, work, sliceRows) {
  const { feedback: mode = "ignore", withheldBefore = NOTHING } = job.options;
  if (!isFollowed(job.options)) return estimates;
  const cause = yield* windowCause(job.parts, job.models);
  const { results, differences } = estimates;
  const judged = withhold(results, differences, { mode, ...cause }, withheldBefore);
  const isPartly = cause.source === "named" && cause.caused > 0 && cause.caused < 1;
  const objected = new Set(judged.results.filter(isObjected2).map(({ model }) => model));
  const uncaused = isPartly && objected.size > 0 ? yield* uncausedEstimates(narrowedTo(objected, job), extras, work, sliceRows) : null;
  return { ...judged, feedback: { mode, ...cause, uncaused } };
}
function isObjected2({ withheld = null, isDoubtful = false }) {
  return withheld !== null || isDoubtful;
}
var NOTHING = /* @__PURE__ */ new Set();
function narrowedTo(models, job) {
  const { reference = job.models[0] } = job.options;
  const kept = [...job.models.keys()].filter((m) => {
    const name = job.models[m];
    return models.has(name) || name === reference;
  });
  if (kept.length === job.models.length) return job;
  return {
    ...job,
    models: kept.map((m) => job.models[m]),
    options: { ...job.options, reference },
    parts: job.parts.map((part) => ({
      ...part,
      ranks: kept.map((m) => part.ranks[m]),
      lists: kept.map((m) => part.lists[m])
    }))
  };
}
function givenOnly(numbers, results) {
  const withheld = new Set(results.flatMap((row) => row.withheld ? [nameOf(row)] : []));
  return withheld.size === 0 ? numbers : numbers.filter((row) => !withheld.has(nameOf(row)));
}
function* uncausedEstimates(job, extras, work, sliceRows) {
  const parts = yield* uncausedRows(job.parts);
  const { feedback: _, ...options } = job.options;
  const { results, differences, effectiveSampleSizes } = yield* work(
    { ...job, parts, options, isUnsummarised: true },
    extras,
    sliceRows
  );
  return { results, differences, effectiveSampleSizes, ...sizeOf(parts) };
}
function sizeOf(parts) {
  let rows = 0;
  let users = 0;
  for (const { users: segments, userStart, positive } of parts) {
    for (let s = 0; s < segments; s++) {
      const before = rows;
      for (let r = userStart[s]; r < userStart[s + 1]; r++) rows += positive[r];
      if (rows > before) users++;
    }
  }
  return { rows, users };
}

// src/estimators/window/merged-order.ts
function mergedOrder(shares, models, { metrics, ks, estimators }) {
  const places = new Map(measures(metrics, ks).map((measure, n) => [nameOf2(measure), n]));
  const placeOf = (number) => places.get(nameOf2(number)) ?? 0;
  return shares.flat().sort(
    (a, b) => models.indexOf(a.model) - models.indexOf(b.model) || placeOf(a) - placeOf(b) || estimators.indexOf(a.estimator) - estimators.indexOf(b.estimator) || AGGREGATIONS.indexOf(a.aggregation ?? "user") - AGGREGATIONS.indexOf(b.aggregation ?? "user")
  );
}
function nameOf2({ metric, k }) {
  return `${metric} ${k}`;
}

// src/sampling/expected-inclusion.ts
var MAX_STEPS = 500;
var SLICE_CELLS = 32768;
function inclusionProbability(weight, time) {
  return weight === 0 ? 0 : -Math.expm1(-weight * time);
}
function* samplingTime(cells, k) {
  if (k <= 0) return 0;
  let rows = 0;
  let weight = 0;
  for (let c = 0; c < cells.cells; c++) {
    rows += cells.rows[c];
    weight += cells.rows[c] * cells.weight[c];
  }
  if (k >= rows) return Number.POSITIVE_INFINITY;
  let time = k / weight;
  const sums = { kept: 0, slope: 0 };
  for (let step = 0; step < MAX_STEPS; step++) {
    sums.kept = 0;
    sums.slope = 0;
    for (let from = 0; from < cells.cells; from += SLICE_CELLS) {
      addCells(cells, from, Math.min(from + SLICE_CELLS, cells.cells), time, sums);
      yield;
    }
    const next = time + (k - sums.kept) / sums.slope;
    if (!(next > time) || next - time <= 1e-15 * time) break;
    time = next;
  }
  return time;
}
function addCells(cells, from, to, time, sums) {
  let kept = 0;
  let slope = 0;
  for (let c = from; c < to; c++) {
    const left = Math.expm1(-cells.weight[c] * time);
    kept -= cells.rows[c] * left;
    slope += cells.rows[c] * cells.weight[c] * (1 + left);
  }
  sums.kept += kept;
  sums.slope += slope;
}

// src/estimators/interventions/draw-margins.ts
var Margins = class {
  before;
  weights;
  sample;
  constructor(size) {
    this.before = new Float64Array(size);
    this.weights = new Float64Array(size);
    this.sample = new Float64Array(size);
  }
};
function* drawMargins(prepared, parts, itemCount, sliceRows) {
  const { itemChance } = prepared;
  const items = new Margins(itemCount);
  const users = [];
  const byRow = /* @__PURE__ */ new Map();
  for (const part of parts) {
    const own = new Margins(part.users);
    users.push(own);
    const chances = itemChance === null ? new Float64Array(part.rows) : null;
    if (chances !== null) byRow.set(part, chances);
    for (let from = 0; from < part.users; ) {
      const to = sliceEnd(part, from, sliceRows);
      addUsers(part, from, to, prepared, own, items, chances);
      from = to;
      yield;
    }
  }
  return { chances: itemChance ?? byRow, users, items };
}
function sliceEnd({ userStart, users }, from, rows) {
  let to = from + 1;
  while (to < users && userStart[to + 1] - userStart[from] <= rows) to++;
  return to;
}
function addUsers(part, from, to, { sides, time, itemChance }, users, items, chances) {
  const { userStart, item } = part;
  const { itemSide } = sides;
  const userSide = sides.userSides?.get(part);
  const { before, weights, sample } = items;
  for (let s = from; s < to; s++) {
    const side = userSide?.[s] ?? 1;
    let weightSum = 0;
    let chanceSum = 0;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      const i = item[r];
      const weight = side * itemSide[i];
      const chance = itemChance === null ? inclusionProbability(weight, time) : itemChance[i];
      if (chances !== null) chances[r] = chance;
      weightSum += weight;
      chanceSum += chance;
      before[i]++;
      weights[i] += weight;
      sample[i] += chance;
    }
    users.before[s] = userStart[s + 1] - userStart[s];
    users.weights[s] = weightSum;
    users.sample[s] = chanceSum;
  }
}

// src/sampling/sample-distance.ts
var SLICE_CELLS2 = 32768;
function* weightSummary(cells, time) {
  const sums = { rows: 0, weight: 0, squares: 0, expected: 0, largest: 0 };
  for (let from = 0; from < cells.cells; from += SLICE_CELLS2) {
    addCells2(cells, from, Math.min(from + SLICE_CELLS2, cells.cells), time, sums);
    yield;
  }
  const { rows, weight, squares, expected, largest } = sums;
  if (!(weight > 0)) return { rows, expected, ess: 0, largestShare: 0, distance: 0 };
  let distance2 = 0;
  for (let from = 0; from < cells.cells && expected > 0; from += SLICE_CELLS2) {
    const to = Math.min(from + SLICE_CELLS2, cells.cells);
    for (let c = from; c < to; c++) {
      const share = inclusionProbability(cells.weight[c], time) / expected;
      distance2 += cells.rows[c] * Math.abs(share - cells.weight[c] / weight);
    }
    yield;
  }
  const ess = weight / squares * weight;
  return { rows, expected, ess, largestShare: largest / weight, distance: distance2 / 2 };
}
function addCells2(cells, from, to, time, sums) {
  for (let c = from; c < to; c++) {
    const weight = cells.weight[c];
    const rows = cells.rows[c];
    sums.rows += rows;
    sums.weight += rows * weight;
    sums.squares += rows * weight * weight;
    sums.expected += rows * inclusionProbability(weight, time);
    if (weight > sums.largest) sums.largest = weight;
  }
}

// src/state/counts/levels.ts
function levelsOf(counts, items) {
  const small = new Float64Array(SMALL_COUNT2);
  const values = new Float64Array(items);
  let size = 0;
  let seen = 0;
  let total = 0;
  for (let item = 0; item < items; item++) {
    const n = counts[item];
    if (!(n > 0)) continue;
    seen++;
    total += n;
    if (!isSmall(n)) values[size++] = n;
    else if (++small[n] === 1) values[size++] = n;
  }
  const sorted = values.subarray(0, size).sort();
  const count = new Float64Array(size);
  const itemsAt = new Float64Array(size);
  let levels = 0;
  for (let at = 0; at < size; levels++) {
    const n = sorted[at];
    count[levels] = n;
    if (isSmall(n)) itemsAt[levels] = small[n];
    while (at < size && sorted[at] === n) {
      at++;
      if (!isSmall(n)) itemsAt[levels]++;
    }
  }
  return { count: count.subarray(0, levels), items: itemsAt.subarray(0, levels), seen, total };
}
function isSmall(n) {
  return n < SMALL_COUNT2 && Math.trunc(n) === n;
}
var SMALL_COUNT2 = 4096;
function concentration(counts, items, catalogueSize) {
  return levelConcentration(levelsOf(counts, items), catalogueSize);
}
function levelConcentration(levels, catalogueSize) {
  const { total, seen } = levels;
  if (total === 0) return { total: 0, gini: 0, hhi: 0, coverage: 0, entropy: 0, topShare: 0 };
  const size = Math.max(catalogueSize, seen);
  const top = Math.max(1, Math.floor(size / 100));
  let tailSquares = 0;
  let topTotal = 0;
  let squares = 0;
  let logs = 0;
  let tail = seen;
  let below = 0;
  for (let j = 0; j < levels.count.length; j++) {
    const n = levels.count[j];
    tailSquares += tail * tail * (n - below);
    topTotal += Math.min(top, tail) * (n - below);
    squares += levels.items[j] * n * n;
    logs += levels.items[j] * n * Math.log(n);
    tail -= levels.items[j];
    below = n;
  }
  return {
    total,
    gini: 1 - tailSquares / (size * total),
    hhi: squares / (total * total),
    coverage: seen / size,
    entropy: Math.max(0, Math.log(total) - logs / total),
    topShare: topTotal / total
  };
}

// src/estimators/results/weight-quantile.ts
var WEIGHT_QUANTILES = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1];

// src/estimators/interventions/level-index.ts
function* levelIndex(columns) {
  const distinct = /* @__PURE__ */ new Set();
  const small = new Int32Array(SMALL_COUNT3);
  for (const counts2 of columns) {
    for (let from = 0; from < counts2.length; from += SLICE) {
      const to = Math.min(counts2.length, from + SLICE);
      for (let i = from; i < to; i++) {
        const n = counts2[i];
        if (n < SMALL_COUNT3 && Math.trunc(n) === n) small[n] = 1;
        else distinct.add(n);
      }
      yield;
    }
  }
  for (let n = 0; n < SMALL_COUNT3; n++) if (small[n] === 1) distinct.add(n);
  const counts = Float64Array.from(distinct).sort();
  const large = /* @__PURE__ */ new Map();
  counts.forEach((n, index) => {
    if (n < SMALL_COUNT3 && Math.trunc(n) === n) small[n] = index;
    else large.set(n, index);
  });
  return {
    counts,
    indexOf: (n) => n < SMALL_COUNT3 && Math.trunc(n) === n ? small[n] : large.get(n)
  };
}
var SMALL_COUNT3 = 4096;
var SLICE = 32768;

// src/estimators/interventions/weight-quantiles.ts
function* weightQuantiles(columns) {
  const levels = yield* levelIndex(columns);
  const rows = new Float64Array(levels.counts.length);
  for (const column of columns) {
    for (const weight of column) if (weight > 0) rows[levels.indexOf(weight)]++;
    yield;
  }
  const total = rows.reduce((sum, n) => sum + n, 0);
  if (total === 0) return [];
  const mean = rows.reduce((sum, n, level2) => sum + (n === 0 ? 0 : n * levels.counts[level2]), 0) / total;
  let level = -1;
  let below = 0;
  return WEIGHT_QUANTILES.map((quantile) => {
    const wanted = Math.max(1, Math.ceil(quantile * total - 1e-9));
    while (below < wanted) below += rows[++level];
    return { quantile, weight: levels.counts[level] / mean };
  });
}

// src/estimators/interventions/intervention-summary.ts
function* interventionSummary({ name, sides, cells, time }, { users, items }, parts, counts, catalogueSize) {
  const { itemSide, userSides, raking } = sides;
  const weights = yield* weightSummary(cells, time);
  const { weights: rule } = interventionOf(name);
  const isTargeted = rule !== "raked" && rule.isTargeted === true;
  const userTargets = isTargeted ? parts.map((part) => part.userRandomized) : null;
  const user = marginDistance(users, userTargets);
  const item = marginDistance([items], isTargeted ? [counts.randomized] : null);
  yield;
  const usedItems = itemSide.map((side, i) => items.before[i] > 0 ? side : 0);
  return {
    ...weights,
    estimator: name,
    userWeights: userSides === null ? [] : yield* weightQuantiles([...userSides.values()]),
    itemWeights: yield* weightQuantiles([usedItems]),
    margins: { user, item },
    before: itemConcentration(items.before, catalogueSize),
    sample: itemConcentration(items.sample, catalogueSize),
    ...raking === void 0 ? {} : { raking }
  };
}
function marginDistance(margins, targets) {
  const aims = targets ?? margins.map(({ before }) => before.map((rows) => rows > 0 ? 1 : 0));
  const aimed = sumOf(aims);
  const distance2 = (columns) => totalVariation(columns, sumOf(columns), aims, aimed);
  return {
    before: distance2(margins.map(({ before }) => before)),
    weights: distance2(margins.map(({ weights }) => weights)),
    sample: distance2(margins.map(({ sample }) => sample))
  };
}
function totalVariation(columns, total, aims, aimed) {
  if (!(total > 0) || !(aimed > 0)) return 0;
  let sum = 0;
  for (let p = 0; p < columns.length; p++) {
    const column = columns[p];
    const aim = aims[p];
    for (let j = 0; j < column.length; j++) sum += Math.abs(column[j] / total - aim[j] / aimed);
  }
  return sum / 2;
}
function sumOf(columns) {
  let sum = 0;
  for (const column of columns) for (let j = 0; j < column.length; j++) sum += column[j];
  return sum;
}
function itemConcentration(rows, catalogueSize) {
  const { gini, entropy, coverage, total } = concentration(rows, rows.length, catalogueSize);
  if (total === 0) return { rows: 0, gini: 0, kl: 0 };
  const seen = rows.reduce((sum, n) => sum + (n > 0 ? 1 : 0), 0);
  return { rows: total, gini, kl: Math.max(0, Math.log(seen / coverage) - entropy) };
}

// src/sampling/connected-components.ts
function* connectedComponents(parts, items, sliceRows) {
  const parent = new Int32Array(items).fill(-1);
  let components = 0;
  let work = 0;
  for (const { users, userStart, item } of parts) {
    for (let u = 0; u < users; u++) {
      const from = userStart[u];
      for (let r = from; r < userStart[u + 1]; r++) {
        if (parent[item[r]] === -1) {
          parent[item[r]] = item[r];
          components++;
        }
        const root = rootOf(parent, item[r]);
        const first = rootOf(parent, item[from]);
        if (root === first) continue;
        parent[root] = first;
        components--;
      }
      work += userStart[u + 1] - from;
      if (work >= sliceRows) {
        work = 0;
        yield;
      }
    }
  }
  return components;
}
function rootOf(parent, node) {
  let at = node;
  while (parent[at] !== at) {
    parent[at] = parent[parent[at]];
    at = parent[at];
  }
  return at;
}

// src/sampling/raking.ts
var TOLERANCE2 = 1e-10;
var MAX_SWEEPS = 2e3;
var PACE_SWEEPS = 20;
var DAMPING = 0.9;
function* rake(parts, items, sliceRows) {
  const components = yield* connectedComponents(parts, items, sliceRows);
  if (components <= 1) {
    const exact = new Sweeps(parts, items, 1);
    if (yield* exact.run(sliceRows)) return exact.result(components, false);
  }
  const damped = new Sweeps(parts, items, DAMPING);
  yield* damped.run(sliceRows);
  return damped.result(components, true);
}
var Sweeps = class {
  #parts;
  #power;
  #userSides;
  #itemSide;
  /** Σ_{u ∋ i} a_u. */
  #itemSums;
  #users = 0;
  #items = 0;
  /** Largest relative distance of an item's margin from uniform, right after the users' sweep. */
  #itemError = 0;
  /** Largest relative change of an item's side. */
  #change = 0;
  constructor(parts, items, power) {
    this.#parts = parts;
    this.#power = power;
    this.#userSides = parts.map((part) => new Float64Array(part.users));
    this.#itemSide = new Float64Array(items);
    this.#itemSums = new Float64Array(items);
    for (const { users, userStart, item } of parts) {
      for (let u = 0; u < users; u++) if (userStart[u + 1] > userStart[u]) this.#users++;
      for (let r = 0; r < userStart[users]; r++) this.#itemSide[item[r]] = 1;
    }
    for (const side of this.#itemSide) this.#items += side;
  }
  /** Sweeps until the margins are uniform or, damped, nothing moves; whether that was reached. */
  *run(sliceRows) {
    let earlier = Number.POSITIVE_INFINITY;
    for (let sweep = 1; sweep <= MAX_SWEEPS; sweep++) {
      yield* this.#sweepUsers(sliceRows);
      this.#measureItems();
      if (this.#power === 1 && this.#itemError <= TOLERANCE2) return true;
      this.#sweepItems();
      yield;
      if (this.#power < 1 && this.#change <= TOLERANCE2) return true;
      if (sweep % PACE_SWEEPS !== 0) continue;
      if (this.#power === 1 && !isInReach(earlier, this.#itemError, sweep)) return false;
      earlier = this.#itemError;
    }
    return false;
  }
  result(components, isDamped) {
    return { userSides: this.#userSides, itemSide: this.#itemSide, components, isDamped };
  }
  *#sweepUsers(sliceRows) {
    const b = this.#itemSide;
    const sums = this.#itemSums;
    sums.fill(0);
    let work = 0;
    for (let p = 0; p < this.#parts.length; p++) {
      const { users, userStart, item } = this.#parts[p];
      const a = this.#userSides[p];
      for (let u = 0; u < users; u++) {
        const end = userStart[u + 1];
        let sum = 0;
        for (let r = userStart[u]; r < end; r++) sum += b[item[r]];
        if (sum === 0) continue;
        const mass = this.#users * sum;
        a[u] = this.#power === 1 ? 1 / mass : mass ** -this.#power;
        for (let r = userStart[u]; r < end; r++) sums[item[r]] += a[u];
        work += end - userStart[u];
        if (work >= sliceRows) {
          work = 0;
          yield;
        }
      }
    }
  }
  #measureItems() {
    this.#itemError = 0;
    for (let i = 0; i < this.#itemSums.length; i++) {
      if (this.#itemSide[i] === 0) continue;
      const error = Math.abs(this.#items * this.#itemSums[i] * this.#itemSide[i] - 1);
      this.#itemError = Math.max(this.#itemError, error);
    }
  }
  #sweepItems() {
    this.#change = 0;
    for (let i = 0; i < this.#itemSums.length; i++) {
      if (this.#itemSide[i] === 0) continue;
      const side = (this.#items * this.#itemSums[i]) ** -this.#power;
      this.#change = Math.max(this.#change, Math.abs(side / this.#itemSide[i] - 1));
      this.#itemSide[i] = side;
    }
  }
};
function isInReach(earlier, error, sweep) {
  if (earlier === Number.POSITIVE_INFINITY) return true;
  const fall = Math.log(earlier / error) / PACE_SWEEPS;
  return fall > 0 && Math.log(error / TOLERANCE2) / fall <= MAX_SWEEPS - sweep;
}

// src/estimators/interventions/intervention-sides.ts
function* interventionSides({ weights }, parts, counts, options, sliceRows) {
  if (weights === "raked") {
    const { userSides: userSides2, itemSide, components, isDamped } = yield* rake(
      parts,
      counts.items,
      sliceRows
    );
    return {
      userSides: new Map(parts.map((part, p) => [part, userSides2[p]])),
      itemSide,
      raking: { components, isDamped }
    };
  }
  const userSides = weights.user === null ? null : yield* usersOf(weights, parts, options);
  return { userSides, itemSide: yield* itemsOf(weights, counts, options) };
}
function* usersOf({ user, isTargeted }, parts, { smoothing }) {
  const sides = /* @__PURE__ */ new Map();
  const byCount = perLevel((n) => user(n, 0, smoothing, 1));
  for (const part of parts) {
    const { userCount, userRandomized } = part;
    const side = new Float64Array(part.users);
    sides.set(part, side);
    if (!isTargeted) {
      yield* perItem(userCount, byCount, side);
      continue;
    }
    for (let s = 0; s < side.length; s++) {
      side[s] = user(userCount[s], userRandomized[s], smoothing, 1);
    }
    yield;
  }
  return sides;
}
function* itemsOf({ item, isTargeted }, { items, interactions, randomized }, { smoothing, posteriorExponent }) {
  const side = new Float64Array(items);
  if (item === null) return side.fill(1);
  if (!isTargeted) {
    const byCount = (n) => item(n, 0, smoothing, posteriorExponent);
    return yield* perItem(interactions.subarray(0, items), byCount, side);
  }
  for (let i = 0; i < items; i++) {
    side[i] = item(interactions[i], randomized[i], smoothing, posteriorExponent);
  }
  yield;
  return side;
}

// src/estimators/interventions/row-cells.ts
function* rowCells(parts, userSides, itemSide, sliceRows) {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const weight = new Float64Array(rows);
  let cells = 0;
  let work = 0;
  for (const part of parts) {
    const sides = userSides.get(part);
    for (let s = 0; s < part.users; s++) {
      for (let r = part.userStart[s]; r < part.userStart[s + 1]; r++) {
        weight[cells] = sides[s] * itemSide[part.item[r]];
        if (weight[cells] > 0) cells++;
      }
      work += part.userStart[s + 1] - part.userStart[s];
      if (work >= sliceRows) {
        yield;
        work = 0;
      }
    }
  }
  return { cells, weight, rows: new Float64Array(cells).fill(1) };
}

// src/estimators/interventions/weight-cells.ts
function* weightCells(parts, users, itemLevel, itemLevels, weightOf, sliceRows) {
  const cells = new CellList();
  const tally = new LevelTally(itemLevels);
  if (users === null) {
    for (const part of parts) {
      for (let from = 0; from < part.rows; from += sliceRows) {
        tally.add(part.item, from, Math.min(part.rows, from + sliceRows), itemLevel);
        yield;
      }
    }
    tally.flush((level, rows) => cells.push(weightOf(0, level), rows));
    return cells;
  }
  const order3 = usersByLevel(parts, users);
  yield;
  let work = 0;
  for (let userLevel = 0; userLevel < users.counts.length; userLevel++) {
    for (let o = order3.start[userLevel]; o < order3.start[userLevel + 1]; o++) {
      const { userStart, item } = parts[order3.part[o]];
      const segment = order3.segment[o];
      tally.add(item, userStart[segment], userStart[segment + 1], itemLevel);
      work += userStart[segment + 1] - userStart[segment] + 1;
      if (work >= sliceRows) {
        yield;
        work = 0;
      }
    }
    work += tally.flush((level, rows) => cells.push(weightOf(userLevel, level), rows));
  }
  return cells;
}
var LevelTally = class {
  rows;
  met;
  size = 0;
  constructor(levels) {
    this.rows = new Float64Array(levels);
    this.met = new Int32Array(levels);
  }
  add(item, from, to, itemLevel) {
    const { rows, met } = this;
    let size = this.size;
    for (let r = from; r < to; r++) {
      const level = itemLevel[item[r]];
      if (rows[level] === 0) met[size++] = level;
      rows[level]++;
    }
    this.size = size;
  }
  /** Hands over the levels that were met, ascending, and forgets them; answers how many. */
  flush(take) {
    const met = this.met.subarray(0, this.size).sort();
    for (const level of met) {
      take(level, this.rows[level]);
      this.rows[level] = 0;
    }
    this.size = 0;
    return met.length;
  }
};
function usersByLevel(parts, users) {
  const start = new Int32Array(users.counts.length + 1);
  for (const part2 of parts) {
    for (let s = 0; s < part2.users; s++) start[users.indexOf(part2.userCount[s]) + 1]++;
  }
  for (let level = 1; level < start.length; level++) start[level] += start[level - 1];
  const next = start.slice();
  const total = start[start.length - 1];
  const part = new Int32Array(total);
  const segment = new Int32Array(total);
  parts.forEach(({ users: segments, userCount }, p) => {
    for (let s = 0; s < segments; s++) {
      const at = next[users.indexOf(userCount[s])]++;
      part[at] = p;
      segment[at] = s;
    }
  });
  return { start, part, segment };
}
var CellList = class {
  cells = 0;
  weight = new Float64Array(1024);
  rows = new Float64Array(1024);
  push(weight, rows) {
    if (weight === 0) return;
    if (this.cells === this.weight.length) {
      this.weight = doubled(this.weight);
      this.rows = doubled(this.rows);
    }
    this.weight[this.cells] = weight;
    this.rows[this.cells++] = rows;
  }
};
function doubled(array) {
  const longer = new Float64Array(array.length * 2);
  longer.set(array);
  return longer;
}

// src/estimators/interventions/interventions.ts
function* prepareIntervention(name, parts, counts, options, sliceRows) {
  const entry = interventionOf(name);
  const sides = yield* interventionSides(entry, parts, counts, options, sliceRows);
  const { userSides, itemSide } = sides;
  const cells = yield* cellsOf(entry, parts, counts, sides, sliceRows);
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const share = entry.keepsAll ? 1 : options.sampleShare;
  const time = yield* samplingTime(cells, share * rows);
  let itemChance = null;
  if (userSides === null) {
    const chanceOf = (weight) => inclusionProbability(weight, time);
    itemChance = yield* perItem(itemSide, chanceOf, new Float64Array(counts.items));
  }
  return { name, sides, time, itemChance, cells };
}
function* cellsOf({ weights }, parts, counts, { userSides, itemSide }, sliceRows) {
  const followCounts = weights !== "raked" && !weights.isTargeted;
  if (userSides !== null && !followCounts) {
    return yield* rowCells(parts, userSides, itemSide, sliceRows);
  }
  const interactions = counts.interactions.subarray(0, counts.items);
  const levels = yield* levelIndex([interactions]);
  const itemLevel = yield* perItem(interactions, levels.indexOf, new Int32Array(counts.items));
  const sideAt = new Float64Array(levels.counts.length);
  for (let i = 0; i < counts.items; i++) sideAt[itemLevel[i]] = itemSide[i];
  const users = userSides === null ? null : yield* levelIndex(parts.map((part) => part.userCount.subarray(0, part.users)));
  const userSideAt = new Float64Array(users?.counts.length ?? 0);
  if (users !== null) {
    for (const part of parts) {
      const sides = userSides.get(part);
      for (let s = 0; s < part.users; s++) userSideAt[users.indexOf(part.userCount[s])] = sides[s];
    }
  }
  const weightOf = (userLevel, level) => (users === null ? 1 : userSideAt[userLevel]) * sideAt[level];
  return yield* weightCells(parts, users, itemLevel, sideAt.length, weightOf, sliceRows);
}

// src/estimators/interventions/row-chances.ts
function* rowChances({ itemChance, sides, time }, parts, sliceRows) {
  if (itemChance !== null) return itemChance;
  const { itemSide } = sides;
  const byRow = /* @__PURE__ */ new Map();
  for (const part of parts) {
    const { users, userStart, item } = part;
    const side = sides.userSides.get(part);
    const chances = new Float64Array(part.rows);
    byRow.set(part, chances);
    let yieldAt = sliceRows;
    for (let s = 0; s < users; s++) {
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        chances[r] = inclusionProbability(side[s] * itemSide[item[r]], time);
      }
      if (userStart[s + 1] < yieldAt) continue;
      yieldAt = userStart[s + 1] + sliceRows;
      yield;
    }
  }
  return byRow;
}

// src/estimators/window/window-rules.ts
function* windowRules(parts, counts, options, scale, sliceRows, isUnsummarised = false) {
  const rules2 = [];
  const interventions = [];
  const preparations = [];
  for (const name of options.estimators) {
    if (isIntervention(name)) {
      const prepared = yield* prepareIntervention(name, parts, counts, options, sliceRows);
      preparations.push(prepared);
      if (isUnsummarised) {
        rules2.push(intervened(yield* rowChances(prepared, parts, sliceRows)));
        continue;
      }
      const margins = yield* drawMargins(prepared, parts, counts.items, sliceRows);
      rules2.push(intervened(margins.chances));
      const { catalogueSize } = options;
      const summary2 = interventionSummary(prepared, margins, parts, counts, catalogueSize);
      interventions.push(yield* summary2);
    } else {
      rules2.push(estimatorOf(name).rule({ scale, options }));
    }
    yield;
  }
  return { rules: rules2, prepared: preparations, interventions };
}

// src/estimators/window/organic-estimates.ts
function* organicEstimates({ parts, counts, columns, models, options, isUnsummarised }, { scale }, sliceRows) {
  const { rules: rules2, prepared, interventions } = yield* windowRules(
    parts,
    counts,
    options,
    scale,
    sliceRows,
    isUnsummarised
  );
  const lanes = yield* laneWindow(
    ...[parts, columns, models, rules2, options, sliceRows, isUnsummarised]
  );
  return { ...lanes, prepared, interventions };
}

// src/estimators/window/refusals.ts
function possibleEstimators(asked, randomized) {
  const estimators = [];
  const refusals = [];
  for (const estimator of asked) {
    const needed = estimatorOf(estimator).needs.randomized;
    if (needed === void 0 || randomized[needed.of] > 0) estimators.push(estimator);
    else refusals.push({ estimator, reason: needed.reason });
  }
  return { estimators, refusals };
}
function formRefusals(estimators, scale) {
  return estimators.flatMap((estimator) => {
    const { needs, without } = estimatorOf(estimator);
    if (needs.scale !== void 0 && scale === null) return [{ estimator, reason: needs.scale }];
    return AGGREGATIONS.flatMap((aggregation) => {
      const reason = without?.[aggregation];
      return reason === void 0 ? [] : [{ estimator, aggregation, reason }];
    });
  });
}
var NOT_ADDITIVE = "has weights for single rows, which make no set of items that could be measured; naive and the interventions have sets";
var WITH_SETS = /* @__PURE__ */ new Set(["observed", "intervention"]);
function setRefusals(metrics, estimators) {
  const without = estimators.filter((name) => !WITH_SETS.has(estimatorOf(name).kind));
  return METRICS.filter((name) => metrics.includes(name) && metricOf(name).kind === "set").flatMap(
    (metric) => without.map((estimator) => ({ estimator, metric, reason: NOT_ADDITIVE }))
  );
}

// src/mathematics/bisection.ts
function bisect(f, low, high, tolerance = 1e-12) {
  let [a, b] = [low, high];
  const atLow = f(a);
  const atHigh = f(b);
  if (atLow === 0) return a;
  if (atHigh === 0) return b;
  if (!(atLow < 0 !== atHigh < 0) || Number.isNaN(atLow + atHigh)) return Number.NaN;
  while (b - a > tolerance) {
    const middle = (a + b) / 2;
    const value = f(middle);
    if (value === 0) return middle;
    if (value < 0 === atLow < 0) a = middle;
    else b = middle;
  }
  return (a + b) / 2;
}

// src/estimators/diagnostics/gamma-sensitivity.ts
var FROM = -1;
var STEPS = 80;
var STEP = 2 / STEPS;
var TOLERANCE3 = 1e-9;
var TIE2 = 1e-12;
var SLICE2 = 1e5;
function* slicedSensitivity(levels, models, { from, to } = { from: FROM, to: -FROM }) {
  const logs = Float64Array.from(levels, Math.log);
  const present = models.filter(({ rows }) => rows.some((count) => count > 0));
  const before = Math.max(0, Math.ceil((FROM - from) / STEP));
  const after = Math.max(0, Math.ceil((to + FROM) / STEP));
  const grid = Array.from({ length: before + STEPS + after + 1 }, (_, p) => gammaAt(p - before));
  const values = [];
  for (const model of present) {
    values.push(valuesOn(grid, logs, model));
    if (values.length * logs.length * grid.length % SLICE2 < logs.length * grid.length) yield;
  }
  const flips2 = [];
  for (let b = 0; b < present.length; b++) {
    for (let a = 0; a < b; a++) {
      const found = flipsOf(logs, grid, present, values, a, b);
      flips2.push(...found);
      if (found.length > 0) yield;
    }
    yield;
  }
  return {
    bands: present.map(
      ({ model }, m) => bandOf(model, values[m].subarray(before, before + STEPS + 1))
    ),
    flips: flips2.sort((a, b) => a.gamma - b.gamma)
  };
}
function gammaAt(p) {
  return FROM + 2 * p / STEPS;
}
function bandOf(model, values) {
  const lower = Math.min(...values);
  const upper = Math.max(...values);
  return { model, lower, upper, naive: values[0], equal: values[STEPS] };
}
function valuesOn(grid, logs, { rows, gains }) {
  const points = grid.length;
  const above = new Float64Array(points);
  const below = new Float64Array(points);
  const least = leastOf(logs);
  for (let j = 0; j < logs.length; j++) {
    const [count, gain] = [rows[j], gains[j]];
    if (count === 0) continue;
    const log = logs[j] - least;
    const factor = Math.exp(-STEP / 2 * log);
    let weight = Math.exp(-(grid[0] + 1) / 2 * log);
    for (let p = 0; p < points; p++) {
      above[p] += gain * weight;
      below[p] += count * weight;
      weight *= factor;
    }
  }
  return above.map((sum, p) => sum / below[p]);
}
function flipsOf(logs, grid, models, values, a, b) {
  const difference = (gamma) => {
    const weights = weightsAt(logs, gamma);
    return ratio(models[a], weights) - ratio(models[b], weights);
  };
  const flips2 = [];
  let last = -1;
  for (let p = 0; p < grid.length; p++) {
    const sign = order2(values[a][p], values[b][p]);
    if (sign === 0) continue;
    if (last >= 0 && sign !== order2(values[a][last], values[b][last])) {
      const gamma = bisect(difference, grid[last], grid[p], TOLERANCE3);
      const [below, above] = sign < 0 ? [a, b] : [b, a];
      const names = { below: models[below].model, above: models[above].model };
      flips2.push({ ...names, gamma, isOfLeaders: isAhead(logs, models, a, b, gamma) });
    }
    last = p;
  }
  return flips2;
}
function isAhead(logs, models, a, b, gamma) {
  const weights = weightsAt(logs, gamma);
  const least = Math.min(ratio(models[a], weights), ratio(models[b], weights));
  const room = least + Math.abs(ratio(models[a], weights) - ratio(models[b], weights));
  return models.every((model, m) => m === a || m === b || order2(ratio(model, weights), room) <= 0);
}
function order2(a, b) {
  return Math.abs(a - b) <= TIE2 * Math.max(Math.abs(a), Math.abs(b)) ? 0 : Math.sign(a - b);
}
function weightsAt(logs, gamma) {
  const beta = (gamma + 1) / 2;
  const least = leastOf(logs);
  return logs.map((log) => Math.exp(-beta * (log - least)));
}
function leastOf(logs) {
  return logs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}
function ratio({ rows, gains }, weights) {
  let above = 0;
  let below = 0;
  for (let j = 0; j < weights.length; j++) {
    above += gains[j] * weights[j];
    below += rows[j] * weights[j];
  }
  return above / below;
}

// src/estimators/diagnostics/level-gains.ts
function* levelGains(parts, { ofItem, counts }, models, { metrics, ks, catalogueSize }, sliceRows) {
  const ranked = rankGains(metrics, ks);
  const complete = listGains(metrics);
  const size = counts.length;
  const byRank3 = models.map(() => new FamilySums(size, ranked.length));
  const byList2 = models.map(() => new FamilySums(complete.length > 0 ? size : 0, complete.length));
  const tables = ranked.map(({ table }) => table);
  const rows = {
    row: new Int32Array(sliceRows),
    level: new Int32Array(sliceRows),
    size: 0
  };
  for (const part of parts) {
    for (let from = 0; from < part.rows; from += sliceRows) {
      takeRows(rows, part, ofItem, from, Math.min(part.rows, from + sliceRows));
      models.forEach((_, m) => {
        if (tables.length > 0) byRank3[m].addRanked(rows, part.ranks[m], part.lists[m], tables);
        if (complete.length > 0) {
          byList2[m].addComplete(rows, part.ranks[m], part.lists[m], complete, catalogueSize);
        }
      });
      yield;
    }
  }
  const of = (family, gain) => models.map((model, m) => ({ model, rows: family[m].rows, gains: family[m].gains[gain] }));
  return [
    ...ranked.map(({ metric, k }, g) => ({ metric, k, models: of(byRank3, g) })),
    ...complete.map(({ metric, k }, g) => ({ metric, k, models: of(byList2, g) }))
  ];
}
function takeRows(to, { item, positive }, levelOf, first, end) {
  let size = 0;
  for (let r = first; r < end; r++) {
    const level = levelOf[item[r]];
    to.row[size] = r;
    to.level[size] = level;
    size += level >= 0 ? positive[r] : 0;
  }
  to.size = size;
}
var SliceHits = class {
  level = new Int32Array(0);
  rank = new Uint16Array(0);
  reserve(rows) {
    if (rows <= this.level.length) return;
    this.level = new Int32Array(rows);
    this.rank = new Uint16Array(rows);
  }
};
var FamilySums = class {
  rows;
  gains;
  hits = new SliceHits();
  constructor(levels, gains) {
    this.rows = new Float64Array(levels);
    this.gains = Array.from({ length: gains }, () => new Float64Array(levels));
  }
  addRanked({ row, level, size }, ranks, lists, tables) {
    const limit = Math.max(...tables.map(({ length }) => length));
    const { rows, gains, hits } = this;
    hits.reserve(size);
    const { level: levels, rank: found } = hits;
    let ranked = 0;
    for (let i = 0; i < size; i++) {
      const rank = ranks[row[i]];
      if (rank === UNRANKED || (lists[row[i]] & LIST_SAMPLED_FULL) === LIST_SAMPLED_FULL) continue;
      rows[level[i]]++;
      levels[ranked] = level[i];
      found[ranked] = rank;
      ranked += rank - limit >>> 31;
    }
    tables.forEach((table, g) => {
      const own = gains[g];
      for (let h = 0; h < ranked; h++) {
        if (found[h] < table.length) own[levels[h]] += table[found[h]];
      }
    });
  }
  addComplete({ row, level, size }, ranks, lists, metrics, catalogueSize) {
    const { rows, gains } = this;
    for (let i = 0; i < size; i++) {
      const rank = ranks[row[i]];
      const list = lists[row[i]];
      if (rank === UNRANKED || !ranksAllCandidates(list, catalogueSize)) continue;
      rows[level[i]]++;
      if (rank === NOT_IN_LIST) continue;
      metrics.forEach(({ of }, g) => {
        gains[g][level[i]] += of.gain(rank, list & LIST_LENGTH_MASK);
      });
    }
  }
};

// src/estimators/diagnostics/popularity-levels.ts
function popularityLevels(popularity, items, { cold, smoothing }) {
  const isDropped = cold === "drop" || smoothing === 0;
  const counts = [];
  const known = /* @__PURE__ */ new Map();
  const ofItem = new Int32Array(items);
  for (let i = 0; i < items; i++) {
    const n = popularity[i] > 0 ? popularity[i] : 0;
    let level = known.get(n);
    if (level === void 0) {
      level = n === 0 && isDropped ? -1 : counts.push(n === 0 ? smoothing : n) - 1;
      known.set(n, level);
    }
    ofItem[i] = level;
  }
  return { counts: Float64Array.from(counts), ofItem };
}

// src/estimators/window/window-sensitivity.ts
var Z2 = 1.96;
function* windowSensitivity({ parts, counts, models, options }, results, sliceRows) {
  const levels = popularityLevels(counts.popularity, counts.items, options);
  yield;
  const measures2 = yield* levelGains(parts, levels, models, options, sliceRows);
  const range = rangeOf(options);
  const found = [];
  for (const { metric, k, models: sums } of measures2) {
    const own = results.filter((row) => row.metric === metric && row.k === k);
    const given = sums.filter(({ model }) => !isWithheld(own, model));
    const { bands, flips: flips2 } = yield* slicedSensitivity(levels.counts, given, range);
    if (bands.length > 0) found.push({ metric, k, bands, flips: flips2 });
  }
  return found;
}
function rangeOf({ gamma, gammaStdErr }) {
  const half = Z2 * gammaStdErr;
  return { from: Math.min(-1, gamma - half), to: Math.max(1, gamma + half) };
}
function isWithheld(rows, model) {
  const pooled = rows.filter((row) => row.model === model && row.aggregation === "pooled");
  const leading = pooled.filter(({ estimator }) => estimator === LEADING);
  const judged = leading.length > 0 ? leading : pooled;
  return judged.some(({ withheld }) => (withheld ?? null) !== null);
}

// src/estimators/window/estimate-window.ts
function* estimateWindow(parts, counts, models, asked, sliceRows = 4096, work = organicEstimates) {
  checkOptions(asked);
  const traffic = yield* separateTraffic(parts, sliceRows);
  const randomized = yield* randomizedTraffic(parts, traffic.randomized, counts, sliceRows);
  const { estimators, refusals } = possibleEstimators(asked.estimators, randomized);
  const beta = propensityExponent(asked.gamma);
  const columns = yield* itemColumns(counts, beta, asked);
  let scale = null;
  if (needsScale(asked)) {
    scale = yield* absoluteScale(traffic.organic, counts, columns, randomized, asked, sliceRows);
  }
  refusals.push(...formRefusals(estimators, scale), ...setRefusals(asked.metrics, estimators));
  const totals = totalsOf(counts);
  const organic = { ...asked, estimators: estimators.filter((name) => isOrganic(name, scale)) };
  const organicJob = { parts: traffic.organic, counts: totals, columns, models, options: organic };
  const own = yield* work(organicJob, { scale }, sliceRows);
  const uniform = {
    ...{ ...asked, feedback: "ignore" },
    estimators: estimators.filter(isRandomised)
  };
  const job = { parts: traffic.randomized, counts: totals, columns, models, options: uniform };
  const other = uniform.estimators.length === 0 ? null : yield* organicEstimates(job, { scale }, sliceRows);
  const singles = () => singleCountShare(traffic.organic, counts, columns.weight, sliceRows);
  const merged = (a, b) => b === void 0 ? a : mergedOrder([a, b], models, { ...asked, estimators });
  const whole = {
    results: merged(own.results, other?.results),
    differences: merged(own.differences, other?.differences)
  };
  const judged = yield* feedbackEstimates(organicJob, { scale }, whole, work, sliceRows);
  const pairs = traffic.randomized.length === 0 ? own.counts : yield* countPairs(parts, counts.items);
  return {
    ...judged,
    effectiveSampleSizes: merged(own.effectiveSampleSizes, other?.effectiveSampleSizes),
    models: own.counts.summaries(models),
    counts: { ...pairs.totals(), unranked: own.counts.totals().unranked },
    refusals,
    interventions: own.interventions,
    drawn: givenOnly(
      yield* drawnEstimates(
        ...[own.prepared, traffic.organic, counts, columns, models, asked, sliceRows]
      ),
      judged.results
    ),
    weightDistribution: yield* weightDistribution(traffic.organic, columns.weight, sliceRows),
    absoluteScale: scale?.report ?? null,
    randomized,
    controlVariates: other === null ? [] : yield* controlVariates(traffic, counts, columns.weight, sliceRows),
    agreements: rankingAgreements(judged.results),
    sensitivity: yield* windowSensitivity(organicJob, judged.results, sliceRows),
    ...asked.weightsFrom === "all" ? { singleCountShare: yield* singles() } : {}
  };
}
function totalsOf({ items, popularity, interactions, randomized }) {
  return { items, popularity, interactions, randomized };
}
function isRandomised(name) {
  return estimatorOf(name).kind === "randomised";
}
function isOrganic(name, scale) {
  return !isRandomised(name) && (scale !== null || estimatorOf(name).needs.scale === void 0);
}
function* itemColumns(counts, beta, options) {
  const { popularity, items } = counts;
  const weightOf = importanceWeight(beta, options);
  const weight = yield* perItem(popularity, weightOf, new Float64Array(items));
  const slopeOf = importanceWeightSlope(beta, options);
  const weightSlope = yield* perItem(popularity, slopeOf, new Float64Array(items));
  const stratum = yield* stratify(counts, options.strataScheme, options.strata, beta);
  return { weight, weightSlope, stratum };
}
function checkOptions({ ks, strata }) {
  for (const k of ks) {
    if (!Number.isInteger(k) || k < 1) {
      throw new UnskewError("USAGE", `a cut-off k must be a whole number above 0, not ${k}`);
    }
  }
  if (!Number.isInteger(strata) || strata < 1 || strata > 65535) {
    throw new UnskewError("USAGE", `strata must be a whole number from 1 to 65535, not ${strata}`);
  }
}

// test/oracle/finish.ts
function finish(work) {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

// test/oracle/random.ts
function seeded(seed) {
  let high = seed * 69069 + 1234567 >>> 0;
  let low = seed * 1664525 + 1013904223 >>> 0;
  const next = () => {
    high = 36969 * (high & 65535) + (high >>> 16) >>> 0;
    low = 18e3 * (low & 65535) + (low >>> 16) >>> 0;
    return ((high << 16) + low >>> 0) / 4294967296 + 1 / 8589934592;
  };
  for (let i = 0; i < 20; i++) next();
  return next;
}

// test/oracle/window.ts
var DEFAULTS = {
  metrics: ["recall", "dcg", "mrr", "auc"],
  ks: [1, 3],
  estimators: ["naive", "snips", "gs", "skew", "wtd_h"],
  gamma: 2,
  gammaStdErr: 0,
  interval: "t-logit",
  guarantees: [],
  reference: void 0,
  strata: 3,
  strataScheme: "popularity-width",
  cold: "smooth",
  smoothing: 0.5,
  catalogueSize: 12,
  sampleShare: 0.5,
  posteriorExponent: 2
};
var NOBODY = { users: 0, items: new Float64Array(100) };

// test/support/repetitions.ts
var IS_LONG = process.env["UNSKEW_TESTS"] === "long";

// test/reference/rare-hits-window.ts
var RARE_MODELS = ["a", "b"];
function rareCounts({ popularity }) {
  const counts = Float64Array.from(popularity);
  return {
    items: counts.length,
    popularity: counts,
    interactions: counts,
    randomized: new Float64Array(counts.length),
    compareIds: (a, b) => a - b
  };
}
function drawUsers(world, random) {
  const { rows, popularity, exponent, spread } = world;
  const ends = [];
  for (const n of popularity) ends.push((ends.at(-1) ?? 0) + n ** exponent);
  const drawItem = () => {
    const at = random() * ends.at(-1);
    return ends.findIndex((end) => at < end);
  };
  return Array.from({ length: world.users }, () => {
    const size = rows[0] + Math.floor(random() * (rows[1] - rows[0] + 1));
    const eagerness = random() < 0.5 ? 1 - spread : 1 + spread;
    return { eagerness, items: Array.from({ length: size }, drawItem) };
  });
}
function drawRareWindow(world, random) {
  const users = drawUsers(world, random);
  const userStart = [0];
  for (const { items } of users) userStart.push(userStart.at(-1) + items.length);
  const item = Int32Array.from(users.flatMap(({ items }) => items));
  const rows = item.length;
  const ranks = RARE_MODELS.map(() => new Uint16Array(rows).fill(NOT_IN_LIST));
  users.forEach(({ eagerness, items }, u) => {
    items.forEach((own, at) => {
      const luck = random();
      const isShared = random() < world.shared;
      world.rates.forEach((rate, m) => {
        const drawn2 = m === 0 || isShared ? luck : random();
        if (drawn2 < rate(world.popularity[own]) * eagerness) ranks[m][userStart[u] + at] = 0;
      });
    });
  });
  return {
    ...{ users: world.users, userStart: Int32Array.from(userStart), rows, item, ranks },
    userCount: Float64Array.from(users, ({ items }) => items.length),
    userRandomized: new Float64Array(world.users),
    userKey: new Int32Array(world.users),
    ...{ randomizedUsers: 0, randomizedItems: 0 },
    positive: new Uint8Array(rows).fill(1),
    traffic: new Uint8Array(rows).fill(1),
    lists: RARE_MODELS.map(() => new Uint16Array(rows).fill(LIST_PARTIAL | 50))
  };
}

// test/bench/zz-gs.ts
var zipf = (s) => Array.from({ length: 100 }, (_, i) => Math.ceil(300 * (i + 1) ** -s));
var RATES = [(n) => 0.6 * Math.log(n + 1) / Math.log(301), (n) => 0.4 * (1 - Math.log(n) / Math.log(400))];
for (const [skew2, gamma, rows] of [[0.7, 1, [10, 20]], [0.7, 2, [20, 60]], [1, 1, [20, 60]], [1, 2, [30, 60]], [1, 2, [10, 20]]]) {
  const popularity = zipf(skew2);
  const world = { users: 300, rows, popularity, exponent: (gamma + 1) / 2, rates: RATES, spread: 0.5, shared: 0 };
  const truth = RATES.map((r) => popularity.reduce((s, n) => s + r(n), 0) / popularity.length);
  const random = seeded(17);
  const out = {};
  const runs = 12;
  for (let run = 0; run < runs; run++) {
    const part = drawRareWindow(world, random);
    for (const scheme of ["log", "popularity-width"]) {
      const { results } = finish(estimateWindow([part], rareCounts(world), RARE_MODELS, { ...DEFAULTS, metrics: ["recall"], ks: [1], estimators: ["snips", "gs"], gamma, userForm: "corrected", strataScheme: scheme, interval: "korn-graubard" }));
      for (const r of results) {
        const m = RARE_MODELS.indexOf(r.model);
        const k = `${scheme} ${r.estimator} ${r.aggregation} ${r.model}`;
        (out[k] ??= []).push(r.value / truth[m] - 1);
        if (r.uncorrected !== void 0) (out[k + " uncorrected"] ??= []).push(r.uncorrected / truth[m] - 1);
      }
    }
  }
  console.log(`Zipf ${skew2} \u03B3 ${gamma} rows ${rows}`);
  for (const [k, v] of Object.entries(out)) if (!(k.startsWith("popularity") && k.includes("snips"))) {
    const me = v.reduce((a, b) => a + b, 0) / v.length;
    const sd = Math.sqrt(v.reduce((a, b) => a + (b - me) ** 2, 0) / (v.length - 1) / v.length);
    console.log("   ", k.padEnd(45), (100 * me).toFixed(1) + "%", "\xB1", (100 * sd).toFixed(1));
  }
}
