// src/events/column-table.ts
function withColumns(table) {
  const columns = Object.entries(table);
  return class {
    length = 0;
    // The same names in the same order: all objects of the class have one shape.
    constructor(capacity) {
      for (const [name, { array }] of columns) {
        this[name] = new array(capacity);
      }
    }
  };
}
function enlarge(table, rows2, capacity) {
  const arrays = rows2;
  for (const name of Object.keys(table)) arrays[name] = enlarged(arrays[name], capacity);
}
function gather(table, from, rows2, into, at) {
  const [sources, targets] = [from, into];
  for (const name of Object.keys(table)) gatherColumn(sources[name], rows2, targets[name], at);
}
function keepRows(table, columns, rows2) {
  const arrays = columns;
  for (const name of Object.keys(table)) {
    const kept = ofSameKind(arrays[name], arrays[name].length);
    gatherColumn(arrays[name], rows2, kept, 0);
    arrays[name] = kept;
  }
}
function gatherColumn(from, rows2, into, at) {
  for (let n = 0; n < rows2.length; n++) into[at + n] = from[rows2[n]];
}
function enlarged(values, capacity) {
  const larger = ofSameKind(values, capacity);
  larger.set(values);
  return larger;
}
function ofSameKind(values, length) {
  return new values.constructor(length);
}

// src/events/columns.ts
var RANDOMIZED = 1;
var SHOWN = 2;
var SAMPLED = 4;
var NAMES_EXPOSURE = 8;
var HAS_PROPENSITIES = 16;
var SHOWN_BEFORE = 32;
var LATE = 64;
var POSITIVE = 128;
var PENDING_INTERACTION = {
  flags: { array: Uint8Array },
  ts: { array: Float64Array },
  user: { array: Int32Array, names: "users" },
  item: { array: Int32Array, names: "items" },
  /** Named exposure, 64-bit hash; meaningful where `flags & NAMES_EXPOSURE`. */
  exposureHigh: { array: Int32Array },
  exposureLow: { array: Int32Array }
};
var INTERACTION = {
  ...PENDING_INTERACTION,
  value: { array: Float64Array },
  /**
   * A number of the action's own, or the class of what it is worth (`ActionWorths`); −1 where the
   * event states none, or where actions are not kept.
   */
  action: { array: Int32Array },
  /** Event id, 64-bit hash. */
  idHigh: { array: Int32Array },
  idLow: { array: Int32Array }
};
var EXPOSURE = {
  flags: { array: Uint8Array },
  ts: { array: Float64Array },
  user: { array: Int32Array, names: "users" },
  model: { array: Int32Array, names: "models" },
  idHigh: { array: Int32Array },
  idLow: { array: Int32Array },
  /** How many items the list was ranked among; −1 where the event does not say. */
  candidates: { array: Float64Array }
};
var InteractionColumns = class extends withColumns(INTERACTION) {
  constructor(capacity = 1024) {
    super(capacity);
  }
  clear() {
    this.length = 0;
  }
  /** Makes room for one more row. */
  reserve() {
    if (this.length === this.ts.length) enlarge(INTERACTION, this, 2 * this.length);
  }
  /** Adds these rows of others. */
  addRows(from, rows2) {
    const length = this.length + rows2.length;
    const capacity = this.ts.length;
    if (length > capacity) enlarge(INTERACTION, this, Math.max(length, 2 * capacity));
    gather(INTERACTION, from, rows2, this, this.length);
    this.length = length;
  }
};
var ExposureColumns = class extends withColumns(EXPOSURE) {
  listStart;
  items;
  propensities = new Float32Array(0);
  constructor(capacity = 256, itemCapacity = 8192) {
    super(capacity);
    this.listStart = new Int32Array(capacity + 1);
    this.items = new Int32Array(itemCapacity);
  }
  clear() {
    this.length = 0;
  }
  /** Makes room for the propensities of the row that `reserve` made room for. */
  reservePropensities() {
    if (this.propensities.length === this.items.length) return;
    this.propensities = enlarged(this.propensities, this.items.length);
  }
  /** Makes room for one more row with a list of `size` items. */
  reserve(size2) {
    if (this.length === this.ts.length) {
      enlarge(EXPOSURE, this, 2 * this.length);
      this.listStart = enlarged(this.listStart, this.ts.length + 1);
    }
    const needed = this.listStart[this.length] + size2;
    if (needed > this.items.length) {
      this.items = enlarged(this.items, Math.max(needed, this.items.length * 2));
    }
  }
  /** Adds these rows of others. */
  addRows(from, rows2) {
    const first2 = this.length;
    for (const r of rows2) this.#addList(from, r);
    gather(EXPOSURE, from, rows2, this, first2);
  }
  #addList(from, r) {
    const [first2, end] = [from.listStart[r], from.listStart[r + 1]];
    this.reserve(end - first2);
    const start = this.listStart[this.length];
    this.items.set(from.items.subarray(first2, end), start);
    if ((from.flags[r] & HAS_PROPENSITIES) !== 0) {
      this.reservePropensities();
      this.propensities.set(from.propensities.subarray(first2, end), start);
    }
    this.length++;
    this.listStart[this.length] = start + end - first2;
  }
};

// src/events/fault.ts
var FAULT_REASONS = [
  "accepted",
  "oversized",
  "invalid_utf8",
  "not_json",
  "not_an_object",
  "unknown_type",
  "missing_field",
  "wrong_type",
  "not_a_number",
  "bad_timestamp",
  "future_timestamp",
  "id_empty",
  "id_too_long",
  "ill_formed_id",
  "list_empty",
  "list_too_long",
  "repeated_item",
  "length_mismatch",
  "out_of_range",
  "batch_too_large"
];

// src/stream/ingest/outcomes.ts
var Outcomes = class {
  accepted = 0;
  duplicate = 0;
  late = 0;
  /** Events of a foreign schema that are neither exposures nor interactions. */
  ignored = 0;
  /** Sound events that name an item for which there was no room. */
  overItemLimit = 0;
  /** By fault code; index 0 stays 0. */
  faults = new Array(FAULT_REASONS.length).fill(0);
  /** Of the accepted and late exposures, those whose model is over the cap and whose list was dropped. */
  modelOverCap = 0;
  /** Events whose time was looked at. */
  get timed() {
    return this.accepted + this.duplicate + this.late;
  }
  add(other) {
    this.accepted += other.accepted;
    this.duplicate += other.duplicate;
    this.late += other.late;
    this.ignored += other.ignored;
    this.overItemLimit += other.overItemLimit;
    this.modelOverCap += other.modelOverCap;
    for (let code = 0; code < this.faults.length; code++) this.faults[code] += other.faults[code];
  }
  /** Calls back for each outcome that occurred, under its label value. */
  forEach(visit) {
    if (this.accepted > 0) visit("accepted", this.accepted);
    if (this.duplicate > 0) visit("duplicate", this.duplicate);
    if (this.late > 0) visit("late", this.late);
    if (this.ignored > 0) visit("ignored", this.ignored);
    if (this.overItemLimit > 0) visit("over_item_limit", this.overItemLimit);
    this.faults.forEach((count, code) => {
      if (count > 0) visit(FAULT_REASONS[code], count);
    });
  }
};

// src/stream/ids.ts
function namedModels(ids, names) {
  return [...ids].sort((a, b) => names.compare(a, b)).map((id) => ({ name: names.text(id), id }));
}

// src/events/action-worths.ts
var USUAL_ACTION = "click";
var USUAL_WORTH = 1;
var MOST_WORTHS = 250;
var ActionWorths = class {
  /** By class. */
  worths;
  /** Class of an event that states no action. */
  usual;
  #others;
  #classes;
  constructor(worthOf) {
    const click = Object.hasOwn(worthOf, USUAL_ACTION) ? worthOf[USUAL_ACTION] : USUAL_WORTH;
    const all = /* @__PURE__ */ new Set([0, USUAL_WORTH, click, ...Object.values(worthOf)]);
    this.worths = [...all].sort((a, b) => a - b);
    this.usual = this.worths.indexOf(click);
    this.#others = this.#codeOf(USUAL_WORTH);
    const encoder = new TextEncoder();
    this.#classes = Object.entries(worthOf).map(([action, worth]) => ({
      name: encoder.encode(action),
      code: this.#codeOf(worth)
    }));
  }
  /** @returns the class of an action; −1 for that of a click. */
  intern(bytes, start, end) {
    for (const { name, code } of this.#classes) {
      if (name.length === end - start && isAt(name, bytes, start)) return code;
    }
    return this.#others;
  }
  /** By what a column of actions holds plus one: what such an action is worth. */
  byCode() {
    return Float64Array.of(this.worths[this.usual], ...this.worths);
  }
  /** By the same: 1 where it is worth anything; undefined where every action is. */
  worthwhile() {
    const hasWorthless = this.usual === 0 || this.#classes.some(({ code }) => code === 0);
    return hasWorthless ? Uint8Array.from(this.byCode(), (worth) => Number(worth > 0)) : void 0;
  }
  #codeOf(worth) {
    const code = this.worths.indexOf(worth);
    return code === this.usual ? -1 : code;
  }
};
function isAt(name, bytes, start) {
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
  return true;
}

// src/stream/ingest/intake.ts
var Intake = class {
  #partitions;
  /** Of codes from −1 on, whether such an action is worth anything; undefined where all are. */
  #isWorth;
  constructor(partitions) {
    this.#partitions = partitions;
    const { actions } = partitions.options;
    this.#isWorth = actions && new ActionWorths(actions).worthwhile();
  }
  acceptInteractions(partition, columns, outcomes) {
    if (columns.length === 0) return;
    const { watermarks, options } = this.#partitions;
    const { tickMs, latenessMs, positiveMinValue } = options;
    const { state, seen, closedThrough } = this.#partitions.of(partition);
    const ids = seen.interactions;
    const isWorth = this.#isWorth;
    let newest2 = watermarks.newest("interactions", partition);
    let current = Number.NaN;
    let open;
    ids.warm(columns.idHigh, columns.idLow, columns.length);
    for (let r = 0; r < columns.length; r++) {
      const ts = columns.ts[r];
      if (ids.add(columns.idHigh[r], columns.idLow[r], ts) >= 0) {
        outcomes.duplicate++;
        continue;
      }
      let flags = columns.flags[r];
      if (columns.value[r] >= positiveMinValue) flags |= POSITIVE;
      if (isWorth !== void 0 && isWorth[columns.action[r] + 1] === 0) flags &= ~POSITIVE;
      let pane = Math.floor(ts / tickMs);
      if (ts < newest2 - latenessMs || pane <= closedThrough) {
        pane = latePane(newest2, tickMs, closedThrough);
        flags |= LATE;
        outcomes.late++;
      } else {
        outcomes.accepted++;
      }
      if (ts > newest2) newest2 = ts;
      if (pane !== current) {
        open = state.openPane(pane);
        current = pane;
      }
      open.addInteraction(columns, r, flags);
    }
    this.#advance("interactions", partition, newest2, ids);
  }
  acceptExposures(partition, columns, outcomes) {
    if (columns.length === 0) return;
    const { watermarks, options } = this.#partitions;
    const { tickMs, latenessMs, maxModels } = options;
    const { state, seen, closedThrough } = this.#partitions.of(partition);
    const ids = seen.exposures;
    let newest2 = watermarks.newest("exposures", partition);
    let current = Number.NaN;
    let open;
    ids.warm(columns.idHigh, columns.idLow, columns.length);
    for (let r = 0; r < columns.length; r++) {
      const ts = columns.ts[r];
      if (ids.add(columns.idHigh[r], columns.idLow[r], ts) >= 0) {
        outcomes.duplicate++;
        continue;
      }
      let flags = columns.flags[r];
      let pane = Math.floor(ts / tickMs);
      if (ts < newest2 - latenessMs || pane <= closedThrough) {
        pane = latePane(newest2, tickMs, closedThrough);
        flags |= LATE;
        outcomes.late++;
      } else {
        outcomes.accepted++;
      }
      if (ts > newest2) newest2 = ts;
      if (columns.model[r] >>> 0 >= maxModels) {
        outcomes.modelOverCap++;
        continue;
      }
      if (pane !== current) {
        open = state.openPane(pane);
        current = pane;
      }
      open.addExposure(columns, r, flags);
    }
    this.#advance("exposures", partition, newest2, ids);
  }
  #advance(role, partition, newest2, ids) {
    const { watermarks, options } = this.#partitions;
    watermarks.advance(role, partition, newest2);
    ids.expire(newest2 - options.latenessMs - options.dedupeTtlMs);
  }
};
function latePane(newest2, tickMs, closedThrough) {
  return Math.max(Math.floor(newest2 / tickMs), closedThrough + 1);
}

// src/state/ids/mark.ts
var SLICE = 65536;
function* markIds(flags, ids, length = ids.length) {
  for (let from = 0; from < length; from += SLICE) {
    const to = Math.min(from + SLICE, length);
    for (let n = from; n < to; n++) flags[ids[n]] = 1;
    yield;
  }
}
function* markCounted(flags, { counts, size: size2 }) {
  for (let from = 0; from < size2; from += SLICE) {
    const to = Math.min(from + SLICE, size2);
    for (let id = from; id < to; id++) if (counts[id] > 0) flags[id] = 1;
    yield;
  }
}

// src/state/counts/popularity-rule.ts
var RANDOMIZED_POPULARITY = ["count", "ignore"];
var CAUSED_POPULARITY = ["count", "ignore"];
function countsRandomizedApart({ randomized }) {
  return randomized === "ignore";
}
function isCapped({ userCap = 0 }) {
  return userCap > 0;
}
function leavesOut(rule) {
  return rule.caused === "ignore" || isCapped(rule);
}
function isDivided(rule) {
  return countsRandomizedApart(rule) || leavesOut(rule);
}
function takesAll(rule) {
  return rule.of === "all" && !isDivided(rule);
}
function judgedBy(rule, flags) {
  if (rule.of === "positive" && (flags & POSITIVE) === 0) return "none";
  const isRandomized = (flags & RANDOMIZED) !== 0;
  if (isRandomized && rule.randomized === "ignore") return "none";
  const isCaused = !isRandomized && (flags & NAMES_EXPOSURE) !== 0;
  return isCaused && rule.caused === "ignore" ? "left out" : "counts";
}

// src/state/counts/sparse-counts.ts
function retained({ ids, counts }, isKept) {
  const places2 = new Int32Array(ids.length);
  let size2 = 0;
  for (let j = 0; j < ids.length; j++) if (isKept(ids[j])) places2[size2++] = j;
  const kept = places2.subarray(0, size2);
  return {
    ids: kept.map((j) => ids[j]),
    counts: counts instanceof Uint8Array ? Uint8Array.from(kept, (j) => counts[j]) : kept.map((j) => counts[j])
  };
}
function without(counts, others) {
  if (others.ids.length === 0) return counts;
  const less = /* @__PURE__ */ new Map();
  for (let j = 0; j < others.ids.length; j++) less.set(others.ids[j], others.counts[j]);
  const rest = counts.counts.map((count, j) => count - (less.get(counts.ids[j]) ?? 0));
  const isLeft = (_, j) => rest[j] > 0;
  return { ids: counts.ids.filter(isLeft), counts: rest.filter(isLeft) };
}
var GROWTH = 1.25;
var SLICE2 = 65536;
var NO_COUNTS = { ids: new Int32Array(0), counts: new Int32Array(0) };
var Tally = class {
  #dense = new Int32Array(1024);
  #touched = new Int32Array(256);
  #distinct = 0;
  add(id) {
    if (id >= this.#dense.length) this.#grow(id);
    if (this.#dense[id]++ === 0) this.#touch(id);
  }
  /** Counts the id so many times, at least once. */
  addTimes(id, times) {
    if (id >= this.#dense.length) this.#grow(id);
    if (this.#dense[id] === 0) this.#touch(id);
    this.#dense[id] += times;
  }
  addAll(counts) {
    for (let j = 0; j < counts.ids.length; j++) {
      const id = counts.ids[j];
      if (id >= this.#dense.length) this.#grow(id);
      if (this.#dense[id] === 0) this.#touch(id);
      this.#dense[id] += counts.counts[j];
    }
  }
  /** The counts so far, in order of first occurrence; the tally is empty afterwards. */
  drain() {
    if (this.#distinct === 0) return NO_COUNTS;
    const ids = this.#touched.slice(0, this.#distinct);
    let largest = 0;
    for (let j = 0; j < ids.length; j++) largest = Math.max(largest, this.#dense[ids[j]]);
    const counts = largest < 256 ? new Uint8Array(ids.length) : new Int32Array(ids.length);
    for (let j = 0; j < ids.length; j++) {
      counts[j] = this.#dense[ids[j]];
      this.#dense[ids[j]] = 0;
    }
    this.#distinct = 0;
    return { ids, counts };
  }
  #touch(id) {
    if (this.#distinct === this.#touched.length) {
      const touched = new Int32Array(this.#touched.length * 2);
      touched.set(this.#touched);
      this.#touched = touched;
    }
    this.#touched[this.#distinct++] = id;
  }
  #grow(id) {
    const dense = new Int32Array(Math.max(id + 1, Math.ceil(this.#dense.length * GROWTH)));
    dense.set(this.#dense);
    this.#dense = dense;
  }
};
var DenseCounts = class {
  #counts = new Int32Array(256);
  #size = 0;
  /** Count per id; ids from `size` on have none. Valid until the next change. */
  get counts() {
    return this.#counts;
  }
  get size() {
    return this.#size;
  }
  add(sparse) {
    this.#apply(sparse, 1);
  }
  subtract(sparse) {
    this.#apply(sparse, -1);
  }
  /** Forgets the counts of the other ids. Yields now and then. */
  *retain(isKept) {
    for (let id = 0; id < this.#size; id++) {
      if (this.#counts[id] !== 0 && !isKept(id)) this.#counts[id] = 0;
      if (id % SLICE2 === SLICE2 - 1) yield;
    }
  }
  #apply(sparse, sign) {
    const { ids, counts } = sparse;
    for (let j = 0; j < ids.length; j++) {
      const id = ids[j];
      if (id >= this.#size) {
        this.#size = id + 1;
        if (id >= this.#counts.length) this.#grow(id);
      }
      this.#counts[id] += sign * counts[j];
    }
  }
  #grow(id) {
    const counts = new Int32Array(Math.max(id + 1, Math.ceil(this.#counts.length * GROWTH)));
    counts.set(this.#counts);
    this.#counts = counts;
  }
};

// src/state/counts/popularity.ts
var Popularity = class {
  options;
  /** Scratch that all shares have in common. */
  merger = new Tally();
  /** Any interaction of an item over the horizon. */
  interactions = new DenseCounts();
  /** Those of them that came from randomised traffic. */
  randomized = new DenseCounts();
  /** Positives from randomised traffic, over the horizon; counted only where popularity ignores them. */
  randomizedPositives = new DenseCounts();
  /**
   * All interactions of the kind that counts, over the horizon, whatever led to them: what
   * concentration is measured on. The popularity itself where that leaves nothing out.
   */
  undivided;
  /** How often an item stood in a list that is no exposure, over the horizon. */
  listed = new DenseCounts();
  #popularity = /* @__PURE__ */ new Map();
  #exposures = [];
  constructor(options) {
    this.options = options;
    for (const horizonMs of this.horizons()) {
      const same = takesAll(options) && horizonMs === options.horizonMs;
      this.#popularity.set(horizonMs, same ? this.interactions : new DenseCounts());
    }
    if (options.of === "all") this.undivided = this.interactions;
    else this.undivided = isDivided(options) ? new DenseCounts() : this.popularity();
  }
  /** Whether randomised traffic makes no item popular. */
  get ignoresRandomized() {
    return countsRandomizedApart(this.options);
  }
  /** Number of models that exposures were counted for; models are dense integers. */
  get models() {
    return this.#exposures.length;
  }
  /** n_i over the whole horizon, or over the trailing window, or the fit's period, of that length. */
  popularity(horizonMs = this.options.horizonMs) {
    return this.#popularity.get(horizonMs);
  }
  exposures(model, horizonMs = this.options.horizonMs) {
    while (this.#exposures.length <= model) {
      this.#exposures.push(
        new Map(this.horizons().map((length) => [length, new DenseCounts()]))
      );
    }
    return this.#exposures[model].get(horizonMs);
  }
  /** The horizons that are counted over; those of equal length are one. */
  horizons() {
    const { horizonMs, gammaPeriodMs, windowsMs } = this.options;
    return [.../* @__PURE__ */ new Set([horizonMs, gammaPeriodMs, ...windowsMs])];
  }
  /**
   * The items that stood in an interaction or a list of a closed pane within the horizon. One that
   * no traffic has named for so long is no longer in the catalogue: so it does not depend on when
   * the process began. One yield a kind of count; O(items · models).
   */
  *catalogue() {
    const counts = [this.interactions, this.listed];
    for (let model = 0; model < this.models; model++) counts.push(this.exposures(model));
    const flags = new Uint8Array(Math.max(...counts.map(({ size: size3 }) => size3)));
    for (const { counts: each, size: size3 } of counts) {
      for (let item = 0; item < size3; item++) if (each[item] > 0) flags[item] = 1;
      yield;
    }
    let size2 = 0;
    for (let item = 0; item < flags.length; item++) size2 += flags[item];
    return { size: size2, has: (item) => flags[item] === 1 };
  }
  /** Whether the item is in the catalogue. */
  isInCatalogue(item) {
    if (this.interactions.counts[item] > 0 || this.listed.counts[item] > 0) return true;
    for (let model = 0; model < this.models; model++) {
      if (this.exposures(model).counts[item] > 0) return true;
    }
    return false;
  }
  /** Sets the flags of the items that have a count. */
  *markItems(flags) {
    const { interactions, randomized, randomizedPositives, undivided, listed: listed2 } = this;
    const counts = [interactions, randomized, randomizedPositives, undivided, listed2];
    counts.push(...this.#popularity.values());
    for (const byHorizon of this.#exposures) counts.push(...byHorizon.values());
    for (const each of counts) yield* markCounted(flags, each);
  }
};

// src/state/counts/rolling-counts.ts
var BUCKETS_PER_HORIZON = 240;
function bucketMs(horizonMs, paneMs) {
  return paneMs * Math.max(1, Math.ceil(horizonMs / paneMs / BUCKETS_PER_HORIZON));
}
var RollingCounts = class {
  #horizonMs;
  #bucketMs;
  #buckets = [];
  #merger;
  #total;
  /**
   * @param merger scratch that several counters of one id space may share.
   * @param total what the counts are added to.
   */
  constructor(horizonMs, paneMs, merger = new Tally(), total3 = new DenseCounts()) {
    this.#horizonMs = horizonMs;
    this.#bucketMs = bucketMs(horizonMs, paneMs);
    this.#merger = merger;
    this.#total = total3;
  }
  /** Count per id; ids from `size` on have none. Valid until the next `add` or `advance`. */
  get counts() {
    return this.#total.counts;
  }
  get size() {
    return this.#total.size;
  }
  /** Number of ids with a count. O(size). */
  get distinct() {
    let distinct = 0;
    for (let id = 0; id < this.size; id++) if (this.counts[id] > 0) distinct++;
    return distinct;
  }
  /** Adds counts of the pane that ends at `paneEnd`, which never decreases. */
  add(counts, paneEnd) {
    if (counts.ids.length === 0) return;
    this.#total.add(counts);
    if (this.#horizonMs !== Number.POSITIVE_INFINITY) this.#keep(counts, paneEnd);
  }
  /** Drops what the horizon has left behind when the pane that ends at `paneEnd` has closed. */
  advance(paneEnd) {
    const before2 = paneEnd - this.#horizonMs;
    let expired = 0;
    while (expired < this.#buckets.length && this.#buckets[expired].end <= before2) {
      for (const part of this.#buckets[expired].parts) this.#total.subtract(part);
      expired++;
    }
    if (expired > 0) this.#buckets.splice(0, expired);
  }
  /**
   * Forgets the counts of the other ids; the total must be this one's own. Yields now and then, and
   * is to be run to its end before anything is added.
   */
  *retain(isKept) {
    yield* this.#total.retain(isKept);
    for (const bucket of this.#buckets) {
      bucket.parts = bucket.parts.map((part) => retained(part, isKept));
      yield;
    }
  }
  /** Enters the parts into the table; `writeBuckets` then tells where they stand in it. */
  collect(table) {
    for (const { parts } of this.#buckets) for (const part of parts) table.place(part);
  }
  writeBuckets(to, table) {
    to.number(this.#buckets.length);
    for (const { end, parts } of this.#buckets) {
      to.number(end);
      to.column(Int32Array.from(parts, (part) => table.place(part)));
    }
  }
  /** Takes back buckets, whose counts enter the total; to be called before anything is added. */
  readBuckets(from, table) {
    for (let left = from.count(); left > 0; left--) {
      const end = from.number();
      const parts = [...from.int32()].map((place3) => table[place3]);
      for (const part of parts) this.#total.add(part);
      this.#buckets.push({ end, parts });
    }
  }
  #keep(counts, paneEnd) {
    const end = Math.ceil(paneEnd / this.#bucketMs) * this.#bucketMs;
    const newest2 = this.#buckets.at(-1);
    if (newest2 !== void 0 && newest2.end === end) {
      newest2.parts.push(counts);
      return;
    }
    if (newest2 !== void 0) this.#merge(newest2);
    this.#buckets.push({ end, parts: [counts] });
  }
  #merge(bucket) {
    if (bucket.parts.length === 1) return;
    for (const part of bucket.parts) this.#merger.addAll(part);
    bucket.parts = [this.#merger.drain()];
  }
};

// src/state/counts/sparse-counts-table.ts
var SparseCountsTable = class {
  #places = /* @__PURE__ */ new Map();
  place(counts) {
    const known = this.#places.get(counts);
    if (known !== void 0) return known;
    const place3 = this.#places.size;
    this.#places.set(counts, place3);
    return place3;
  }
  /** Ids as places in the dictionary; as they are where there is none. */
  *write(to, dictionary) {
    to.number(this.#places.size);
    let written = 0;
    for (const { ids, counts } of this.#places.keys()) {
      if (dictionary === void 0) to.column(ids);
      else yield* dictionary.write(to, ids);
      to.number(counts.BYTES_PER_ELEMENT);
      to.column(counts);
      written += ids.length;
      if (written >= 32768) {
        written = 0;
        yield;
      }
    }
  }
  static *read(from, places2) {
    const table = [];
    for (let left = from.count(); left > 0; left--) {
      const ids = places2 === void 0 ? from.int32() : places2.column(from);
      const counts = from.number() === 1 ? from.uint8() : from.int32();
      table.push({ ids, counts });
      if (table.length % 32 === 0) yield;
    }
    return table;
  }
};

// src/state/counts/popularity-share.ts
var PopularityShare = class {
  #whole;
  #interactions;
  #randomized;
  /** Undefined where they are not counted apart. */
  #randomizedPositives;
  /** Undefined where another count is the same. */
  #undivided;
  /** Items of the lists that are no exposures: they are in the catalogue too. */
  #listed;
  #popularity = [];
  /** By model, one for each horizon. */
  #exposures = [];
  constructor(whole2) {
    this.#whole = whole2;
    this.#interactions = this.#counter(whole2.options.horizonMs, whole2.interactions);
    this.#randomized = this.#counter(whole2.options.horizonMs, whole2.randomized);
    if (whole2.ignoresRandomized) {
      const { horizonMs } = whole2.options;
      this.#randomizedPositives = this.#counter(horizonMs, whole2.randomizedPositives);
    }
    if (whole2.options.of !== "all" && isDivided(whole2.options)) {
      this.#undivided = this.#counter(whole2.options.horizonMs, whole2.undivided);
    }
    this.#listed = this.#counter(whole2.options.horizonMs, whole2.listed);
    for (const horizonMs of whole2.horizons()) {
      const total3 = whole2.popularity(horizonMs);
      if (total3 !== whole2.interactions) this.#popularity.push(this.#counter(horizonMs, total3));
    }
  }
  /** Adds the counts of the interactions of a closed pane. */
  addInteractions(counts, paneEnd) {
    this.#interactions.add(counts.interactions, paneEnd);
    this.#randomized.add(counts.randomized, paneEnd);
    this.#randomizedPositives?.add(counts.randomizedPositives, paneEnd);
    this.#undivided?.add(counts.positives, paneEnd);
    const popularity = this.#popular(counts);
    for (const counter of this.#popularity) counter.add(popularity, paneEnd);
  }
  /** Adds the counts of the lists of a closed pane. */
  addExposures(counts, paneEnd) {
    this.#listed.add(counts.listed, paneEnd);
    counts.exposures.forEach((exposures, model) => {
      for (const counter of this.#exposuresOf(model)) counter.add(exposures, paneEnd);
    });
  }
  /** Enters the items of a closed pane into the catalogue, and into no count that is used. */
  addCatalogue(counts, paneEnd) {
    this.#listed.add(counts.interactions, paneEnd);
    this.#listed.add(counts.listed, paneEnd);
    for (const exposures of counts.exposures) this.#listed.add(exposures, paneEnd);
  }
  /** Moves every horizon on, once the counts of the pane are in. */
  advance(paneEnd) {
    for (const counter of this.#counters()) counter.advance(paneEnd);
  }
  *write(to, { items, models }) {
    const table = new SparseCountsTable();
    for (const counter of this.#counters()) counter.collect(table);
    yield* table.write(to, items);
    this.#interactions.writeBuckets(to, table);
    this.#randomized.writeBuckets(to, table);
    this.#listed.writeBuckets(to, table);
    this.#randomizedPositives?.writeBuckets(to, table);
    this.#undivided?.writeBuckets(to, table);
    for (const counter of this.#popularity) counter.writeBuckets(to, table);
    const counted = [...this.#exposures.keys()];
    to.column(Int32Array.from(counted, (model) => models.place(model)));
    for (const counters of this.#exposures) {
      for (const counter of counters) counter.writeBuckets(to, table);
    }
  }
  /** Takes back what was written; to be called before anything is added. */
  *read(from, { items, models }) {
    const table = yield* SparseCountsTable.read(from, items);
    for (const counter of [this.#interactions, this.#randomized, this.#listed]) {
      counter.readBuckets(from, table);
      yield;
    }
    this.#randomizedPositives?.readBuckets(from, table);
    this.#undivided?.readBuckets(from, table);
    for (const counter of this.#popularity) {
      counter.readBuckets(from, table);
      yield;
    }
    for (const place3 of from.int32()) {
      for (const counter of this.#exposuresOf(models.id(place3))) {
        counter.readBuckets(from, table);
        yield;
      }
    }
  }
  /** Randomised interactions and those that are left out have none in common. */
  #popular(counts) {
    const { of } = this.#whole.options;
    const all = without(of === "all" ? counts.interactions : counts.positives, counts.leftOut);
    if (!this.#whole.ignoresRandomized) return all;
    return without(all, of === "all" ? counts.randomized : counts.randomizedPositives);
  }
  *#counters() {
    yield this.#interactions;
    yield this.#randomized;
    if (this.#randomizedPositives !== void 0) yield this.#randomizedPositives;
    if (this.#undivided !== void 0) yield this.#undivided;
    yield this.#listed;
    yield* this.#popularity;
    for (const counters of this.#exposures) yield* counters;
  }
  #exposuresOf(model) {
    while (this.#exposures.length <= model) {
      const next = this.#exposures.length;
      this.#exposures.push(
        this.#whole.horizons().map((horizonMs) => this.#counter(horizonMs, this.#whole.exposures(next, horizonMs)))
      );
    }
    return this.#exposures[model];
  }
  #counter(horizonMs, total3) {
    const { options, merger } = this.#whole;
    return new RollingCounts(horizonMs, options.paneMs, merger, total3);
  }
};

// src/state/ids/recent-ids.ts
var SHARDS = 64;
var FIRST_CAPACITY = 16;
var MAX_LOAD = 0.7;
var SLOT = 4;
var LARGEST_VALUE = 2147483647;
var SHORTEST_GENERATION_MS = 6e4;
var LONGEST_GENERATION_MS = 2 ** 32 - 1;
var RecentIds = class {
  #ttlMs;
  #generationMs;
  /** How many generations away an id may be and still be within the ttl. */
  #reach;
  #generations = /* @__PURE__ */ new Map();
  #oldest = Number.NEGATIVE_INFINITY;
  #near = [];
  #nearNumber = Number.NaN;
  /** Keeps the reads of `warm` from being optimised away. */
  warmed = 0;
  constructor(ttlMs) {
    const endless = ttlMs === Number.POSITIVE_INFINITY;
    this.#ttlMs = ttlMs;
    this.#generationMs = endless ? ttlMs : Math.max(SHORTEST_GENERATION_MS, Math.min(ttlMs, LONGEST_GENERATION_MS));
    this.#reach = endless ? 0 : Math.ceil(ttlMs / this.#generationMs);
  }
  /** The value (≥ 0) under which the id was seen, else −1 and the id is kept with `value`. */
  add(high, low, ts, value = 0) {
    const found = this.find(high, low, ts);
    if (found >= 0) return found;
    const number = this.#nearNumber;
    if (number < this.#oldest) return -1;
    let generation = this.#near[this.#reach];
    if (generation === void 0) {
      generation = new Generation();
      this.#generations.set(number, generation);
      this.#near[this.#reach] = generation;
    }
    generation.put(high, low, this.#offset(ts, number), value & LARGEST_VALUE);
    return -1;
  }
  /** The value under which the id was kept within ttlMs of ts, else −1. */
  find(high, low, ts) {
    const number = this.#reach === 0 ? 0 : Math.floor(ts / this.#generationMs);
    if (number !== this.#nearNumber) this.#approach(number);
    const near = this.#near;
    for (let n = 0; n < near.length; n++) {
      const generation = near[n];
      if (generation === void 0) continue;
      const offset = this.#offset(ts, number + n - this.#reach);
      const value = generation.get(high, low, offset, this.#ttlMs);
      if (value >= 0) return value;
    }
    return -1;
  }
  /**
   * Reads where the ids of a batch will be looked for. The look-ups themselves each wait for
   * memory; these reads do not depend on one another, so the processor has many of them under way
   * at once, and the look-ups find their slots in the cache.
   */
  warm(high, low, length) {
    let seen = 0;
    for (const generation of this.#near) {
      if (generation !== void 0) seen ^= generation.warm(high, low, length);
    }
    this.warmed = seen;
  }
  /** Forgets generations that end at or before `before` (event time, ms). */
  expire(before2) {
    if (this.#reach === 0) return;
    const oldest = Math.floor(before2 / this.#generationMs);
    if (oldest <= this.#oldest) return;
    this.#oldest = oldest;
    for (const number of this.#generations.keys()) {
      if (number < oldest) this.#generations.delete(number);
    }
    this.#nearNumber = Number.NaN;
  }
  /**
   * What is known now, to be written later: shards are copied when they are next written to, so
   * that ids may be added while it is written.
   *
   * @param values whether the values are wanted; else all come back as 0
   */
  capture(values) {
    const oldest = this.#oldest;
    const generations = [...this.#generations].map(
      ([number, generation]) => [number, generation.capture()]
    );
    return function* write(to) {
      const scratch = { slots: new Int32Array(0) };
      to.number(oldest);
      to.number(values ? 1 : 0);
      to.number(generations.length);
      for (const [number, shards] of generations) {
        to.number(number);
        for (const shard of shards) {
          const words = compactSlots(shard, values, scratch);
          to.column(scratch.slots, words);
          yield;
        }
      }
    };
  }
  /** Takes back what was captured; to be called before anything is added. */
  *restore(from) {
    this.#oldest = from.number();
    const values = from.number() === 1;
    const generations = from.count();
    for (let n = 0; n < generations; n++) {
      const generation = new Generation();
      this.#generations.set(from.number(), generation);
      yield* generation.restore(from, values);
    }
    this.#nearNumber = Number.NaN;
  }
  /** Neighbouring events mostly fall into the same generations: these are looked up once. */
  #approach(number) {
    this.#nearNumber = number;
    this.#near = Array.from(
      { length: 2 * this.#reach + 1 },
      (_, n) => this.#generations.get(number + n - this.#reach)
    );
  }
  #offset(ts, number) {
    return this.#reach === 0 ? 0 : ts - number * this.#generationMs;
  }
};
function compactSlots({ slots, used }, values, scratch) {
  const width = values ? SLOT : SLOT - 1;
  if (scratch.slots.length < used * width) scratch.slots = new Int32Array(used * width * 2);
  const compact = scratch.slots;
  let to = 0;
  for (let slot = 0; slot < slots.length; slot += SLOT) {
    if (slots[slot + 3] === 0) continue;
    for (let word = 0; word < width; word++) compact[to + word] = slots[slot + word];
    to += width;
  }
  return to;
}
var Generation = class {
  #shards = Array.from({ length: SHARDS }, () => new Shard());
  put(high, low, offset, value) {
    this.#shards[(high >>> 16) % SHARDS].put(high, low, offset, value);
  }
  warm(high, low, length) {
    let seen = 0;
    for (let r = 0; r < length; r++) {
      const { slots, mask } = this.#shards[(high[r] >>> 16) % SHARDS];
      seen ^= slots[(low[r] & mask) * SLOT];
    }
    return seen;
  }
  capture() {
    return this.#shards.map((shard) => shard.capture());
  }
  *restore(from, values) {
    for (const shard of this.#shards) {
      shard.restore(from.int32(), values);
      yield;
    }
  }
  get(high, low, offset, ttlMs) {
    return this.#shards[(high >>> 16) % SHARDS].get(high, low, offset, ttlMs);
  }
};
var Shard = class {
  slots = new Int32Array(FIRST_CAPACITY * SLOT);
  mask = FIRST_CAPACITY - 1;
  #used = 0;
  #captured = false;
  capture() {
    this.#captured = true;
    return { slots: this.slots, used: this.#used };
  }
  restore(compact, values) {
    const width = values ? SLOT : SLOT - 1;
    this.#used = compact.length / width;
    let capacity = FIRST_CAPACITY;
    while (this.#used > capacity * MAX_LOAD) capacity *= 2;
    this.slots = new Int32Array(capacity * SLOT);
    this.mask = capacity - 1;
    for (let at = 0; at < compact.length; at += width) {
      const stored = values ? compact[at + 3] : 1;
      this.#insert(compact[at], compact[at + 1], compact[at + 2], stored);
    }
  }
  put(high, low, offset, value) {
    if (this.#used >= (this.mask + 1) * MAX_LOAD) this.#grow();
    else if (this.#captured) this.slots = this.slots.slice();
    this.#captured = false;
    this.#insert(high, low, offset, value + 1);
    this.#used++;
  }
  get(high, low, offset, ttlMs) {
    const slots = this.slots;
    const mask = this.mask;
    for (let at = low & mask; ; at = at + 1 & mask) {
      const slot = at * SLOT;
      const stored = slots[slot + 3];
      if (stored === 0) return -1;
      if (slots[slot] !== high || slots[slot + 1] !== low) continue;
      if (Math.abs((slots[slot + 2] >>> 0) - offset) <= ttlMs) return stored - 1 & LARGEST_VALUE;
    }
  }
  #insert(high, low, offset, stored) {
    const slots = this.slots;
    let at = low & this.mask;
    while (slots[at * SLOT + 3] !== 0) at = at + 1 & this.mask;
    slots[at * SLOT] = high;
    slots[at * SLOT + 1] = low;
    slots[at * SLOT + 2] = offset;
    slots[at * SLOT + 3] = stored;
  }
  #grow() {
    const slots = this.slots;
    this.slots = new Int32Array(slots.length * 2);
    this.mask = this.mask * 2 + 1;
    for (let slot = 0; slot < slots.length; slot += SLOT) {
      const stored = slots[slot + 3];
      if (stored !== 0) this.#insert(slots[slot], slots[slot + 1], slots[slot + 2], stored);
    }
  }
};

// src/events/ids/hash.ts
var PUBLISHED = { first: 0, before: 3432918353, after: 461845907 };
var { first, before, after } = PUBLISHED;
function hashBytes(bytes, start, end) {
  let hash = first;
  let at = start;
  for (; at + 4 <= end; at += 4) hash = mixed(hash ^ scrambled(wordAt(bytes, at)));
  if (at < end) hash ^= scrambled(lastWord(bytes, at, end));
  return finish(hash ^ end - start);
}
function wordAt(bytes, at) {
  return bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24;
}
function lastWord(bytes, start, end) {
  if (end >= 4) return wordAt(bytes, end - 4) >>> (4 - end + start << 3);
  let word = 0;
  for (let at = end - 1; at >= start; at--) word = word << 8 | bytes[at];
  return word;
}
function scrambled(word) {
  const product3 = Math.imul(word, before);
  return Math.imul(product3 << 15 | product3 >>> 17, after);
}
function mixed(hash) {
  return Math.imul(hash << 13 | hash >>> 19, 5) + 3864292196 | 0;
}
function finish(hash) {
  let folded = Math.imul(hash ^ hash >>> 16, 2246822507);
  folded = Math.imul(folded ^ folded >>> 13, 3266489909);
  return folded ^ folded >>> 16;
}

// src/state/binary/xxhash32.ts
var PRIME_1 = 2654435761;
var PRIME_2 = 2246822519;
var PRIME_3 = 3266489917;
var PRIME_4 = 668265263;
var PRIME_5 = 374761393;
var STRIPE = 16;
function xxHash32(bytes, length, seed) {
  let at = 0;
  let hash = seed + PRIME_5 | 0;
  if (length >= STRIPE) {
    let lane1 = seed + PRIME_1 + PRIME_2 | 0;
    let lane2 = seed + PRIME_2 | 0;
    let lane3 = seed | 0;
    let lane4 = seed - PRIME_1 | 0;
    for (; at + STRIPE <= length; at += STRIPE) {
      lane1 = round(lane1, wordAt(bytes, at));
      lane2 = round(lane2, wordAt(bytes, at + 4));
      lane3 = round(lane3, wordAt(bytes, at + 8));
      lane4 = round(lane4, wordAt(bytes, at + 12));
    }
    hash = rotated(lane1, 1) + rotated(lane2, 7) + rotated(lane3, 12) + rotated(lane4, 18);
  }
  hash = hash + length | 0;
  for (; at + 4 <= length; at += 4) {
    hash = hash + Math.imul(wordAt(bytes, at), PRIME_3) | 0;
    hash = Math.imul(rotated(hash, 17), PRIME_4);
  }
  for (; at < length; at++) {
    hash = hash + Math.imul(bytes[at], PRIME_5) | 0;
    hash = Math.imul(rotated(hash, 11), PRIME_1);
  }
  hash = Math.imul(hash ^ hash >>> 15, PRIME_2);
  hash = Math.imul(hash ^ hash >>> 13, PRIME_3);
  return (hash ^ hash >>> 16) >>> 0;
}
function round(lane, word) {
  const sum3 = lane + Math.imul(word, PRIME_2) | 0;
  return Math.imul(sum3 << 13 | sum3 >>> 19, PRIME_1);
}
function rotated(value, bits) {
  return value << bits | value >>> 32 - bits;
}

// src/state/ids/user-depths.ts
var SEED = 1970172779;
var UNKNOWN = 255;
var LONGEST_ID = 512;
var DEEPEST = 32;
function depthOf(id, length = id.length) {
  return Math.clz32(xxHash32(id, length, SEED));
}
var UserDepths = class {
  #ids;
  #bytes = new Uint8Array(LONGEST_ID);
  #depths = new Uint8Array(256).fill(UNKNOWN);
  #generation = 0;
  constructor(ids) {
    this.#ids = ids;
  }
  /** @throws RangeError for a user that the ids do not know */
  of(user) {
    if (this.#generation !== this.#ids.generation) this.#forget();
    const known = user < this.#depths.length ? this.#depths[user] : UNKNOWN;
    return known === UNKNOWN ? this.#find(user) : known;
  }
  #forget() {
    this.#generation = this.#ids.generation;
    this.#depths.fill(UNKNOWN);
  }
  #find(user) {
    if (user >= this.#depths.length) {
      const larger = new Uint8Array(Math.max(user + 1, this.#depths.length * 2)).fill(UNKNOWN);
      larger.set(this.#depths);
      this.#depths = larger;
    }
    const length = this.#ids.byteLengthOf(user);
    const bytes = length <= LONGEST_ID ? this.#bytes : new Uint8Array(length);
    this.#ids.copyTo(user, bytes, 0);
    this.#depths[user] = depthOf(bytes, length);
    return this.#depths[user];
  }
};

// src/state/panes/pane-tallies.ts
var PaneTallies = class {
  positives = new Tally();
  interactions = new Tally();
  randomized = new Tally();
  randomizedPositives = new Tally();
  leftOut = new Tally();
  overUserCap = 0;
  listed = new Tally();
  users = new Tally();
  /** Users of randomised interactions, and whom a randomised list was shown or who had one. */
  randomizedUsers = new Tally();
  reached = new Tally();
  /** Items that randomised lists showed, by user. */
  shownAtRandom = new Tally();
  #exposures = [];
  /** By model, 1 where it had a list. */
  #hasList = [];
  #countsRandomizedApart;
  /** @param countsRandomizedApart whether positives of randomised traffic are counted apart too. */
  constructor(countsRandomizedApart2 = false) {
    this.#countsRandomizedApart = countsRandomizedApart2;
  }
  exposures(model) {
    while (this.#exposures.length <= model) this.#exposures.push(new Tally());
    return this.#exposures[model];
  }
  /** Notes that a model had a list. */
  noteList(model) {
    this.#hasList[model] = 1;
  }
  /** Counts an interaction of any kind. */
  countInteraction(user, item, flags) {
    this.interactions.add(item);
    this.users.add(user);
    if ((flags & POSITIVE) !== 0) this.positives.add(item);
  }
  /** By what the event itself says; what the list says that it names is known where it has a row. */
  countIfRandomized({ user, item, flags }, r) {
    if ((flags[r] & RANDOMIZED) !== 0) this.countRandomized(user[r], item[r], flags[r]);
  }
  countRandomized(user, item, flags) {
    this.randomized.add(item);
    if (this.#countsRandomizedApart && (flags & POSITIVE) !== 0) this.randomizedPositives.add(item);
    this.randomizedUsers.add(user);
    this.reached.add(user);
  }
  countExposure({ user, model, flags, items, listStart }, r) {
    const from = listStart[r];
    const to = listStart[r + 1];
    const tally = isChance(flags[r]) ? this.exposures(model[r]) : this.listed;
    for (let at = from; at < to; at++) tally.add(items[at]);
    this.#hasList[model[r]] = 1;
    const reaches = (flags[r] & (SHOWN | RANDOMIZED | LATE)) === (SHOWN | RANDOMIZED);
    if (!reaches) return;
    this.reached.add(user[r]);
    this.shownAtRandom.addTimes(user[r], to - from);
  }
  /** What was counted of items; the tallies begin again. */
  drain(unranked, sampledOut) {
    const exposures = this.#exposures.map((tally) => tally.drain());
    exposures.forEach(({ ids }, model) => {
      if (ids.length > 0) this.noteList(model);
    });
    const listing = Object.keys(this.#hasList).map(Number);
    this.#hasList = [];
    const { overUserCap } = this;
    this.overUserCap = 0;
    return {
      positives: this.positives.drain(),
      interactions: this.interactions.drain(),
      randomized: this.randomized.drain(),
      randomizedPositives: this.randomizedPositives.drain(),
      leftOut: this.leftOut.drain(),
      overUserCap,
      exposures,
      listed: this.listed.drain(),
      listing,
      unranked,
      sampledOut
    };
  }
};
function isChance(flags) {
  return (flags & (SHOWN | RANDOMIZED)) === SHOWN;
}

// src/state/counts/reach.ts
function* reachOf(visitLists, size2) {
  const listsOf = [];
  yield* visitLists((user) => {
    while (listsOf.length <= user) listsOf.push(0);
    listsOf[user]++;
  });
  const next = new Int32Array(listsOf.length + 1);
  let users = 0;
  listsOf.forEach((lists2, user) => {
    next[user + 1] = next[user] + lists2;
    if (lists2 > 0) users++;
  });
  const lists = next[listsOf.length];
  const place3 = { source: new Array(lists), start: new Int32Array(lists) };
  const length = new Int32Array(lists);
  const owner = new Int32Array(lists);
  yield* visitLists((user, items, start, own) => {
    const at = next[user]++;
    place3.source[at] = items;
    place3.start[at] = start;
    length[at] = own;
    owner[at] = user;
  });
  const seenBy = new Int32Array(size2).fill(-1);
  const reached = new Float64Array(size2);
  for (let list = 0; list < lists; list++) {
    const items = place3.source[list];
    const from = place3.start[list];
    for (let at = from; at < from + length[list]; at++) {
      const item = items[at];
      if (seenBy[item] === owner[list]) continue;
      seenBy[item] = owner[list];
      reached[item]++;
    }
    if (list % 1024 === 1023) yield;
  }
  return { users, items: reached };
}

// src/state/panes/taken-rows.ts
function taken(from, rows2) {
  const into = new from.constructor(rows2.length);
  for (let at = 0; at < rows2.length; at++) into[at] = from[rows2[at]];
  return into;
}

// src/state/panes/row-causes.ts
var UNCAUSED = 0;
var CAUSED_ELSEWHERE = 65535;
function takenCauses({ cause, served }, rows2) {
  return { cause: taken(cause, rows2), served: taken(served, rows2) };
}
function renumbered({ cause, served }, numberOf) {
  const numbers = [];
  numbers[UNCAUSED] = UNCAUSED;
  const changed = (column) => {
    const into = new Uint16Array(column.length);
    for (let r = 0; r < column.length; r++) {
      const value = column[r];
      if (value === CAUSED_ELSEWHERE) {
        into[r] = CAUSED_ELSEWHERE;
        continue;
      }
      numbers[value] ??= (numberOf(value - 1) ?? CAUSED_ELSEWHERE - 1) + 1;
      into[r] = numbers[value];
    }
    return into;
  };
  return { cause: changed(cause), served: changed(served) };
}
function writeCauses(to, causes, ids) {
  const placed2 = renumbered(causes, (model) => ids.models.place(model));
  to.column(placed2.cause);
  to.column(placed2.served);
}
function readCauses(from, places2) {
  const [cause, served] = [from.uint16(), from.uint16()];
  return renumbered({ cause, served }, (place3) => places2.models.id(place3));
}

// src/state/panes/served/served-lists.ts
var LISTED_ELSEWHERE = 32767;
var DRAWN_LIST = 32768;
var SERVED_MODEL = 32767;
var ServedListsBuilder = class {
  #length = 0;
  #columns = columnsOf(64);
  list(user, model, isDrawn, shownAt) {
    this.#add(user, isDrawn ? model | DRAWN_LIST : model, shownAt, 1, 0);
  }
  reward(user, model, isDrawn, shownAt, reward) {
    this.#add(user, isDrawn ? model | DRAWN_LIST : model, shownAt, 0, reward);
  }
  /** Undefined without any. */
  build() {
    const length = this.#length;
    if (length === 0) return void 0;
    const { user, model, shownAt, lists, reward } = this.#columns;
    return {
      length,
      user: user.slice(0, length),
      model: model.slice(0, length),
      shownAt: shownAt.slice(0, length),
      lists: lists.slice(0, length),
      reward: reward.slice(0, length)
    };
  }
  #add(user, model, shownAt, lists, reward) {
    const at = this.#length++;
    if (at === this.#columns.user.length) this.#columns = enlarged2(this.#columns, 2 * at);
    this.#columns.user[at] = user;
    this.#columns.model[at] = model;
    this.#columns.shownAt[at] = shownAt;
    this.#columns.lists[at] = lists;
    this.#columns.reward[at] = reward;
  }
};
function retainedServed({ length, user, model, shownAt, lists, reward }, isKept) {
  const builder = new ServedListsBuilder();
  for (let r = 0; r < length; r++) {
    if (!isKept(user[r])) continue;
    const [own, isDrawn] = [model[r] & SERVED_MODEL, (model[r] & DRAWN_LIST) !== 0];
    if (lists[r] === 1) builder.list(user[r], own, isDrawn, shownAt[r]);
    else builder.reward(user[r], own, isDrawn, shownAt[r], reward[r]);
  }
  return builder.build();
}
function withModels(served, numberOf) {
  const model = served.model.map((value) => {
    const own = value & SERVED_MODEL;
    if (own === LISTED_ELSEWHERE) return value;
    return (numberOf(own) ?? LISTED_ELSEWHERE) | value & DRAWN_LIST;
  });
  return { ...served, model };
}
function writeServed(to, served, ids) {
  const { user, model, shownAt, lists, reward } = withModels(
    served,
    (own) => ids.models.place(own)
  );
  to.column(user);
  to.column(model);
  to.column(shownAt);
  to.column(lists);
  to.column(reward);
}
function readServed(from, places2) {
  const [user, model, shownAt] = [from.int32(), from.uint16(), from.float64()];
  const [lists, reward] = [from.uint8(), from.float64()];
  const written = { length: user.length, user, model, shownAt, lists, reward };
  return withModels(written, (place3) => places2.models.id(place3));
}
function columnsOf(capacity) {
  return {
    user: new Int32Array(capacity),
    model: new Uint16Array(capacity),
    shownAt: new Float64Array(capacity),
    lists: new Uint8Array(capacity),
    reward: new Float64Array(capacity)
  };
}
function enlarged2(columns, capacity) {
  const larger = columnsOf(capacity);
  larger.user.set(columns.user);
  larger.model.set(columns.model);
  larger.shownAt.set(columns.shownAt);
  larger.lists.set(columns.lists);
  larger.reward.set(columns.reward);
  return larger;
}

// src/state/panes/served/served-tally.ts
var ServedTally = class {
  #worths;
  #lists;
  #served = new ServedListsBuilder();
  constructor(worths, lists) {
    this.#worths = worths;
    this.#lists = lists;
  }
  /** Late lists and those that were not shown are passed over. */
  expose({ flags, user, model, ts }, r) {
    if ((flags[r] & (SHOWN | LATE)) !== SHOWN) return;
    this.#served.list(user[r], model[r], (flags[r] & RANDOMIZED) !== 0, ts[r]);
  }
  /** An interaction that is not late, after the lists before it. */
  credit(from, r) {
    const named = POSITIVE | NAMES_EXPOSURE;
    if ((from.flags[r] & named) !== named) return;
    const { worths, usual } = this.#worths;
    const action = from.action[r] ?? 0;
    const own = action === 0 ? usual : action - 1;
    const { user, item, exposureHigh, exposureLow, ts } = from;
    const lists = this.#lists;
    const asked = [exposureHigh[r], exposureLow[r], user[r], item[r], ts[r]];
    const before2 = lists.credit(...asked, own);
    if (before2 === HIDDEN) return;
    if (before2 === UNKNOWN2) {
      this.#served.reward(user[r], LISTED_ELSEWHERE, false, ts[r], worths[own]);
      return;
    }
    if (own <= before2) return;
    const more = worths[own] - worths[before2];
    this.#served.reward(user[r], lists.creditedModel, lists.isRandomized, lists.ts, more);
  }
  /** Undefined without any. */
  build() {
    return this.#served.build();
  }
};
var UNKNOWN2 = -1;
var HIDDEN = -2;

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

// src/state/panes/attribution.ts
var NOTHING_ATTRIBUTED = {
  rows: void 0,
  unranked: 0,
  sampledOut: { interactions: 0, exposures: 0 },
  isPartlyLogged: false
};
function* attribute(pane, open, { lists, tallies, popular, level, depths, slice, followsCauses: followsCauses2, worths }) {
  const { interactions, exposures } = open.pending;
  const exposureOrder = exposures.order();
  yield;
  const order3 = interactions.order();
  yield;
  const served = worths && new ServedTally(worths, lists);
  const rows2 = new RowBuilder(pane, interactions.rows, lists, followsCauses2);
  let unranked = 0;
  let withoutRow = 0;
  let isPartlyLogged = false;
  let next = 0;
  for (let step3 = 0; step3 < order3.length; step3++) {
    if (step3 % slice === slice - 1) yield;
    const r = order3[step3];
    const ts = interactions.ts[r];
    while (next < exposureOrder.length && exposures.ts[exposureOrder[next]] <= ts) {
      expose(exposures, exposureOrder[next], lists, tallies);
      served?.expose(exposures, exposureOrder[next]);
      next++;
      if (next % slice === 0) yield;
    }
    const flags = interactions.flags[r];
    const user = interactions.user[r];
    tallies.countInteraction(user, interactions.item[r], flags);
    const isLate = (flags & LATE) !== 0;
    if (isLate || level > open.level && depths.of(user) < level) {
      tallies.countIfRandomized(interactions, r);
      if (popular.isSelective) popular.take(user, interactions.item[r], flags);
      if (!isLate) withoutRow++;
      continue;
    }
    if (!rows2.add(interactions, r)) unranked++;
    if (popular.isSelective) popular.take(user, interactions.item[r], rows2.known(flags));
    served?.credit(interactions, r);
    if (!rows2.isRandomized) continue;
    tallies.countRandomized(user, interactions.item[r], flags);
    if (!rows2.namesRandomized) isPartlyLogged = true;
  }
  while (next < exposureOrder.length) {
    expose(exposures, exposureOrder[next], lists, tallies);
    served?.expose(exposures, exposureOrder[next]);
    next++;
    if (next % slice === 0) yield;
  }
  const sampledOut = {
    interactions: withoutRow + (open.letGo?.interactions ?? 0),
    exposures: open.letGo?.exposures ?? 0
  };
  return { rows: rows2.build(), served: served?.build(), unranked, sampledOut, isPartlyLogged };
}
function expose(from, r, lists, tallies) {
  tallies.countExposure(from, r);
  const flags = from.flags[r];
  if ((flags & LATE) !== 0) return;
  const isLogged = isChance(flags) && (flags & HAS_PROPENSITIES) !== 0;
  lists.add(
    from.user[r],
    from.model[r],
    from.ts[r],
    from.idHigh[r],
    from.idLow[r],
    flags,
    from.candidates[r],
    from.items,
    from.listStart[r],
    from.listStart[r + 1],
    isLogged ? from.propensities : void 0
  );
}
var RowBuilder = class {
  length = 0;
  /** Whether the row that was added last came from randomised traffic. */
  isRandomized = false;
  /** Whether it names a list that was drawn at random. */
  namesRandomized = false;
  /** Whether it names a list that was not shown. */
  #namesHidden = false;
  #pane;
  #lists;
  #user;
  #item;
  #flags;
  #causes;
  #propensity;
  #ranks = [];
  #codes = [];
  constructor(pane, capacity, lists, followsCauses2) {
    this.#pane = pane;
    this.#lists = lists;
    this.#user = new Int32Array(capacity);
    this.#item = new Int32Array(capacity);
    this.#flags = new Uint8Array(capacity);
    if (!followsCauses2) return;
    this.#causes = { cause: new Uint16Array(capacity), served: new Uint16Array(capacity) };
  }
  /** @returns false for a positive interaction that no model had a list for. */
  add(from, r) {
    const row = this.length++;
    const flags = from.flags[r];
    const user = from.user[r];
    const item = from.item[r];
    const ts = from.ts[r];
    this.#user[row] = user;
    this.#item[row] = item;
    this.#flags[row] = flags;
    this.isRandomized = (flags & RANDOMIZED) !== 0;
    this.namesRandomized = false;
    this.#namesHidden = false;
    const lists = this.#lists;
    let named = -1;
    let ranked = false;
    let propensity = 0;
    let shownAt = Number.NEGATIVE_INFINITY;
    if ((flags & NAMES_EXPOSURE) !== 0) {
      named = lists.lookNamed(from.exposureHigh[r], from.exposureLow[r], user, item, ts);
      if (lists.isRandomized) {
        this.#flags[row] |= RANDOMIZED;
        this.isRandomized = true;
        this.namesRandomized = true;
      }
      this.#namesHidden = named >= 0 && !lists.isShown;
      this.#noteCause(row, named);
      if (named >= 0) {
        propensity = lists.propensity;
        shownAt = Number.POSITIVE_INFINITY;
        this.#column(named);
        this.#note(named, row, lists.code, lists.rank);
        ranked = true;
      }
    }
    for (let model = 0; model < lists.modelCount; model++) {
      if (model === named) continue;
      if (lists.look(model, user, item, ts)) {
        this.#column(model);
        ranked = true;
        if (lists.propensity > 0 && lists.ts > shownAt) {
          propensity = lists.propensity;
          shownAt = lists.ts;
        }
      } else if (this.#ranks[model] === void 0) {
        continue;
      }
      this.#note(model, row, lists.code, lists.rank);
    }
    if (this.#causes !== void 0) this.#causes.served[row] = lists.served(user, ts) + 1;
    if (propensity > 0) {
      this.#propensity ??= new Float32Array(this.#user.length);
      this.#propensity[row] = propensity;
    }
    return ranked || (flags & POSITIVE) === 0;
  }
  /** The flags of the row that was added last, by what is known of the list that it names. */
  known(flags) {
    const known = this.isRandomized ? flags | RANDOMIZED : flags;
    return this.#namesHidden ? known & ~NAMES_EXPOSURE : known;
  }
  /** Undefined without any row. */
  build() {
    const length = this.length;
    if (length === 0) return void 0;
    const cut = (column) => cutTo(column, length);
    return {
      pane: this.#pane,
      length,
      user: cut(this.#user),
      item: cut(this.#item),
      flags: cut(this.#flags),
      propensity: this.#propensity && cut(this.#propensity),
      ...this.#causes && {
        causes: { cause: cut(this.#causes.cause), served: cut(this.#causes.served) }
      },
      ranks: this.#ranks.map((column) => column && cut(column)),
      lists: this.#codes.map((column) => column && cut(column))
    };
  }
  /** After the named list was looked for; −1 where it is not known. A hidden list causes nothing. */
  #noteCause(row, named) {
    if (this.#causes === void 0) return;
    const { rank } = this.#lists;
    if (this.#namesHidden) this.#causes.cause[row] = UNCAUSED;
    else if (named < 0 || rank === NOT_IN_LIST) this.#causes.cause[row] = CAUSED_ELSEWHERE;
    else this.#causes.cause[row] = named + 1;
  }
  #note(model, row, code, rank) {
    this.#codes[model][row] = code;
    this.#ranks[model][row] = rank;
  }
  #column(model) {
    if (this.#ranks[model] !== void 0) return;
    while (this.#ranks.length < model) {
      this.#ranks.push(void 0);
      this.#codes.push(void 0);
    }
    this.#ranks[model] = new Uint16Array(this.#user.length).fill(UNRANKED);
    this.#codes[model] = new Uint16Array(this.#user.length);
  }
};
function cutTo(column, length) {
  return column.length === length ? column : column.slice(0, length);
}

// src/state/panes/pane-rows.ts
var NO_PROPENSITIES = new Float32Array(0);
var CAUSES_FOLLOW = -1;
function retainedRows(rows2, isKept) {
  const { length, user, propensity, causes } = rows2;
  const kept = new Int32Array(length);
  let size2 = 0;
  for (let r = 0; r < length; r++) if (isKept(user[r])) kept[size2++] = r;
  if (size2 === length) return rows2;
  const places2 = kept.subarray(0, size2);
  const column = (from) => from && taken2(from, places2, new Uint16Array(size2));
  return {
    pane: rows2.pane,
    length: size2,
    user: taken2(user, places2, new Int32Array(size2)),
    item: taken2(rows2.item, places2, new Int32Array(size2)),
    flags: taken2(rows2.flags, places2, new Uint8Array(size2)),
    propensity: propensity && taken2(propensity, places2, new Float32Array(size2)),
    ...causes && { causes: takenCauses(causes, places2) },
    ranks: rows2.ranks.map(column),
    lists: rows2.lists.map(column)
  };
}
function taken2(from, places2, into) {
  for (let at = 0; at < places2.length; at++) into[at] = from[places2[at]];
  return into;
}
function* writeRows(to, rows2, ids) {
  const { pane, length, user, item, flags, propensity, causes, ranks, lists } = rows2;
  to.number(pane);
  to.column(user, length);
  yield* ids.items.write(to, item, length);
  to.column(flags, length);
  to.column(propensity?.subarray(0, length) ?? NO_PROPENSITIES);
  const ranked = [...ranks.keys()].filter((model) => ranks[model] !== void 0);
  const ranking = ranked.map((model) => ids.models.place(model));
  to.column(Int32Array.from(causes === void 0 ? ranking : [...ranking, CAUSES_FOLLOW]));
  for (const model of ranked) {
    to.column(ranks[model], length);
    to.column(lists[model], length);
  }
  if (causes !== void 0) writeCauses(to, causes, ids);
  yield;
}
function readRows(from, places2) {
  const pane = from.number();
  const user = from.int32();
  const item = places2.items.column(from);
  const flags = from.uint8();
  const logged = from.float32();
  const propensity = logged.length === 0 ? void 0 : logged;
  const ranks = [];
  const lists = [];
  let follow = false;
  for (const place3 of from.int32()) {
    follow = place3 === CAUSES_FOLLOW;
    if (follow) break;
    const model = places2.models.id(place3);
    while (ranks.length < model) {
      ranks.push(void 0);
      lists.push(void 0);
    }
    ranks[model] = from.uint16();
    lists[model] = from.uint16();
  }
  const rows2 = { pane, length: user.length, user, item, flags, propensity, ranks, lists };
  return follow ? { ...rows2, causes: readCauses(from, places2) } : rows2;
}

// src/state/panes/sample-level.ts
var UNLIMITED = {
  rows: Number.POSITIVE_INFINITY,
  listEntries: Number.POSITIVE_INFINITY,
  users: Number.POSITIVE_INFINITY
};
function depthCounts() {
  return new Float64Array(DEEPEST + 1);
}
function levelWithin(counts, limit2) {
  let kept = 0;
  for (let depth = counts.length - 1; depth >= 0; depth--) {
    kept += counts[depth];
    if (kept > limit2) return depth + 1;
  }
  return 0;
}
function samplingRatio(level) {
  return 2 ** -level;
}

// src/state/panes/closed-panes.ts
var SLICE_USERS = 65536;
var SLICE_ROWS = 32768;
var ClosedPanes = class {
  /** Interactions per user over the horizon, of any value. */
  userCounts;
  /** Those of them that came from randomised traffic. */
  randomizedCounts;
  #rows = [];
  /** Panes that randomised traffic reached anybody in. */
  #reached = [];
  /** Panes in which lists were shown, or named, oldest first; where causes are followed. */
  #served = [];
  /** Panes in which not everybody was kept, oldest first. */
  #levels = [];
  /** Users who lie less deep have no counts; after a restart it is not known that they have none. */
  #counted = 0;
  #depths;
  /** @param depths of the partition's users; without them nobody can be left out. */
  constructor(horizonMs, paneMs, depths) {
    this.#depths = depths;
    this.userCounts = new RollingCounts(horizonMs, paneMs);
    this.randomizedCounts = new RollingCounts(horizonMs, paneMs);
  }
  /** Rows of the closed panes, oldest first. */
  get rows() {
    return this.#rows;
  }
  /**
   * Forgets the counts of users who lie less deep than those of the pane that comes next: while its
   * level is known, nobody asks for them. Yields now and then.
   */
  *makeRoom({ users }) {
    if (users <= this.#counted) return;
    const isKept = (user) => this.#depths.of(user) >= users;
    yield* this.userCounts.retain(isKept);
    yield* this.randomizedCounts.retain(isKept);
    this.#counted = users;
  }
  /** Takes in a pane that is newer than all before it. */
  add(content, paneEnd) {
    const { pane, levels, rows: rows2, served, users, randomizedUsers, randomized } = content;
    this.#counted = Math.min(this.#counted, levels.users);
    if (levels.rows > 0 || levels.users > 0) this.#levels.push({ pane, ...levels });
    if (rows2 !== void 0) this.#rows.push(rows2);
    if (served !== void 0) this.#served.push({ pane, lists: served });
    this.userCounts.add(users, paneEnd);
    this.randomizedCounts.add(randomizedUsers, paneEnd);
    if (randomized.users.length > 0) this.#reached.push({ pane, ...randomized });
    this.advance(paneEnd);
  }
  /** Moves the horizons on to the end of a closed pane. */
  advance(paneEnd) {
    this.userCounts.advance(paneEnd);
    this.randomizedCounts.advance(paneEnd);
  }
  /** How deep users lay who were kept in all panes from this one on, by their lists and rows. */
  rowsLevelSince(pane) {
    return this.#levelSince(pane, "rows");
  }
  /** The same by their counts. */
  usersLevelSince(pane) {
    return this.#levelSince(pane, "users");
  }
  /**
   * The level at which no more users have counts than the limit, with those of another pane; the
   * horizon stands at that pane's end. O(users that the partition has seen), where these are more
   * than the limit.
   */
  *usersLevelWith({ ids }, limit2) {
    const { counts, size: size2 } = this.userCounts;
    let seen = size2;
    for (const id of ids) if (id >= seen) seen = id + 1;
    if (seen <= limit2) return 0;
    const byDepth = depthCounts();
    for (let user = 0; user < size2; user++) {
      if (counts[user] > 0) byDepth[this.#depths.of(user)]++;
      if (user % SLICE_USERS === SLICE_USERS - 1) yield;
    }
    for (const id of ids) if (id >= size2 || counts[id] === 0) byDepth[this.#depths.of(id)]++;
    return levelWithin(byDepth, limit2);
  }
  /**
   * Rows and randomised traffic of the users of this depth or more. Panes that hold nobody else's
   * rows are handed on as they are. Yields now and then.
   */
  *sampled(level) {
    if (level === 0) return this;
    const isKept = (user) => this.#depths.of(user) >= level;
    const rows2 = [];
    let looked = 0;
    for (const pane of this.#rows) {
      const kept = retainedRows(pane, isKept);
      if (kept.length > 0) rows2.push(kept);
      looked += pane.length;
      if (looked < SLICE_ROWS) continue;
      looked = 0;
      yield;
    }
    return {
      rows: rows2,
      randomizedTraffic: (first2, last) => this.randomizedTraffic(first2, last, isKept),
      served: (first2, last) => this.served(first2, last, isKept)
    };
  }
  /** Lets go of what is known of the levels of panes before this one. */
  dropLevelsBefore(pane) {
    while (this.#levels.length > 0 && this.#levels[0].pane < pane) this.#levels.shift();
  }
  /** Lets go of the rows of panes before this one. */
  dropRowsBefore(pane) {
    let dropped = 0;
    while (dropped < this.#rows.length && this.#rows[dropped].pane < pane) dropped++;
    if (dropped > 0) this.#rows.splice(0, dropped);
    while (this.#reached.length > 0 && this.#reached[0].pane < pane) this.#reached.shift();
    while (this.#served.length > 0 && this.#served[0].pane < pane) this.#served.shift();
  }
  /** Randomised traffic of the panes from `first` to `last`, of all users or of some. */
  randomizedTraffic(first2, last, isKept = () => true) {
    const users = /* @__PURE__ */ new Set();
    let shown2 = 0;
    for (const reached of this.#reached) {
      if (reached.pane < first2 || reached.pane > last) continue;
      for (const user of reached.users) if (isKept(user)) users.add(user);
      const { ids, counts } = reached.shown;
      for (let j = 0; j < ids.length; j++) if (isKept(ids[j])) shown2 += counts[j];
      if (reached.isPartlyLogged) shown2 = Number.NaN;
    }
    return { counts: this.randomizedCounts.counts, users: users.size, shown: shown2 };
  }
  /**
   * Lists that were shown in the panes from `first` to `last`, and what came in them of lists that
   * may be older; of all users or of some, oldest first.
   */
  served(first2, last, isKept) {
    const panes = this.#served.filter(({ pane }) => pane >= first2 && pane <= last);
    return panes.flatMap(({ lists }) => {
      const kept = isKept === void 0 ? lists : retainedServed(lists, isKept);
      return kept === void 0 ? [] : [kept];
    });
  }
  /** Sets the flags of the users that something is known of. */
  *markUsers(flags) {
    for (const { user, length } of this.#rows) yield* markIds(flags, user, length);
    yield* markCounted(flags, this.userCounts);
    yield* markCounted(flags, this.randomizedCounts);
    for (const { users } of this.#reached) yield* markIds(flags, users);
    for (const { lists } of this.#served) yield* markIds(flags, lists.user);
  }
  /** Sets the flags of the items of the rows. */
  *markItems(flags) {
    for (const { item, length } of this.#rows) yield* markIds(flags, item, length);
  }
  *writeRows(to, ids) {
    to.number(this.#rows.length);
    for (const rows2 of this.#rows) yield* writeRows(to, rows2, ids);
  }
  *readRows(from, places2) {
    for (let left = from.count(); left > 0; left--) {
      this.#rows.push(readRows(from, places2));
      yield;
    }
  }
  *writeCounts(to, ids) {
    const table = new SparseCountsTable();
    this.userCounts.collect(table);
    this.randomizedCounts.collect(table);
    yield* table.write(to, void 0);
    this.userCounts.writeBuckets(to, table);
    this.randomizedCounts.writeBuckets(to, table);
    to.number(this.#reached.length);
    for (const { pane, users, shown: shown2, isPartlyLogged } of this.#reached) {
      to.number(pane);
      to.column(users);
      to.column(shown2.ids);
      to.column(Int32Array.from(shown2.counts));
      to.number(isPartlyLogged ? 1 : 0);
    }
    const isServed = this.#served.length > 0;
    to.number(isServed ? -1 - this.#levels.length : this.#levels.length);
    for (const { pane, rows: rows2, users } of this.#levels) {
      to.number(pane);
      to.number(rows2);
      to.number(users);
    }
    if (!isServed) return;
    to.number(this.#served.length);
    for (const { pane, lists } of this.#served) {
      to.number(pane);
      writeServed(to, lists, ids);
      yield;
    }
  }
  *readCounts(from, places2) {
    const table = yield* SparseCountsTable.read(from, void 0);
    this.userCounts.readBuckets(from, table);
    this.randomizedCounts.readBuckets(from, table);
    for (let left = from.count(); left > 0; left--) {
      const pane = from.number();
      const users = from.int32();
      const shown2 = { ids: from.int32(), counts: from.int32() };
      this.#reached.push({ pane, users, shown: shown2, isPartlyLogged: from.number() === 1 });
    }
    const levels = from.number();
    for (let left = levels < 0 ? -1 - levels : levels; left > 0; left--) {
      this.#levels.push({ pane: from.number(), rows: from.number(), users: from.number() });
    }
    if (levels >= 0) return;
    for (let left = from.count(); left > 0; left--) {
      this.#served.push({ pane: from.number(), lists: readServed(from, places2) });
      yield;
    }
  }
  #levelSince(pane, of) {
    let level = 0;
    for (let n = this.#levels.length - 1; n >= 0 && this.#levels[n].pane >= pane; n--) {
      level = Math.max(level, this.#levels[n][of]);
    }
    return level;
  }
};

// src/state/panes/lists/list-segment.ts
var LIST_BITS = 12;
var LISTS_PER_SEGMENT = 1 << LIST_BITS;
var ITEMS_PER_SEGMENT = 65536;
var SEGMENT_MASK = 524287;
var LONGEST_SEGMENT_MS = 2147483647;
var HEADER = 4;
var RANDOMIZED_LIST = 32768;
var HIDDEN_LIST = 16384;
var EARLIER_LIST = 8192;
var MODEL_MASK = 8191;
function withModels2(headers, lists, numberOf) {
  const changed = headers.slice(0, lists * HEADER);
  for (let at = 1; at < changed.length; at += HEADER) {
    const origin = changed[at] >>> 16;
    const model = numberOf(origin & MODEL_MASK) | origin & ~MODEL_MASK;
    changed[at] = model << 16 | changed[at] & 65535;
  }
  return changed;
}
function newSegment(size2, ts, isFirst) {
  const items = isFirst ? ITEMS_PER_SEGMENT / 16 : ITEMS_PER_SEGMENT;
  return {
    items: new Int32Array(Math.max(size2, items)),
    propensities: void 0,
    best: void 0,
    headers: new Int32Array(LISTS_PER_SEGMENT * HEADER),
    firstTs: ts,
    newestTs: ts,
    lists: 0,
    used: 0
  };
}
function hasRoom({ lists, used, items, firstTs }, size2, ts) {
  return lists < LISTS_PER_SEGMENT && used + size2 <= items.length && ts - firstTs <= LONGEST_SEGMENT_MS;
}
function withRoom(segment, capacity) {
  const items = new Int32Array(capacity);
  items.set(segment.items);
  const headers = new Int32Array(LISTS_PER_SEGMENT * HEADER);
  headers.set(segment.headers);
  const { propensities, best } = segment;
  const roomy2 = (from, to) => {
    if (from !== void 0) to.set(from);
    return from && to;
  };
  return {
    ...{ ...segment, items, headers },
    propensities: roomy2(propensities, new Float32Array(capacity)),
    best: roomy2(best, new Uint8Array(capacity))
  };
}
function rankOf(item, items, start, length) {
  for (let at = start; at < start + length; at++) if (items[at] === item) return at - start;
  return NOT_IN_LIST;
}
function listCode(length, candidates, flags) {
  const full2 = candidates === length;
  if ((flags & SAMPLED) !== 0) return full2 ? length | LIST_SAMPLED_FULL : 0;
  if (candidates < 0) return length | LIST_CANDIDATES_UNSTATED;
  return length | (full2 ? LIST_FULL : LIST_PARTIAL);
}

// src/state/panes/lists/lists.ts
var NO_PROPENSITIES2 = new Float32Array(0);
var NO_EXPOSURE = RANDOMIZED_LIST | HIDDEN_LIST | EARLIER_LIST;
var ListStore = class {
  /** Outcome of the last `look`: the list's code as in `WindowPart.lists`, 0 without a usable list. */
  code = 0;
  /** Outcome of the last `look`: 0-based rank, `NOT_IN_LIST`, or `UNRANKED` where code is 0. */
  rank = UNRANKED;
  /** Outcome of the last `look`: whether the list was drawn at random. */
  isRandomized = false;
  /** Outcome of the last `look`: whether the list was shown. */
  isShown = false;
  /** Outcome of the last `look`: logged propensity of the item in the list, 0 without one. */
  propensity = 0;
  /** Outcome of the last `credit`: the model of the list. */
  creditedModel = -1;
  /** Outcome of the last `look` or `credit`: when the list was shown. */
  ts = Number.NEGATIVE_INFINITY;
  #ttlMs;
  #segments = [];
  #gone = 0;
  /** latest[model][user]: reference of the latest list + 1, 0 for none. */
  #latest = [];
  /** By user: reference of the latest list that was shown + 1; only there where causes are followed. */
  #latestShown;
  #areNamed;
  #byExposure;
  /**
   * @param areNamed whether lists will be looked for by their ids. @param followsCauses whether it
   * will be asked which list a user was shown last.
   */
  constructor(attributionTtlMs, areNamed = true, followsCauses2 = false) {
    this.#latestShown = followsCauses2 ? new Int32Array(256) : void 0;
    this.#ttlMs = attributionTtlMs;
    this.#areNamed = areNamed;
    this.#byExposure = new RecentIds(attributionTtlMs);
  }
  /** Models that ever had a list here are below this number. */
  get modelCount() {
    return this.#latest.length;
  }
  /** Items of all lists that are kept. */
  get entries() {
    return this.#segments.reduce((sum3, { used }) => sum3 + used, 0);
  }
  /** Notes that a model had a list, which is not kept. */
  know(model) {
    this.#latestOf(model, 0);
  }
  models() {
    return [...this.#latest.keys()].filter((model) => this.#latest[model] !== void 0);
  }
  /**
   * The list is items[from] .. items[to − 1]; `candidates` is −1 where it is not stated, and
   * `propensities` stand as the items do, where they were logged.
   */
  add(user, model, ts, idHigh, idLow, flags, candidates, items, from, to, propensities) {
    const segment = this.#segmentFor(to - from, ts);
    const list = segment.lists++;
    const start = segment.used;
    for (let at = from; at < to; at++) segment.items[start + at - from] = items[at];
    if (propensities !== void 0) {
      segment.propensities ??= new Float32Array(segment.items.length);
      segment.propensities.set(propensities.subarray(from, to), start);
    }
    segment.used += to - from;
    segment.newestTs = ts;
    const header = list * HEADER;
    segment.headers[header] = user;
    let origin = (flags & RANDOMIZED) === 0 ? model : model | RANDOMIZED_LIST;
    const isShown = (flags & (SHOWN | SHOWN_BEFORE)) !== 0;
    if (!isShown) origin |= HIDDEN_LIST;
    else if ((flags & SHOWN) === 0) origin |= EARLIER_LIST;
    segment.headers[header + 1] = origin << 16 | listCode(to - from, candidates, flags);
    segment.headers[header + 2] = start;
    segment.headers[header + 3] = ts - segment.firstTs;
    const number = this.#gone + this.#segments.length - 1;
    const reference = (number & SEGMENT_MASK) << LIST_BITS | list;
    this.#latestOf(model, user)[user] = reference + 1;
    if (this.#latestShown !== void 0 && isShown) this.#show(user, reference);
    if (this.#areNamed) this.#byExposure.add(idHigh, idLow, ts, reference);
  }
  /**
   * Finds `item` in the latest list of `model` for `user` that is at most a ttl old at ts, and
   * leaves its rank and the list's code in `rank` and `code`.
   *
   * @returns whether there is a list that a metric can be computed from
   */
  look(model, user, item, ts) {
    const latest = this.#latest[model];
    const stored = latest === void 0 || user >= latest.length ? 0 : latest[user];
    return this.#read(stored - 1, model, user, item, ts);
  }
  /**
   * The same in the list with this exposure id, whatever its model.
   *
   * @returns the list's model, −1 where the list is unknown here, too old or somebody else's
   */
  lookNamed(idHigh, idLow, user, item, ts) {
    const reference = this.#byExposure.find(idHigh, idLow, ts);
    const header = (reference & LISTS_PER_SEGMENT - 1) * HEADER;
    const origin = this.#segmentOf(reference)?.headers[header + 1] ?? 0;
    const model = origin >>> 16 & MODEL_MASK;
    return this.#read(reference, model, user, item, ts) ? model : -1;
  }
  /** The model of the list that the user was shown last, −1 where none is known at this time. */
  served(user, ts) {
    const shown2 = this.#latestShown;
    const reference = shown2 === void 0 || user >= shown2.length ? -1 : shown2[user] - 1;
    const segment = this.#segmentOf(reference);
    if (segment === void 0) return -1;
    const header = (reference & LISTS_PER_SEGMENT - 1) * HEADER;
    const age = ts - segment.firstTs - segment.headers[header + 3];
    if (segment.headers[header] !== user || age > this.#ttlMs) return -1;
    return segment.headers[header + 1] >>> 16 & MODEL_MASK;
  }
  /** Lets go of the lists that no interaction at or after `ts` can be attributed to. */
  expire(ts) {
    let expired = 0;
    while (expired < this.#segments.length) {
      if (this.#segments[expired].newestTs + this.#ttlMs >= ts) break;
      expired++;
    }
    this.#segments.splice(0, expired);
    this.#gone += expired;
    this.#byExposure.expire(ts - this.#ttlMs);
  }
  /** To be run to its end before the next pane closes. */
  *write(to, ids) {
    to.number(this.#gone);
    to.column(Int32Array.from(this.models(), (model) => ids.models.place(model)));
    to.number(this.#segments.length);
    for (const segment of this.#segments) {
      const { items, propensities, best, headers, firstTs, newestTs, lists, used } = segment;
      to.number(best === void 0 ? items.length : -items.length);
      to.number(firstTs);
      to.number(newestTs);
      to.column(withModels2(headers, lists, (model) => ids.models.place(model)));
      yield* ids.items.write(to, items, used);
      to.column(propensities?.subarray(0, used) ?? NO_PROPENSITIES2);
      if (best !== void 0) to.column(best, used);
      yield;
    }
    yield* this.#byExposure.capture(true)(to);
  }
  /** Takes back what was written; to be called before anything is added. */
  *read(from, { items, models }) {
    this.#gone = from.number();
    for (const place3 of from.int32()) this.#latestOf(models.id(place3), 0);
    const segments = from.count();
    for (let n = 0; n < segments; n++) {
      const size2 = from.number();
      const [firstTs, newestTs] = [from.number(), from.number()];
      const compact = from.int32();
      const lists = compact.length / HEADER;
      const headers = withModels2(compact, lists, (place3) => models.id(place3));
      const listed2 = items.column(from);
      const logged = from.float32();
      const propensities = logged.length === 0 ? void 0 : logged;
      const best = size2 < 0 ? from.uint8() : void 0;
      const used = listed2.length;
      const told = { items: listed2, propensities, best, headers, firstTs, newestTs, lists, used };
      this.#segments.push(n < segments - 1 ? told : withRoom(told, Math.abs(size2)));
      this.#refer(headers, lists);
      yield;
    }
    yield* this.#byExposure.restore(from);
  }
  /** Lists come in the order in which they were added: of one user and model the last one stays. */
  #refer(headers, lists) {
    const number = this.#gone + this.#segments.length - 1;
    for (let list = 0; list < lists; list++) {
      const user = headers[list * HEADER];
      const model = headers[list * HEADER + 1] >>> 16 & MODEL_MASK;
      const reference = (number & SEGMENT_MASK) << LIST_BITS | list;
      this.#latestOf(model, user)[user] = reference + 1;
      const isHidden = (headers[list * HEADER + 1] >>> 16 & HIDDEN_LIST) !== 0;
      if (this.#latestShown !== void 0 && !isHidden) this.#show(user, reference);
    }
  }
  #show(user, reference) {
    this.#latestShown = roomFor(this.#latestShown, user);
    this.#latestShown[user] = reference + 1;
  }
  /**
   * Visits the lists that a policy showed to users, from ≤ ts < to; uniform ones are not among them.
   *
   * @param visit takes items[start] .. items[start + length − 1] of a user.
   */
  *shown(from, to, visit) {
    for (const { lists, headers, items, firstTs, newestTs, used } of this.#segments) {
      if (newestTs < from || firstTs >= to) continue;
      for (let list = 0; list < lists; list++) {
        const header = list * HEADER;
        const ts = firstTs + headers[header + 3];
        const origin = headers[header + 1] >>> 16;
        if (ts < from || ts >= to || (origin & NO_EXPOSURE) !== 0) continue;
        const start = headers[header + 2];
        const end = list + 1 < lists ? headers[header + HEADER + 2] : used;
        visit(headers[header], items, start, end - start);
      }
      yield;
    }
  }
  /** Sets the flags of the users whose lists are known. */
  *markUsers(flags) {
    for (const { headers, lists } of this.#segments) {
      for (let list = 0; list < lists; list++) flags[headers[list * HEADER]] = 1;
      yield;
    }
  }
  /** Sets the flags of the items of the lists that are known. */
  *markItems(flags) {
    for (const { items, used } of this.#segments) yield* markIds(flags, items, used);
  }
  #read(reference, model, user, item, ts) {
    this.code = 0;
    this.rank = UNRANKED;
    this.isRandomized = false;
    this.isShown = false;
    this.propensity = 0;
    const segment = this.#segmentOf(reference);
    if (segment === void 0) return false;
    const headers = segment.headers;
    const header = (reference & LISTS_PER_SEGMENT - 1) * HEADER;
    const modelAndCode = headers[header + 1];
    const age = ts - segment.firstTs - headers[header + 3];
    const origin = modelAndCode >>> 16;
    if (headers[header] !== user || (origin & MODEL_MASK) !== model) return false;
    if (age > this.#ttlMs) return false;
    this.isRandomized = (origin & RANDOMIZED_LIST) !== 0;
    this.isShown = (origin & HIDDEN_LIST) === 0;
    const code = modelAndCode & 65535;
    if (code === 0) return false;
    this.code = code;
    this.rank = rankOf(item, segment.items, headers[header + 2], code & LIST_LENGTH_MASK);
    if (segment.propensities !== void 0 && this.rank !== NOT_IN_LIST) {
      this.propensity = segment.propensities[headers[header + 2] + this.rank];
      this.ts = segment.firstTs + headers[header + 3];
    }
    return true;
  }
  /**
   * Credits the list with this exposure id with an action on one of its items, of which only the
   * best counts. Afterwards `creditedModel`, `isRandomized` and `ts` say whose list it is.
   *
   * @param code class of the action, above 0
   * @returns the class that counted for the item before, at most the same as now; −1 where the list
   * is unknown here, too old, somebody else's, or without the item; −2 where it was not shown
   */
  credit(idHigh, idLow, user, item, at, code) {
    const reference = this.#byExposure.find(idHigh, idLow, at);
    const segment = this.#segmentOf(reference);
    if (segment === void 0) return -1;
    const { headers, items, firstTs } = segment;
    const header = (reference & LISTS_PER_SEGMENT - 1) * HEADER;
    this.ts = firstTs + headers[header + 3];
    if (headers[header] !== user || at - this.ts > this.#ttlMs) return -1;
    const origin = headers[header + 1] >>> 16;
    if ((origin & HIDDEN_LIST) !== 0) return -2;
    const list = reference & LISTS_PER_SEGMENT - 1;
    const start = headers[header + 2];
    const end = list + 1 < segment.lists ? headers[header + HEADER + 2] : segment.used;
    const rank = rankOf(item, items, start, end - start);
    if (rank === NOT_IN_LIST) return -1;
    this.isRandomized = (origin & RANDOMIZED_LIST) !== 0;
    this.creditedModel = origin & MODEL_MASK;
    segment.best ??= new Uint8Array(items.length);
    const before2 = segment.best[start + rank];
    if (code > before2) segment.best[start + rank] = code;
    return before2;
  }
  #segmentOf(reference) {
    if (reference < 0) return void 0;
    const index = (reference >>> LIST_BITS) - this.#gone & SEGMENT_MASK;
    return index < this.#segments.length ? this.#segments[index] : void 0;
  }
  #segmentFor(size2, ts) {
    const newest2 = this.#segments.at(-1);
    if (newest2 !== void 0 && hasRoom(newest2, size2, ts)) return newest2;
    const segment = newSegment(size2, ts, newest2 === void 0);
    this.#segments.push(segment);
    return segment;
  }
  #latestOf(model, user) {
    const before2 = this.#latest[model];
    const latest = roomFor(before2, user);
    if (latest === before2) return latest;
    while (this.#latest.length < model) this.#latest.push(void 0);
    this.#latest[model] = latest;
    return latest;
  }
};
function roomFor(column, user) {
  if (column !== void 0 && user < column.length) return column;
  const larger = new Int32Array(Math.max(256, Math.ceil((user + 1) * 1.25)));
  if (column !== void 0) larger.set(column);
  return larger;
}

// src/state/counts/id-tally.ts
var FIRST_CAPACITY2 = 64;
var MAX_LOAD2 = 0.7;
var SLOT2 = 2;
var IdTally = class {
  #slots = new Int32Array(FIRST_CAPACITY2 * SLOT2);
  #mask = FIRST_CAPACITY2 - 1;
  #used = 0;
  /** Number of distinct ids. */
  get size() {
    return this.#used;
  }
  add(id, count = 1) {
    const slot = this.#slotOf(this.#slots, id);
    this.#slots[slot + 1] += count;
    if (this.#slots[slot] !== 0) return;
    this.#slots[slot] = id + 1;
    if (++this.#used > (this.#mask + 1) * MAX_LOAD2) this.#grow();
  }
  addAll({ ids, counts }) {
    for (let j = 0; j < ids.length; j++) this.add(ids[j], counts[j]);
  }
  /** A copy of the counts, in no order; empty where nothing was counted. */
  counts() {
    const ids = new Int32Array(this.#used);
    const counts = new Int32Array(this.#used);
    let at = 0;
    for (let slot = 0; slot < this.#slots.length; slot += SLOT2) {
      if (this.#slots[slot] === 0) continue;
      ids[at] = this.#slots[slot] - 1;
      counts[at++] = this.#slots[slot + 1];
    }
    return { ids, counts };
  }
  #slotOf(slots, id) {
    let at = Math.imul(id, 2654435761) >>> 7;
    for (; ; ) {
      const slot = (at & this.#mask) * SLOT2;
      if (slots[slot] === 0 || slots[slot] === id + 1) return slot;
      at++;
    }
  }
  #grow() {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#mask = this.#mask * 2 + 1;
    for (let from = 0; from < old.length; from += SLOT2) {
      if (old[from] === 0) continue;
      const to = this.#slotOf(this.#slots, old[from] - 1);
      this.#slots[to] = old[from];
      this.#slots[to + 1] = old[from + 1];
    }
  }
};

// src/state/counts/user-items.ts
var UserItems = class {
  #user = new Int32Array(64);
  #item = new Int32Array(64);
  #length = 0;
  add(user, item) {
    if (this.#length === this.#user.length) this.#grow();
    this.#user[this.#length] = user;
    this.#item[this.#length++] = item;
  }
  forEach(visit) {
    for (let at = 0; at < this.#length; at++) visit(this.#user[at], this.#item[at]);
  }
  *markUsers(flags) {
    yield* markIds(flags, this.#user, this.#length);
  }
  *markItems(flags) {
    yield* markIds(flags, this.#item, this.#length);
  }
  /** Those that are here now, to be written later: the columns are only added to. */
  capture() {
    const [user, item, length] = [this.#user, this.#item, this.#length];
    return function* write(to, { items }) {
      to.column(user, length);
      yield* items.write(to, item, length);
    };
  }
  /** Takes back what was written; to be called before anything is added. */
  read(from, { items }) {
    this.#user = from.int32();
    this.#item = items.column(from);
    this.#length = this.#user.length;
  }
  #grow() {
    const grown3 = (column) => {
      const larger = new Int32Array(Math.max(64, 2 * column.length));
      larger.set(column);
      return larger;
    };
    this.#user = grown3(this.#user);
    this.#item = grown3(this.#item);
  }
};

// src/state/counts/let-go.ts
var OF_ITEMS = ["positives", "interactions", "randomized", "listed"];
var OF_USERS = ["users", "randomizedUsers"];
var POSITIVES = { of: "positive" };
function ofItemsBy(rule) {
  const apart = countsRandomizedApart(rule) ? ["randomizedPositives"] : [];
  return [...OF_ITEMS, ...apart, ...leavesOut(rule) ? ["leftOut"] : []];
}
var LetGo = class _LetGo {
  /** How many events. */
  interactions = 0;
  exposures = 0;
  #tallies = {
    positives: new IdTally(),
    interactions: new IdTally(),
    randomized: new IdTally(),
    randomizedPositives: new IdTally(),
    leftOut: new IdTally(),
    listed: new IdTally(),
    users: new IdTally(),
    randomizedUsers: new IdTally()
  };
  /** By model. */
  #exposures = /* @__PURE__ */ new Map();
  /** Models of the lists that would have been kept: those that are late would not. */
  #models = /* @__PURE__ */ new Set();
  #rule;
  #ofItems;
  /** Interactions that count if their users are within the cap; only there where there is one. */
  #asking;
  /** @param rule by which interactions make items popular. */
  constructor(rule = POSITIVES) {
    this.#rule = rule;
    this.#ofItems = ofItemsBy(rule);
    this.#asking = isCapped(rule) ? new UserItems() : void 0;
  }
  /** Models that had a list. */
  get models() {
    return this.#models;
  }
  addInteraction(user, item, flags) {
    const { positives: positives2, interactions, randomized, randomizedPositives, users, randomizedUsers } = this.#tallies;
    this.interactions++;
    interactions.add(item);
    users.add(user);
    if ((flags & POSITIVE) !== 0) positives2.add(item);
    if (leavesOut(this.#rule)) this.#judge(user, item, flags);
    if ((flags & RANDOMIZED) === 0) return;
    randomized.add(item);
    randomizedUsers.add(user);
    if ((flags & POSITIVE) !== 0) randomizedPositives.add(item);
  }
  /** The list is items[from] .. items[to − 1]. */
  addExposure(model, flags, items, from, to) {
    this.exposures++;
    if ((flags & LATE) === 0) this.#models.add(model);
    const counts = (flags & (SHOWN | RANDOMIZED)) === SHOWN;
    const tally = counts ? this.#exposuresOf(model) : this.#tallies.listed;
    for (let at = from; at < to; at++) tally.add(items[at]);
  }
  /** @param admit whether one more interaction of the user counts; asked for each, in their order. */
  addTo(totals, admit) {
    for (const kind of [...this.#ofItems, ...OF_USERS])
      totals[kind].addAll(this.#tallies[kind].counts());
    for (const [model, tally] of this.#exposures) totals.exposures(model).addAll(tally.counts());
    const over = new IdTally();
    this.#asking?.forEach((user, item) => {
      if (admit(user)) return;
      over.add(item);
      totals.overUserCap++;
    });
    totals.leftOut.addAll(over.counts());
  }
  /** Sets the flags of the users that are counted. */
  *markUsers(flags) {
    for (const kind of OF_USERS) yield* markIds(flags, this.#tallies[kind].counts().ids);
    if (this.#asking !== void 0) yield* this.#asking.markUsers(flags);
  }
  /** Sets the flags of the items that are counted. */
  *markItems(flags) {
    for (const kind of this.#ofItems) yield* markIds(flags, this.#tallies[kind].counts().ids);
    for (const tally of this.#exposures.values()) yield* markIds(flags, tally.counts().ids);
    if (this.#asking !== void 0) yield* this.#asking.markItems(flags);
  }
  /** The counts as they are now, to be written later. */
  capture() {
    const { interactions, exposures } = this;
    const ofItems = this.#ofItems.map((kind) => this.#tallies[kind].counts());
    const ofUsers = OF_USERS.map((kind) => this.#tallies[kind].counts());
    const listed2 = [...this.#models];
    const asking = this.#asking?.capture();
    const shown2 = [...this.#exposures].map(([model, tally]) => [model, tally.counts()]);
    return function* write(to, { items, models }) {
      to.number(interactions);
      to.number(exposures);
      to.column(Int32Array.from(listed2, (model) => models.place(model)));
      for (const { ids, counts } of ofItems) {
        yield* items.write(to, ids);
        to.column(counts);
      }
      for (const { ids, counts } of ofUsers) {
        to.column(ids);
        to.column(counts);
      }
      to.column(Int32Array.from(shown2, ([model]) => models.place(model)));
      for (const [, { ids, counts }] of shown2) {
        yield* items.write(to, ids);
        to.column(counts);
      }
      if (asking !== void 0) yield* asking(to, { items, models });
      yield;
    };
  }
  /** @param rule the one that it was made with. */
  static read(from, { items, models }, rule) {
    const letGo = new _LetGo(rule);
    letGo.interactions = from.number();
    letGo.exposures = from.number();
    for (const place3 of from.int32()) letGo.#models.add(models.id(place3));
    const ofItems = () => ({ ids: items.column(from), counts: from.int32() });
    for (const kind of letGo.#ofItems) letGo.#tallies[kind].addAll(ofItems());
    for (const kind of OF_USERS) {
      letGo.#tallies[kind].addAll({ ids: from.int32(), counts: from.int32() });
    }
    for (const place3 of from.int32()) letGo.#exposuresOf(models.id(place3)).addAll(ofItems());
    letGo.#asking?.read(from, { items, models });
    return letGo;
  }
  #judge(user, item, flags) {
    const judged = judgedBy(this.#rule, flags);
    if (judged === "left out") this.#tallies.leftOut.add(item);
    else if (judged === "counts") this.#asking?.add(user, item);
  }
  #exposuresOf(model) {
    let tally = this.#exposures.get(model);
    if (tally === void 0) {
      tally = new IdTally();
      this.#exposures.set(model, tally);
    }
    return tally;
  }
};

// src/state/panes/open/pending-rows.ts
var MARGIN = 1 / 8;
var LARGEST_STEP = 8;
function rowsOfUsers(user, length, isKept, letGo) {
  const kept = new Int32Array(length);
  let size2 = 0;
  for (let r = 0; r < length; r++) {
    if (isKept(user[r])) kept[size2++] = r;
    else letGo(r);
  }
  return kept.subarray(0, size2);
}
function rowsBut(rows2, length) {
  const kept = new Int32Array(length - rows2.length);
  let size2 = 0;
  let next = 0;
  for (let r = 0; r < length; r++) {
    if (r === rows2[next]) next++;
    else kept[size2++] = r;
  }
  return kept;
}
function enoughRoom(capacity, needed, share2) {
  if (needed <= capacity) return capacity;
  if (share2 >= 1) return Math.max(2 * capacity, needed);
  const expected = Math.ceil(needed * (1 + MARGIN) / share2);
  return Math.max(needed, Math.min(LARGEST_STEP * capacity, expected));
}

// src/state/panes/open/stored-columns.ts
function captureColumns(table, columns, length) {
  const arrays = { ...columns };
  return function* write(to, ids) {
    for (const [name, { names }] of Object.entries(table)) {
      if (names === "items" || names === "models") {
        yield* ids[names].write(to, arrays[name], length);
      } else to.column(arrays[name], length);
    }
  };
}
function readColumns(table, into, from, places2) {
  const arrays = into;
  let length = 0;
  for (const [name, { array, names }] of Object.entries(table)) {
    const isPlaces = names === "items" || names === "models";
    const read = isPlaces ? places2[names].column(from) : readArray(from, array);
    length = read.length;
    arrays[name] = roomy(read);
  }
  return length;
}
function readArray(from, array) {
  if (array === Uint8Array) return from.uint8();
  if (array === Int32Array) return from.int32();
  return array === Float64Array ? from.float64() : from.float32();
}
function roomy(values) {
  const column = new values.constructor(Math.max(64, values.length));
  column.set(values);
  return column;
}

// src/state/panes/open/time-order.ts
var DIGIT_BITS = 11;
var DIGITS = 1 << DIGIT_BITS;
function timeOrder(ts, n) {
  let order3 = new Int32Array(n);
  let sorted = true;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let r = 0; r < n; r++) {
    order3[r] = r;
    if (r > 0 && ts[r] < ts[r - 1]) sorted = false;
    if (ts[r] < min) min = ts[r];
    if (ts[r] > max) max = ts[r];
  }
  if (sorted) return order3;
  let other = new Int32Array(n);
  const starts = new Int32Array(DIGITS + 1);
  for (let scale = 1; scale <= max - min; scale *= DIGITS) {
    starts.fill(0);
    for (let j = 0; j < n; j++) starts[digit(ts[j] - min, scale) + 1]++;
    for (let d = 0; d < DIGITS; d++) starts[d + 1] += starts[d];
    for (let j = 0; j < n; j++) {
      const r = order3[j];
      other[starts[digit(ts[r] - min, scale)]++] = r;
    }
    [order3, other] = [other, order3];
  }
  return order3;
}
function digit(offset, scale) {
  return Math.floor(offset / scale) % DIGITS;
}

// src/state/panes/open/pending-exposures.ts
var CAPACITY = 64;
var PendingExposures = class extends withColumns(EXPOSURE) {
  listStart = new Int32Array(CAPACITY + 1);
  items = new Int32Array(8 * CAPACITY);
  /** Empty while no exposure has any. */
  propensities = new Float32Array(0);
  constructor() {
    super(CAPACITY);
  }
  /** Column by column: it runs for every event. */
  add(from, r, flags) {
    const at = this.length;
    if (at === this.ts.length) this.reserve(1, 0);
    this.flags[at] = flags;
    this.ts[at] = from.ts[r];
    this.user[at] = from.user[r];
    this.model[at] = from.model[r];
    this.idHigh[at] = from.idHigh[r];
    this.idLow[at] = from.idLow[r];
    this.candidates[at] = from.candidates[r];
    this.#addList(at, from.items, from.listStart[r], from.listStart[r + 1]);
    if ((flags & HAS_PROPENSITIES) !== 0) {
      this.#addPropensities(at, from.propensities, from.listStart[r]);
    }
    this.length = at + 1;
  }
  /** As of interactions; `items` is how many more of these there are. */
  reserve(rows2, items, share2 = 1) {
    const listed2 = enoughRoom(this.items.length, this.entries + items, share2);
    if (listed2 > this.items.length) this.items = enlarged(this.items, listed2);
    const capacity = enoughRoom(this.ts.length, this.length + rows2, share2);
    if (capacity === this.ts.length) return;
    enlarge(EXPOSURE, this, capacity);
    this.listStart = enlarged(this.listStart, capacity + 1);
  }
  /** Items of all lists. */
  get entries() {
    return this.listStart[this.length];
  }
  /** Adds to the counts how many items of lists there are of each depth of the user. */
  byDepth(depths, counts) {
    for (let r = 0; r < this.length; r++) {
      counts[depths.of(this.user[r])] += this.listStart[r + 1] - this.listStart[r];
    }
    return counts;
  }
  /** Keeps some users' events, in new columns: those that were captured stay as they are. */
  retain(isKept, letGo) {
    this.#keep(rowsOfUsers(this.user, this.length, isKept, letGo));
  }
  /** Leaves out these rows, given in ascending order. */
  remove(rows2) {
    this.#keep(rowsBut(rows2, this.length));
  }
  /** Row numbers, oldest event first. */
  order() {
    return timeOrder(this.ts, this.length);
  }
  capture() {
    const { length, listStart, items, propensities, entries } = this;
    const columns = captureColumns(EXPOSURE, this, length);
    return function* write(to, ids) {
      yield* columns(to, ids);
      to.column(listStart, length + 1);
      yield* ids.items.write(to, items, entries);
      to.column(propensities, Math.min(propensities.length, entries));
      yield;
    };
  }
  read(from, places2) {
    this.length = readColumns(EXPOSURE, this, from, places2);
    this.listStart = new Int32Array(this.ts.length + 1);
    this.listStart.set(from.int32());
    this.items = roomy(places2.items.column(from));
    const logged = from.float32();
    if (logged.length > 0) this.propensities = enlarged(logged, this.items.length);
  }
  #keep(kept) {
    keepRows(EXPOSURE, this, kept);
    this.length = kept.length;
    const { listStart, items, propensities } = this;
    this.listStart = new Int32Array(listStart.length);
    this.items = new Int32Array(items.length);
    this.propensities = new Float32Array(propensities.length);
    for (let at = 0; at < kept.length; at++) {
      const [from, to] = [listStart[kept[at]], listStart[kept[at] + 1]];
      this.#addList(at, items, from, to);
      const logged = propensities.subarray(from, to);
      if (logged.length > 0) this.propensities.set(logged, this.listStart[at]);
    }
  }
  #addList(at, list, from, to) {
    const start = this.listStart[at];
    const end = start + to - from;
    if (end > this.items.length) this.reserve(0, to - from);
    for (let source = from, target = start; source < to; source++, target++) {
      this.items[target] = list[source];
    }
    this.listStart[at + 1] = end;
  }
  #addPropensities(at, list, from) {
    if (this.propensities.length < this.items.length) {
      this.propensities = enlarged(this.propensities, this.items.length);
    }
    const start = this.listStart[at];
    const size2 = this.listStart[at + 1] - start;
    for (let i = 0; i < size2; i++) this.propensities[start + i] = list[from + i];
  }
};

// src/state/panes/open/pending-interactions.ts
var CAPACITY2 = 64;
var PendingInteractions = class extends withColumns(PENDING_INTERACTION) {
  /** Those that are not late: they get rows. */
  rows = 0;
  /** Code of the action plus one, 0 for a usual one; empty while all are, and may be shorter. */
  action = new Uint8Array(0);
  constructor() {
    super(CAPACITY2);
  }
  /** Column by column: it runs for every event. */
  add(from, r, flags) {
    const at = this.length;
    if (at === this.ts.length) this.reserve(1);
    this.flags[at] = flags;
    this.ts[at] = from.ts[r];
    this.user[at] = from.user[r];
    this.item[at] = from.item[r];
    this.exposureHigh[at] = from.exposureHigh[r];
    this.exposureLow[at] = from.exposureLow[r];
    if (from.action[r] >= 0) this.#noteAction(at, from.action[r]);
    this.length = at + 1;
    if ((flags & LATE) === 0) this.rows++;
  }
  /**
   * Makes room for so many rows more.
   *
   * @param share how much of all that will come these and those before them are; 1 where that is
   * not known. Growing moves what is there, so it is better not to grow often.
   */
  reserve(rows2, share2 = 1) {
    const capacity = enoughRoom(this.ts.length, this.length + rows2, share2);
    if (capacity > this.ts.length) enlarge(PENDING_INTERACTION, this, capacity);
  }
  /** Adds these rows, with other flags; none of them may be late. */
  addRows(from, rows2, flags) {
    const at = this.length;
    this.reserve(rows2.length);
    gather(PENDING_INTERACTION, from, rows2, this, at);
    gatherColumn(flags, rows2, this.flags, at);
    for (let n = 0; n < rows2.length; n++) {
      const action = from.action[rows2[n]];
      if (action >= 0) this.#noteAction(at + n, action);
    }
    this.length = at + rows2.length;
    this.rows += rows2.length;
  }
  /** Adds to the counts how many there are of each depth of the user. */
  byDepth(depths, counts) {
    for (let r = 0; r < this.length; r++) counts[depths.of(this.user[r])]++;
    return counts;
  }
  /** Keeps some users' events, in new columns: those that were captured stay as they are. */
  retain(isKept, letGo) {
    this.#keep(rowsOfUsers(this.user, this.length, isKept, letGo));
  }
  /** Leaves out these rows, given in ascending order. */
  remove(rows2) {
    this.#keep(rowsBut(rows2, this.length));
  }
  /** Row numbers, oldest event first. */
  order() {
    return timeOrder(this.ts, this.length);
  }
  capture() {
    const { rows: rows2, action, length } = this;
    const columns = captureColumns(PENDING_INTERACTION, this, length);
    return function* write(to, ids) {
      to.number(action.length === 0 ? rows2 : -1 - rows2);
      yield* columns(to, ids);
      if (action.length > 0) to.column(action, Math.min(length, action.length));
      yield;
    };
  }
  read(from, places2) {
    const rows2 = from.number();
    this.rows = rows2 < 0 ? -1 - rows2 : rows2;
    this.length = readColumns(PENDING_INTERACTION, this, from, places2);
    if (rows2 < 0) this.action = roomy(from.uint8());
  }
  /** Of one that is not usual: where it is the first, all before it are. */
  #noteAction(at, code) {
    if (at >= this.action.length) this.action = enlarged(this.action, this.ts.length);
    this.action[at] = code + 1;
  }
  #keep(kept) {
    if (this.action.length > 0) {
      const actions = new Uint8Array(this.ts.length);
      for (let at = 0; at < kept.length; at++) actions[at] = this.action[kept[at]] ?? 0;
      this.action = actions;
    }
    keepRows(PENDING_INTERACTION, this, kept);
    this.length = kept.length;
    this.rows = 0;
    for (let r = 0; r < this.length; r++) if ((this.flags[r] & LATE) === 0) this.rows++;
  }
};

// src/state/panes/open/pending-events.ts
var PendingEvents = class _PendingEvents {
  interactions = new PendingInteractions();
  exposures = new PendingExposures();
  /**
   * What is pending now, to be written later. Columns are only added to, and replaced when they
   * grow: their beginnings do not change while they are written.
   */
  capture() {
    const interactions = this.interactions.capture();
    const exposures = this.exposures.capture();
    return function* write(to, ids) {
      yield* interactions(to, ids);
      yield* exposures(to, ids);
    };
  }
  /** Sets the flags of the users of what is pending. */
  *markUsers(flags) {
    const { interactions, exposures } = this;
    yield* markIds(flags, interactions.user, interactions.length);
    yield* markIds(flags, exposures.user, exposures.length);
  }
  /** Sets the flags of the items of what is pending. */
  *markItems(flags) {
    const { interactions, exposures } = this;
    yield* markIds(flags, interactions.item, interactions.length);
    yield* markIds(flags, exposures.items, exposures.entries);
  }
  /** A message between threads keeps the fields of an object and not its class. */
  static revived({ interactions, exposures }) {
    const pending = new _PendingEvents();
    Object.assign(pending.interactions, interactions);
    Object.assign(pending.exposures, exposures);
    return pending;
  }
  static read(from, places2) {
    const pending = new _PendingEvents();
    pending.interactions.read(from, places2);
    pending.exposures.read(from, places2);
    return pending;
  }
};

// src/state/panes/open/open-pane.ts
var OpenPane = class _OpenPane {
  pending;
  #limits;
  #depths;
  #level = 0;
  #letGo;
  /** @param depths of the partition's users; without them nothing can be let go. */
  constructor(limits, depths, pending = new PendingEvents()) {
    this.#limits = limits;
    this.#depths = depths;
    this.pending = pending;
  }
  /** How deep users have to lie for their events to be pending. */
  get level() {
    return this.#level;
  }
  /** Counts of the events that are not; undefined while all are. */
  get letGo() {
    return this.#letGo;
  }
  addInteraction(from, r, flags) {
    if (this.#level > 0 && this.#depths.of(from.user[r]) < this.#level) {
      this.#letGo.addInteraction(from.user[r], from.item[r], flags);
      return;
    }
    const { interactions } = this.pending;
    interactions.add(from, r, flags);
    if (interactions.length > this.#limits.rows) this.#rise();
  }
  /** Adds these rows; none of them may be late. */
  addInteractions(from, rows2, flags) {
    const { interactions } = this.pending;
    if (this.#level === 0 && interactions.length + rows2.length <= this.#limits.rows) {
      interactions.addRows(from, rows2, flags);
      return;
    }
    for (const r of rows2) this.addInteraction(from, r, flags[r]);
  }
  addExposure(from, r, flags) {
    if (this.#level > 0 && this.#depths.of(from.user[r]) < this.#level) {
      const [first2, end] = [from.listStart[r], from.listStart[r + 1]];
      this.#letGo.addExposure(from.model[r], flags, from.items, first2, end);
      return;
    }
    const { exposures } = this.pending;
    exposures.add(from, r, flags);
    if (exposures.entries > this.#limits.listEntries) this.#rise();
  }
  /** Sets the flags of the users of its events, of those that were let go too. */
  *markUsers(flags) {
    yield* this.pending.markUsers(flags);
    if (this.#letGo !== void 0) yield* this.#letGo.markUsers(flags);
  }
  /** Sets the flags of the items of its events. */
  *markItems(flags) {
    yield* this.pending.markItems(flags);
    if (this.#letGo !== void 0) yield* this.#letGo.markItems(flags);
  }
  /** See `PendingEvents.capture`. */
  capture() {
    const level = this.#level;
    const pending = this.pending.capture();
    const letGo = this.#letGo?.capture();
    return function* write(to, ids) {
      to.number(level);
      yield* pending(to, ids);
      if (letGo !== void 0) yield* letGo(to, ids);
    };
  }
  static read(from, places2, limits, depths) {
    const level = from.number();
    const pane = new _OpenPane(limits, depths, PendingEvents.read(from, places2));
    pane.#level = level;
    if (level > 0) pane.#letGo = LetGo.read(from, places2, limits.popularity);
    return pane;
  }
  #rise() {
    const { interactions, exposures } = this.pending;
    const depths = this.#depths;
    const letGo = this.#letGo ?? new LetGo(this.#limits.popularity);
    this.#letGo = letGo;
    const level = Math.max(
      levelWithin(interactions.byDepth(depths, depthCounts()), this.#limits.rows),
      levelWithin(exposures.byDepth(depths, depthCounts()), this.#limits.listEntries)
    );
    this.#level = level;
    const isKept = (user) => depths.of(user) >= level;
    interactions.retain(isKept, (r) => {
      letGo.addInteraction(interactions.user[r], interactions.item[r], interactions.flags[r]);
    });
    exposures.retain(isKept, (r) => {
      const { model, flags, items, listStart } = exposures;
      letGo.addExposure(model[r], flags[r], items, listStart[r], listStart[r + 1]);
    });
  }
};

// src/state/panes/pane-content.ts
var NO_PANE_COUNTS = {
  positives: NO_COUNTS,
  interactions: NO_COUNTS,
  randomized: NO_COUNTS,
  randomizedPositives: NO_COUNTS,
  leftOut: NO_COUNTS,
  overUserCap: 0,
  exposures: [],
  listed: NO_COUNTS,
  listing: [],
  unranked: 0,
  sampledOut: { interactions: 0, exposures: 0 }
};

// src/state/counts/user-cap.ts
var UserCap = class {
  #most;
  #bucketMs;
  /** Event time, ms. */
  #bucketEnd = Number.NEGATIVE_INFINITY;
  #counted = new Int32Array(0);
  /**
   * @param most at least 1. @param bucketMs a multiple of the pane; buckets are aligned to the epoch.
   */
  constructor(most, bucketMs2) {
    this.#most = most;
    this.#bucketMs = bucketMs2;
  }
  /** Goes on to the pane that ends at `paneEnd`, which never decreases. */
  begin(paneEnd) {
    const end = Math.ceil(paneEnd / this.#bucketMs) * this.#bucketMs;
    if (end === this.#bucketEnd) return;
    this.#bucketEnd = end;
    this.#counted.fill(0);
  }
  /** Whether the user's next interaction counts; it has then been counted. */
  admits(user) {
    if (user >= this.#counted.length) this.#grow(user);
    if (this.#counted[user] >= this.#most) return false;
    this.#counted[user]++;
    return true;
  }
  /** Sets the flags of the users that have a count. */
  *markUsers(flags) {
    yield* markIds(flags, this.#users());
  }
  write(to) {
    const users = this.#users();
    to.number(this.#bucketEnd);
    to.column(users);
    to.column(users.map((user) => this.#counted[user]));
  }
  /** Takes back what was written; to be called before anything is counted. */
  read(from) {
    this.#bucketEnd = from.number();
    const users = from.int32();
    const counts = from.int32();
    users.forEach((user, j) => {
      if (user >= this.#counted.length) this.#grow(user);
      this.#counted[user] = counts[j];
    });
  }
  #users() {
    const counted = this.#counted;
    return Int32Array.from(counted.keys()).filter((user) => counted[user] > 0);
  }
  #grow(user) {
    const counted = new Int32Array(Math.max(256, Math.ceil((user + 1) * 1.25)));
    counted.set(this.#counted);
    this.#counted = counted;
  }
};

// src/state/panes/popular-interactions.ts
var PopularInteractions = class {
  /** Whether any may be left out. */
  isSelective;
  #rule;
  #cap;
  #tallies;
  /**
   * @param bucketMs a multiple of the pane, in which the cap holds. @param tallies that take what
   * is left out.
   */
  constructor(rule, bucketMs2, tallies) {
    const { userCap = 0 } = rule;
    this.isSelective = leavesOut(rule);
    this.#rule = rule;
    this.#cap = isCapped(rule) ? new UserCap(userCap, bucketMs2) : void 0;
    this.#tallies = tallies;
  }
  /** Goes on to the pane that ends at `paneEnd`. */
  begin(paneEnd) {
    this.#cap?.begin(paneEnd);
  }
  /**
   * To be called for each interaction in its turn.
   *
   * @param flags with `RANDOMIZED` and `NAMES_EXPOSURE` as they are known to be.
   */
  take(user, item, flags) {
    const judged = judgedBy(this.#rule, flags);
    if (judged === "none") return;
    if (judged === "counts" && this.admits(user)) return;
    if (judged === "counts") this.#tallies.overUserCap++;
    this.#tallies.leftOut.add(item);
  }
  /** Whether one more interaction of the user is within the cap. */
  admits(user) {
    return this.#cap === void 0 || this.#cap.admits(user);
  }
  *markUsers(flags) {
    if (this.#cap !== void 0) yield* this.#cap.markUsers(flags);
  }
  write(to) {
    this.#cap?.write(to);
  }
  /** Takes back what was written under the same rule. */
  read(from) {
    this.#cap?.read(from);
  }
};

// src/state/panes/partition.ts
var SLICE_ROWS2 = 16384;
var POSITIVES2 = { of: "positive" };
var PartitionState = class {
  #options;
  #limits;
  #depths;
  #open = /* @__PURE__ */ new Map();
  #lists;
  #tallies;
  #popular;
  /** What is left of the panes that closed. */
  closed;
  /** @throws RangeError where there are limits and no depths */
  constructor(options, tallies = talliesBy(options.popularity)) {
    const { popularity = POSITIVES2, paneMs, longestWindowMs: longestWindowMs2 = paneMs } = options;
    this.#options = options;
    this.#limits = { ...options.limits ?? UNLIMITED, popularity };
    this.#popular = new PopularInteractions(popularity, longestWindowMs2, tallies);
    this.#depths = options.depths;
    if (options.limits !== void 0 && options.depths === void 0) {
      throw new RangeError("A partition with limits needs the depths of its users.");
    }
    this.#tallies = tallies;
    const { attributionTtlMs, areListsNamed, followsCauses: followsCauses2 } = options;
    this.#lists = new ListStore(attributionTtlMs, areListsNamed, followsCauses2);
    this.closed = new ClosedPanes(options.horizonMs, options.paneMs, options.depths);
  }
  /** The oldest pane with pending events; Infinity without any. */
  get oldestOpenPane() {
    let oldest = Number.POSITIVE_INFINITY;
    for (const pane of this.#open.keys()) oldest = Math.min(oldest, pane);
    return oldest;
  }
  /** How much there is of what limits are for, of open panes and closed ones. O(users). */
  get held() {
    let rows2 = 0;
    let listEntries = this.#lists.entries;
    for (const { pending } of this.#open.values()) {
      rows2 += pending.interactions.length;
      listEntries += pending.exposures.entries;
    }
    for (const { length } of this.closed.rows) rows2 += length;
    return { rows: rows2, listEntries, users: this.closed.userCounts.distinct };
  }
  /** Models that ever had a list here. */
  models() {
    return this.#lists.models();
  }
  /** Where the events of a pane that has not closed wait for its end. */
  openPane(pane) {
    let open = this.#open.get(pane);
    if (open === void 0) {
      open = new OpenPane(this.#limits, this.#depths);
      this.#open.set(pane, open);
    }
    return open;
  }
  /** Takes over what came in elsewhere for a pane that has no events here yet. */
  adopt(pane, events) {
    this.#open.set(pane, events);
  }
  /**
   * Closes a pane: its events, in order of event time and exposures before interactions of the
   * same millisecond, become lists, rows and counts. Yields now and then so that the caller can
   * let others run; nothing may be added to this pane from its first step on.
   */
  *close(pane) {
    const paneEnd = (pane + 1) * this.#options.paneMs;
    const open = this.#open.get(pane);
    this.#open.delete(pane);
    this.closed.advance(paneEnd);
    this.#popular.begin(paneEnd);
    const attributed = open === void 0 ? NOTHING_ATTRIBUTED : yield* this.#attribute(pane, open);
    const content = yield* this.#counted(pane, open, attributed);
    yield* this.closed.makeRoom(content.levels);
    this.closed.add(content, paneEnd);
    this.#lists.expire(paneEnd);
    return content;
  }
  /**
   * How many users of a sample were shown each item, from ≤ ts < to, by the lists that are still
   * known.
   */
  *reach(from, to, items, level = 0) {
    const depths = this.#depths;
    return yield* reachOf(
      (visit) => level === 0 ? this.#lists.shown(from, to, visit) : this.#lists.shown(from, to, (user, ...list) => {
        if (depths.of(user) >= level) visit(user, ...list);
      }),
      items
    );
  }
  /**
   * The state as it is now, to be written later: events may come in meanwhile, but no pane may
   * close before the writing has ended.
   */
  capture() {
    const open = [...this.#open].map(([number, pane]) => [number, pane.capture()]);
    const write = (to, ids) => this.#write(to, ids);
    return function* writeAll(to, ids) {
      yield* write(to, ids);
      to.number(open.length);
      for (const [number, pane] of open) {
        to.number(number);
        yield* pane(to, ids);
      }
    };
  }
  /** Takes back what was captured; to be called before anything is added. */
  *restore(from, places2) {
    yield* this.closed.readRows(from, places2);
    yield* this.#lists.read(from, places2);
    yield* this.closed.readCounts(from, places2);
    this.#popular.read(from);
    for (let left = from.count(); left > 0; left--) {
      const pane = from.number();
      this.#open.set(pane, OpenPane.read(from, places2, this.#limits, this.#depths));
      yield;
    }
  }
  /** Sets the flags of the users that anything here refers to; no pane may close meanwhile. */
  *markUsers(flags) {
    yield* this.closed.markUsers(flags);
    yield* this.#lists.markUsers(flags);
    yield* this.#popular.markUsers(flags);
    for (const pane of [...this.#open.values()]) yield* pane.markUsers(flags);
  }
  /** The same of the items; those that are only counted are known to `Popularity`. */
  *markItems(flags) {
    yield* this.closed.markItems(flags);
    yield* this.#lists.markItems(flags);
    for (const pane of [...this.#open.values()]) yield* pane.markItems(flags);
  }
  /** What changes only when a pane closes. */
  *#write(to, ids) {
    yield* this.closed.writeRows(to, ids);
    yield* this.#lists.write(to, ids);
    yield* this.closed.writeCounts(to, ids);
    this.#popular.write(to);
  }
  #attribute(pane, open) {
    const oldest = pane - Math.ceil(this.#options.attributionTtlMs / this.#options.paneMs);
    return attribute(pane, open, {
      lists: this.#lists,
      tallies: this.#tallies,
      popular: this.#popular,
      level: Math.max(open.level, this.closed.rowsLevelSince(oldest)),
      depths: this.#depths,
      slice: this.#options.sliceRows ?? SLICE_ROWS2,
      followsCauses: this.#options.followsCauses ?? false,
      worths: this.#options.worths
    });
  }
  /** All that the pane leaves; the tallies are empty again. */
  *#counted(pane, open, { rows: rows2, served, unranked, sampledOut, isPartlyLogged }) {
    const tallies = this.#tallies;
    if (open?.letGo !== void 0) {
      open.letGo.addTo(tallies, (user) => this.#popular.admits(user));
      for (const model of open.letGo.models) {
        this.#lists.know(model);
        tallies.noteList(model);
      }
    }
    const users = tallies.users.drain();
    const usersLevel = yield* this.closed.usersLevelWith(users, this.#limits.users);
    return {
      pane,
      levels: { rows: open?.level ?? 0, users: usersLevel },
      rows: rows2,
      served,
      users: this.#ofDepth(usersLevel, users),
      randomizedUsers: this.#ofDepth(usersLevel, tallies.randomizedUsers.drain()),
      randomized: {
        users: tallies.reached.drain().ids,
        shown: tallies.shownAtRandom.drain(),
        isPartlyLogged
      },
      counts: open === void 0 ? NO_PANE_COUNTS : tallies.drain(unranked, sampledOut)
    };
  }
  #ofDepth(level, counts) {
    if (level === 0) return counts;
    return retained(counts, (user) => this.#depths.of(user) >= level);
  }
};
function talliesBy(rule = POSITIVES2) {
  return new PaneTallies(countsRandomizedApart(rule));
}

// src/stream/ingest/watermarks.ts
var Watermarks = class {
  #latenessMs;
  #tickMs;
  #progress = /* @__PURE__ */ new Map();
  constructor(latenessMs, tickMs) {
    this.#latenessMs = latenessMs;
    this.#tickMs = tickMs;
  }
  expect(role, partition) {
    this.#of(role, partition);
  }
  /** Newest event time of the topic-partition; −Infinity before the first. */
  newest(role, partition) {
    return this.#of(role, partition).newest;
  }
  advance(role, partition, newest2) {
    const progress = this.#of(role, partition);
    progress.newest = Math.max(progress.newest, newest2);
    progress.emptyAt = void 0;
  }
  /** @param emptyAt when its log held nothing more, wall clock, ms; Infinity: nothing will come */
  setIdle(role, partition, emptyAt = Number.POSITIVE_INFINITY) {
    this.#of(role, partition).emptyAt = emptyAt;
  }
  /** Event time before which all is in; −Infinity while that is not known. */
  value() {
    let watermark = Number.POSITIVE_INFINITY;
    let areIdle = true;
    for (const progress of this.#progress.values()) {
      watermark = Math.min(watermark, this.#standOf(progress));
      areIdle &&= progress.emptyAt !== void 0;
    }
    return areIdle ? Math.min(watermark, this.endOfNewestPane()) : watermark;
  }
  /**
   * How far one partition is by itself: the least of its two topics. The newest event is that of
   * both.
   */
  ofPartition(partition) {
    const both = [this.#of("exposures", partition), this.#of("interactions", partition)];
    return {
      watermark: Math.min(...both.map((progress) => this.#standOf(progress))),
      newest: Math.max(...both.map(({ newest: newest2 }) => newest2)),
      isIdle: both.every(({ emptyAt }) => emptyAt !== void 0)
    };
  }
  /** End of the pane that holds the newest event of all; −Infinity before the first. */
  endOfNewestPane() {
    let newest2 = Number.NEGATIVE_INFINITY;
    for (const progress of this.#progress.values()) newest2 = Math.max(newest2, progress.newest);
    if (newest2 === Number.NEGATIVE_INFINITY) return newest2;
    return (Math.floor(newest2 / this.#tickMs) + 1) * this.#tickMs;
  }
  #standOf({ newest: newest2, emptyAt = Number.NEGATIVE_INFINITY }) {
    return Math.max(newest2, emptyAt) - this.#latenessMs;
  }
  #of(role, partition) {
    const key2 = `${role}/${partition}`;
    let progress = this.#progress.get(key2);
    if (progress === void 0) {
      progress = { newest: Number.NEGATIVE_INFINITY, emptyAt: void 0 };
      this.#progress.set(key2, progress);
    }
    return progress;
  }
};

// src/estimators/feedback/feedback-mode.ts
var FEEDBACK_MODES = ["withhold", "caution", "ignore"];
function isFollowed({ feedback }) {
  return feedback !== void 0 && feedback !== "ignore";
}

// src/stream/options.ts
function followsCauses({ estimates }) {
  return isFollowed(estimates);
}
function causesFollowed(options) {
  if (!followsCauses(options)) return { followsCauses: false };
  return { followsCauses: true, worths: new ActionWorths(options.actions ?? {}) };
}
function popularityOptions(options) {
  return {
    ...options.popularity,
    paneMs: options.tickMs,
    gammaPeriodMs: options.gamma.periodMs,
    windowsMs: options.windows.map(({ ms }) => ms)
  };
}

// src/estimators/feedback/verdict.ts
var WITHHELD_ABOVE = 0.1;
var DOUBTFUL_ABOVE = 0.02;
var GIVEN_AGAIN_BELOW = 0.08;
function verdictOn({ caused, other, hasOthers: hasOthers2 }, value, stdErr, wasWithheld = false) {
  const limit2 = wasWithheld ? GIVEN_AGAIN_BELOW : WITHHELD_ABOVE;
  const inflation = value - other;
  if (!hasOthers2) return { withheld: "no_other_rows", isDoubtful: false };
  if (isBeyond(caused, limit2, wasWithheld)) {
    return { withheld: "caused_by_lists", isDoubtful: false };
  }
  if (isBeyond(inflation, limit2 * other, wasWithheld) && inflation > 0) {
    return { withheld: "own_lists", isDoubtful: false };
  }
  const isDoubtful = caused > DOUBTFUL_ABOVE || inflation > DOUBTFUL_ABOVE * other + ROUNDING || inflation > stdErr / 2 + ROUNDING;
  return { withheld: null, isDoubtful };
}
var ROUNDING = 1e-12;
function isBeyond(value, limit2, wasWithheld) {
  return wasWithheld ? value >= limit2 : value > limit2 + ROUNDING;
}

// src/estimators/feedback/withhold.ts
function withhold(results, differences, report, before2) {
  const judged = results.map((row) => judge(row, report, before2.has(nameOf(row))));
  const withheld = new Map(judged.map((row) => [nameOf(row), row.withheld ?? null]));
  return {
    results: judged,
    differences: differences.map((row) => {
      const reason = withheld.get(nameOf(row)) ?? withheld.get(nameOf(row, row.reference)) ?? null;
      return reason === null ? { ...row, withheld: null } : { ...row, ...UNKNOWN3, withheld: reason };
    })
  };
}
function nameOf({ model, metric, k, estimator, aggregation }, of = model) {
  return JSON.stringify([of, metric, k, estimator, aggregation]);
}
var UNKNOWN3 = {
  value: Number.NaN,
  stdErr: Number.NaN,
  lower: Number.NaN,
  upper: Number.NaN,
  gammaStdErr: Number.NaN
};
var NO_NUMBERS = {
  ...UNKNOWN3,
  ...{ gammaSlope: Number.NaN, numerator: Number.NaN, denominator: Number.NaN },
  ...{ other: Number.NaN, guarantees: [] }
};
function judge(row, { mode, source, caused }, wasWithheld) {
  const { shares: found, ...estimate } = row;
  if (found === void 0) return { ...estimate, withheld: null };
  const shares2 = source === "named" ? found : unnamed(caused);
  const verdict = verdictOn(shares2, row.value, row.stdErr, wasWithheld);
  const { own, other } = shares2;
  const known = { ...estimate, caused: shares2.caused, own, other };
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

// src/drift/detectors/excursion.ts
function newExcursion() {
  return { evidence: 0, since: 0, panes: 0, sum: 0 };
}
function extend(excursion, increment, z, from) {
  if (excursion.evidence <= 0) {
    excursion.since = from;
    excursion.panes = 0;
    excursion.sum = 0;
  }
  excursion.evidence = Math.max(0, excursion.evidence + increment);
  excursion.panes++;
  excursion.sum += z;
}
function evidenceOf(score, { since, panes, sum: sum3 }) {
  return { score, since, size: panes === 0 ? 0 : sum3 / panes };
}

// src/drift/detectors/cusum.ts
function newCusum() {
  return { up: newExcursion(), down: newExcursion() };
}
function cusum(state, z, from, allowance) {
  const { up, down } = state;
  extend(up, z - allowance, z, from);
  extend(down, -z - allowance, z, from);
  const larger = up.evidence >= down.evidence ? up : down;
  return evidenceOf(larger.evidence, larger);
}
function cusumThreshold(threshold, allowance, series2) {
  return threshold + Math.log(Math.max(1, series2)) / (2 * allowance);
}

// src/drift/detectors/detector.ts
var LEVEL_DETECTORS = ["cusum", "e-cusum", "e-sr"];
var SHARE_DETECTORS = ["psi", "js"];
var PRESENCE_DETECTORS = ["vanished"];
var DETECTORS = [...LEVEL_DETECTORS, ...SHARE_DETECTORS, ...PRESENCE_DETECTORS];
var STANDARDISATIONS = ["levels", "ranks"];

// src/drift/detectors/change-point.ts
var DATED_PANES = 48;
function dated(recent, evidence) {
  if (recent.length === 0 || evidence.since < recent[0].from) return evidence;
  let best = { since: evidence.since, size: evidence.size, likelihood: -1 };
  let sum3 = 0;
  for (let j = recent.length - 1; j >= 0 && recent[j].from >= evidence.since; j--) {
    sum3 += recent[j].z;
    const panes = recent.length - j;
    const likelihood = sum3 * sum3 / panes;
    if (likelihood > best.likelihood) {
      best = { since: recent[j].from, size: sum3 / panes, likelihood };
    }
  }
  return { score: evidence.score, since: best.since, size: best.size };
}

// src/drift/detectors/e-process.ts
var E_CHANGES = [0.25, 0.5, 1, 2, -0.25, -0.5, -1, -2];
var LARGEST_LOG = 600;
function logLikelihoodRatio(z, change) {
  return change * z - change * change / 2;
}
function meanOfLogs(logs) {
  let sum3 = 0;
  for (const log2 of logs) sum3 += Math.exp(Math.min(LARGEST_LOG, log2));
  return sum3 / logs.length;
}

// src/drift/detectors/e-cusum.ts
function newECusum() {
  return E_CHANGES.map(newExcursion);
}
function eCusum(state, z, from) {
  const logs = E_CHANGES.map((change, c) => {
    const gained = logLikelihoodRatio(z, change);
    const log2 = state[c].evidence + gained;
    extend(state[c], gained, z, from);
    return log2;
  });
  return evidenceOf(meanOfLogs(logs), likeliest(state));
}
function likeliest(state) {
  return state.reduce((best, other) => other.evidence > best.evidence ? other : best);
}

// src/drift/detectors/e-shiryaev-roberts.ts
function newEShiryaevRoberts() {
  return { logs: E_CHANGES.map(() => 0), walks: newECusum() };
}
function eShiryaevRoberts(state, z, from) {
  const logs = E_CHANGES.map((change, c) => {
    const gained = logLikelihoodRatio(z, change);
    extend(state.walks[c], gained, z, from);
    return state.logs[c] + gained;
  });
  state.logs = logs.map(logOfOnePlus);
  return evidenceOf(meanOfLogs(logs), likeliest(state.walks));
}
function logOfOnePlus(x) {
  return x > 0 ? x + Math.log1p(Math.exp(-x)) : Math.log1p(Math.exp(x));
}

// src/drift/levels/prewhitening.ts
var PRIOR_PANES = 10;
var LARGEST = 0.9;
function newPrewhitening() {
  return { cross: 0, squares: 0, last: null, lastAt: 0 };
}
function prewhiten(state, score, at, paneMs, teaches = true, within = Number.POSITIVE_INFINITY) {
  const { last } = state;
  const seen = Math.max(-within, Math.min(within, score));
  const follows = last !== null && at - state.lastAt === paneMs;
  let white2 = score;
  if (follows) {
    const phi = correlation(state);
    white2 = (score - phi * last) / Math.sqrt(1 - phi * phi);
    if (teaches) {
      state.cross += seen * last;
      state.squares += last * last;
    }
  }
  if (teaches) {
    state.last = seen;
    state.lastAt = at;
  }
  return white2;
}
function correlation({ cross, squares }) {
  return Math.max(-LARGEST, Math.min(LARGEST, cross / (PRIOR_PANES + squares)));
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
  let fraction2 = d;
  for (let m = 1; m < 2e4; m++) {
    const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / keepAway(1 + even * d, tiny);
    c = keepAway(1 + even / c, tiny);
    fraction2 *= d * c;
    const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / keepAway(1 + odd * d, tiny);
    c = keepAway(1 + odd / c, tiny);
    fraction2 *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return fraction2;
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
  const series2 = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * (1 / 1188 - r * (691 / 360360)))))) / z;
  return (z - 0.5) * Math.log(z) - z + Math.log(2 * Math.PI) / 2 + series2 - shift;
}

// src/mathematics/upper-gamma.ts
function upperGamma(a, x) {
  if (!(x > 0)) return 1;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  return x < a + 1 ? 1 - front * series(a, x) : front * fraction(a, x);
}
function series(a, x) {
  let term = 1 / a;
  let sum3 = term;
  for (let n = 1; n < 1e5 && term > sum3 * 1e-16; n++) {
    term *= x / (a + n);
    sum3 += term;
  }
  return sum3;
}
function fraction(a, x) {
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let value = d;
  for (let n = 1; n < 1e5; n++) {
    const numerator = -n * (n - a);
    b += 2;
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    value *= d * c;
    if (Math.abs(d * c - 1) < 1e-15) break;
  }
  return value;
}

// src/mathematics/normal.ts
var FARTHEST = 38;
function normalTail(z) {
  const tail = upperGamma(0.5, z * z / 2) / 2;
  return z >= 0 ? tail : 1 - tail;
}
function normalUpperQuantile(p) {
  if (p > 0.5) return -normalUpperQuantile(1 - p);
  if (p === 0.5) return 0;
  let low = 0;
  let high = FARTHEST;
  if (p <= normalTail(high)) return high;
  const wanted = Math.log(p);
  let z = Math.min(roughQuantile(Math.sqrt(-2 * wanted)), high - 1);
  for (let step3 = 0; step3 < 100; step3++) {
    const tail = normalTail(z);
    const excess = Math.log(tail) - wanted;
    if (excess > 0) low = z;
    else high = z;
    const density2 = Math.exp(-z * z / 2) / Math.sqrt(2 * Math.PI);
    const next = z + excess * tail / density2;
    const middle = next > low && next < high ? next : (low + high) / 2;
    if (Math.abs(middle - z) < 1e-13 * (1 + z)) return middle;
    z = middle;
  }
  return z;
}
function roughQuantile(t) {
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  const below = 1 + t * (1.432788 + t * (0.189269 + t * 1308e-6));
  return Math.max(0, t - above / below);
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
  for (let step3 = 0; step3 < 200; step3++) {
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

// src/drift/levels/standardisation.ts
var ROUNDING2 = 1e-12;
function newStandardisation() {
  return { slots: {}, sumSquares: 0, df: 0, values: 0 };
}
function standardise(state, value, weight, slot, learn, teaches = true) {
  const key2 = String(slot);
  const known = state.slots[key2];
  if (teaches) state.values++;
  if (known === void 0) {
    if (teaches) state.slots[key2] = { mean: value, weight, values: 1 };
    return null;
  }
  const difference = Math.abs(value - known.mean) > ROUNDING2 ? value - known.mean : 0;
  const residual2 = difference / Math.sqrt(1 / weight + 1 / known.weight);
  const earlier = state.values - (teaches ? 1 : 0);
  const isKnown2 = earlier >= learn && state.df >= 2;
  const score = isKnown2 ? scoreOf(residual2, state.sumSquares / state.df, state.df) : null;
  if (!teaches) return score;
  state.sumSquares += residual2 * residual2;
  state.df++;
  known.weight += weight;
  known.values++;
  known.mean += weight / known.weight * (value - known.mean);
  return score;
}
function scoreOf(residual2, variance2, df) {
  if (residual2 === 0) return 0;
  const tail = variance2 > 0 ? studentTTail(Math.abs(residual2) / Math.sqrt(variance2), df) / 2 : 0;
  return Math.sign(residual2) * normalUpperQuantile(tail);
}

// src/drift/levels/level-series.ts
function newLevelSeries() {
  return {
    standardisation: newStandardisation(),
    prewhitening: newPrewhitening(),
    cusum: newCusum(),
    eCusum: newECusum(),
    eShiryaevRoberts: newEShiryaevRoberts(),
    recent: []
  };
}
function observeLevel(state, value, weight, teaches, pane, options) {
  const score = standardise(
    state.standardisation,
    value,
    weight,
    pane.slot,
    options.learn,
    teaches
  );
  if (score === null) return null;
  const z = prewhiten(state.prewhitening, score, pane.to, pane.to - pane.from, teaches);
  const step3 = {
    cusum: () => cusum(state.cusum, z, pane.from, options.allowance),
    "e-cusum": () => eCusum(state.eCusum, z, pane.from),
    "e-sr": () => eShiryaevRoberts(state.eShiryaevRoberts, z, pane.from)
  };
  state.recent = [...state.recent.slice(1 - DATED_PANES), { from: pane.from, z }];
  const asked = LEVEL_DETECTORS.filter((name) => options.detectors.includes(name));
  return new Map(asked.map((name) => [name, dated(state.recent, step3[name]())]));
}
function restartLevel(state, detector) {
  if (detector === "cusum") state.cusum = newCusum();
  else if (detector === "e-cusum") state.eCusum = newECusum();
  else state.eShiryaevRoberts = newEShiryaevRoberts();
}

// src/drift/presence/presence-history.ts
var MOST = 400;
function newPresenceHistory() {
  return { panes: null, absent: 0, since: 0 };
}
function note(history, hasLists, from) {
  if (history.panes === null) {
    if (hasLists) history.panes = "";
    return;
  }
  if (!hasLists) {
    if (history.absent === 0) history.since = from;
    history.absent = Math.min(MOST, history.absent + 1);
    return;
  }
  history.panes = `${history.panes}${"0".repeat(history.absent)}1`.slice(-MOST);
  history.absent = 0;
}

// src/drift/presence/vanished.ts
var IRREGULAR = 0.1;
var HARMLESS = 1;
var LARGEST_LOG2 = 600;
function vanishedScore(panes, absent) {
  const n = panes.length;
  if (n === 0 || absent <= Math.max(HARMLESS, longestSilence(panes))) return 0;
  let k = 0;
  for (let pane = 0; pane < n; pane++) if (panes[pane] === "1") k++;
  const gone = k === n ? Math.log(1 - IRREGULAR + IRREGULAR / (n + 1)) : Math.log(IRREGULAR) + logGamma(k + 1) + logGamma(n - k + 1) - logGamma(n + 2);
  const log2 = gone - steady(k, n - k + absent);
  return Math.exp(Math.min(LARGEST_LOG2, log2));
}
function steady(k, m) {
  return k * Math.log(k / (k + m)) + m * Math.log(m / (k + m));
}
function longestSilence(panes) {
  return panes.split("1").reduce((longest, { length }) => Math.max(longest, length), 0);
}

// src/drift/presence/presence-series.ts
function newPresenceSeries() {
  return { all: newPresenceHistory(), expected: newPresenceHistory(), slots: {} };
}
function observePresence(state, hasLists, { from, slot }, { learn, seasonMs = null }) {
  note(state.all, hasLists, from);
  if (seasonMs !== null) {
    const place3 = String(slot);
    if (state.slots[place3] === 1) note(state.expected, hasLists, from);
    state.slots[place3] = hasLists ? 1 : 0;
  }
  const history = isKnown(state.expected, learn) ? state.expected : state.all;
  if (!isKnown(history, learn)) return null;
  const { panes, absent, since } = history;
  return {
    ...{ score: vanishedScore(panes, absent), size: null },
    since: absent === 0 ? from : since
  };
}
function restartPresence(state) {
  state.all = newPresenceHistory();
  state.expected = newPresenceHistory();
}
function isKnown({ panes }, learn) {
  return panes !== null && panes.length >= learn;
}

// src/drift/ranks/kept-panes.ts
var MOST2 = 400;
var MOST_WITH_SEASON = 500;
var BILLION = 1e9;
var THOUSAND = 1e3;
function newKeptPanes() {
  return { value: [], weight: [], slot: [], follows: [], lastTo: null };
}
function keep(kept, pane, hasSeason) {
  kept.value.push(Math.round(BILLION * pane.value));
  kept.weight.push(Math.max(1, Math.round(THOUSAND * pane.weight)));
  kept.slot.push(pane.slot);
  kept.follows.push(kept.lastTo === pane.from ? 1 : 0);
  kept.lastTo = pane.to;
  if (kept.value.length <= (hasSeason ? MOST_WITH_SEASON : MOST2)) return;
  for (const column of [kept.value, kept.weight, kept.slot, kept.follows]) column.shift();
}
function withPane(kept, pane, hasSeason) {
  const { value, weight, slot, follows, lastTo } = kept;
  const columns = { value: [...value], weight: [...weight], slot: [...slot] };
  const copy = { ...columns, follows: [...follows], lastTo };
  keep(copy, pane, hasSeason);
  return copy;
}

// src/drift/ranks/rank-e-values.ts
var RANK_CHANGES = [0.25, 0.5, 1, 2, 3, -0.25, -0.5, -1, -2, -3];
var KNOWN = /* @__PURE__ */ new Map();
var MOST_KNOWN = 2048;
var TIED = 1e-9;
function rankCell({ values, scale }) {
  const newest2 = values[values.length - 1];
  const tolerance = TIED * scale;
  let below = 0;
  let tied = 0;
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (Number.isNaN(value)) continue;
    count++;
    if (value < newest2 - tolerance) below++;
    else if (value <= newest2 + tolerance) tied++;
  }
  return { below: below / count, upTo: (below + tied) / count };
}
function rankEValues(cell) {
  const key2 = cell.below + 2 * cell.upTo;
  const known = KNOWN.get(key2);
  if (known?.cell.below === cell.below && known.cell.upTo === cell.upTo) return known.eValues;
  const eValues = computed(cell);
  if (KNOWN.size >= MOST_KNOWN) KNOWN.clear();
  KNOWN.set(key2, { cell, eValues });
  return eValues;
}
function computed({ below, upTo }) {
  const low = quantile(below);
  const high = quantile(upTo);
  return RANK_CHANGES.map((change) => {
    const inCell = shareBelow(high - change) - shareBelow(low - change);
    return Math.max(0, inCell) / (upTo - below);
  });
}
function quantile(share2) {
  if (share2 <= 0) return Number.NEGATIVE_INFINITY;
  return share2 >= 1 ? Number.POSITIVE_INFINITY : -normalUpperQuantile(share2);
}
function shareBelow(z) {
  if (Number.isFinite(z)) return normalTail(-z);
  return z > 0 ? 1 : 0;
}

// src/drift/ranks/symmetric-residuals.ts
var OWN_BASELINE = 3;
var ROUNDING3 = 1e-3;
function symmetricResiduals(kept, into = new Float64Array(kept.value.length)) {
  const { value, weight, slot } = kept;
  const panes = value.length;
  if (!hasOwnBaseline(slot)) residualsOfOne(kept, into);
  else {
    const { total: total3, sum: sum3, values } = bySlot(kept);
    for (let i = 0; i < panes; i++) {
      const s = slot[i];
      const of = residual(value[i], weight[i], sum3[s] / total3[s], total3[s]);
      into[i] = values[s] < 2 ? Number.NaN : of;
    }
  }
  return into;
}
function residual(value, weight, mean, total3) {
  const difference = value - mean;
  if (!(Math.abs(difference) > ROUNDING3)) return 0;
  return difference * Math.sqrt(weight * total3 / (total3 - weight));
}
function residualsOfOne({ value, weight }, into) {
  const panes = value.length;
  let total3 = 0;
  let sum3 = 0;
  for (let i = 0; i < panes; i++) {
    total3 += weight[i];
    sum3 += weight[i] * value[i];
  }
  const mean = sum3 / total3;
  for (let i = 0; i < panes; i++) into[i] = residual(value[i], weight[i], mean, total3);
  if (panes < 2) into.fill(Number.NaN);
}
var places = sumsOf(168);
function sumsOf(size2) {
  return {
    total: new Float64Array(size2),
    sum: new Float64Array(size2),
    values: new Int32Array(size2)
  };
}
function bySlot({ value, weight, slot }) {
  let last = 0;
  for (let i = 0; i < slot.length; i++) if (slot[i] > last) last = slot[i];
  if (last >= places.total.length) places = sumsOf(last + 1);
  const { total: total3, sum: sum3, values } = places;
  total3.fill(0);
  sum3.fill(0);
  values.fill(0);
  for (let i = 0; i < slot.length; i++) {
    const s = slot[i];
    total3[s] += weight[i];
    sum3[s] += weight[i] * value[i];
    values[s]++;
  }
  return places;
}
function hasOwnBaseline(slot) {
  const newest2 = slot[slot.length - 1];
  let values = 0;
  for (let i = 0; i < slot.length; i++) if (slot[i] === newest2) values++;
  return values >= OWN_BASELINE;
}

// src/drift/ranks/whitened-residuals.ts
var CLIP = 4;
var PRIOR_PANES2 = 10;
var LARGEST2 = 0.9;
var NOTICEABLE = 2;
function whitened(residuals2, follows, into = new Float64Array(residuals2.length)) {
  let squares = 0;
  let count = 0;
  for (let i = 0; i < residuals2.length; i++) {
    const u = residuals2[i];
    if (Number.isNaN(u)) continue;
    squares += u * u;
    count++;
  }
  const scale = count === 0 ? 0 : Math.sqrt(squares / count);
  const phi = scale === 0 ? 0 : correlation2(residuals2, follows, scale, count);
  if (phi === 0) return { values: residuals2, scale };
  const spread = Math.sqrt(1 - phi * phi);
  let before2 = Number.NaN;
  for (let i = 0; i < residuals2.length; i++) {
    const now = residuals2[i];
    const isForetold = follows[i] === 1 && !Number.isNaN(before2);
    into[i] = isForetold ? (now - phi * before2) / spread : now;
    before2 = now;
  }
  return { values: into, scale };
}
function correlation2(residuals2, follows, scale, count) {
  let cross = 0;
  let squares = PRIOR_PANES2;
  let before2 = Number.NaN;
  for (let i = 0; i < residuals2.length; i++) {
    const now = clipped(residuals2[i] / scale);
    if (follows[i] === 1 && !Number.isNaN(before2) && !Number.isNaN(now)) {
      cross += before2 * now;
      squares += before2 * before2;
    }
    before2 = now;
  }
  const phi = Math.max(-LARGEST2, Math.min(LARGEST2, cross / squares));
  return Math.abs(phi) < NOTICEABLE / Math.sqrt(count) ? 0 : phi;
}
function clipped(v) {
  if (v > CLIP) return CLIP;
  return v < -CLIP ? -CLIP : v;
}

// src/drift/ranks/newest-cell.ts
var residuals = new Float64Array(0);
var white = new Float64Array(0);
function newestCell(kept) {
  const panes = kept.value.length;
  if (residuals.length !== panes) {
    residuals = new Float64Array(panes);
    white = new Float64Array(panes);
  }
  return rankCell(whitened(symmetricResiduals(kept, residuals), kept.follows, white));
}

// src/drift/ranks/rank-detectors.ts
var LEAST = 1e-300;
function newRankDetector() {
  return { evidence: RANK_CHANGES.map(() => 0), walks: RANK_CHANGES.map(newExcursion) };
}
function rankShiryaevRoberts(state, pane) {
  return step(state, pane, (evidence, eValue) => (1 + evidence) * eValue);
}
function rankECusum(state, pane) {
  return step(state, pane, (evidence, eValue) => Math.max(1, evidence) * eValue);
}
function step(state, { eValues, z, from }, next) {
  const { evidence, walks } = state;
  let sum3 = 0;
  for (let c = 0; c < evidence.length; c++) {
    evidence[c] = next(evidence[c], eValues[c]);
    sum3 += evidence[c];
    extend(walks[c], Math.log(Math.max(LEAST, eValues[c])), z, from);
  }
  return evidenceOf(sum3 / evidence.length, likeliest(walks));
}

// src/drift/ranks/seasonal-score.ts
var OWN_BASELINE2 = 2;
function newSeasonalScore() {
  return { all: newStandardisation(), places: newStandardisation() };
}
function seasonalScore(state, value, weight, slot, learn, teaches = true) {
  const ofPlaceFrom = isPlaceKnown(state, slot) ? learn : Number.POSITIVE_INFINITY;
  const ofPlace = standardise(state.places, value, weight, slot, ofPlaceFrom, teaches);
  const ofAllFrom = ofPlace === null ? learn : Number.POSITIVE_INFINITY;
  const ofAll = standardise(state.all, value, weight, 0, ofAllFrom, teaches);
  return ofPlace ?? ofAll;
}
function baselineOf(state, slot) {
  return isPlaceKnown(state, slot) ? state.places.slots[String(slot)] : state.all.slots["0"];
}
function isPlaceKnown({ places: places2 }, slot) {
  return (places2.slots[String(slot)]?.values ?? 0) >= OWN_BASELINE2;
}

// src/drift/ranks/ranked-series.ts
var CLIP2 = 2.5;
var CORRELATED = 4;
function newRankedSeries() {
  return {
    score: newSeasonalScore(),
    prewhitening: newPrewhitening(),
    kept: newKeptPanes(),
    cusum: newCusum(),
    eCusum: newRankDetector(),
    eShiryaevRoberts: newRankDetector(),
    recent: []
  };
}
function observeRanked(state, { value, weight, teaches }, pane, options) {
  const { from, to, slot } = pane;
  const { detectors, learn, seasonMs = null } = options;
  const score = seasonalScore(state.score, value, weight, slot, learn, teaches);
  const hasRanks = detectors.includes("e-cusum") || detectors.includes("e-sr");
  const added = { value, weight, slot, from, to };
  const kept = hasRanks ? keptWith(state.kept, added, teaches, seasonMs !== null) : null;
  if (score === null) return null;
  const z = prewhiten(state.prewhitening, score, to, to - from, teaches, CORRELATED);
  const eValues = kept === null ? [] : rankEValues(newestCell(kept));
  state.recent.push({ from, z });
  if (state.recent.length > DATED_PANES) state.recent.shift();
  const held2 = /* @__PURE__ */ new Map();
  for (const name of LEVEL_DETECTORS) {
    if (!detectors.includes(name)) continue;
    held2.set(name, dated(state.recent, step2(state, name, { eValues, z, from }, options)));
  }
  return held2;
}
function step2(state, detector, pane, { allowance }) {
  if (detector === "cusum") return cusum(state.cusum, clipped2(pane.z), pane.from, allowance);
  if (detector === "e-cusum") return rankECusum(state.eCusum, pane);
  return rankShiryaevRoberts(state.eShiryaevRoberts, pane);
}
function restartRanked(state, detector) {
  if (detector === "cusum") state.cusum = newCusum();
  else if (detector === "e-cusum") state.eCusum = newRankDetector();
  else state.eShiryaevRoberts = newRankDetector();
}
function keptWith(kept, pane, teaches, hasSeason) {
  if (!teaches) return withPane(kept, pane, hasSeason);
  keep(kept, pane, hasSeason);
  return kept;
}
function clipped2(z) {
  return Math.max(-CLIP2, Math.min(CLIP2, z));
}

// src/drift/shares/shares.ts
var PSEUDO_COUNT = 0.5;
function smoothedShares(counts) {
  const total3 = counts.reduce((sum3, count) => sum3 + count + PSEUDO_COUNT, 0);
  return counts.map((count) => (count + PSEUDO_COUNT) / total3);
}

// src/drift/shares/jensen-shannon.ts
function jensenShannon(counts, reference) {
  const q = smoothedShares(reference);
  return smoothedShares(counts).reduce((sum3, p, b) => {
    const r = (p + q[b]) / 2;
    return sum3 + (p * Math.log(p / r) + q[b] * Math.log(q[b] / r)) / 2;
  }, 0);
}

// src/drift/shares/psi.ts
function populationStabilityIndex(counts, reference) {
  const q = smoothedShares(reference);
  return smoothedShares(counts).reduce((sum3, p, b) => sum3 + (p - q[b]) * Math.log(p / q[b]), 0);
}

// src/drift/shares/homogeneity.ts
var DIVERGENCES = {
  psi: { of: populationStabilityIndex, scale: 1 },
  js: { of: jensenShannon, scale: 8 }
};
var LEAST2 = 1e-300;
function newHomogeneity() {
  return { reference: [], panes: 0, statistic: 0, df: 0 };
}
function homogeneity(state, counts, divergence, designEffect, learn, teaches = true) {
  const events = total(counts);
  if (events === 0) return null;
  const before2 = total(state.reference);
  let score = null;
  if (before2 > 0) {
    const { of, scale } = DIVERGENCES[divergence];
    const [now, then] = occupied(counts, state.reference);
    const df = now.length - 1;
    const statistic = scale * of(now, then) / (1 / events + 1 / before2);
    if (state.panes >= Math.max(2, learn) && state.df > 0 && df > 0) {
      const effect = Math.max(1, designEffect, state.statistic / state.df);
      const tail = fTail(statistic / effect / df, df, state.df);
      score = -Math.log10(Math.max(LEAST2, tail));
    }
    if (teaches) {
      state.statistic += statistic;
      state.df += df;
    }
  }
  if (!teaches) return score;
  state.reference = counts.map((count, b) => count + (state.reference[b] ?? 0));
  state.panes++;
  return score;
}
function occupied(counts, reference) {
  const bins = counts.flatMap((count, b) => count + reference[b] > 0 ? [b] : []);
  return [bins.map((b) => counts[b]), bins.map((b) => reference[b])];
}
function fTail(f, d1, d2) {
  const x = d2 / (d2 + d1 * f);
  return incompleteBeta(x, d1 * f / (d2 + d1 * f), d2 / 2, d1 / 2);
}
function total(counts) {
  return counts.reduce((sum3, count) => sum3 + count, 0);
}

// src/drift/series-state.ts
function observe(own, reading, pane, options) {
  if (reading.kind === "level") return levelEvidence(own, reading, pane, options);
  if (reading.kind === "shares") return shareEvidence(own, reading, pane, options);
  return presenceEvidence(own, reading, pane, options);
}
function levelEvidence(own, { value, weight, reason }, pane, options) {
  const teaches = reason === null;
  let evidence;
  if (options.standardisation === "ranks") {
    own.ranked ??= newRankedSeries();
    evidence = observeRanked(own.ranked, { value, weight, teaches }, pane, options);
  } else {
    own.level ??= newLevelSeries();
    evidence = observeLevel(own.level, value, weight, teaches, pane, options);
  }
  const asked = options.detectors.filter((name) => !isOfShares(name) && !isOfPresence(name));
  return asked.map((name) => [name, evidence?.get(name) ?? null]);
}
function shareEvidence(own, { counts, designEffect, reason }, pane, options) {
  own.shares ??= {};
  const { shares: shares2 } = own;
  return options.detectors.filter(isOfShares).map((name) => {
    shares2[name] ??= newHomogeneity();
    const { learn } = options;
    const teaches = reason === null;
    const score = homogeneity(shares2[name], counts, name, designEffect, learn, teaches);
    return [name, score === null ? null : { score, since: pane.from, size: null }];
  });
}
function presenceEvidence(own, { hasLists, reason }, pane, options) {
  own.presence ??= newPresenceSeries();
  const evidence = reason === null ? observePresence(own.presence, hasLists, pane, options) : null;
  return options.detectors.filter(isOfPresence).map((name) => [name, evidence]);
}
function isOfShares(name) {
  return SHARE_DETECTORS.includes(name);
}
function isOfPresence(name) {
  return PRESENCE_DETECTORS.includes(name);
}
function comparedWith({ level, ranked }, slot) {
  if (ranked !== void 0) return baselineOf(ranked.score, slot);
  return level?.standardisation.slots[String(slot)];
}
function restart(own, detector, forget) {
  if (isOfPresence(detector)) {
    if (own.presence !== void 0) restartPresence(own.presence);
  } else if (isOfShares(detector)) {
    if (forget) delete own.shares?.[detector];
  } else if (forget) {
    delete own.level;
    delete own.ranked;
  } else {
    if (own.level !== void 0) restartLevel(own.level, detector);
    if (own.ranked !== void 0) restartRanked(own.ranked, detector);
  }
}

// src/drift/watch.ts
var UNUSUAL_VOLUME = 2;
function watch(state, readings, pane, options) {
  const found = readings.flatMap((reading) => {
    state[reading.series] ??= {};
    const own = state[reading.series];
    const reason = reading.reason ?? unusualVolume(own, reading, pane.slot);
    if (reason !== null) own.unsound = { to: pane.to, reason };
    const held2 = observe(own, reading, pane, options);
    return held2.map(([detector, evidence]) => ({ reading, detector, evidence }));
  });
  const judged = /* @__PURE__ */ new Map();
  for (const { detector, evidence } of found) {
    if (evidence !== null) judged.set(detector, (judged.get(detector) ?? 0) + 1);
  }
  return found.map(({ reading, detector, evidence }) => {
    const threshold = thresholdOf(detector, judged.get(detector) ?? 0, options);
    const hasFired = evidence !== null && evidence.score >= threshold;
    const { series: series2, model } = reading;
    const suppressed = evidence === null ? null : unsoundSince(state[series2], evidence.since);
    if (hasFired) restart(state[series2], detector, suppressed === null);
    return { series: series2, model, detector, evidence, threshold, hasFired, suppressed };
  });
}
function thresholdOf(detector, series2, options) {
  const { allowance, threshold, guarantee } = options;
  if (detector === "cusum") return cusumThreshold(threshold, allowance, series2);
  const together = guarantee * Math.max(1, series2);
  return isOfShares(detector) ? Math.log10(together) : together;
}
function unusualVolume(own, reading, slot) {
  if (reading.kind !== "level" || !reading.dependsOnVolume) return null;
  const known = comparedWith(own, slot);
  if (known === void 0) return null;
  const times = reading.weight * known.values / known.weight;
  if (times <= UNUSUAL_VOLUME && times >= 1 / UNUSUAL_VOLUME) return null;
  return `${times.toFixed(times < 1 ? 2 : 1)} times the usual number of events`;
}
function unsoundSince({ unsound }, since) {
  return unsound !== void 0 && unsound.to > since ? unsound.reason : null;
}

// src/state/counts/levels.ts
function levelsOf(counts, items) {
  const small = new Float64Array(SMALL_COUNT);
  const values = new Float64Array(items);
  let size2 = 0;
  let seen = 0;
  let total3 = 0;
  for (let item = 0; item < items; item++) {
    const n = counts[item];
    if (!(n > 0)) continue;
    seen++;
    total3 += n;
    if (!isSmall(n)) values[size2++] = n;
    else if (++small[n] === 1) values[size2++] = n;
  }
  const sorted = values.subarray(0, size2).sort();
  const count = new Float64Array(size2);
  const itemsAt = new Float64Array(size2);
  let levels = 0;
  for (let at = 0; at < size2; levels++) {
    const n = sorted[at];
    count[levels] = n;
    if (isSmall(n)) itemsAt[levels] = small[n];
    while (at < size2 && sorted[at] === n) {
      at++;
      if (!isSmall(n)) itemsAt[levels]++;
    }
  }
  return { count: count.subarray(0, levels), items: itemsAt.subarray(0, levels), seen, total: total3 };
}
function isSmall(n) {
  return n < SMALL_COUNT && Math.trunc(n) === n;
}
var SMALL_COUNT = 4096;
function concentration(counts, items, catalogueSize) {
  return levelConcentration(levelsOf(counts, items), catalogueSize);
}
function levelConcentration(levels, catalogueSize) {
  const { total: total3, seen } = levels;
  if (total3 === 0) return { total: 0, gini: 0, hhi: 0, coverage: 0, entropy: 0, topShare: 0 };
  const size2 = Math.max(catalogueSize, seen);
  const top = Math.max(1, Math.floor(size2 / 100));
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
    total: total3,
    gini: 1 - tailSquares / (size2 * total3),
    hhi: squares / (total3 * total3),
    coverage: seen / size2,
    entropy: Math.max(0, Math.log(total3) - logs / total3),
    topShare: topTotal / total3
  };
}
function averagePopularity(counts, popularity, items) {
  let total3 = 0;
  let weighted2 = 0;
  for (let item = 0; item < items; item++) {
    total3 += counts[item];
    weighted2 += counts[item] * popularity[item];
  }
  return total3 === 0 ? 0 : weighted2 / total3;
}
var LORENZ_PARTS = 100;
function lorenzCurve({ count, items, seen, total: total3 }, catalogueSize) {
  if (total3 === 0) return [];
  const size2 = Math.max(catalogueSize, seen);
  const curve = [];
  let itemsBelow = size2 - seen;
  let sumBelow = 0;
  let level = 0;
  for (let part = 0; part < LORENZ_PARTS; part++) {
    const wanted = part * size2 / LORENZ_PARTS;
    while (level < count.length && itemsBelow + items[level] <= wanted) {
      itemsBelow += items[level];
      sumBelow += items[level] * count[level++];
    }
    const into = level < count.length ? Math.max(0, wanted - itemsBelow) * count[level] : 0;
    curve.push((sumBelow + into) / total3);
  }
  return [...curve, 1];
}

// src/drift/shares/popularity-bins.ts
var EQUAL_BINS = 10;
var POPULARITY_BINS = EQUAL_BINS + 1;
function popularityBins(popularity, items) {
  const { count, items: at, total: total3 } = levelsOf(popularity, items);
  const binOf3 = /* @__PURE__ */ new Map();
  let below = 0;
  for (let level = 0; level < count.length; level++) {
    const share2 = count[level] * at[level];
    const middle = (below + share2 / 2) / total3;
    binOf3.set(count[level], Math.min(EQUAL_BINS - 1, Math.floor(EQUAL_BINS * middle)));
    below += share2;
  }
  const bins = new Uint8Array(items);
  for (let item = 0; item < items; item++) {
    const n = popularity[item];
    bins[item] = n > 0 ? binOf3.get(n) : EQUAL_BINS;
  }
  return bins;
}
function binned(counts, size2, bins) {
  const sums = new Array(POPULARITY_BINS).fill(0);
  for (let item = 0; item < size2; item++) {
    sums[item < bins.length ? bins[item] : EQUAL_BINS] += counts[item];
  }
  return sums;
}

// src/estimators/aggregations.ts
var AGGREGATIONS = ["user", "pooled"];

// src/estimators/names.ts
var STRATEGIES = [
  "wtd_h",
  "wtd",
  "skew",
  "reg",
  "full",
  "wtd_ipf"
];
var UNCORRECTED = "naive";
var LEADING = "snips";

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
  add(rows2) {
    for (let u = 0; u < rows2.users; u++) this.#addUser(rows2, rows2.start[u], rows2.start[u + 1]);
  }
  merge(other) {
    this.#users += other.#users;
    this.#root += other.#root;
    this.#linear += other.#linear;
  }
  #addUser(selection, from, to) {
    const [rows2, sums] = [this.#rows.fill(0), this.#sums.fill(0)];
    let n = 0;
    for (let i = from; i < to; i++) {
      const inverse = this.#inverseOf(selection, i);
      rows2[selection.stratum[i]]++;
      sums[selection.stratum[i]] += inverse;
      n += inverse;
    }
    let squares = 0;
    let largest = 0;
    for (let v = 0; v < rows2.length; v++) {
      if (rows2[v] === 0) continue;
      squares += sums[v] ** 2 / rows2[v];
      largest = Math.max(largest, sums[v] / rows2[v]);
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
    const log2 = Math.log(4 * this.#users / ALPHA);
    const half = (Math.sqrt(log2) * this.#root + log2 * this.#linear) / this.#users;
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
  const rows2 = new Float64Array(strata);
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
        let total3 = 0;
        let slope = 0;
        for (let i = from; i < to; i++) {
          rows2[stratum[i]]++;
          sums[stratum[i]] += weight[i];
          slopes[stratum[i]] += weightSlope[i];
          total3 += weight[i];
          slope += weightSlope[i];
        }
        out.userDenominator.values[u] = total3 > 0 ? 1 : 0;
        const scale = total3 > 0 ? 1 / total3 : 0;
        for (let i = from; i < to; i++) {
          const v = stratum[i];
          out.pooled[i] = mean[v];
          slopeTotal += meanSlope[v];
          if (gainful[i] === 0) continue;
          out.user[i] = sums[v] / rows2[v] * scale;
          out.userSlope[i] = (slopes[v] - sums[v] * slope * scale) / rows2[v] * scale;
          out.pooledSlope[i] = meanSlope[v];
        }
        let own = 0;
        for (let i = from; i < to; i++) {
          const v = stratum[i];
          if (rows2[v] === 0) continue;
          own += sums[v] * sums[v] / rows2[v];
          rows2[v] = 0;
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
  const squares = gains.reduce((sum3, gain) => sum3 + gain * gain, 0);
  return Math.sqrt(Math.log(2 / ALPHA2) / 2 * users * squares) * largestInverse / (users * items);
}
var BOUND2 = "ips-hoeffding";
function ipsBound({ inverse }, { guarantees: guarantees2, catalogueSize }) {
  if (!guarantees2.includes(BOUND2) || inverse === null) return () => ({});
  const largest = inverse.reduce((a, b) => Math.max(a, b), 0);
  return ({ users, value }, { table, set: set2 }) => {
    if (table === null || set2 !== null) return {};
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
    weigh({ rows: rows2, users, row, item, part }, out) {
      out.user.fill(0, 0, rows2);
      out.userSlope.fill(0, 0, rows2);
      out.userDenominator.values.fill(0, 0, users);
      const logged = part.propensity;
      for (let i = 0; i < rows2; i++) {
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
function effectiveSampleSize(sum3, sumOfSquares) {
  return sumOfSquares > 0 ? sum3 * sum3 / sumOfSquares : 0;
}
var FEW_USERS = 30;

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
  add(rows2, { pooled, pooledDenominator, pooledSquares }, measured) {
    for (let u = 0; u < rows2.users; u++) {
      const size2 = effectiveSampleSize(pooledDenominator.values[u], pooledSquares[u]);
      if (size2 > 0) this.#users[binOf(size2)]++;
    }
    measured.forEach(({ hits: { row, user, gain, size: size2 }, set: set2 }, m) => {
      if (set2 !== null) return;
      for (let h = 0; h < size2; h++) {
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
function binOf(size2) {
  return Math.min(BINS - 1, Math.max(0, Math.round(Math.log2(size2) * BINS_PER_DOUBLING)));
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
        let total3 = 0;
        let slope = 0;
        for (let i = start[u]; i < start[u + 1]; i++) {
          out.pooled[i] = weight[i];
          total3 += weight[i];
          slope += weightSlope[i];
        }
        slopeTotal += slope;
        out.userDenominator.values[u] = total3 > 0 ? 1 : 0;
        weighUser(selection, start[u], start[u + 1], total3, slope, out);
      }
      out.pooledSlopeTotal = slopeTotal;
    }
  };
}
function weighUser({ weight, weightSlope, gainful }, from, to, total3, slope, out) {
  const scale = total3 > 0 ? 1 / total3 : 0;
  let squares = 0;
  let slopeOfSquares = 0;
  for (let i = from; i < to; i++) {
    const share2 = weight[i] * scale;
    squares += share2 * share2;
    slopeOfSquares += 2 * share2 * (weightSlope[i] - share2 * slope) * scale;
  }
  const factor = to - from > 1 ? (to - from) / (to - from - 1) : 0;
  for (let i = from; i < to; i++) {
    if (gainful[i] === 0) continue;
    const share2 = weight[i] * scale;
    const ofShare = (weightSlope[i] - share2 * slope) * scale;
    const excess = factor * (share2 - squares);
    out.user[i] = share2 * (1 + excess);
    out.userSlope[i] = ofShare * (1 + excess) + share2 * factor * (ofShare - slopeOfSquares);
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
        let total3 = 0;
        let slope = 0;
        for (let i = start[u]; i < start[u + 1]; i++) {
          total3 += weight[i];
          slope += weightSlope[i];
        }
        slopeTotal += slope;
        out.userDenominator.values[u] = total3 > 0 ? 1 : 0;
        const scale = total3 > 0 ? 1 / total3 : 0;
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
var REFUSED_ESTIMATORS = {
  dr: "needs explicit predicted ratings, which this version does not evaluate"
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
function restsOnGamma(name) {
  return estimatorOf(name).needs.itemWeights === true;
}

// src/stream/drift/drift-readings.ts
function* driftReadings(snapshot, counts, options) {
  const window = snapshot.windows.find(({ from, to }) => to - from === options.windowMs);
  if (window === void 0) return [];
  const readings = estimateReadings(snapshot, window, options);
  let bins = new Uint8Array(0);
  for (const traffic2 of trafficsOf(counts, options.windowMs)) {
    if (traffic2.model === null) {
      bins = popularityBins(new Float64Array(traffic2.before), traffic2.before.length);
      yield;
    }
    readings.push(...trafficReadings(traffic2, bins, window, snapshot.catalogueSize));
    yield;
  }
  return readings;
}
function* trafficsOf({ popularity, models }, windowMs) {
  yield traffic(null, popularity.popularity(windowMs), popularity.popularity());
  for (const { name, id } of models) {
    if (id >= popularity.models) continue;
    yield traffic(name, popularity.exposures(id, windowMs), popularity.exposures(id));
  }
}
function traffic(model, window, horizon) {
  const now = window.counts.subarray(0, window.size);
  const before2 = horizon.counts.slice(0, horizon.size);
  for (let item = 0; item < now.length; item++) before2[item] -= now[item];
  return { model, now, before: before2 };
}
function estimateReadings(snapshot, window, { metric: watched, estimators, standardisation }) {
  if (watched === void 0) return [];
  const { metric, k } = watched;
  const label = k === null ? metric : `${metric}@${k}`;
  const isWatched = (row) => row.metric === metric && row.k === k && // Per-user values of short windows are naive: most users have one event there.
  row.aggregation === "pooled" && row.model !== snapshot.baseline && estimators.includes(row.estimator);
  const rows2 = window.results.filter(isWatched);
  const weight = standardisation === "ranks" ? ({ ess }) => ess : ({ stdErr }) => stdErr > 0 ? stdErr ** -2 : 0;
  const usable = rows2.filter((row) => Number.isFinite(row.value) && weight(row) > 0);
  const readings = [];
  for (const row of insteadOfWithheld(rows2, window).filter(isWatched)) {
    if (!(Number.isFinite(row.value) && weight(row) > 0)) continue;
    readings.push({
      ...{ kind: "level", model: row.model, value: row.value, dependsOnVolume: false },
      ...{ series: `uncaused/${row.estimator}/${label}/${row.model}`, weight: weight(row) },
      reason: unsoundEstimate(row, snapshot)
    });
  }
  readings.push(...rewardReadings(window, weight));
  for (const row of usable) {
    const { model, estimator, value } = row;
    const add = (kind, of, reason2) => readings.push({
      ...{ kind: "level", model, value: of, reason: reason2, dependsOnVolume: false },
      series: `${kind}/${estimator}/${label}/${model}`,
      ...{ weight: weight(row), restsOnGamma: restsOnGamma(estimator) }
    });
    const reason = unsoundEstimate(row, snapshot);
    add("estimate", value, reason);
    const naive2 = rows2.find((other) => other.model === model && other.estimator === UNCORRECTED);
    if (naive2 !== void 0 && estimator !== UNCORRECTED) add("gap", naive2.value - value, reason);
  }
  return readings;
}
function insteadOfWithheld(rows2, { feedback }) {
  const withheld = new Set(rows2.flatMap((row) => row.withheld ? [nameOf(row)] : []));
  if (withheld.size === 0) return [];
  return (feedback?.uncaused?.results ?? []).filter((row) => withheld.has(nameOf(row)));
}
function rewardReadings({ onPolicy, leads }, weight) {
  if (onPolicy === void 0 || leads !== "on_policy") return [];
  const usable = onPolicy.values.filter((row) => Number.isFinite(row.value) && weight(row) > 0);
  return usable.map((row) => ({
    ...{ kind: "level", series: `on_policy/${row.model}`, model: row.model, value: row.value },
    ...{ weight: weight(row), reason: tooFewUsers(row), dependsOnVolume: false }
  }));
}
function tooFewUsers({ ess }) {
  return ess >= FEW_USERS ? null : `effective sample size ${ess.toFixed(1)} is below ${FEW_USERS}`;
}
function unsoundEstimate({ ess, estimator }, { propensity: { source, fits, auto } }) {
  const few = tooFewUsers({ ess });
  if (few !== null) return few;
  if (!restsOnGamma(estimator)) return null;
  if (auto?.asking !== void 0) {
    return `\u03B3 is ${source} and may soon be ${auto.asking.source}`;
  }
  const status = fits["*"]?.status;
  const isGood = auto !== void 0 || source === "fixed" || status === "ok";
  return isGood ? null : `the fit of \u03B3 is ${status}`;
}
function trafficReadings({ model, now, before: before2 }, bins, { counts, effectiveSampleSizes }, catalogueSize) {
  const name = model === null ? "interactions" : `exposures/${model}`;
  const levels = levelsOf(new Float64Array(now), now.length);
  if (levels.total === 0) return [];
  const { gini, total: total3 } = levelConcentration(levels, catalogueSize);
  const few = counts.users < FEW_USERS;
  const reason = few ? `${counts.users} users are fewer than ${FEW_USERS}` : null;
  const level = {
    ...{ kind: "level", series: `gini/${name}`, model, value: gini, weight: total3 },
    ...{ reason, dependsOnVolume: true }
  };
  if (!before2.some((count) => count > 0)) return [level];
  const shares2 = {
    ...{ kind: "shares", series: `popularity/${name}`, model, reason },
    counts: binned(now, now.length, bins),
    designEffect: userDesignEffect(effectiveSampleSizes)
  };
  return [level, shares2];
}
function userDesignEffect(sizes) {
  return sizes.filter(({ estimator, users }) => estimator === UNCORRECTED && users > 0).reduce((largest, { events, users }) => Math.max(largest, events / users), 1);
}

// src/stream/drift/model-lists.ts
var PREFIX = "lists/";
function newModelLists() {
  return { seen: [], notedTo: null, stretches: 0 };
}
function noteLists(state, listing, paneEnd, stretchMs) {
  const { notedTo } = state;
  if (notedTo !== null && paneEnd <= notedTo) return;
  const stretch = (end) => Math.ceil(end / stretchMs);
  const isSame = notedTo !== null && stretch(notedTo) === stretch(paneEnd);
  state.seen = [.../* @__PURE__ */ new Set([...isSame ? state.seen : [], ...listing])].sort();
  state.notedTo = paneEnd;
}
function newModels({ seen, stretches }, known, learn) {
  if (stretches < learn) return [];
  return seen.filter((model) => !known.includes(PREFIX + model));
}
function presenceReadings(state, known, { windows: windows2 }, stretchMs) {
  const window = windows2.find(({ from, to }) => to - from === stretchMs);
  if (window === void 0) return [];
  if (window.counts.interactions === 0 && state.seen.length === 0) return [];
  state.stretches++;
  const { users } = window.counts;
  const reason = users < FEW_USERS ? `${users} users are fewer than ${FEW_USERS}` : null;
  const seen = state.seen.map((model) => PREFIX + model);
  const watched = known.filter((series2) => series2.startsWith(PREFIX));
  return [.../* @__PURE__ */ new Set([...watched, ...seen])].sort().map((series2) => ({
    ...{ kind: "presence", series: series2, model: series2.slice(PREFIX.length), reason },
    hasLists: seen.includes(series2)
  }));
}

// src/stream/drift/alarm-evidence.ts
var TOP_ITEMS = 5;
function topItems({ now, before: before2 }, names) {
  const totals = [total2(now), total2(before2)];
  const share2 = (counts, item, sum3) => sum3 === 0 ? 0 : (counts[item] ?? 0) / sum3;
  let top = [];
  for (let item = 0; item < Math.max(now.length, before2.length); item++) {
    const own = { share: share2(now, item, totals[0]), before: share2(before2, item, totals[1]) };
    const moved = Math.abs(own.share - own.before);
    if (moved === 0 || top.length === TOP_ITEMS && moved < top[TOP_ITEMS - 1].moved) continue;
    top = [...top, { item, ...own, moved }].sort((a, b) => b.moved - a.moved || names.compare(a.item, b.item)).slice(0, TOP_ITEMS);
  }
  return top.map(({ item, share: share3, before: before3 }) => ({ item: names.text(item), share: share3, before: before3 }));
}
function* hitShift(panes, model, depth, firstPane, items) {
  const shift = { now: new Float64Array(items), before: new Float64Array(items) };
  for (const { pane, length, item, flags, ranks } of panes) {
    const counts = pane >= firstPane ? shift.now : shift.before;
    const rank = ranks[model];
    for (let r = 0; rank !== void 0 && r < length; r++) {
      if ((flags[r] & POSITIVE) !== 0 && rank[r] < depth) counts[item[r]]++;
    }
    yield;
  }
  return shift;
}
function* modelsBehind({ now, before: before2 }, traffics) {
  const past = shares(before2);
  const rises = shares(now).map((share2, item) => share2 - (past[item] ?? 0));
  const found = [];
  for (const { model, now: shown2, before: earlier } of traffics) {
    yield;
    if (model === null) continue;
    const own = shares(earlier);
    const turned = shares(shown2).reduce(
      (sum3, share2, item) => sum3 + (share2 - (own[item] ?? 0)) * (rises[item] ?? 0),
      0
    );
    if (turned > 0) found.push({ model, turned });
  }
  found.sort((a, b) => b.turned - a.turned || (a.model < b.model ? -1 : 1));
  return found.map(({ model }) => model);
}
function shares(counts) {
  const sum3 = total2(counts);
  return Float64Array.from(counts, (count) => sum3 === 0 ? 0 : count / sum3);
}
function total2(counts) {
  let sum3 = 0;
  for (let item = 0; item < counts.length; item++) sum3 += counts[item];
  return sum3;
}

// src/stream/drift/raised-alarm.ts
var DEPTH_WITHOUT_CUT_OFF = 10;
function* raisedAlarm(judgement, pane, sources, options) {
  const { series: series2, model, detector, threshold, suppressed } = judgement;
  const { score, since, size: size2 } = judgement.evidence;
  const found = { series: series2, detector, since, at: pane.to, score, threshold, size: size2, suppressed };
  if (detector === "vanished") return { ...found, models: [model], topItems: [] };
  const traffics = [];
  for (const traffic2 of trafficsOf(sources, options.windowMs)) {
    traffics.push(traffic2);
    yield;
  }
  const ofTraffic = series2.startsWith("gini/") || series2.startsWith("popularity/");
  const shift = ofTraffic ? traffics.find((traffic2) => traffic2.model === model) : yield* hits(model, since, sources, options, traffics);
  return {
    ...found,
    models: model === null ? yield* modelsBehind(shift, traffics) : [model],
    topItems: topItems(shift, sources.items)
  };
}
function* hits(model, since, { rows: rows2, models, items, tickMs }, { metric }, traffics) {
  const id = models.find(({ name }) => name === model).id;
  const depth = metric?.k ?? DEPTH_WITHOUT_CUT_OFF;
  const shift = yield* hitShift(rows2, id, depth, Math.floor(since / tickMs), items.size);
  if (Array.prototype.some.call(shift.before, (count) => count > 0)) return shift;
  return { now: shift.now, before: traffics[0].before };
}

// src/stream/drift/drift-monitor.ts
var HOUR_MS = 36e5;
var DriftMonitor = class {
  #options;
  #state = { series: {}, scores: [], held: [], observedTo: null };
  /** The series are much, and change only where a stretch ends. */
  #storedSeries;
  constructor(options) {
    this.#options = options;
  }
  /** What `restore` takes; to be asked for between two ticks. */
  stored() {
    const { series: series2, ...rest } = this.#state;
    this.#storedSeries ??= JSON.stringify(series2);
    const others = JSON.stringify(rest).slice(1);
    const options = JSON.stringify(this.#options);
    return `{"options":${options},"state":{"series":${this.#storedSeries},${others}}`;
  }
  /** Goes on from a stored state. One of other options says nothing here: detectors start anew. */
  restore(stored) {
    const { options, state } = JSON.parse(stored);
    if (JSON.stringify(options) !== JSON.stringify(this.#options)) return;
    this.#state = state;
    this.#storedSeries = void 0;
  }
  /** The snapshot with its alarms; detectors go on only where a stretch ends. */
  *observe(snapshot, sources) {
    const state = this.#state;
    const { paneEnd } = snapshot;
    state.held = state.held.filter(({ until }) => until > paneEnd);
    this.#noteLists(snapshot, sources);
    const isNew = state.observedTo === null || paneEnd > state.observedTo;
    if (isNew && paneEnd % this.#options.windowMs === 0) {
      this.#storedSeries = void 0;
      yield* this.#judge(snapshot, sources);
      state.observedTo = paneEnd;
    }
    return {
      ...{ ...snapshot, alarms: state.held.map(({ alarm }) => alarm), drift: state.scores },
      ...state.notices && { notices: state.notices.map(({ notice }) => notice) }
    };
  }
  #noteLists({ paneEnd }, { listing = [] }) {
    if (!this.#options.detectors.includes("vanished")) return;
    const state = this.#state;
    state.lists ??= newModelLists();
    state.notices = (state.notices ?? []).filter(({ until }) => until > paneEnd);
    noteLists(state.lists, listing, paneEnd, this.#options.windowMs);
  }
  /** What the pane says of who sends lists; new models are noticed. */
  #presence(snapshot, pane) {
    const { lists, notices, series: series2 } = this.#state;
    if (lists === void 0 || notices === void 0) return [];
    const { learn, hold, windowMs } = this.#options;
    const until = pane.to + hold * windowMs;
    const known = Object.keys(series2);
    for (const model of newModels(lists, known, learn)) {
      notices.push({ notice: { kind: "new_model", model, since: pane.from, at: pane.to }, until });
    }
    return presenceReadings(lists, known, snapshot, windowMs);
  }
  /** Under a γ from elsewhere a series is another one: what was normal of it is learned again. */
  #forgetOtherGamma({ propensity }, readings) {
    const state = this.#state;
    const source = propensity.source === "last_good" ? "fit" : propensity.source;
    const before2 = state.gammaSource ?? source;
    state.gammaSource = source;
    if (before2 === source) return;
    for (const reading of readings) {
      if (reading.kind === "level" && reading.restsOnGamma) delete state.series[reading.series];
    }
  }
  *#judge(snapshot, sources) {
    const options = this.#options;
    const state = this.#state;
    const pane = paneOf(snapshot.paneEnd, options);
    const readings = yield* driftReadings(snapshot, sources, options);
    this.#forgetOtherGamma(snapshot, readings);
    readings.push(...this.#presence(snapshot, pane));
    const judgements = watch(state.series, readings, pane, options);
    state.scores = judgements.map(({ series: series2, model, detector, evidence, threshold }) => ({
      ...{ series: series2, model, detector, score: evidence?.score ?? null, threshold }
    }));
    yield;
    for (const judgement of judgements.filter(({ hasFired }) => hasFired)) {
      const alarm = yield* raisedAlarm(judgement, pane, sources, options);
      const { series: series2, detector } = alarm;
      const others = state.held.filter(
        ({ alarm: held2 }) => held2.series !== series2 || held2.detector !== detector
      );
      const until = pane.to + options.hold * options.windowMs;
      state.held = [...others, { alarm, until }];
    }
  }
};
function paneOf(to, { windowMs, seasonMs }) {
  const from = to - windowMs;
  if (seasonMs === null) return { from, to, slot: 0 };
  return { from, to, slot: Math.floor(from % seasonMs / Math.max(HOUR_MS, windowMs)) };
}

// src/propensity/gamma-source.ts
var MOST_BETA_ERROR = { toBegin: 0.15, toStay: 0.2 };
var MOST_FIT_ERROR_TO_STAY = 2 * MOST_BETA_ERROR.toBegin;
var FARTHEST_TO_STAY = 0.15;
var LEAST_BETA = 0;
var MOST_BETA = 1.5;
var Z = 1.96;
function chosenGamma({
  calibration: { status, beta, stdErr, lower, upper },
  exposures
}, assumed, used) {
  const most = used === "calibrated" ? MOST_BETA_ERROR.toStay : MOST_BETA_ERROR.toBegin;
  if (status === "ok" && stdErr <= most) {
    const within = Math.min(MOST_BETA, Math.max(LEAST_BETA, beta));
    return { source: "calibrated", gamma: 2 * within - 1, stdErr: (upper - lower) / Z };
  }
  const fit = fittedGamma(exposures);
  if (exposures.status === "ok" || used === "fit" && mayStay(exposures, fit)) return fit;
  return { source: "assumed", gamma: assumed, stdErr: 0 };
}
function fittedGamma({ split: { gamma }, lower, upper }) {
  const half = Math.max(upper - gamma, gamma - lower);
  return { source: "fit", gamma, stdErr: half / Z };
}
function mayStay({ split, poisson }, { gamma, stdErr }) {
  const isNear = Math.abs(split.gamma - poisson.gamma) <= FARTHEST_TO_STAY * Math.max(1, Math.abs(gamma));
  return isNear && stdErr <= MOST_FIT_ERROR_TO_STAY;
}
var TICKS_TO_CHANGE = 3;
function settled(before2, chosen2) {
  if (before2 === void 0 || chosen2.source === before2.used.source) {
    return { used: chosen2, ticks: 0 };
  }
  const ticks = chosen2.source === before2.asking ? before2.ticks + 1 : 1;
  if (ticks >= TICKS_TO_CHANGE) return { used: chosen2, ticks: 0 };
  return { used: before2.used, asking: chosen2.source, ticks };
}

// src/stream/tick/gamma-choice.ts
var GammaChoice = class {
  #use;
  #default;
  #fit;
  #lastGood;
  #auto;
  constructor(use, fallback, fit) {
    this.#use = use;
    this.#default = fallback;
    this.#fit = fit;
  }
  /** Whether it needs evidence. */
  get isAuto() {
    return this.#use === "auto";
  }
  /** The last fit that was `ok`, or how γ was settled; undefined before the first. */
  get lastGood() {
    if (this.#auto === void 0) return this.#lastGood;
    const { gamma, stdErr } = this.#auto.now.used;
    return { gamma, stdErr, auto: this.#auto };
  }
  /** Goes on from ticks that another process made. */
  resume(lastGood) {
    if (this.isAuto) this.#auto = lastGood?.auto;
    else if (lastGood?.auto === void 0) this.#lastGood = lastGood;
  }
  /**
   * @param fits per model, and under `*` for all models together.
   * @param evidence what `auto` chooses by. @param paneEnd of the tick, event time, ms.
   */
  report(fits, evidence, paneEnd = Number.POSITIVE_INFINITY) {
    return evidence === void 0 ? this.#fitted(fits) : this.#settled(fits, evidence, paneEnd);
  }
  #settled(fits, evidence, paneEnd) {
    const last = this.#auto;
    const before2 = last?.paneEnd === paneEnd ? last.before : last?.now;
    const now = settled(before2, chosenGamma(evidence, this.#default, before2?.used.source));
    this.#auto = { paneEnd, now, ...before2 === void 0 ? {} : { before: before2 } };
    const { gamma, stdErr, source } = now.used;
    const { asking, ticks } = now;
    const waiting = asking === void 0 ? {} : { asking: { source: asking, ticks } };
    return {
      ...{ gamma, gammaStdErr: stdErr, beta: (gamma + 1) / 2, source, fit: this.#fit, fits },
      auto: { ...evidence, ...waiting }
    };
  }
  #fitted(fits) {
    const all = fits["*"];
    const { gamma: fitted, stdErr: error } = all[this.#fit];
    const good = all.status === "ok" && Number.isFinite(fitted) && Number.isFinite(error);
    const had = this.#lastGood;
    if (good) this.#lastGood = { gamma: fitted, stdErr: error };
    const { gamma, stdErr, source } = this.#choose(good);
    const stale = had !== void 0 && all.levels === 0;
    return {
      gamma,
      gammaStdErr: stdErr,
      beta: (gamma + 1) / 2,
      source,
      fit: this.#fit,
      fits: stale ? { ...fits, "*": { ...all, status: "stale" } } : fits
    };
  }
  #choose(good) {
    if (typeof this.#use === "number") return { gamma: this.#use, stdErr: 0, source: "fixed" };
    if (this.#lastGood === void 0) return { gamma: this.#default, stdErr: 0, source: "assumed" };
    return { ...this.#lastGood, source: good ? "fit" : "last_good" };
  }
};

// src/stream/tick/learned.ts
var Learned = class {
  gamma;
  /** Undefined where nothing is watched for changes. */
  drift;
  /** What is withheld is given again later than it was withheld: so the tick before counts. */
  #withheld = /* @__PURE__ */ new Map();
  constructor({ gamma, drift }) {
    this.gamma = new GammaChoice(gamma.use, gamma.default, gamma.fit);
    this.drift = drift && new DriftMonitor(drift);
  }
  get state() {
    return {
      gamma: this.gamma.lastGood,
      drift: this.drift?.stored(),
      ...this.#withheld.size > 0 && { withheld: withNames(this.#withheld) }
    };
  }
  /** Names of the estimates of a window that the tick before withheld. */
  withheldIn(window) {
    return this.#withheld.get(window);
  }
  /** Takes a window's estimates for the tick after. */
  noteWithheld(window, results) {
    const names = results.flatMap((row) => (row.withheld ?? null) === null ? [] : [nameOf(row)]);
    if (names.length > 0) this.#withheld.set(window, new Set(names));
    else this.#withheld.delete(window);
  }
  /** Goes on from ticks that another process made. */
  resume({ gamma, drift, withheld }) {
    this.#withheld.clear();
    for (const [window, names] of Object.entries(withheld ?? {})) {
      this.#withheld.set(window, new Set(names));
    }
    this.gamma.resume(gamma);
    if (drift !== void 0) this.drift?.restore(drift);
  }
};
function withNames(withheld) {
  return Object.fromEntries([...withheld].map(([window, names]) => [window, [...names]]));
}

// src/stream/tick/sample-limits.ts
function paneLimits(limits, times, partitions) {
  const share2 = (limit2, ms) => Math.max(1, Math.floor(limit2 / (partitions * Math.ceil(ms / times.tickMs))));
  return {
    rows: share2(limits.rows, longestWindow(times)),
    listEntries: share2(limits.listEntries, times.attributionTtlMs),
    users: Math.max(1, Math.floor(limits.users / partitions))
  };
}
function sampleLevel(closed, pane, times) {
  const { rows: rows2, users } = lookBack(pane, times);
  return Math.max(closed.rowsLevelSince(rows2), closed.usersLevelSince(users));
}
function dropPassedPanes(closed, pane, times) {
  closed.dropRowsBefore(pane + 1 - longestWindow(times) / times.tickMs);
  dropLevels(closed, pane, times);
}
function dropLevels(closed, pane, times) {
  const { rows: rows2, users } = lookBack(pane, times);
  closed.dropLevelsBefore(Math.min(rows2, users));
}
function lookBack(pane, times) {
  const { tickMs, attributionTtlMs, popularity } = times;
  const { horizonMs } = popularity;
  const first2 = (ms) => pane + 1 - Math.ceil(ms / tickMs);
  return {
    rows: first2(longestWindow(times) + attributionTtlMs),
    users: first2(horizonMs + bucketMs(horizonMs, tickMs))
  };
}
function longestWindow({ windows: windows2 }) {
  return Math.max(...windows2.map(({ ms }) => ms));
}

// src/stream/partitions.ts
var Partitions = class {
  options;
  ids;
  watermarks;
  popularity;
  learned;
  /** The newest pane that closed or is closing in any of them. */
  closedThrough = Number.NEGATIVE_INFINITY;
  /** That pane was ticked by another process, and not yet by this one. */
  isTickDue = false;
  /** Of one partition's pane. */
  #limits;
  #tallies;
  #models = /* @__PURE__ */ new Set();
  #all = /* @__PURE__ */ new Map();
  /** @param count how many the topics have, whoever reads them: limits are shared among them. */
  constructor(options, ids, count) {
    this.options = options;
    this.ids = ids;
    this.watermarks = new Watermarks(options.latenessMs, options.tickMs);
    this.popularity = new Popularity(popularityOptions(options));
    this.learned = new Learned(options);
    this.#tallies = new PaneTallies(this.popularity.ignoresRandomized);
    this.#limits = options.limits && paneLimits(options.limits, options, count);
  }
  /** A partition; one that is new begins after the panes that others have closed. */
  of(number) {
    let partition = this.#all.get(number);
    if (partition === void 0) {
      const { dedupeTtlMs } = this.options;
      partition = {
        state: this.#newState(number),
        seen: { exposures: new RecentIds(dedupeTtlMs), interactions: new RecentIds(dedupeTtlMs) },
        share: new PopularityShare(this.popularity),
        closedThrough: this.closedThrough
      };
      this.#all.set(number, partition);
    }
    return partition;
  }
  entries() {
    return this.#all.entries();
  }
  /** Whether partitions that came back have yet to close panes that others have closed. */
  get isCatchingUp() {
    for (const { closedThrough } of this.#all.values()) {
      if (closedThrough < this.closedThrough) return true;
    }
    return false;
  }
  /** Models that had a list in a pane that closed. */
  get models() {
    return this.#models;
  }
  /** Notes the models of a partition's lists. */
  noteModels({ state }) {
    for (const model of state.models()) this.#models.add(model);
  }
  /** The counts of the closed panes, to look up single items and users. */
  get counted() {
    return {
      popularity: this.popularity,
      models: namedModels(this.#models, this.ids.models),
      users: new Map([...this.#all].map(([number, { state }]) => [number, state.closed]))
    };
  }
  /** How much all of them hold of what limits are for. O(users). */
  get held() {
    const all = [...this.#all.values()].map(({ state }) => state.held);
    const sum3 = (of) => all.reduce((total3, held2) => total3 + held2[of], 0);
    return { rows: sum3("rows"), listEntries: sum3("listEntries"), users: sum3("users") };
  }
  /** Sets the flags of the users that a partition's state refers to; no pane may close meanwhile. */
  *markUsers(number, flags) {
    const partition = this.#all.get(number);
    if (partition !== void 0) yield* partition.state.markUsers(flags);
  }
  /** Sets the flags of the items that anything refers to; no pane may close meanwhile. */
  *markItems(flags) {
    yield* this.popularity.markItems(flags);
    for (const { state } of [...this.#all.values()]) yield* state.markItems(flags);
  }
  #newState(number) {
    const { tickMs: paneMs, attributionTtlMs, popularity } = this.options;
    const { horizonMs } = popularity;
    const users = this.ids.users?.(number);
    const depths = users && new UserDepths(users);
    const sample = { depths, ...this.#limits && { limits: this.#limits } };
    const rows2 = { attributionTtlMs, ...causesFollowed(this.options) };
    const counts = { horizonMs, popularity, longestWindowMs: longestWindow(this.options) };
    return new PartitionState({ paneMs, ...counts, ...rows2, ...sample }, this.#tallies);
  }
};

// src/stream/tick/closed-pane.ts
function settledTogether(parts) {
  const sum3 = (of) => parts.reduce((total3, part) => total3 + of(part), 0);
  return {
    listing: [...new Set(parts.flatMap(({ listing }) => listing))],
    unranked: sum3(({ unranked }) => unranked),
    overUserCap: sum3(({ overUserCap }) => overUserCap),
    sampledOut: {
      interactions: sum3(({ sampledOut }) => sampledOut.interactions),
      exposures: sum3(({ sampledOut }) => sampledOut.exposures)
    }
  };
}

// src/stream/tick/closed-partition.ts
function closedPartition(pane, options, { closed, users, reach: reach2 }) {
  return {
    level: sampleLevel(closed, pane, options),
    users: isCapped(options.popularity) ? countedUsers(closed, users) : void 0,
    *sampled(level) {
      const kept = yield* closed.sampled(level);
      const source = {
        closed: kept,
        userCounts: closed.userCounts.counts,
        keyOf: users && ((user) => users.hash(user)),
        reach: reach2 && ((from, to, items) => reach2(from, to, items, level))
      };
      return { rows: kept.rows, knowsReach: reach2 !== void 0, source };
    }
  };
}
function countedUsers({ userCounts: { counts, size: size2 } }, users) {
  return {
    counts: counts.subarray(0, Math.min(size2, counts.length)),
    nameOf: users && ((user) => users.text(user))
  };
}

// src/estimators/diagnostics/against-baseline.ts
function againstBaseline(results, baseline) {
  const keyOf = ({ metric, k, estimator, aggregation }) => `${metric} ${k} ${estimator} ${aggregation}`;
  const values = /* @__PURE__ */ new Map();
  const given = results.filter(({ withheld }) => (withheld ?? null) === null);
  for (const row of given) if (row.model === baseline) values.set(keyOf(row), row.value);
  return given.flatMap((row) => {
    const other = values.get(keyOf(row));
    if (row.model === baseline || other === void 0) return [];
    const { model, metric, k, estimator, aggregation, value } = row;
    return [{ model, metric, k, estimator, aggregation, difference: value - other }];
  });
}

// src/estimators/diagnostics/heavy-users.ts
var MOST_NAMED = 20;
var FAR_ABOVE_MEDIAN = 20;
var NOTABLE_SHARE = 0.01;
var BY_CHANCE = 1 / 20;
var QUARTILE_DISTANCE = 1.349;
var BINS2 = 4096;
function* heavyUsers(parts) {
  const spread = new Spread();
  for (const { counts } of parts) {
    spread.add(counts);
    yield;
  }
  const { users, interactions } = spread;
  if (users === 0) return NOBODY;
  const [median, limit2] = [spread.quantile(0.5), limitOf(spread)];
  const apart = [];
  for (const { counts, nameOf: nameOf3 } of parts) {
    counts.forEach((count, user) => {
      if (count >= limit2) apart.push({ user: nameOf3?.(user), interactions: count });
    });
    yield;
  }
  const total3 = apart.reduce((sum3, own) => sum3 + own.interactions, 0);
  return {
    ...{ users, interactions, median, largestShare: spread.largest / interactions },
    ...{ apart: apart.length, apartShare: total3 / interactions },
    named: apart.flatMap(
      ({ user, interactions: own }) => user === void 0 ? [] : [{ user, interactions: own, share: own / interactions }]
    ).sort((a, b) => b.interactions - a.interactions || (a.user < b.user ? -1 : 1)).slice(0, MOST_NAMED)
  };
}
var NOBODY = {
  ...{ users: 0, interactions: 0, median: 0, largestShare: 0, apart: 0, apartShare: 0, named: [] }
};
function limitOf(spread) {
  const { users, interactions } = spread;
  const median = spread.quantile(0.5);
  const ofQuartiles = Math.log(spread.quantile(0.75) / spread.quantile(0.25)) / QUARTILE_DISTANCE;
  const sigma = Math.max(ofQuartiles, 1 / Math.sqrt(median));
  const beyond = median * Math.exp(sigma * normalUpperQuantile(BY_CHANCE / users));
  const far = FAR_ABOVE_MEDIAN * median;
  const alone = Math.max(far, NOTABLE_SHARE * interactions);
  const together = Math.max(far, beyond);
  const limits = [
    ...spread.largest >= alone ? [alone] : [],
    ...spread.sumFrom(together) >= NOTABLE_SHARE * interactions ? [together] : []
  ];
  return Math.min(Number.POSITIVE_INFINITY, ...limits);
}
var Spread = class {
  users = 0;
  interactions = 0;
  largest = 0;
  /** By interactions. */
  #few = new Float64Array(BINS2);
  #many = [];
  add(counts) {
    for (const count of counts) {
      if (count === 0) continue;
      this.users++;
      this.interactions += count;
      if (count > this.largest) this.largest = count;
      if (count < BINS2) this.#few[count]++;
      else this.#many.push(count);
    }
    this.#many.sort((a, b) => a - b);
  }
  /** The least count that at least this share of the users does not exceed. */
  quantile(share2) {
    const wanted = Math.ceil(share2 * this.users);
    let seen = 0;
    for (let count = 1; count < BINS2; count++) {
      seen += this.#few[count];
      if (seen >= wanted) return count;
    }
    return this.#many[wanted - seen - 1];
  }
  /** Interactions of the users who have at least so many. */
  sumFrom(least) {
    let sum3 = 0;
    for (let count = Math.ceil(least); count < BINS2; count++) sum3 += count * this.#few[count];
    return this.#many.reduce((all, count) => count >= least ? all + count : all, sum3);
  }
};

// src/estimators/interventions/level-index.ts
function* levelIndex(columns) {
  const distinct = /* @__PURE__ */ new Set();
  const small = new Int32Array(SMALL_COUNT2);
  for (const counts2 of columns) {
    for (let from = 0; from < counts2.length; from += SLICE3) {
      const to = Math.min(counts2.length, from + SLICE3);
      for (let i = from; i < to; i++) {
        const n = counts2[i];
        if (n < SMALL_COUNT2 && Math.trunc(n) === n) small[n] = 1;
        else distinct.add(n);
      }
      yield;
    }
  }
  for (let n = 0; n < SMALL_COUNT2; n++) if (small[n] === 1) distinct.add(n);
  const counts = Float64Array.from(distinct).sort();
  const large = /* @__PURE__ */ new Map();
  counts.forEach((n, index) => {
    if (n < SMALL_COUNT2 && Math.trunc(n) === n) small[n] = index;
    else large.set(n, index);
  });
  return {
    counts,
    indexOf: (n) => n < SMALL_COUNT2 && Math.trunc(n) === n ? small[n] : large.get(n)
  };
}
var SMALL_COUNT2 = 4096;
var SLICE3 = 32768;

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

// src/estimators/window/sliced-sort.ts
var SLICE4 = 16384;
function* sortInSlices(items, compare2) {
  let from = items;
  let to = new Int32Array(items.length);
  let compared2 = 0;
  for (let width = 1; width < items.length; width *= 2) {
    for (let start = 0; start < items.length; start += 2 * width) {
      const middle = Math.min(start + width, items.length);
      const end = Math.min(start + 2 * width, items.length);
      let left = start;
      let right = middle;
      for (let at = start; at < end; at++) {
        const takesLeft = left < middle && (right >= end || compare2(from[left], from[right]) <= 0);
        to[at] = takesLeft ? from[left++] : from[right++];
        if (++compared2 % SLICE4 === 0) yield;
      }
    }
    [from, to] = [to, from];
  }
  if (from !== items) items.set(from);
}

// src/estimators/diagnostics/popularity-baseline.ts
var BASELINES = ["popularity", "none"];
var BASELINE_MODEL = "popularity";
var LONGEST_LIST = 1e4;
var SLICE_ROWS3 = 65536;
function* popularityRanking(counts, isInCatalogue, catalogueSize) {
  const popularity = counts.popularity.subarray(0, counts.items);
  const levels = yield* levelIndex([popularity]);
  const level = yield* perItem(popularity, levels.indexOf, new Int32Array(counts.items));
  const start = new Int32Array(levels.counts.length + 1);
  for (let item = 0; item < counts.items; item++) if (isInCatalogue(item)) start[level[item] + 1]++;
  yield;
  for (let l = 1; l < start.length; l++) start[l] += start[l - 1];
  const listed2 = start[start.length - 1];
  const order3 = new Int32Array(listed2);
  const next = start.slice();
  for (let item = 0; item < counts.items; item++) {
    if (isInCatalogue(item)) order3[next[level[item]]++] = item;
  }
  yield;
  const rank = new Uint16Array(counts.items).fill(NOT_IN_LIST);
  let first2 = 0;
  for (let l = levels.counts.length - 1; l >= 0; l--) {
    const tied = order3.subarray(start[l], start[l + 1]);
    if (first2 + tied.length > LONGEST_LIST) break;
    yield* sortInSlices(tied, counts.compareIds);
    for (let t = 0; t < tied.length; t++) rank[tied[t]] = first2 + t;
    first2 += tied.length;
  }
  const size2 = Math.max(catalogueSize, listed2);
  const list = size2 <= LONGEST_LIST ? LIST_FULL | size2 : LIST_PARTIAL | Math.max(1, first2);
  return { rank, list };
}
function* withRanking(part, { rank, list }, place3) {
  const ranks = new Uint16Array(part.rows);
  for (let from = 0; from < part.rows; from += SLICE_ROWS3) {
    const to = Math.min(part.rows, from + SLICE_ROWS3);
    for (let r = from; r < to; r++) ranks[r] = rank[part.item[r]];
    yield;
  }
  const lists = new Uint16Array(part.rows).fill(list);
  const numberOf = (model) => model >= place3 ? model + 1 : model;
  return {
    ...part,
    ...part.causes && { causes: renumbered(part.causes, numberOf) },
    ranks: [...part.ranks.slice(0, place3), ranks, ...part.ranks.slice(place3)],
    lists: [...part.lists.slice(0, place3), lists, ...part.lists.slice(place3)]
  };
}

// src/estimators/value/leading-numbers.ts
function leadingNumbers(results, feedback, onPolicy) {
  const organic = results.filter(({ caused }) => caused !== void 0);
  const isGiven = ({ withheld }) => (withheld ?? null) === null;
  if (organic.length === 0 || organic.some(isGiven)) return "estimates";
  const uncaused = feedback?.uncaused?.results ?? [];
  if (uncaused.some(({ ess }) => ess >= FEW_USERS)) return "uncaused";
  return (onPolicy?.values.length ?? 0) > 0 ? "on_policy" : "estimates";
}

// src/estimators/value/served-window.ts
var SHORTEST_BUCKET_MS = 6e4;
var MOST_BUCKETS = 1440;
var ServedCounts = class {
  buckets;
  /** Lists of all models, by bucket. */
  all;
  /** By bucket and model, model by model. */
  lists;
  reward;
  /** By model, whether it has lists that were not drawn at random: then it is valued by those. */
  #hasOwn;
  #models;
  #from;
  #to;
  #bucketMs;
  constructor(models, { from, to }) {
    const span = Math.max(1, to - from);
    this.#bucketMs = Math.max(SHORTEST_BUCKET_MS, span / MOST_BUCKETS);
    this.buckets = Math.ceil(span / this.#bucketMs);
    this.all = new Float64Array(this.buckets);
    this.lists = new Float64Array(this.buckets * models);
    this.reward = new Float64Array(this.buckets * models);
    this.#hasOwn = new Uint8Array(models);
    this.#models = models;
    this.#from = from;
    this.#to = to;
  }
  /** To be given all rows before any is added. */
  look({ length, model, lists, shownAt }) {
    for (let r = 0; r < length; r++) {
      if (lists[r] === 0 || (model[r] & DRAWN_LIST) !== 0) continue;
      if (shownAt[r] >= this.#from && shownAt[r] < this.#to) this.#hasOwn[model[r]] = 1;
    }
  }
  add(served) {
    const { length, lists, reward } = served;
    for (let r = 0; r < length; r++) {
      const cell = this.cellOf(served, r);
      if (cell < 0) continue;
      this.all[cell % this.buckets] += lists[r];
      this.lists[cell] += lists[r];
      this.reward[cell] += reward[r];
    }
  }
  /** model · buckets + bucket; −1 for what is of no model here, or of no list of the window. */
  cellOf({ model, shownAt }, r) {
    const own = model[r] & SERVED_MODEL;
    const at = shownAt[r];
    if (own >= this.#models || at < this.#from || at >= this.#to) return -1;
    if ((model[r] & DRAWN_LIST) !== 0 && this.#hasOwn[own] === 1) return -1;
    return own * this.buckets + Math.floor((at - this.#from) / this.#bucketMs);
  }
};

// src/estimators/value/strata.ts
function strataOf(all, own, reward, least) {
  const of = new Int32Array(own.length).fill(-1);
  let [first2, last, total3] = [own.length, -1, 0];
  for (let b = 0; b < own.length; b++) {
    if (own[b] === 0) continue;
    first2 = Math.min(first2, b);
    last = b;
    total3 += own[b];
  }
  let count = 0;
  let held2 = 0;
  let left = total3;
  for (let b = first2; b <= last; b++) {
    if (count === 0 || held2 >= least && left >= least) {
      count++;
      held2 = 0;
    }
    of[b] = count - 1;
    held2 += own[b];
    left -= own[b];
  }
  const sums = { all: new Float64Array(count), own: new Float64Array(count) };
  const mean = new Float64Array(count);
  for (let b = first2; b <= last; b++) {
    sums.all[of[b]] += all[b];
    sums.own[of[b]] += own[b];
    mean[of[b]] += reward[b];
  }
  for (let t = 0; t < count; t++) mean[t] /= sums.own[t];
  return { count, of, ...sums, mean };
}

// src/estimators/value/on-policy.ts
var LEAST_LISTS = 20;
var MOST_FREEDOM = 63;
function* onPolicyReport(parts, models, window, least = LEAST_LISTS) {
  const counts = new ServedCounts(models.length, window);
  const all = parts.flat();
  for (const served of all) counts.look(served);
  yield;
  for (const served of all) {
    counts.add(served);
    yield;
  }
  const { named, elsewhere } = namedIn(all, window);
  if (named === 0) return { refused: "exposures_not_named", values: [], named, elsewhere };
  const values = [];
  for (const [m, model] of models.entries()) {
    const { lists, reward, buckets } = counts;
    const of = (column) => column.subarray(m * buckets, (m + 1) * buckets);
    const strata = strataOf(counts.all, of(lists), of(reward), least);
    if (strata.count === 0) continue;
    const spread = new Spread2(m, strata, counts);
    for (const part of parts) {
      spread.add(part);
      yield;
    }
    values.push({ model, ...figuresOf(strata, spread) });
  }
  return { refused: null, values, named, elsewhere };
}
function namedIn(all, { from }) {
  let named = 0;
  let elsewhere = 0;
  for (const { length, model, lists, shownAt } of all) {
    for (let r = 0; r < length; r++) {
      if (lists[r] === 1 || shownAt[r] < from) continue;
      named++;
      if ((model[r] & SERVED_MODEL) === LISTED_ELSEWHERE) elsewhere++;
    }
  }
  return { named, elsewhere };
}
var Spread2 = class {
  users = 0;
  /** Σ_u (Σ e)². */
  squares = 0;
  /** Of what the users' lists gained, weighted as the mean is. */
  gained = 0;
  gainedSquares = 0;
  #model;
  #strata;
  #counts;
  constructor(model, strata, counts) {
    this.#model = model;
    this.#strata = strata;
    this.#counts = counts;
  }
  /** Takes all rows of some users. */
  add(part) {
    const users = usersOf(part);
    const residual2 = new Float64Array(users);
    const gain = new Float64Array(users);
    const isShown = new Uint8Array(users);
    const first2 = this.#model * this.#counts.buckets;
    const { of, all, own, mean } = this.#strata;
    for (const served of part) {
      const { length, user, model, lists, reward } = served;
      for (let r = 0; r < length; r++) {
        if ((model[r] & SERVED_MODEL) !== this.#model) continue;
        const cell = this.#counts.cellOf(served, r);
        if (cell < 0) continue;
        const t = of[cell - first2];
        const weight = all[t] / own[t];
        isShown[user[r]] = 1;
        residual2[user[r]] += weight * (reward[r] - lists[r] * mean[t]);
        gain[user[r]] += weight * reward[r];
      }
    }
    for (let u = 0; u < users; u++) {
      this.users += isShown[u];
      this.squares += residual2[u] ** 2;
      this.gained += gain[u];
      this.gainedSquares += gain[u] ** 2;
    }
  }
};
function usersOf(part) {
  let users = 0;
  for (const { length, user } of part) {
    for (let r = 0; r < length; r++) if (user[r] >= users) users = user[r] + 1;
  }
  return users;
}
function figuresOf({ count, all, own, mean }, { users, squares, gained, gainedSquares }) {
  const requests = sum(all);
  const lists = sum(own);
  const value = mean.reduce((total3, each, t) => total3 + all[t] / requests * each, 0);
  const freedom = (users - 1) / users * ((lists - count) / (lists - 1));
  const stdErr = freedom > 0 ? Math.sqrt(squares / freedom) / requests : Number.NaN;
  const ess = effectiveSampleSize(gained, gainedSquares);
  const [lower, upper] = intervalOf(value, stdErr, ess);
  return { value, stdErr, lower, upper, lists, users, ess };
}
function intervalOf(value, stdErr, ess) {
  if (!(value > 0 && stdErr > 0)) return [Number.NaN, Number.NaN];
  const freedom = Math.max(1, Math.min(ess - 1, MOST_FREEDOM));
  const half = studentTQuantile(0.975, freedom) * stdErr / value;
  return [value * Math.exp(-half), value * Math.exp(half)];
}
function sum(values) {
  return values.reduce((total3, value) => total3 + value, 0);
}

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
  const known = new Float64Array(SMALL_COUNT3).fill(Number.NaN);
  return (count) => {
    if (!(count < SMALL_COUNT3) || Math.trunc(count) !== count) return of(count);
    const value = known[count];
    if (!Number.isNaN(value)) return value;
    known[count] = of(count);
    return known[count];
  };
}
var SMALL_COUNT3 = 4096;

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
  for (const [traffic2, parts] of [organic, randomized].entries()) {
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
            own.add(traffic2 === 0, w);
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
  const total3 = (of) => cells.reduce((sum3, cell) => sum3 + of(cell), 0);
  const weight = total3((cell) => cell.weight);
  const squares = total3((cell) => cell.squares);
  const randomized = total3((cell) => cell.randomized);
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
function* randomizedTraffic(parts, rows2, counts, sliceRows) {
  let interactions = 0;
  for (let i = 0; i < counts.items; i++) interactions += counts.randomized[i];
  let users = 0;
  let itemsShown = 0;
  for (const part of parts) {
    users += part.randomizedUsers;
    itemsShown += part.randomizedItems;
  }
  let positives2 = 0;
  let usersWithPositive = 0;
  let work = 0;
  for (const { userStart, positive, ...part } of rows2) {
    for (let s = 0; s < part.users; s++) {
      let own = 0;
      for (let r = userStart[s]; r < userStart[s + 1]; r++) own += positive[r];
      positives2 += own;
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
  return { interactions, users, itemsShown, positives: positives2, usersWithPositive, withoutPositive };
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
    const key2 = `${row.metric} ${row.k} ${row.aggregation}`;
    const group = groups.get(key2);
    if (group === void 0) groups.set(key2, [row]);
    else group.push(row);
  }
  return [...groups.values()].flatMap(agreementsOf);
}
function agreementsOf(rows2) {
  const { metric, k, aggregation } = rows2[0];
  const models = [...new Set(rows2.map(({ model }) => model))];
  const place3 = new Map(models.map((model, m) => [model, m]));
  const columns = /* @__PURE__ */ new Map();
  for (const { estimator, model, value } of rows2) {
    let column = columns.get(estimator);
    if (column === void 0) {
      column = models.map(() => Number.NaN);
      columns.set(estimator, column);
    }
    column[place3.get(model)] = value;
  }
  const found = [];
  const estimators = [...columns];
  for (const [e, [first2, a]] of estimators.entries()) {
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
      found.push({ metric, k, aggregation, estimators: [first2, second], tau, flips: pairs });
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
  let total3 = 0;
  for (const { rows: rows2, item, positive } of parts) {
    for (let from = 0; from < rows2; from += sliceRows) {
      const to = Math.min(rows2, from + sliceRows);
      for (let r = from; r < to; r++) {
        const own = positive[r] * weight[item[r]];
        total3 += own;
        if (popularity[item[r]] === 1) once += own;
      }
      yield;
    }
  }
  return once / total3;
}

// src/estimators/diagnostics/weight-distribution.ts
function* weightDistribution(parts, weight, sliceRows) {
  const rowsOf2 = new Float64Array(weight.length);
  for (const { rows: rows3, item, positive } of parts) {
    for (let from = 0; from < rows3; from += sliceRows) {
      const to = Math.min(rows3, from + sliceRows);
      for (let r = from; r < to; r++) rowsOf2[item[r]] += positive[r];
      yield;
    }
  }
  let rows2 = 0;
  let total3 = 0;
  for (let i = 0; i < weight.length; i++) {
    if (weight[i] > 0) rows2 += rowsOf2[i];
    total3 += rowsOf2[i] * weight[i];
  }
  yield;
  const bins = new Bins();
  for (let from = 0; from < weight.length; from += sliceRows) {
    const to = Math.min(weight.length, from + sliceRows);
    for (let i = from; i < to; i++) {
      if (rowsOf2[i] === 0 || !(weight[i] > 0)) continue;
      bins.add(weight[i] * rows2 / total3, rowsOf2[i], rowsOf2[i] * weight[i]);
    }
    yield;
  }
  return bins.filled(total3);
}
var LEAST_EXPONENT = -1074;
var EXPONENTS = 2098;
var EDGE = 1 + 1e-9;
var Bins = class {
  #rows = new Float64Array(EXPONENTS);
  #sum = new Float64Array(EXPONENTS);
  add(ratio2, rows2, sum3) {
    const exponent = Math.floor(Math.log2(ratio2 * EDGE));
    this.#rows[exponent - LEAST_EXPONENT] += rows2;
    this.#sum[exponent - LEAST_EXPONENT] += sum3;
  }
  filled(total3) {
    const bins = [];
    this.#rows.forEach((rows2, b) => {
      if (rows2 === 0) return;
      bins.push({ from: 2 ** (b + LEAST_EXPONENT), rows: rows2, weightShare: this.#sum[b] / total3 });
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
  add(key2, idHigh, idLow) {
    if (!(key2 < Number.POSITIVE_INFINITY)) return;
    this.#take({ key: key2, idHigh, idLow });
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
  const first2 = mixed2(mixed2(mixed2(mixed2(seed ^ 1013904242) ^ seedHigh) ^ idHigh) ^ idLow);
  const second = mixed2(mixed2(mixed2(mixed2(seed ^ 461845907) ^ idLow) ^ seedHigh) ^ idHigh);
  return (first2 >>> 5) * 67108864 + (second >>> 6);
}
function samplingKey(seed, idHigh, idLow, weight) {
  if (weight === 0) return Number.POSITIVE_INFINITY;
  return -Math.log((hash53(seed, idHigh, idLow) + 0.5) / 9007199254740992) / weight;
}
function mixed2(word) {
  let hash = word + 2127912214 | 0;
  hash = Math.imul(hash ^ hash >>> 16, 2246822507);
  hash = Math.imul(hash ^ hash >>> 13, 3266489909);
  return hash ^ hash >>> 16;
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
  take({ row, rows: rows2 }, lists) {
    for (let i = 0; i < rows2 && this.most < Number.POSITIVE_INFINITY; i++) {
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
  equals({ rows: rows2, weight, slope }) {
    for (let v = 0; v < this.rows.length; v++) {
      if (this.rows[v] !== rows2[v] || this.weight[v] !== weight[v]) return false;
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
  reserve(rows2) {
    if (rows2 <= this.row.length) return;
    this.start = new Int32Array(rows2 + 1);
    this.segment = new Int32Array(rows2);
    this.row = new Int32Array(rows2);
    this.item = new Int32Array(rows2);
    this.weight = new Float64Array(rows2);
    this.weightSlope = new Float64Array(rows2);
    this.stratum = new Uint16Array(rows2);
    this.gainful = new Uint8Array(rows2);
  }
  /** Takes the positive rows of users from .. to − 1 that are not left out. */
  takePositive(part, from, to, columns) {
    this.reserve(part.userStart[to] - part.userStart[from]);
    this.part = part;
    const { positive, item, userStart } = part;
    let rows2 = 0;
    let users = 0;
    for (let s = from; s < to; s++) {
      const first2 = rows2;
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        if (positive[r] === 0) continue;
        const weight = columns.weight[item[r]];
        if (weight === 0) continue;
        this.row[rows2] = r;
        this.item[rows2] = item[r];
        this.weight[rows2] = weight;
        this.weightSlope[rows2] = columns.weightSlope[item[r]];
        this.stratum[rows2] = columns.stratum[item[r]];
        rows2++;
      }
      if (rows2 === first2) continue;
      this.start[users] = first2;
      this.segment[users++] = s;
    }
    this.start[users] = rows2;
    this.users = users;
    this.rows = rows2;
  }
  /** Marks the rows to which some model gives a rank below `limit`. */
  markGainful(ranks, limit2) {
    const { gainful, row, rows: rows2 } = this;
    gainful.fill(0, 0, rows2);
    for (const rank of ranks) {
      for (let i = 0; i < rows2; i++) gainful[i] |= rank[row[i]] - limit2 >>> 31;
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
  takeRanked(from, part, { model, family }, size2) {
    this.reserve(from.row.length);
    this.part = part;
    const ranks = part.ranks[model];
    const lists = part.lists[model];
    let rows2 = 0;
    let users = 0;
    for (let u = 0; u < from.users; u++) {
      const first2 = rows2;
      for (let i = from.start[u]; i < from.start[u + 1]; i++) {
        const r = from.row[i];
        if (!isEvaluated(ranks[r], lists[r], family, size2)) continue;
        this.row[rows2] = r;
        this.item[rows2] = from.item[i];
        this.weight[rows2] = from.weight[i];
        this.weightSlope[rows2] = from.weightSlope[i];
        this.stratum[rows2] = from.stratum[i];
        this.gainful[rows2] = from.gainful[i];
        rows2++;
      }
      if (rows2 === first2) continue;
      this.start[users] = first2;
      this.segment[users++] = from.segment[u];
    }
    this.start[users] = rows2;
    this.users = users;
    this.rows = rows2;
  }
  /** Whether `takeRanked` would take every row. */
  isRankedThroughout(part, { model, family }, size2) {
    const ranks = part.ranks[model];
    const lists = part.lists[model];
    for (let i = 0; i < this.rows; i++) {
      const r = this.row[i];
      if (!isEvaluated(ranks[r], lists[r], family, size2)) return false;
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
  sumStrata({ rows: rows2, weight, slope }) {
    rows2.fill(0);
    weight.fill(0);
    slope.fill(0);
    for (let i = 0; i < this.rows; i++) {
      const v = this.stratum[i];
      rows2[v]++;
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
    const rows2 = this.spare;
    rows2.takeRanked(this.positive, part, lane, catalogueSize);
    if (rows2.rows === 0) return rows2;
    if (this.latest?.equals(rows2)) return this.latest;
    [this.spare, this.other] = [this.other, rows2];
    this.latest = rows2;
    return rows2;
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
  add(part, from, to, rows2, rankedThroughout) {
    this.addPairs(part, from, to);
    const singletons = rows2.singletons();
    this.models.forEach((total3, m) => {
      if (rankedThroughout.has(m)) {
        total3.users += rows2.users;
        total3.events += rows2.rows;
        total3.singletons += singletons;
      } else {
        this.addModel(m, part.ranks[m], rows2);
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
    let positives2 = 0;
    for (let r = from; r < to; r++) {
      positives2 += positive[r];
      if (item[r] >= seen.length) throw new RangeError(`item ${item[r]} has no count`);
      if (seen[item[r]] === 0) {
        seen[item[r]] = 1;
        this.items++;
      }
    }
    this.positives += positives2;
  }
  addModel(model, ranks, rows2) {
    const total3 = this.models[model];
    const { start, row } = rows2;
    let unranked = 0;
    for (let u = 0; u < rows2.users; u++) {
      let events = 0;
      for (let i = start[u]; i < start[u + 1]; i++) {
        if (ranks[row[i]] === UNRANKED) unranked++;
        else events++;
      }
      if (events > 0) total3.users++;
      if (events === 1) total3.singletons++;
      total3.events += events;
    }
    total3.unranked += unranked;
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
      unranked: this.models.reduce((sum3, { unranked }) => sum3 + unranked, 0)
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

// src/estimators/uncertainty/poisson-bootstrap.ts
var BOOTSTRAP_REPLICATES = 100;
var BootstrapWeights = class {
  /** By user from the chunk's first on, then by replicate. */
  values = new Uint8Array(0);
  from = 0;
  begin(part, from, to) {
    if (part.userKey === void 0) throw new RangeError("the bootstrap needs keys of users");
    const size2 = (to - from) * BOOTSTRAP_REPLICATES;
    if (size2 > this.values.length) this.values = new Uint8Array(size2);
    this.from = from;
    for (let s = from; s < to; s++) {
      fillWeights(part.userKey[s], this.values, (s - from) * BOOTSTRAP_REPLICATES);
    }
  }
  observe() {
  }
};
function fillWeights(key2, values, at) {
  for (let b = 0; b < BOOTSTRAP_REPLICATES; b += 2) {
    const hash = mixed3(key2 ^ Math.imul(b + 1, 2654435761));
    values[at + b] = POISSON_OF[hash & 65535];
    values[at + b + 1] = POISSON_OF[hash >>> 16];
  }
}
function mixed3(value) {
  let h = value;
  h = Math.imul(h ^ h >>> 16, 2246822507);
  h = Math.imul(h ^ h >>> 13, 3266489909);
  h = Math.imul(h ^ h >>> 16, 2146121005);
  h = Math.imul(h ^ h >>> 15, 2221713035);
  return h ^ h >>> 16;
}
var POISSON_OF = poissonQuantiles(65536);
function poissonQuantiles(size2) {
  const quantiles = new Uint8Array(size2);
  let count = 0;
  let chance = Math.exp(-1);
  let below = chance;
  for (let i = 0; i < size2; i++) {
    while ((i + 0.5) / size2 > below) {
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
  const mean = known.reduce((sum3, ratio2) => sum3 + ratio2, 0) / known.length;
  const squares = known.reduce((sum3, ratio2) => sum3 + (ratio2 - mean) ** 2, 0);
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
  for (let step3 = 0; step3 < 200; step3++) {
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
var Z2 = 1.959963984540054;
var TAIL = 0.025;
var FEW_HITS = 10;
var MANY_HITS = 100;
var MANY_COUNTED = 10;
var ROUNDING4 = 1e-12;
function kornGraubard(of, factor) {
  const { value } = of;
  if (value === 0) return [0, limitOfNone(drawsAt(cappedSize(of), factor))];
  if (value >= 1 - ROUNDING4) {
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
  return draws * (Z2 / factor) ** 2;
}
function limitOfNone(draws) {
  return -Math.expm1(Math.log(TAIL) / draws);
}
function cappedSize({ hits: hits2, misses, userEss, rowEss }) {
  return Math.min(hits2, misses) >= FEW_HITS ? rowEss : userEss;
}
function variance(of) {
  const { value, stdErr, gammaStdErr, squaredGain, hits: hits2, misses } = of;
  const sampling = stdErr * stdErr;
  if (Math.min(hits2, misses) >= MANY_HITS) return sampling + gammaStdErr ** 2;
  const ofGains = value * Math.max(0, squaredGain - value);
  const capped = ofGains <= ROUNDING4 * value * squaredGain ? 0 : ofGains / cappedSize(of);
  return Math.max(sampling, capped) + gammaStdErr ** 2;
}
function binomialInterval(share2, draws) {
  const hits2 = share2 * draws;
  const misses = draws - hits2;
  if (hits2 < MANY_COUNTED || misses < MANY_COUNTED) {
    return [betaQuantile(TAIL, hits2, misses + 1), betaQuantile(1 - TAIL, hits2 + 1, misses)];
  }
  const z2 = Z2 * Z2 / draws;
  const centre = (share2 + z2 / 2) / (1 + z2);
  const half = Math.sqrt(z2 * (share2 * (1 - share2) + z2 / 4)) / (1 + z2);
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
  const { value, ess, rowEss, squaredGain, hits: hits2, misses, isConstant, isCertain } = of;
  const mean = {
    ...{ value, ...errors, userEss: ess, rowEss, squaredGain, hits: hits2, misses },
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
  const { stdErr, gammaStdErr, correlation: correlation3 } = errors;
  const value = own.value - other.value;
  const factor = factorOf(Math.min(own.ess, other.ess));
  const areConstant = own.isConstant && other.isConstant;
  const isRare = Math.min(rareness(own), rareness(other)) < ENOUGH_HITS;
  const isUnknown = Number.isNaN(stdErr);
  if (method !== "korn-graubard" || isUnknown || !(areConstant || isRare)) {
    return pairedInterval(value, Math.hypot(stdErr, gammaStdErr), factor);
  }
  const rho = own.isConstant || other.isConstant ? 0 : correlation3();
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
    const { squaredWeights, hits: hits2 } = this.sums;
    const squares = this.aggregation === 0 ? hits2.squaredUserRows : squaredWeights;
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
function placesThatGainAll({ table, ofList, set: set2 }) {
  if (set2 !== null) return 0;
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
  const log2 = Math.log(2 / (ALPHA3 / 2));
  return stdErr * Math.sqrt(2 * log2) + 7 * log2 / (3 * (users - 1));
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
  const shares2 = feedback[e].shares(m, a, { numerator, denominator, weight, isSetMetric });
  return { shares: shares2 };
}
function extrasOf(found, { metrics, sums }, m, e, rule) {
  return { ...rule.extras?.(found, metrics[m]), ...sums[e].own?.extras(found, metrics[m], m) };
}
function laneSampleSizes(lane, model, { estimators }) {
  return estimators.flatMap((estimator, e) => {
    const { isNormalized, squaredWeights, largestWeight, weightSum, squaredUserWeights, pooled } = lane.sums[e];
    const { denominator, squaredDenominator } = pooled[0];
    if (!(denominator > 0)) return [];
    const total3 = isNormalized ? denominator : weightSum;
    if (total3 === 0) return [];
    return [
      {
        model,
        estimator,
        events: effectiveSampleSize(total3, squaredWeights),
        users: effectiveSampleSize(total3, isNormalized ? squaredDenominator : squaredUserWeights),
        largestShare: largestWeight / total3
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
    let weighted2 = 0;
    let sum3 = 0;
    let squares = 0;
    for (let u = 0; u < users; u++) {
      const weight = this.values[u];
      if (weight > 0) weighted2++;
      sum3 += weight;
      squares += weight * weight;
    }
    this.users = users;
    this.weighted = weighted2;
    this.sum = sum3;
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
  add(numerators, total3, denominators) {
    const { values, users, sum: sum3, squares } = denominators;
    if (!(sum3 > 0)) return;
    const ratio2 = total3 / sum3;
    let q = 0;
    let c = 0;
    for (let u = 0; u < users; u++) {
      const weight = values[u];
      const error = numerators[u] - ratio2 * weight;
      q += error * error;
      c += error * weight;
    }
    this.mergeSums(total3, sum3, squares, q, c);
  }
  /** Takes the sums of other users. */
  merge(other) {
    const { numerator, denominator, squaredDenominator, residual: residual2, cross } = other;
    if (denominator > 0) {
      this.mergeSums(numerator, denominator, squaredDenominator, residual2, cross);
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
    const before2 = this.ratio;
    this.numerator += n;
    this.denominator += d;
    const own = this.ratio - before2;
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
function held(room, values, size2) {
  if (room.length < size2) return values.slice();
  for (let i = 0; i < size2; i++) room[i] = values[i];
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
    if (variance2 <= ROUNDING5 * (own + other)) return 0;
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
    const sum3 = this.#ee - b * this.#ed - a * this.#de + a * b * this.#dd;
    return sum3 / (this.#own.denominator * this.#other.denominator);
  }
};
var ROUNDING5 = 1e-12;

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
var NEEDS_RATINGS = "needs explicit predicted ratings, which this version does not evaluate";
var REFUSED_METRICS = {
  mae: NEEDS_RATINGS,
  mse: NEEDS_RATINGS,
  accuracy: NEEDS_RATINGS,
  cg: NEEDS_RATINGS
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
function tabulate(gain, limit2) {
  return Float64Array.from({ length: Math.min(limit2, MAX_LIST) }, (_, rank) => gain(rank));
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
  addTo(sums, { start }, hits2, chances, present) {
    let total3 = 0;
    for (let h = 0; h < hits2.size; ) {
      const user = hits2.user[h];
      const from = start[user];
      const to = start[user + 1];
      let next = h;
      while (next < hits2.size && hits2.user[next] === user) next++;
      const value = chances === null ? this.#complete(hits2, h, next, to - from) : this.#expected(hits2, h, next, from, to, chances);
      sums[user] = Math.min(value, present[user]);
      total3 += sums[user];
      h = next;
    }
    return total3;
  }
  /** All rows are in the set. */
  #complete({ gain }, first2, end, rows2) {
    const share2 = this.#share;
    let sum3 = 0;
    for (let h = first2; h < end; h++) {
      if (share2 !== null) {
        sum3 += share2(gain[h] - 1);
        continue;
      }
      let above = 0;
      for (let j = first2; j < end; j++) if (gain[j] < gain[h]) above++;
      sum3 += (1 + above) / gain[h];
    }
    return sum3 * this.#norm[Math.min(rows2, this.#k)];
  }
  #expected({ row, gain }, first2, end, from, to, chances) {
    const cap = Math.min(this.#k, to - from);
    this.#reserve(cap + 1);
    const own = this.#hits;
    own.size = 0;
    const others = this.#others.fill(0, 0, cap + 1);
    others[0] = 1;
    for (let i = from, h = first2; i < to; i++) {
      if (h < end && row[h] === i) own.add(gain[h++] - 1, chances[i]);
      else include(others, cap, chances[i]);
    }
    return this.#share === null ? this.#averagePrecision(cap) : this.#additive(cap, this.#share);
  }
  #additive(cap, share2) {
    const { size: size2, rank, chance } = this.#hits;
    let sum3 = 0;
    for (let i = 0; i < size2; i++) {
      if (chance[i] === 0) continue;
      const norm = this.#meanNorm(this.#without(i, -1, cap, this.#work), cap, 1);
      sum3 += chance[i] * share2(rank[i]) * norm;
    }
    return sum3;
  }
  #averagePrecision(cap) {
    const { size: size2, rank, chance } = this.#hits;
    let sum3 = 0;
    for (let i = 0; i < size2; i++) {
      if (chance[i] === 0) continue;
      let own = this.#meanNorm(this.#without(i, -1, cap, this.#work), cap, 1);
      for (let j = 0; j < size2; j++) {
        if (rank[j] >= rank[i] || chance[j] === 0) continue;
        own += chance[j] * this.#meanNorm(this.#without(i, j, cap, this.#workOfTwo), cap, 2);
      }
      sum3 += chance[i] / (rank[i] + 1) * own;
    }
    return sum3;
  }
  /** Distribution of how many rows are drawn beside hits i and j, up to `cap`. */
  #without(i, j, cap, into) {
    const { size: size2, chance } = this.#hits;
    for (let m = 0; m <= cap; m++) into[m] = this.#others[m];
    for (let h = 0; h < size2; h++) if (h !== i && h !== j) include(into, cap, chance[h]);
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
  #reserve(size2) {
    if (size2 <= this.#others.length) return;
    this.#others = new Float64Array(size2);
    this.#work = new Float64Array(size2);
    this.#workOfTwo = new Float64Array(size2);
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
  add(rows2, { user, pooled }, selection, metrics) {
    const { isOwn, caused, size: size2, ownHits } = rows2;
    for (let c = 0; c < size2; c++) {
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
      const { at, size: hits2 } = ownHits[m];
      for (let o = 0; o < hits2; o++) {
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
  shares(m, aggregation, whole2) {
    const { numerator, denominator, weight, isSetMetric } = whole2;
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
function hasOthers(isOwn, pooled, rows2) {
  for (let i = 0; i < rows2; i++) if (isOwn[i] === 0 && pooled[i] > 0) return true;
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
  take({ rows: rows2, row, part }, model) {
    if (rows2 > this.caused.length) {
      this.caused = new Int32Array(rows2);
      this.isOwn = new Uint8Array(rows2);
    }
    const causes = part?.causes;
    this.size = 0;
    this.#hasOwn = false;
    this.isOwn.fill(0, 0, rows2);
    if (causes === void 0) return;
    for (let i = 0; i < rows2; i++) {
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
  #ownOf({ hits: { row, size: size2 }, set: set2 }, m) {
    this.#room[m] ??= { at: new Int32Array(0), size: 0 };
    const own = this.#room[m];
    own.size = 0;
    if (set2 !== null) return own;
    if (own.at.length < size2) own.at = new Int32Array(size2);
    for (let h = 0; h < size2; h++) {
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
  take(selection, ranks, limit2) {
    if (selection.rows > this.row.length) {
      this.row = new Int32Array(selection.rows);
      this.user = new Int32Array(selection.rows);
      this.rank = new Uint16Array(selection.rows);
    }
    const { row, start, users } = selection;
    const { row: rows2, user: segments, rank: found } = this;
    let size2 = 0;
    for (let u = 0; u < users; u++) {
      for (let i = start[u]; i < start[u + 1]; i++) {
        const rank = ranks[row[i]];
        rows2[size2] = i;
        segments[size2] = u;
        found[size2] = rank;
        size2 += rank - limit2 >>> 31;
      }
    }
    this.size = size2;
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
  reserve(rows2) {
    if (rows2 <= this.row.length) return;
    this.row = new Int32Array(rows2);
    this.user = new Int32Array(rows2);
    this.gain = new Float64Array(rows2);
  }
  /** Gains that depend on the rank alone; `ranked` holds every row below the table's end. */
  takeByRank(ranked, table) {
    this.reserve(ranked.size);
    const { row, user, rank } = ranked;
    const limit2 = table.length;
    let size2 = 0;
    const { row: rows2, user: users, gain } = this;
    for (let h = 0; h < ranked.size; h++) {
      const z = rank[h];
      if (z >= limit2) continue;
      rows2[size2] = row[h];
      users[size2] = user[h];
      gain[size2++] = table[z];
    }
    this.size = size2;
    this.findExtremes();
  }
  /** Gains that depend on the list's length too; `ranked` holds every row in a list. */
  takeByShare(ranked, selection, lists, metric) {
    this.reserve(ranked.size);
    const { row, user, rank, size: size2 } = ranked;
    this.row.set(row.subarray(0, size2));
    this.user.set(user.subarray(0, size2));
    for (let h = 0; h < size2; h++) {
      this.gain[h] = metric.gain(rank[h], lists[selection.row[row[h]]] & LIST_LENGTH_MASK);
    }
    this.size = size2;
    this.findExtremes();
  }
  /**
   * Adds a_i λ_i and b_i λ_i of each hit to its user's elements of the sums, which are 0 before,
   * and leaves their totals in `userTotal` and `pooledTotal`.
   */
  addTo(userSums, pooledSums, coefficients) {
    const { row, user, gain, size: size2 } = this;
    const { user: a, pooled: b } = coefficients;
    let userTotal = 0;
    let pooledTotal = 0;
    for (let h = 0; h < size2; h++) {
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
    const { row, user, gain, size: size2 } = this;
    let userTotal = 0;
    let pooledTotal = 0;
    let userSquares = 0;
    let pooledSquares = 0;
    for (let h = 0; h < size2; h++) {
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
    const { row, gain, size: size2 } = this;
    let userTotal = 0;
    let pooledTotal = 0;
    for (let h = 0; h < size2; h++) {
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
  addSlopes(m, hits2, coefficients) {
    hits2.addSlopes(coefficients);
    this.userSlope[m] += hits2.userTotal;
    this.pooledSlope[m] += hits2.pooledTotal;
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
  constructor(model, family, gains, rules2, strata, followsCauses2, candidates = null) {
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
    if (followsCauses2) this.feedback = rules2.map(() => new FeedbackSums(gains.length));
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
        const { hits: hits2, set: set2 } = this.metrics[m];
        scratch.clear(selection.users);
        if (set2 !== null) {
          this.addSets(m, e, selection, rules2[e], own, scratch);
          continue;
        }
        if (sums.hits === null) hits2.addTo(scratch.user, scratch.pooled, own);
        else hits2.addWithSquares(scratch.user, scratch.pooled, own);
        sums.user[m].add(scratch.user, hits2.userTotal, own.userDenominator);
        sums.pooled[m].add(scratch.pooled, hits2.pooledTotal, own.pooledDenominator);
        sums.hits?.addHits(m, hits2);
        this.show(m, e, own.userDenominator, own.pooledDenominator, selection, scratch);
        if (dependsOnGamma) sums.addSlopes(m, hits2, own);
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
      const { hits: hits2, table, ofList, set: set2 } = metric;
      if (ofList !== null) hits2.takeByShare(ranked, selection, part.lists[this.model], ofList);
      else hits2.takeByRank(ranked, table);
      const { least, most } = set2 === null ? hits2 : set2.bounds;
      if (hits2.size < selection.rows) metric.least = 0;
      metric.least = Math.min(metric.least, least);
      metric.most = Math.max(metric.most, most);
    }
  }
  /** A set metric under one estimator; it has a form by user alone, where it has one. */
  addSets(m, e, selection, { sets }, own, scratch) {
    const { hits: hits2, set: set2 } = this.metrics[m];
    const nobody = scratch.nobody(selection.users);
    let present = nobody;
    if (sets !== void 0) {
      present = own.userDenominator;
      const chances = sets === "drawn" ? own.pooled : null;
      const total3 = set2.addTo(scratch.user, selection, hits2, chances, present.values);
      this.sums[e].user[m].add(scratch.user, total3, present);
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
  const followsCauses2 = isFollowed(options);
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
  const lanesOf = (family, gains) => gains.length > 0 ? order3.map((m) => new Lane(m, family, gains, rules2, strata, followsCauses2, candidates())) : [];
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
      let total3 = 0;
      let own = 0;
      for (let i = start[u]; i < start[u + 1]; i++) {
        const weight = pooled[i];
        total3 += weight;
        own += weight * weight;
        squares += weight * weight;
        variance2 += weight * (1 - weight);
        if (weight > largest) largest = weight;
      }
      this.pooledDenominator.values[u] = total3;
      pooledSquares[u] = own;
      if (total3 > 0) userRows += own * (userDenominator.values[u] / total3) ** 2;
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
  const limit2 = Math.max(...lanes.map(({ rankLimit }) => rankLimit));
  const positive = new Selection();
  const laneRows = new LaneRows();
  const coefficients = rules2.map(() => new Coefficients(CHUNK_ROWS));
  const scratch = new LaneScratch();
  let work = 0;
  for (const { part, from, to } of chunks(parts)) {
    positive.takePositive(part, from, to, columns);
    positive.markGainful(part.ranks, limit2);
    if (isFollowed(options)) positive.markCaused();
    laneRows.begin(positive);
    for (const lane of lanes) for (const observer of lane.observers) observer.begin(part, from, to);
    let weighed = null;
    let strataOf2 = null;
    for (const lane of lanes) {
      const rows2 = laneRows.of(part, lane, options.catalogueSize);
      if (rows2.rows === 0) continue;
      if (rows2 !== weighed || strataOf2 === null || !lane.strata.equals(strataOf2)) {
        rows2.strata = lane.strata;
        weigh(rows2, rules2, coefficients);
        weighed = rows2;
        strataOf2 = lane.strata;
      }
      lane.add(rows2, part, rules2, coefficients, scratch);
    }
    work += part.userStart[to] - part.userStart[from];
    if (work >= sliceRows || options.interval === "bootstrap") {
      yield;
      work = 0;
    }
  }
}
function weigh(rows2, rules2, coefficients) {
  rules2.forEach((rule, e) => {
    coefficients[e].reserve(rows2.rows);
    rule.weigh(rows2, coefficients[e]);
    coefficients[e].settle(rows2, rule);
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
function gaussLegendre(size2) {
  const nodes = new Float64Array(size2);
  const weights = new Float64Array(size2);
  for (let q = 0; q < size2; q++) {
    let x = Math.cos(Math.PI * (q + 0.75) / (size2 + 0.5));
    let slope = 1;
    for (let step3 = 0; step3 < 100; step3++) {
      const [value, derivative] = legendre(size2, x);
      slope = derivative;
      const next = x - value / derivative;
      const isSettled = Math.abs(next - x) < 1e-16;
      x = next;
      if (isSettled) break;
    }
    nodes[size2 - 1 - q] = (1 + x) / 2;
    weights[size2 - 1 - q] = 1 / ((1 - x * x) * slope * slope);
  }
  return { nodes, weights };
}
function legendre(n, x) {
  let before2 = 1;
  let value = x;
  for (let j = 2; j <= n; j++) {
    const next = ((2 * j - 1) * x * value - (j - 1) * before2) / j;
    before2 = value;
    value = next;
  }
  return [value, n * (x * value - before2) / (x * x - 1)];
}

// src/sampling/expected-mean.ts
var TOLERANCE = 1e-15;
var TAIL2 = 40;
var MAX_NODES = 32;
var rules = Array.from({ length: MAX_NODES }, (_, q) => gaussLegendre(q + 1));
var reach = Float64Array.from(rules, (_, q) => largestSum(q + 1));
var product = new Float64Array(MAX_NODES);
function expectedMeanCoefficients(pi, from, to, needed, out) {
  const size2 = to - from;
  if (size2 === 0) return 0;
  if (size2 === 1) {
    out[from] = pi[from];
    return pi[from];
  }
  if (size2 === 2) {
    const first2 = pi[from];
    const second = pi[from + 1];
    out[from] = first2 * (1 - second / 2);
    out[from + 1] = second * (1 - first2 / 2);
    return first2 + second - first2 * second;
  }
  return integrate(pi, from, to, needed, out);
}
function integrate(pi, from, to, needed, out) {
  let sum3 = 0;
  let anyNeeded = 0;
  let logMissing = 0;
  let missing = 1;
  for (let j = from; j < to; j++) {
    sum3 += pi[j];
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
  const length = sum3 > TAIL2 ? TAIL2 / sum3 : 1;
  const count = nodeCount(to - from, sum3);
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
function nodeCount(size2, sum3) {
  const exact = size2 + 1 >> 1;
  let count = 2;
  while (count < exact && count < MAX_NODES && reach[count - 1] < sum3) count += 2;
  return count;
}
function largestSum(size2) {
  let logFactorial = 0;
  for (let j = 2; j <= 2 * size2; j++) logFactorial += Math.log(j);
  const isEnough = (s) => {
    const h = Math.min(1, TAIL2 / s);
    const logError = Math.log(2 * (1 + s) * h) + 2 * size2 * Math.log(h * s / 4) - logFactorial;
    return logError <= Math.log(TOLERANCE);
  };
  if (isEnough(1e12)) return Number.POSITIVE_INFINITY;
  let low = 0;
  let high = TAIL2;
  for (let step3 = 0; step3 < 60; step3++) {
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
      const { row, gain, size: size2 } = measured[m].hits;
      let first2 = 0;
      let second = 0;
      for (let h = 0; h < size2; h++) {
        const share2 = pi[row[h]] * (1 - pi[row[h]]) * gain[h];
        first2 += share2;
        second += share2 * gain[h];
      }
      this.#first[m] += first2;
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
  const key2 = isByItem ? selection.item : selection.row;
  for (let i = 0; i < selection.rows; i++) pi[i] = from[key2[i]];
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
      const key2 = JSON.stringify([model, metric, k, estimator, aggregation]);
      const known = values.get(key2);
      if (known === void 0) values.set(key2, { row, values: [row.value] });
      else known.values.push(row.value);
    }
  }
  return [...values.values()].map(summary);
}
function* drawn({ name, sides: sides2 }, parts, { itemKey }, { sampleShare }, seed) {
  const rows2 = parts.reduce((sum3, part) => sum3 + part.rows, 0);
  const sample = new BottomK(Math.round(interventionOf(name).keepsAll ? rows2 : sampleShare * rows2));
  for (const [p, part] of parts.entries()) {
    const { userStart, item, userKey } = part;
    const userSide = sides2.userSides?.get(part);
    for (let s = 0; s < part.users; s++) {
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        const weight = (userSide?.[s] ?? 1) * sides2.itemSide[item[r]];
        sample.add(samplingKey(seed, userKey[s], itemKey(item[r]), weight), p, r);
      }
      if (s % 1024 === 1023) yield;
    }
  }
  const taken3 = parts.map(({ rows: own }) => new Float64Array(own));
  for (const { idHigh: p, idLow: r } of sample.rows()) taken3[p][r] = 1;
  yield;
  return new Map(parts.map((part, p) => [part, taken3[p]]));
}
function summary({ row, values }) {
  const { model, metric, k, estimator, aggregation } = row;
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum3, value) => sum3 + (value - mean) ** 2, 0);
  const stdDev = values.length < 2 ? Number.NaN : Math.sqrt(squares / (values.length - 1));
  return { ...{ model, metric, k, estimator, aggregation }, draws: values.length, mean, stdDev };
}

// src/estimators/results/scale-report.ts
var SCALES = ["logged", "randomized", "reach", "relative"];

// src/estimators/known/absolute-scale.ts
var LOGGED_AT_LEAST = 0.95;
function* absoluteScale(parts, counts, columns, randomized, options, sliceRows) {
  const positives2 = yield* organicPositives(parts, columns.weight, sliceRows);
  const loggedShare = positives2.logged / positives2.rows;
  const attempts = {
    logged: () => fromLog(loggedShare),
    randomized: () => fromRandomized(columns, positives2, randomized, options),
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
  let [rows2, logged, users, work] = [0, 0, 0, 0];
  for (const { users: segments, userStart, item, positive, propensity } of parts) {
    for (let s = 0; s < segments; s++) {
      const before2 = rows2;
      for (let r = userStart[s]; r < userStart[s + 1]; r++) {
        if (positive[r] === 0 || weight[item[r]] === 0) continue;
        rows2++;
        byItem[item[r]]++;
        if (propensity !== void 0 && propensity[r] > 0) logged++;
      }
      if (rows2 > before2) users++;
      work += userStart[s + 1] - userStart[s];
      if (work >= sliceRows) {
        yield;
        work = 0;
      }
    }
  }
  return { rows: rows2, logged, users, byItem };
}
function fromLog(share2) {
  if (share2 >= LOGGED_AT_LEAST) return { inverse: null, slope: null };
  if (!(share2 > 0)) return "no event carries a propensity";
  return `${(100 * share2).toFixed(1)} % of the rows carry a propensity, fewer than 95 %`;
}
function fromRandomized({ weight, weightSlope }, { byItem, users }, { positives: positives2, itemsShown }, { catalogueSize }) {
  if (positives2 === 0) return "the window holds no positive interaction from randomised traffic";
  if (!(itemsShown > 0)) return "not all lists of the randomised traffic are logged";
  const relevant = users * catalogueSize * (positives2 / itemsShown);
  let sum3 = 0;
  let slopeSum = 0;
  for (let i = 0; i < weight.length; i++) {
    sum3 += byItem[i] * weight[i];
    slopeSum += byItem[i] * weightSlope[i];
  }
  const scale = relevant / sum3;
  const scaleSlope = -(scale * slopeSum) / sum3;
  return scaled({ weight, weightSlope }, scale, scaleSlope);
}
function fromReach(parts, { items }, { cold, smoothing, noReach }) {
  if (noReach !== void 0) return noReach;
  if (parts.some(({ reach: reach2 }) => reach2 === void 0)) return "not all lists are known";
  const users = parts.reduce((sum3, { reach: reach2 }) => sum3 + reach2.users, 0);
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
function isMixed({ traffic: traffic2, rows: rows2 }) {
  let any = 0;
  for (let r = 0; r < rows2; r++) any |= traffic2[r];
  return (any & RANDOMIZED_TRAFFIC) !== 0;
}
function* rowsOf(part, bit, sliceRows) {
  const { users, userStart, traffic: traffic2 } = part;
  const kept = new Int32Array(countOf(part, bit));
  const start = new Int32Array(users + 1);
  let rows2 = 0;
  let work = 0;
  for (let s = 0; s < users; s++) {
    start[s] = rows2;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      if ((traffic2[r] & bit) !== 0) kept[rows2++] = r;
    }
    work += userStart[s + 1] - userStart[s];
    if (work >= sliceRows) {
      yield;
      work = 0;
    }
  }
  start[users] = rows2;
  yield;
  return yield* narrowedPart(part, kept, start);
}
function countOf({ traffic: traffic2, rows: rows2 }, bit) {
  let count = 0;
  for (let r = 0; r < rows2; r++) if ((traffic2[r] & bit) !== 0) count++;
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
    const first2 = Math.floor(strata * rank / seen);
    const last = Math.floor(strata * (rank + level.length - 1) / seen);
    if (first2 !== last) level.sort((a, b) => counts.compareIds(a, b));
    for (const item of level) stratumOf[item] = Math.floor(strata * rank++ / seen);
  }
  const least = Math.floor(strata * (seen - 1) / seen);
  for (let item = 0; item < items; item++) if (!(popularity[item] >= min)) stratumOf[item] = least;
  return stratumOf;
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
  let rows2 = 0;
  for (let s = 0; s < users; s++) {
    start[s] = rows2;
    for (let r = userStart[s]; r < userStart[s + 1]; r++) {
      if (causes.cause[r] === UNCAUSED) kept[rows2++] = r;
    }
  }
  start[users] = rows2;
  yield;
  return yield* narrowedPart(part, kept.subarray(0, rows2), start);
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
  const rows2 = arms.reduce((sum3, { shownRows }) => sum3 + shownRows, 0);
  return { caused: arms.reduce((sum3, arm) => sum3 + arm.caused * arm.shownRows, 0) / rows2, arms };
}
function findDepths({ rows: rows2, positive, causes, lists }, depths) {
  if (causes === void 0) return;
  for (let r = 0; r < rows2; r++) {
    const m = causes.served[r] - 1;
    if (positive[r] === 0 || m < 0 || m >= depths.length) continue;
    depths[m] = Math.max(depths[m], lists[m][r] & LIST_LENGTH_MASK);
  }
}
function countHits(part, depths, counts) {
  const { rows: rows2, positive, causes } = part;
  if (causes === void 0) return;
  const { served } = causes;
  for (let m = 0; m < depths.length; m++) {
    const depth = depths[m];
    if (depth === 0) continue;
    const [ranks, lists] = [part.ranks[m], part.lists[m]];
    for (let r = 0; r < rows2; r++) {
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
  let rows2 = 0;
  let caused = 0;
  for (const { positive, causes, ...part } of parts) {
    for (let r = 0; r < part.rows; r++) {
      if (positive[r] === 0) continue;
      rows2++;
      if (causes !== void 0 && causes.cause[r] !== UNCAUSED) caused++;
    }
    yield;
  }
  const arms = yield* causeByArms(parts, models);
  if (caused > 0) return { source: "named", caused: caused / rows2, arms };
  if (arms !== null) return { source: "arms", caused: Math.max(0, arms.caused), arms };
  return { source: "unknown", caused: Number.NaN, arms };
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
  let rows2 = 0;
  let users = 0;
  for (const { users: segments, userStart, positive } of parts) {
    for (let s = 0; s < segments; s++) {
      const before2 = rows2;
      for (let r = userStart[s]; r < userStart[s + 1]; r++) rows2 += positive[r];
      if (rows2 > before2) users++;
    }
  }
  return { rows: rows2, users };
}

// src/estimators/window/merged-order.ts
function mergedOrder(shares2, models, { metrics, ks, estimators }) {
  const places2 = new Map(measures(metrics, ks).map((measure, n) => [nameOf2(measure), n]));
  const placeOf = (number) => places2.get(nameOf2(number)) ?? 0;
  return shares2.flat().sort(
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
  let rows2 = 0;
  let weight = 0;
  for (let c = 0; c < cells.cells; c++) {
    rows2 += cells.rows[c];
    weight += cells.rows[c] * cells.weight[c];
  }
  if (k >= rows2) return Number.POSITIVE_INFINITY;
  let time = k / weight;
  const sums = { kept: 0, slope: 0 };
  for (let step3 = 0; step3 < MAX_STEPS; step3++) {
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
  constructor(size2) {
    this.before = new Float64Array(size2);
    this.weights = new Float64Array(size2);
    this.sample = new Float64Array(size2);
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
function sliceEnd({ userStart, users }, from, rows2) {
  let to = from + 1;
  while (to < users && userStart[to + 1] - userStart[from] <= rows2) to++;
  return to;
}
function addUsers(part, from, to, { sides: sides2, time, itemChance }, users, items, chances) {
  const { userStart, item } = part;
  const { itemSide } = sides2;
  const userSide = sides2.userSides?.get(part);
  const { before: before2, weights, sample } = items;
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
      before2[i]++;
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
  const { rows: rows2, weight, squares, expected, largest } = sums;
  if (!(weight > 0)) return { rows: rows2, expected, ess: 0, largestShare: 0, distance: 0 };
  let distance2 = 0;
  for (let from = 0; from < cells.cells && expected > 0; from += SLICE_CELLS2) {
    const to = Math.min(from + SLICE_CELLS2, cells.cells);
    for (let c = from; c < to; c++) {
      const share2 = inclusionProbability(cells.weight[c], time) / expected;
      distance2 += cells.rows[c] * Math.abs(share2 - cells.weight[c] / weight);
    }
    yield;
  }
  const ess = weight / squares * weight;
  return { rows: rows2, expected, ess, largestShare: largest / weight, distance: distance2 / 2 };
}
function addCells2(cells, from, to, time, sums) {
  for (let c = from; c < to; c++) {
    const weight = cells.weight[c];
    const rows2 = cells.rows[c];
    sums.rows += rows2;
    sums.weight += rows2 * weight;
    sums.squares += rows2 * weight * weight;
    sums.expected += rows2 * inclusionProbability(weight, time);
    if (weight > sums.largest) sums.largest = weight;
  }
}

// src/estimators/results/weight-quantile.ts
var WEIGHT_QUANTILES = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1];

// src/estimators/interventions/weight-quantiles.ts
function* weightQuantiles(columns) {
  const levels = yield* levelIndex(columns);
  const rows2 = new Float64Array(levels.counts.length);
  for (const column of columns) {
    for (const weight of column) if (weight > 0) rows2[levels.indexOf(weight)]++;
    yield;
  }
  const total3 = rows2.reduce((sum3, n) => sum3 + n, 0);
  if (total3 === 0) return [];
  const mean = rows2.reduce((sum3, n, level2) => sum3 + (n === 0 ? 0 : n * levels.counts[level2]), 0) / total3;
  let level = -1;
  let below = 0;
  return WEIGHT_QUANTILES.map((quantile2) => {
    const wanted = Math.max(1, Math.ceil(quantile2 * total3 - 1e-9));
    while (below < wanted) below += rows2[++level];
    return { quantile: quantile2, weight: levels.counts[level] / mean };
  });
}

// src/estimators/interventions/intervention-summary.ts
function* interventionSummary({ name, sides: sides2, cells, time }, { users, items }, parts, counts, catalogueSize) {
  const { itemSide, userSides, raking } = sides2;
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
  const aims = targets ?? margins.map(({ before: before2 }) => before2.map((rows2) => rows2 > 0 ? 1 : 0));
  const aimed = sumOf(aims);
  const distance2 = (columns) => totalVariation(columns, sumOf(columns), aims, aimed);
  return {
    before: distance2(margins.map(({ before: before2 }) => before2)),
    weights: distance2(margins.map(({ weights }) => weights)),
    sample: distance2(margins.map(({ sample }) => sample))
  };
}
function totalVariation(columns, total3, aims, aimed) {
  if (!(total3 > 0) || !(aimed > 0)) return 0;
  let sum3 = 0;
  for (let p = 0; p < columns.length; p++) {
    const column = columns[p];
    const aim = aims[p];
    for (let j = 0; j < column.length; j++) sum3 += Math.abs(column[j] / total3 - aim[j] / aimed);
  }
  return sum3 / 2;
}
function sumOf(columns) {
  let sum3 = 0;
  for (const column of columns) for (let j = 0; j < column.length; j++) sum3 += column[j];
  return sum3;
}
function itemConcentration(rows2, catalogueSize) {
  const { gini, entropy, coverage, total: total3 } = concentration(rows2, rows2.length, catalogueSize);
  if (total3 === 0) return { rows: 0, gini: 0, kl: 0 };
  const seen = rows2.reduce((sum3, n) => sum3 + (n > 0 ? 1 : 0), 0);
  return { rows: total3, gini, kl: Math.max(0, Math.log(seen / coverage) - entropy) };
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
        const first2 = rootOf(parent, item[from]);
        if (root === first2) continue;
        parent[root] = first2;
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
        let sum3 = 0;
        for (let r = userStart[u]; r < end; r++) sum3 += b[item[r]];
        if (sum3 === 0) continue;
        const mass = this.#users * sum3;
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
  const userSides = weights.user === null ? null : yield* usersOf2(weights, parts, options);
  return { userSides, itemSide: yield* itemsOf(weights, counts, options) };
}
function* usersOf2({ user, isTargeted }, parts, { smoothing }) {
  const sides2 = /* @__PURE__ */ new Map();
  const byCount = perLevel((n) => user(n, 0, smoothing, 1));
  for (const part of parts) {
    const { userCount, userRandomized } = part;
    const side = new Float64Array(part.users);
    sides2.set(part, side);
    if (!isTargeted) {
      yield* perItem(userCount, byCount, side);
      continue;
    }
    for (let s = 0; s < side.length; s++) {
      side[s] = user(userCount[s], userRandomized[s], smoothing, 1);
    }
    yield;
  }
  return sides2;
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
  const rows2 = parts.reduce((sum3, part) => sum3 + part.rows, 0);
  const weight = new Float64Array(rows2);
  let cells = 0;
  let work = 0;
  for (const part of parts) {
    const sides2 = userSides.get(part);
    for (let s = 0; s < part.users; s++) {
      for (let r = part.userStart[s]; r < part.userStart[s + 1]; r++) {
        weight[cells] = sides2[s] * itemSide[part.item[r]];
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
    tally.flush((level, rows2) => cells.push(weightOf(0, level), rows2));
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
    work += tally.flush((level, rows2) => cells.push(weightOf(userLevel, level), rows2));
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
    const { rows: rows2, met } = this;
    let size2 = this.size;
    for (let r = from; r < to; r++) {
      const level = itemLevel[item[r]];
      if (rows2[level] === 0) met[size2++] = level;
      rows2[level]++;
    }
    this.size = size2;
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
  const total3 = start[start.length - 1];
  const part = new Int32Array(total3);
  const segment = new Int32Array(total3);
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
  push(weight, rows2) {
    if (weight === 0) return;
    if (this.cells === this.weight.length) {
      this.weight = doubled(this.weight);
      this.rows = doubled(this.rows);
    }
    this.weight[this.cells] = weight;
    this.rows[this.cells++] = rows2;
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
  const sides2 = yield* interventionSides(entry, parts, counts, options, sliceRows);
  const { userSides, itemSide } = sides2;
  const cells = yield* cellsOf(entry, parts, counts, sides2, sliceRows);
  const rows2 = parts.reduce((sum3, part) => sum3 + part.rows, 0);
  const share2 = entry.keepsAll ? 1 : options.sampleShare;
  const time = yield* samplingTime(cells, share2 * rows2);
  let itemChance = null;
  if (userSides === null) {
    const chanceOf = (weight) => inclusionProbability(weight, time);
    itemChance = yield* perItem(itemSide, chanceOf, new Float64Array(counts.items));
  }
  return { name, sides: sides2, time, itemChance, cells };
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
      const sides2 = userSides.get(part);
      for (let s = 0; s < part.users; s++) userSideAt[users.indexOf(part.userCount[s])] = sides2[s];
    }
  }
  const weightOf = (userLevel, level) => (users === null ? 1 : userSideAt[userLevel]) * sideAt[level];
  return yield* weightCells(parts, users, itemLevel, sideAt.length, weightOf, sliceRows);
}

// src/estimators/interventions/row-chances.ts
function* rowChances({ itemChance, sides: sides2, time }, parts, sliceRows) {
  if (itemChance !== null) return itemChance;
  const { itemSide } = sides2;
  const byRow = /* @__PURE__ */ new Map();
  for (const part of parts) {
    const { users, userStart, item } = part;
    const side = sides2.userSides.get(part);
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
      const summary3 = interventionSummary(prepared, margins, parts, counts, catalogueSize);
      interventions.push(yield* summary3);
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
    const { needs, without: without2 } = estimatorOf(estimator);
    if (needs.scale !== void 0 && scale === null) return [{ estimator, reason: needs.scale }];
    return AGGREGATIONS.flatMap((aggregation) => {
      const reason = without2?.[aggregation];
      return reason === void 0 ? [] : [{ estimator, aggregation, reason }];
    });
  });
}
var NOT_ADDITIVE = "has weights for single rows, which make no set of items that could be measured; naive and the interventions have sets";
var WITH_SETS = /* @__PURE__ */ new Set(["observed", "intervention"]);
function setRefusals(metrics, estimators) {
  const without2 = estimators.filter((name) => !WITH_SETS.has(estimatorOf(name).kind));
  return METRICS.filter((name) => metrics.includes(name) && metricOf(name).kind === "set").flatMap(
    (metric) => without2.map((estimator) => ({ estimator, metric, reason: NOT_ADDITIVE }))
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
var SLICE5 = 1e5;
function* slicedSensitivity(levels, models, { from, to } = { from: FROM, to: -FROM }) {
  const logs = Float64Array.from(levels, Math.log);
  const present = models.filter(({ rows: rows2 }) => rows2.some((count) => count > 0));
  const before2 = Math.max(0, Math.ceil((FROM - from) / STEP));
  const after2 = Math.max(0, Math.ceil((to + FROM) / STEP));
  const grid = Array.from({ length: before2 + STEPS + after2 + 1 }, (_, p) => gammaAt(p - before2));
  const values = [];
  for (const model of present) {
    values.push(valuesOn(grid, logs, model));
    if (values.length * logs.length * grid.length % SLICE5 < logs.length * grid.length) yield;
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
      ({ model }, m) => bandOf(model, values[m].subarray(before2, before2 + STEPS + 1))
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
function valuesOn(grid, logs, { rows: rows2, gains }) {
  const points = grid.length;
  const above = new Float64Array(points);
  const below = new Float64Array(points);
  const least = leastOf(logs);
  for (let j = 0; j < logs.length; j++) {
    const [count, gain] = [rows2[j], gains[j]];
    if (count === 0) continue;
    const log2 = logs[j] - least;
    const factor = Math.exp(-STEP / 2 * log2);
    let weight = Math.exp(-(grid[0] + 1) / 2 * log2);
    for (let p = 0; p < points; p++) {
      above[p] += gain * weight;
      below[p] += count * weight;
      weight *= factor;
    }
  }
  return above.map((sum3, p) => sum3 / below[p]);
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
  return logs.map((log2) => Math.exp(-beta * (log2 - least)));
}
function leastOf(logs) {
  return logs.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}
function ratio({ rows: rows2, gains }, weights) {
  let above = 0;
  let below = 0;
  for (let j = 0; j < weights.length; j++) {
    above += gains[j] * weights[j];
    below += rows2[j] * weights[j];
  }
  return above / below;
}

// src/estimators/diagnostics/level-gains.ts
function* levelGains(parts, { ofItem, counts }, models, { metrics, ks, catalogueSize }, sliceRows) {
  const ranked = rankGains(metrics, ks);
  const complete = listGains(metrics);
  const size2 = counts.length;
  const byRank3 = models.map(() => new FamilySums(size2, ranked.length));
  const byList2 = models.map(() => new FamilySums(complete.length > 0 ? size2 : 0, complete.length));
  const tables = ranked.map(({ table }) => table);
  const rows2 = {
    row: new Int32Array(sliceRows),
    level: new Int32Array(sliceRows),
    size: 0
  };
  for (const part of parts) {
    for (let from = 0; from < part.rows; from += sliceRows) {
      takeRows(rows2, part, ofItem, from, Math.min(part.rows, from + sliceRows));
      models.forEach((_, m) => {
        if (tables.length > 0) byRank3[m].addRanked(rows2, part.ranks[m], part.lists[m], tables);
        if (complete.length > 0) {
          byList2[m].addComplete(rows2, part.ranks[m], part.lists[m], complete, catalogueSize);
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
function takeRows(to, { item, positive }, levelOf, first2, end) {
  let size2 = 0;
  for (let r = first2; r < end; r++) {
    const level = levelOf[item[r]];
    to.row[size2] = r;
    to.level[size2] = level;
    size2 += level >= 0 ? positive[r] : 0;
  }
  to.size = size2;
}
var SliceHits = class {
  level = new Int32Array(0);
  rank = new Uint16Array(0);
  reserve(rows2) {
    if (rows2 <= this.level.length) return;
    this.level = new Int32Array(rows2);
    this.rank = new Uint16Array(rows2);
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
  addRanked({ row, level, size: size2 }, ranks, lists, tables) {
    const limit2 = Math.max(...tables.map(({ length }) => length));
    const { rows: rows2, gains, hits: hits2 } = this;
    hits2.reserve(size2);
    const { level: levels, rank: found } = hits2;
    let ranked = 0;
    for (let i = 0; i < size2; i++) {
      const rank = ranks[row[i]];
      if (rank === UNRANKED || (lists[row[i]] & LIST_SAMPLED_FULL) === LIST_SAMPLED_FULL) continue;
      rows2[level[i]]++;
      levels[ranked] = level[i];
      found[ranked] = rank;
      ranked += rank - limit2 >>> 31;
    }
    tables.forEach((table, g) => {
      const own = gains[g];
      for (let h = 0; h < ranked; h++) {
        if (found[h] < table.length) own[levels[h]] += table[found[h]];
      }
    });
  }
  addComplete({ row, level, size: size2 }, ranks, lists, metrics, catalogueSize) {
    const { rows: rows2, gains } = this;
    for (let i = 0; i < size2; i++) {
      const rank = ranks[row[i]];
      const list = lists[row[i]];
      if (rank === UNRANKED || !ranksAllCandidates(list, catalogueSize)) continue;
      rows2[level[i]]++;
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
var Z3 = 1.96;
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
  const half = Z3 * gammaStdErr;
  return { from: Math.min(-1, gamma - half), to: Math.max(1, gamma + half) };
}
function isWithheld(rows2, model) {
  const pooled = rows2.filter((row) => row.model === model && row.aggregation === "pooled");
  const leading = pooled.filter(({ estimator }) => estimator === LEADING);
  const judged = leading.length > 0 ? leading : pooled;
  return judged.some(({ withheld }) => (withheld ?? null) !== null);
}

// src/estimators/window/estimate-window.ts
function* estimateWindow(parts, counts, models, asked, sliceRows = 4096, work = organicEstimates) {
  checkOptions(asked);
  const traffic2 = yield* separateTraffic(parts, sliceRows);
  const randomized = yield* randomizedTraffic(parts, traffic2.randomized, counts, sliceRows);
  const { estimators, refusals } = possibleEstimators(asked.estimators, randomized);
  const beta = propensityExponent(asked.gamma);
  const columns = yield* itemColumns(counts, beta, asked);
  let scale = null;
  if (needsScale(asked)) {
    scale = yield* absoluteScale(traffic2.organic, counts, columns, randomized, asked, sliceRows);
  }
  refusals.push(...formRefusals(estimators, scale), ...setRefusals(asked.metrics, estimators));
  const totals = totalsOf(counts);
  const organic = { ...asked, estimators: estimators.filter((name) => isOrganic(name, scale)) };
  const organicJob = { parts: traffic2.organic, counts: totals, columns, models, options: organic };
  const own = yield* work(organicJob, { scale }, sliceRows);
  const uniform = {
    ...{ ...asked, feedback: "ignore" },
    estimators: estimators.filter(isRandomised)
  };
  const job = { parts: traffic2.randomized, counts: totals, columns, models, options: uniform };
  const other = uniform.estimators.length === 0 ? null : yield* organicEstimates(job, { scale }, sliceRows);
  const singles = () => singleCountShare(traffic2.organic, counts, columns.weight, sliceRows);
  const merged = (a, b) => b === void 0 ? a : mergedOrder([a, b], models, { ...asked, estimators });
  const whole2 = {
    results: merged(own.results, other?.results),
    differences: merged(own.differences, other?.differences)
  };
  const judged = yield* feedbackEstimates(organicJob, { scale }, whole2, work, sliceRows);
  const pairs = traffic2.randomized.length === 0 ? own.counts : yield* countPairs(parts, counts.items);
  return {
    ...judged,
    effectiveSampleSizes: merged(own.effectiveSampleSizes, other?.effectiveSampleSizes),
    models: own.counts.summaries(models),
    counts: { ...pairs.totals(), unranked: own.counts.totals().unranked },
    refusals,
    interventions: own.interventions,
    drawn: givenOnly(
      yield* drawnEstimates(
        ...[own.prepared, traffic2.organic, counts, columns, models, asked, sliceRows]
      ),
      judged.results
    ),
    weightDistribution: yield* weightDistribution(traffic2.organic, columns.weight, sliceRows),
    absoluteScale: scale?.report ?? null,
    randomized,
    controlVariates: other === null ? [] : yield* controlVariates(traffic2, counts, columns.weight, sliceRows),
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

// src/state/panes/grouped-rows.ts
var SLICE_ROWS4 = 32768;
var REPEATED_POSITIVE = 2;
var REPEATED_OTHER = 3;
var FOUND_ALONE = 4;
var GroupedRows = class {
  #item;
  #positive;
  #traffic;
  #propensity;
  #causes;
  #ranks;
  #lists;
  #items = 0;
  /** Whether any row came from randomised traffic: only then there is anything to merge. */
  #isMixed = false;
  /** By item: its row that stands, of the user at hand. */
  #standing;
  constructor(rows2, models, { isLogged, followsCauses: followsCauses2 }, isShared) {
    const room = (bytes) => isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes);
    const ofModels = () => Array.from({ length: models }, () => new Uint16Array(room(2 * rows2)));
    this.#propensity = isLogged ? new Float32Array(room(4 * rows2)) : void 0;
    const column = () => new Uint16Array(room(2 * rows2));
    this.#causes = followsCauses2 ? { cause: column(), served: column() } : void 0;
    this.#item = new Int32Array(room(4 * rows2));
    this.#positive = new Uint8Array(room(rows2));
    this.#traffic = new Uint8Array(room(rows2));
    this.#ranks = ofModels();
    this.#lists = ofModels();
  }
  *scatter(pane, models, cursor) {
    const place3 = new Int32Array(Math.min(pane.length, SLICE_ROWS4));
    const causes = pane.causes && renumbered(pane.causes, numbering(models));
    for (let from = 0; from < pane.length; from += SLICE_ROWS4) {
      const to = Math.min(from + SLICE_ROWS4, pane.length);
      for (let r = from; r < to; r++) {
        const at = cursor[pane.user[r]]++;
        place3[r - from] = at;
        const item = pane.item[r];
        if (item >= this.#items) this.#items = item + 1;
        this.#item[at] = item;
        this.#positive[at] = (pane.flags[r] & POSITIVE) === 0 ? 0 : 1;
        const isRandomized = (pane.flags[r] & RANDOMIZED) !== 0;
        this.#traffic[at] = isRandomized ? RANDOMIZED_TRAFFIC : ORGANIC_TRAFFIC;
        this.#isMixed ||= isRandomized;
      }
      models.forEach((model, m) => {
        scatterColumn(pane.ranks[model], UNRANKED, place3, from, to, this.#ranks[m]);
        scatterColumn(pane.lists[model], 0, place3, from, to, this.#lists[m]);
      });
      if (this.#propensity !== void 0 && pane.propensity !== void 0) {
        for (let r = from; r < to; r++) this.#propensity[place3[r - from]] = pane.propensity[r];
      }
      if (this.#causes !== void 0) {
        scatterColumn(causes?.cause, 0, place3, from, to, this.#causes.cause);
        scatterColumn(causes?.served, 0, place3, from, to, this.#causes.served);
      }
      yield;
    }
  }
  /** Moves what stays to the front, in place. */
  *distinct(starts, segmentUsers, userCounts, randomized) {
    const users = segmentUsers.length;
    const userStart = new Int32Array(users + 1);
    const userCount = new Float64Array(users);
    const userRandomized = new Float64Array(users);
    const claimed = new Int32Array(this.#items);
    let kept = 0;
    let worked = 0;
    for (let s = 0; s < users; s++) {
      const user = segmentUsers[s];
      const from = starts[user];
      const to = starts[user + 1];
      userStart[s] = kept;
      userCount[s] = user < userCounts.length ? userCounts[user] : 0;
      userRandomized[s] = user < randomized.counts.length ? randomized.counts[user] : 0;
      kept = this.#keepDistinct(from, to, kept, claimed, 2 * s + 1);
      worked += to - from;
      if (worked >= SLICE_ROWS4) {
        worked = 0;
        yield;
      }
    }
    userStart[users] = kept;
    return {
      users,
      userStart,
      userCount,
      userRandomized,
      randomizedUsers: randomized.users,
      randomizedItems: randomized.shown,
      rows: kept,
      item: this.#item.subarray(0, kept),
      positive: this.#positive.subarray(0, kept),
      traffic: this.#traffic.subarray(0, kept),
      ...this.#propensity === void 0 ? {} : { propensity: this.#propensity.subarray(0, kept) },
      ...this.#causes && {
        causes: {
          cause: this.#causes.cause.subarray(0, kept),
          served: this.#causes.served.subarray(0, kept)
        }
      },
      ranks: this.#ranks.map((column) => column.subarray(0, kept)),
      lists: this.#lists.map((column) => column.subarray(0, kept))
    };
  }
  #keepDistinct(from, to, keptBefore, claimed, tag) {
    const item = this.#item;
    const positive = this.#positive;
    if (this.#causes !== void 0) this.#claimUncaused(from, to, claimed, tag);
    let others = 0;
    for (let r = from; r < to; r++) {
      if (positive[r] === 0) {
        others++;
      } else if (positive[r] === FOUND_ALONE) {
        positive[r] = 1;
      } else if (claimed[item[r]] === tag + 1) {
        positive[r] = REPEATED_POSITIVE;
      } else {
        claimed[item[r]] = tag + 1;
      }
    }
    for (let r = from; others > 0 && r < to; r++) {
      if (positive[r] !== 0) continue;
      others--;
      if (claimed[item[r]] >= tag) positive[r] = REPEATED_OTHER;
      else claimed[item[r]] = tag;
    }
    if (this.#isMixed) this.#mergeTraffic(from, to);
    let kept = keptBefore;
    for (let r = from; r < to; r++) {
      if (positive[r] >= REPEATED_POSITIVE) continue;
      if (kept !== r) this.#move(r, kept);
      kept++;
    }
    return kept;
  }
  /** The first positives that no list caused stand for their pairs, whatever came before them. */
  #claimUncaused(from, to, claimed, tag) {
    const { cause } = this.#causes;
    for (let r = from; r < to; r++) {
      if (this.#positive[r] === 0 || cause[r] !== UNCAUSED) continue;
      if (this.#traffic[r] !== ORGANIC_TRAFFIC || claimed[this.#item[r]] === tag + 1) continue;
      claimed[this.#item[r]] = tag + 1;
      this.#positive[r] = FOUND_ALONE;
    }
  }
  /** A pair came from wherever any of its positive interactions came from, if it has one. */
  #mergeTraffic(from, to) {
    const positive = this.#positive;
    const traffic2 = this.#traffic;
    const item = this.#item;
    this.#standing ??= new Int32Array(this.#items);
    const standing = this.#standing;
    for (let r = from; r < to; r++) if (positive[r] < REPEATED_POSITIVE) standing[item[r]] = r;
    for (let r = from; r < to; r++) {
      if (positive[r] < REPEATED_POSITIVE) continue;
      const row = standing[item[r]];
      if (positive[row] === 0 || positive[r] === REPEATED_POSITIVE) traffic2[row] |= traffic2[r];
    }
  }
  #move(from, to) {
    this.#item[to] = this.#item[from];
    this.#positive[to] = this.#positive[from];
    this.#traffic[to] = this.#traffic[from];
    if (this.#propensity !== void 0) this.#propensity[to] = this.#propensity[from];
    if (this.#causes !== void 0) {
      this.#causes.cause[to] = this.#causes.cause[from];
      this.#causes.served[to] = this.#causes.served[from];
    }
    for (const column of this.#ranks) column[to] = column[from];
    for (const column of this.#lists) column[to] = column[from];
  }
};
function scatterColumn(column, absent, place3, from, to, into) {
  if (column === void 0) {
    for (let r = from; r < to; r++) into[place3[r - from]] = absent;
  } else {
    for (let r = from; r < to; r++) into[place3[r - from]] = column[r];
  }
}
function numbering(models) {
  const columns = new Map(models.map((model, column) => [model, column]));
  return (model) => columns.get(model);
}

// src/state/panes/group-by-user.ts
var NO_USERS = new Int32Array(1);
function* windowPart({ closed, userCounts, keyOf, reach: reach2 }, { window, models, isKeyed, reachItems, isShared = false }) {
  const { from, to, firstPane, lastPane } = window;
  const panes = closed.rows.filter(({ pane }) => pane >= firstPane && pane <= lastPane);
  const randomized = closed.randomizedTraffic(firstPane, lastPane);
  const shown2 = closed.served(firstPane, lastPane);
  const isEmpty = panes.length === 0 && randomized.users === 0 && shown2.length === 0;
  if (isEmpty && reachItems === void 0) return void 0;
  const grouped = yield* groupByUser(panes, models, userCounts, randomized, {
    keyOf: isKeyed ? keyOf : void 0,
    isShared
  });
  const columns = new Map(models.map((model, column) => [model, column]));
  const part = {
    ...grouped,
    ...shown2.length > 0 && {
      served: shown2.map((lists) => withModels(lists, (model) => columns.get(model)))
    }
  };
  if (reachItems === void 0) return part;
  return { ...part, reach: yield* reach2(from, to, reachItems) };
}
var NO_TRAFFIC = { counts: new Int32Array(0), users: 0, shown: 0 };
function* groupByUser(panes, models, userCounts, randomized = NO_TRAFFIC, { keyOf, isShared = false } = {}) {
  const rows2 = panes.reduce((sum3, pane) => sum3 + pane.length, 0);
  const isLogged = panes.some(({ propensity }) => propensity !== void 0);
  const followsCauses2 = panes.some(({ causes }) => causes !== void 0);
  const grouped = new GroupedRows(rows2, models.length, { isLogged, followsCauses: followsCauses2 }, isShared);
  const starts = yield* userStarts(panes);
  const segmentUsers = segmentsOf(starts);
  const cursor = starts.slice();
  for (const pane of panes) yield* grouped.scatter(pane, models, cursor);
  const part = yield* grouped.distinct(starts, segmentUsers, userCounts, randomized);
  return keyOf === void 0 ? part : { ...part, userKey: segmentUsers.map(keyOf) };
}
function* userStarts(panes) {
  let users = 0;
  for (const pane of panes) {
    for (let r = 0; r < pane.length; r++) if (pane.user[r] >= users) users = pane.user[r] + 1;
    yield;
  }
  if (users === 0) return NO_USERS;
  const starts = new Int32Array(users + 1);
  for (const pane of panes) {
    for (let r = 0; r < pane.length; r++) starts[pane.user[r] + 1]++;
    yield;
  }
  for (let u = 0; u < users; u++) starts[u + 1] += starts[u];
  return starts;
}
function segmentsOf(starts) {
  let segments = 0;
  for (let u = 0; u + 1 < starts.length; u++) if (starts[u + 1] > starts[u]) segments++;
  const users = new Int32Array(segments);
  for (let u = 0, s = 0; u + 1 < starts.length; u++) if (starts[u + 1] > starts[u]) users[s++] = u;
  return users;
}

// src/stream/tick/by-model.ts
function byModel() {
  return /* @__PURE__ */ Object.create(null);
}
function mapped(record, map2) {
  const result = byModel();
  for (const [model, value] of Object.entries(record)) result[model] = map2(value);
  return result;
}

// src/stream/tick/item-counts.ts
function itemCounts({ known, observed, weightsFrom }, { items }) {
  const popularity = widened(known.popularity().counts, items.size);
  const randomized = widened(known.randomized.counts, items.size);
  if (observed !== known) {
    const other = widened(observed.randomized.counts, items.size);
    for (let item = 0; item < items.size; item++) randomized[item] += other[item];
    if (weightsFrom === "all") {
      const own = widened(observed.popularity().counts, items.size);
      for (let item = 0; item < items.size; item++) popularity[item] += own[item];
    }
  }
  return {
    items: items.size,
    popularity,
    interactions: widened(known.interactions.counts, items.size),
    randomized,
    itemKey: (item) => items.hash(item),
    compareIds: (a, b) => items.compare(a, b)
  };
}
function ofKnown({ known }, counts) {
  return { ...counts, popularity: widened(known.popularity().counts, counts.items) };
}
function exposureCounts(observed, model, size2, horizonMs) {
  if (model >= observed.models) return new Float64Array(size2);
  return widened(observed.exposures(model, horizonMs).counts, size2);
}
function laggedPopularity({ known, observed }, periodMs, size2) {
  const lagged = widened(known.popularity().counts, size2);
  if (known !== observed) return lagged;
  const period = known.popularity(periodMs).counts;
  for (let i = 0; i < Math.min(size2, period.length); i++) lagged[i] -= period[i];
  return lagged;
}
function widened(counts, size2) {
  const wide = new Float64Array(size2);
  wide.set(counts.length > size2 ? counts.subarray(0, size2) : counts);
  return wide;
}

// src/estimators/diagnostics/exponent-test.ts
var Z4 = 1.96;
function exponentTest({ beta, stdErr, lower, upper, items, organic, randomized }, used) {
  const deviation = 2 * Z4 * Math.abs(beta - used) / (upper - lower);
  return { beta, stdErr, lower, upper, used, deviation, items, organic, randomized };
}

// src/propensity/exposure-levels.ts
var BINS_PER_OCTAVE = 8;
function exposureLevels(counts, exposures, items) {
  const levelOf = hasFractions(counts, items) ? binOf2 : (n) => n;
  const levels = /* @__PURE__ */ new Map();
  for (let item = 0; item < items; item++) {
    const n = counts[item];
    if (!(n > 0)) continue;
    const key2 = levelOf(n);
    let level = levels.get(key2);
    if (level === void 0) {
      level = { first: n, logs: 0, items: 0, exposures: 0, squares: 0 };
      levels.set(key2, level);
    }
    level.items++;
    level.logs += n === level.first ? 0 : Math.log(n / level.first);
    level.exposures += exposures[item];
    level.squares += exposures[item] ** 2;
  }
  const sorted = [...levels].sort(([a], [b]) => a - b).map(([, level]) => level);
  return {
    // A level of equal counts stands exactly at their value.
    count: Float64Array.from(sorted, ({ first: first2, logs, items: items2 }) => first2 * Math.exp(logs / items2)),
    items: Float64Array.from(sorted, (level) => level.items),
    exposures: Float64Array.from(sorted, (level) => level.exposures),
    squares: Float64Array.from(sorted, (level) => level.squares)
  };
}
function hasFractions(counts, items) {
  for (let item = 0; item < items; item++) {
    if (counts[item] > 0 && !Number.isInteger(counts[item])) return true;
  }
  return false;
}
function binOf2(n) {
  return Math.floor(BINS_PER_OCTAVE * Math.log2(n));
}

// src/propensity/poisson-regression.ts
var UNDETERMINED = {
  intercept: Number.NaN,
  slope: Number.NaN,
  stdErr: Number.NaN,
  dispersion: Number.NaN
};
var MAX_STEPS2 = 100;
var TOLERANCE4 = 1e-12;
function poissonRegression(x, size2, count) {
  const cells = usedCells(x, size2, count);
  if (!hasMaximum(cells)) return UNDETERMINED;
  let slope = 0;
  let at = momentsAt(cells, slope);
  for (let step3 = 0; step3 < MAX_STEPS2; step3++) {
    let move = (at.meanOfCounts - at.mean) / at.variance;
    let next = momentsAt(cells, slope + move);
    while (!(next.logLikelihood >= at.logLikelihood - TOLERANCE4) && Math.abs(move) > TOLERANCE4) {
      move /= 2;
      next = momentsAt(cells, slope + move);
    }
    slope += move;
    at = next;
    if (Math.abs(move) <= TOLERANCE4 * (1 + Math.abs(slope))) break;
  }
  return summary2(cells, slope, at);
}
function usedCells(x, size2, count) {
  const cells = [];
  for (let j = 0; j < x.length; j++) {
    if (size2[j] > 0) cells.push({ x: x[j], size: size2[j], count: count[j] });
  }
  return cells;
}
function hasMaximum(cells) {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  let above = false;
  let below = false;
  for (const { x } of cells) {
    low = Math.min(low, x);
    high = Math.max(high, x);
  }
  for (const { x, count } of cells) {
    above ||= count > 0 && x > low;
    below ||= count > 0 && x < high;
  }
  return above && below;
}
function momentsAt(cells, slope) {
  let peak = Number.NEGATIVE_INFINITY;
  for (const { x } of cells) peak = Math.max(peak, slope * x);
  let total3 = 0;
  let sum3 = 0;
  let events = 0;
  let eventSum = 0;
  for (const { x, size: size2, count } of cells) {
    const weight = size2 * Math.exp(slope * x - peak);
    total3 += weight;
    sum3 += weight * x;
    events += count;
    eventSum += count * x;
  }
  const mean = sum3 / total3;
  let squares = 0;
  for (const { x, size: size2 } of cells) squares += size2 * Math.exp(slope * x - peak) * (x - mean) ** 2;
  return {
    mean,
    variance: squares / total3,
    meanOfCounts: eventSum / events,
    events,
    intercept: Math.log(events / total3) - peak,
    logLikelihood: slope * (eventSum / events) - peak - Math.log(total3)
  };
}
function summary2(cells, slope, { intercept, events, variance: variance2 }) {
  let chiSquare = 0;
  for (const { x, size: size2, count } of cells) {
    const expected = size2 * Math.exp(intercept + slope * x);
    if (expected > 0) chiSquare += (count - expected) ** 2 / expected;
  }
  const freedom = cells.length - 2;
  const dispersion = freedom > 0 ? chiSquare / freedom : Number.NaN;
  return { intercept, slope, dispersion, stdErr: Math.sqrt(dispersion / (events * variance2)) };
}

// src/propensity/poisson-gamma.ts
function poissonGamma(levels, end = levels.count.length) {
  const x = levels.count.subarray(0, end).map(Math.log);
  const items = levels.items.subarray(0, end);
  const { intercept, slope, dispersion } = poissonRegression(x, items, levels.exposures);
  const mu = x.map((value) => Math.exp(intercept + slope * value));
  let total3 = 0;
  let sum3 = 0;
  for (let j = 0; j < end; j++) {
    total3 += items[j] * mu[j];
    sum3 += items[j] * mu[j] * x[j];
  }
  const mean = sum3 / total3;
  let information = 0;
  for (let j = 0; j < end; j++) information += items[j] * mu[j] * (x[j] - mean) ** 2;
  let spread = 0;
  for (let j = 0; j < end; j++) {
    const leverage = mu[j] * (1 / total3 + (x[j] - mean) ** 2 / information);
    const residuals2 = levels.squares[j] - 2 * mu[j] * levels.exposures[j] + items[j] * mu[j] * mu[j];
    spread += ((x[j] - mean) / (1 - leverage)) ** 2 * Math.max(0, residuals2);
  }
  return { gamma: slope, intercept, stdErr: Math.sqrt(spread) / information, dispersion };
}

// src/propensity/gamma-fit.ts
var TOP_SHARE = 5e-3;
var MIN_LEVELS = 5;
var MIN_LOG_RANGE = Math.log(4);
var MIN_R2 = 0.5;
var MAX_STD_ERR = 0.125;
function fitGamma(laggedCounts, exposures, items) {
  const levels = exposureLevels(laggedCounts, exposures, items);
  const end = topCut(levels);
  const poisson = poissonGamma(levels, end);
  const x = [];
  const y = [];
  for (let j = 0; j < end; j++) {
    if (!(levels.exposures[j] > 0)) continue;
    x.push(Math.log(levels.count[j]));
    y.push(Math.log(levels.exposures[j] / levels.items[j]));
  }
  const ols = leastSquares(x, y);
  const range = x.length === 0 ? 0 : x[x.length - 1] - x[0];
  return {
    ols,
    poisson,
    levels: x.length,
    zeroLevels: end - x.length,
    status: gammaStatus(x.length, range, ols),
    curve: exposureCurve(levels)
  };
}
function topCut(levels) {
  const seen = levels.items.reduce((sum3, items) => sum3 + items, 0);
  let above = 0;
  let end = levels.count.length;
  while (end > 1 && above + levels.items[end - 1] <= TOP_SHARE * seen) above += levels.items[--end];
  return end;
}
function leastSquares(x, y) {
  const size2 = x.length;
  const meanX = x.reduce((sum3, value) => sum3 + value, 0) / size2;
  const meanY = y.reduce((sum3, value) => sum3 + value, 0) / size2;
  let xx = 0;
  let xy = 0;
  let yy = 0;
  for (let j = 0; j < size2; j++) {
    xx += (x[j] - meanX) ** 2;
    xy += (x[j] - meanX) * (y[j] - meanY);
    yy += (y[j] - meanY) ** 2;
  }
  if (size2 < 2) {
    return { gamma: Number.NaN, stdErr: Number.NaN, r2: Number.NaN, intercept: Number.NaN };
  }
  const gamma = xy / xx;
  let residual2 = 0;
  for (let j = 0; j < size2; j++) residual2 += (y[j] - meanY - gamma * (x[j] - meanX)) ** 2;
  return {
    gamma,
    stdErr: size2 > 2 ? Math.sqrt(residual2 / (size2 - 2) / xx) : Number.NaN,
    r2: yy === 0 ? 1 : 1 - residual2 / yy,
    intercept: meanY - gamma * meanX
  };
}
function gammaStatus(levels, range, ols) {
  if (levels < MIN_LEVELS || range < MIN_LOG_RANGE - 1e-12) return "too_few_levels";
  return ols.r2 < MIN_R2 && ols.stdErr > MAX_STD_ERR ? "poor_fit" : "ok";
}
function exposureCurve(levels) {
  const bins = /* @__PURE__ */ new Map();
  for (let j = 0; j < levels.count.length; j++) {
    let level = 2 ** Math.floor(Math.log2(levels.count[j]));
    if (level > levels.count[j]) level /= 2;
    const bin = bins.get(level) ?? { items: 0, exposures: 0, logs: 0 };
    bin.items += levels.items[j];
    bin.exposures += levels.exposures[j];
    bin.logs += levels.items[j] * Math.log(levels.count[j] / level);
    bins.set(level, bin);
  }
  return [...bins].map(([level, { items, exposures, logs }]) => ({
    level,
    meanLevel: level * Math.exp(logs / items),
    exposuresPerItem: exposures / items
  }));
}

// src/propensity/split/response-levels.ts
var SMALL_COUNT4 = 4096;
var FIELDS = 5;
function responseLevels(counts, responses, items) {
  const places2 = new Int32Array(SMALL_COUNT4);
  const large = /* @__PURE__ */ new Map();
  const found = [];
  let cells = new Float64Array(256 * FIELDS);
  for (let item = 0; item < items; item++) {
    const n = counts[item];
    if (!(n > 0)) continue;
    const isSmall2 = n < SMALL_COUNT4 && Math.trunc(n) === n;
    let place3 = isSmall2 ? places2[n] : large.get(n) ?? 0;
    if (place3 === 0) {
      place3 = found.push(n);
      if (isSmall2) places2[n] = place3;
      else large.set(n, place3);
      if (place3 * FIELDS > cells.length) cells = grown2(cells);
    }
    let power = 1;
    const end = place3 * FIELDS;
    for (let at = end - FIELDS; at < end; at++) {
      cells[at] += power;
      power *= responses[item];
    }
  }
  const order3 = [...found.keys()].sort((a, b) => found[a] - found[b]);
  const column = (field) => Float64Array.from(order3, (j) => cells[j * FIELDS + field]);
  return {
    count: Float64Array.from(order3, (j) => found[j]),
    items: column(0),
    sums: [column(1), column(2), column(3), column(4)]
  };
}
function grown2(cells) {
  const wide = new Float64Array(cells.length * 2);
  wide.set(cells);
  return wide;
}

// src/propensity/split/power-moment.ts
var START = 6;
var TERMS = 60;
function powerMoments(alpha, size2) {
  if (!(alpha >= -10 && alpha <= 5)) {
    throw new RangeError(`powerMoments: \u03B1 is ${alpha}, expected a number from -10 to 5`);
  }
  const last = Math.max(size2, TERMS);
  const h = new Float64Array(last + 1);
  h[START] = Math.exp(logGamma(START + 1) - logGamma(START + 1 - alpha));
  for (let k = START; k > 1; k--) h[k - 1] = h[k] * (k - alpha) / k;
  for (let k = START + 1; k <= last; k++) h[k] = h[k - 1] * k / (k - alpha);
  let sum3 = 0;
  let factorial = 1;
  for (let k = 1; k <= TERMS; k++) {
    factorial *= k;
    sum3 += h[k] / factorial;
  }
  h[0] = Math.E - sum3;
  return h.subarray(0, size2 + 1);
}
function largePowerMoment(alpha, n) {
  const w = n + (1 - alpha) / 2;
  const rho = (1 + alpha) / 2;
  const pairs = alpha * (alpha - 1) / 2;
  const fours = pairs * (alpha - 2) * (alpha - 3) / 12;
  const square = 1 / (w * w);
  const series2 = 1 - square * (pairs * (rho / 6) - square * fours * rho * (1 + 5 * rho) / 60);
  return w ** alpha * series2;
}

// src/propensity/split/split-counts.ts
var SHARE = 0.7;
var LARGEST_SUMMED = 200;
var SplitCounts = class {
  /** u_0 and u_1 by level. */
  u0;
  u1;
  #counts;
  /** By level: P(A = a | n) f_j(n − a) for a = 0 … n − 1; undefined above 200. */
  #weights = [];
  #largest;
  /**
   * @param counts the levels n (events), whole numbers above 0.
   * @throws RangeError for another count
   */
  constructor(counts) {
    this.#counts = counts;
    this.u0 = new Float64Array(counts.length).fill(1);
    this.u1 = new Float64Array(counts.length);
    let largest = 0;
    for (let j = 0; j < counts.length; j++) {
      const n = counts[j];
      if (!Number.isInteger(n) || n < 1) {
        throw new RangeError(`SplitCounts: a count is ${n}, expected a whole number above 0`);
      }
      if (n > LARGEST_SUMMED) {
        const rest = (1 - SHARE) * n;
        this.u1[j] = Math.log(rest + 0.5) - SHARE / (2 * rest);
        this.#weights.push(void 0);
        continue;
      }
      largest = Math.max(largest, n);
      const weights = splitWeights(n);
      this.#weights.push(weights);
      this.u0[j] = sum2(weights.f0);
      this.u1[j] = sum2(weights.f1);
    }
    this.#largest = largest;
  }
  /** P(A = 0 | n) by level. */
  get unsized() {
    return Float64Array.from(this.#counts, (n) => (1 - SHARE) ** n);
  }
  /** @param alpha α, from −10 to 5. */
  at(alpha) {
    const h = powerMoments(alpha, this.#largest);
    const v0 = new Float64Array(this.#counts.length);
    const v1 = new Float64Array(this.#counts.length);
    const scale = SHARE ** alpha;
    for (let j = 0; j < v0.length; j++) {
      const n = this.#counts[j];
      const weights = this.#weights[j];
      if (weights === void 0) {
        v0[j] = scale * largePowerMoment(alpha, n);
        v1[j] = v0[j] * (this.u1[j] - alpha / n);
        continue;
      }
      v0[j] = product2(weights.f0, h);
      v1[j] = product2(weights.f1, h);
    }
    return { v0, v1, atZero: h[0] };
  }
};
function splitWeights(n) {
  const f0 = new Float64Array(n);
  const f1 = new Float64Array(n);
  let chance = (1 - SHARE) ** n;
  for (let a = 0; a < n; a++) {
    f0[a] = chance;
    f1[a] = chance * Math.log(n - a + 0.5);
    chance *= (n - a) / (a + 1) * (SHARE / (1 - SHARE));
  }
  return { f0, f1 };
}
function sum2(values) {
  let total3 = 0;
  for (let a = 0; a < values.length; a++) total3 += values[a];
  return total3;
}
function product2(first2, other) {
  let total3 = 0;
  for (let a = 0; a < first2.length; a++) total3 += first2[a] * other[a];
  return total3;
}

// src/propensity/split/split-fit.ts
var MOST_UNSIZED = 0.45;
var STEP2 = 1e-4;
var ROOT = 1e-6;
var MOST_LEVERAGE = 0.5;
function splitFit(levels, from, to) {
  const split = new SplitCounts(levels.count);
  const [responses] = levels.sums;
  const placed2 = weighted(split.u0, responses);
  const mean = weighted(split.u1, responses) / placed2;
  const balance = (alpha2) => {
    const { v0, v1 } = split.at(alpha2);
    return mean - weighted(v1, levels.items) / weighted(v0, levels.items);
  };
  const alpha = placed2 > 0 && levels.count.length > 1 ? bisect(balance, from, to) : Number.NaN;
  if (Number.isNaN(alpha)) return tooSparse(Number.NaN);
  const moments = split.at(alpha);
  const sizes = weighted(moments.v0, levels.items);
  const unsizedShare = moments.atZero * weighted(split.unsized, levels.items) / sizes;
  if (!(Math.abs(balance(alpha)) <= ROOT && sizes > 0)) return tooSparse(Number.NaN);
  if (unsizedShare > MOST_UNSIZED) return tooSparse(unsizedShare);
  const slope = (balance(alpha + STEP2) - balance(alpha - STEP2)) / (2 * STEP2);
  const { squares, fourths } = influence(levels, split, moments, mean);
  const stdErr = Math.sqrt(squares) / Math.abs(slope * placed2);
  const effectiveItems = squares ** 2 / fourths;
  const df = Math.max(effectiveItems - 1, 1);
  const half = studentTQuantile(0.975, df) * stdErr;
  const interval = { lower: alpha - half, upper: alpha + half };
  return { alpha, stdErr, ...interval, effectiveItems, df, unsizedShare, isTooSparse: false };
}
function influence({ items, sums }, { u0, u1 }, { v0, v1 }, mean) {
  const placed2 = weighted(u0, sums[0]);
  const c = placed2 / weighted(v0, items);
  const offset = u1.map((u, j) => u / u0[j] - mean);
  const spread = offset.reduce((sum3, x, j) => sum3 + items[j] * c * v0[j] * x * x, 0);
  let squares = 0;
  let fourths = 0;
  for (let j = 0; j < items.length; j++) {
    const leverage = c * v0[j] * (1 / placed2 + offset[j] ** 2 / spread);
    const rest = 1 - Math.min(MOST_LEVERAGE, Math.max(0, leverage));
    const a = (u1[j] - mean * u0[j]) / rest;
    const b = c * (v1[j] - mean * v0[j]) / rest;
    const [r1, r2, r3, r4] = sums.map((sum3) => sum3[j]);
    const m = items[j];
    squares += Math.max(0, a ** 2 * r2 - 2 * a * b * r1 + b ** 2 * m);
    const odd = 4 * a * b * (a ** 2 * r3 + b ** 2 * r1);
    fourths += Math.max(0, a ** 4 * r4 + 6 * (a * b) ** 2 * r2 + b ** 4 * m - odd);
  }
  return { squares, fourths };
}
function tooSparse(unsizedShare) {
  const none = Number.NaN;
  return {
    ...{ alpha: none, stdErr: none, lower: none, upper: none, effectiveItems: none, df: none },
    unsizedShare,
    isTooSparse: true
  };
}
function weighted(values, weights) {
  let total3 = 0;
  for (let j = 0; j < values.length; j++) total3 += values[j] * weights[j];
  return total3;
}

// src/propensity/split/calibration.ts
var FROM2 = -3;
var TO = 2.5;
function calibration(organic, randomized, items) {
  const levels = responseLevels(organic, randomized, items);
  const { alpha, stdErr, lower, upper, df, effectiveItems, unsizedShare, isTooSparse } = splitFit(
    levels,
    FROM2,
    TO
  );
  const total3 = (values) => values.reduce((sum3, value) => sum3 + value, 0);
  return {
    status: isTooSparse ? "too_sparse" : "ok",
    beta: 1 - alpha,
    stdErr,
    lower: 1 - upper,
    upper: 1 - lower,
    df,
    effectiveItems,
    unsizedShare,
    items: total3(levels.items),
    organic: levels.count.reduce((sum3, n, j) => sum3 + n * levels.items[j], 0),
    randomized: total3(levels.sums[0])
  };
}

// src/propensity/split/gamma-interval.ts
var FROM3 = -1.5;
var TO2 = 3.5;
var FAR_APART = 0.1;
var FEW_ITEMS = 3;
var Z5 = 1.96;
function gammaInterval(laggedCounts, exposures, items) {
  const fit = splitFit(responseLevels(laggedCounts, exposures, items), FROM3, TO2);
  const { gamma, stdErr } = poissonGamma(exposureLevels(laggedCounts, exposures, items));
  const { alpha, lower, upper, effectiveItems } = fit;
  const split = { gamma: alpha, stdErr: fit.stdErr, lower, upper, effectiveItems };
  const poisson = { gamma, stdErr, lower: gamma - Z5 * stdErr, upper: gamma + Z5 * stdErr };
  const known = [split, poisson].filter((each) => Number.isFinite(each.lower));
  const isKnown2 = known.length > 0;
  return {
    status: statusOf(split, poisson),
    split,
    poisson,
    lower: isKnown2 ? Math.min(...known.map((each) => each.lower)) : Number.NaN,
    upper: isKnown2 ? Math.max(...known.map((each) => each.upper)) : Number.NaN
  };
}
function statusOf({ gamma, effectiveItems }, poisson) {
  if (Number.isNaN(gamma)) return "too_sparse";
  if (effectiveItems < FEW_ITEMS) return "few_items";
  const distance2 = Math.abs(gamma - poisson.gamma);
  return distance2 <= FAR_APART * Math.max(1, Math.abs(gamma)) ? "ok" : "noisy_counts";
}

// src/stream/tick/propensity.ts
function* tickPropensity({ counted, models, options, learned, windows: windows2 }, size2) {
  const { periodMs } = options.gamma;
  const lagged = laggedPopularity(counted, periodMs, size2);
  const all = new Float64Array(size2);
  const fits = byModel();
  for (const { name, id } of models) {
    const exposures = exposureCounts(counted.observed, id, size2, periodMs);
    for (let i = 0; i < size2; i++) all[i] += exposures[i];
    fits[name] = fitGamma(lagged, exposures, size2);
    yield;
  }
  fits["*"] = fitGamma(lagged, all, size2);
  yield;
  const { organic, randomized } = positives(counted, size2);
  const { isAuto } = learned.gamma;
  const isTested = counted.known.ignoresRandomized && randomized.some((count) => count > 0);
  const calibrated = isAuto || isTested ? calibration(organic, randomized, size2) : void 0;
  yield;
  let propensity;
  if (isAuto) {
    const evidence = { calibration: calibrated, exposures: gammaInterval(lagged, all, size2) };
    yield;
    propensity = learned.gamma.report(fits, evidence, windows2[0].to);
  } else propensity = learned.gamma.report(fits);
  const isHeld = isTested && calibrated !== void 0;
  return {
    propensity,
    exponentTest: isHeld ? exponentTest(calibrated, propensity.beta) : null
  };
}
function positives({ known, observed }, size2) {
  const randomized = widened(known.randomizedPositives.counts, size2);
  if (observed !== known) {
    const other = observed.randomizedPositives.counts;
    for (let i = 0; i < Math.min(size2, other.length); i++) randomized[i] += other[i];
  }
  return { organic: widened(known.popularity().counts, size2), randomized };
}

// src/stream/tick/spread.ts
function spreadOf(counts, { popularity, items }, catalogueSize) {
  const levels = levelsOf(counts, items);
  return {
    concentration: {
      ...levelConcentration(levels, catalogueSize),
      averagePopularity: averagePopularity(counts, popularity, items)
    },
    lorenz: lorenzCurve(levels, catalogueSize)
  };
}

// src/stream/tick/tick.ts
function* tick(input) {
  const { counted, ids, models, options, learned } = input;
  const level = Math.max(0, ...input.partitions.map((partition) => partition.level));
  const partitions = [];
  for (const partition of input.partitions) partitions.push(yield* partition.sampled(level));
  const catalogue = yield* counted.known.catalogue();
  const catalogueSize = options.catalogueSize ?? catalogue.size;
  const counts = itemCounts(counted, ids);
  const known = counted.weightsFrom === "all" ? ofKnown(counted, counts) : counts;
  yield;
  const { propensity, exponentTest: exponentTest2 } = yield* tickPropensity(input, counts.items);
  const exposures = byModel();
  for (const { name, id } of models) {
    const shown2 = exposureCounts(counted.observed, id, counts.items);
    exposures[name] = spreadOf(shown2, known, catalogueSize);
    yield;
  }
  const undivided = widened(counted.known.undivided.counts, counts.items);
  const interactions = spreadOf(undivided, known, catalogueSize);
  const baseline = yield* baselineRanking(input, known, catalogue, catalogueSize);
  const { gamma, gammaStdErr } = propensity;
  const estimates = { ...options.estimates, gamma, gammaStdErr, catalogueSize };
  const state = {
    ...{ partitions, counts, known, baseline, exponentTest: exponentTest2 },
    options: estimates
  };
  const windows2 = [];
  for (const window of input.windows) windows2.push(yield* windowSnapshot(input, window, state));
  const users = input.partitions.flatMap((partition) => partition.users ?? []);
  const snapshot = {
    paneEnd: input.windows[0].to,
    models: models.map(({ name }) => name),
    catalogueSize,
    baseline: baseline === null ? null : BASELINE_MODEL,
    propensity,
    popularity: {
      interactions: interactions.concentration,
      exposures: mapped(exposures, ({ concentration: concentration2 }) => concentration2)
    },
    lorenz: {
      interactions: interactions.lorenz,
      exposures: mapped(exposures, ({ lorenz }) => lorenz)
    },
    windows: windows2,
    sampling: { ratio: samplingRatio(level) },
    ...users.length > 0 && { heavyUsers: yield* heavyUsers(users) },
    alarms: []
  };
  if (learned.drift === void 0) return snapshot;
  const rows2 = partitions.flatMap((partition) => partition.rows);
  const sources = { popularity: counted.observed, models, items: ids.items, rows: rows2 };
  const listing = models.filter(({ id }) => input.listing?.includes(id)).map(({ name }) => name);
  return yield* learned.drift.observe(snapshot, { ...sources, listing, tickMs: options.tickMs });
}
function* windowSnapshot(input, window, { partitions, counts, known, baseline, options, exponentTest: exponentTest2 }) {
  const noReach = needsScale(options) ? whyNoReach(window, partitions, input.options.attributionTtlMs) : "nobody asks for it";
  const request = {
    window,
    models: input.models.map(({ id }) => id),
    isKeyed: needsKeys(options),
    reachItems: noReach === void 0 ? counts.items : void 0
  };
  const parts = [];
  for (const { source, made: made2 } of partitions) {
    const part = source === void 0 ? made2 : yield* windowPart(source, request);
    if (part !== void 0) parts.push(part);
  }
  const names = input.models.map(({ name }) => name);
  const onPolicy = isFollowed(options) ? yield* shownLists(parts, names, window) : void 0;
  if (baseline !== null) yield* addBaseline(names, parts, baseline);
  const withheldBefore = input.learned.withheldIn(window.name);
  const asked = {
    ...options,
    ...noReach === void 0 ? {} : { noReach },
    ...withheldBefore && { withheldBefore }
  };
  const estimates = yield* estimateWindow(parts, counts, names, asked, void 0, input.work);
  input.learned.noteWithheld(window.name, estimates.results);
  return {
    ...estimates,
    name: window.name,
    from: window.from,
    to: window.to,
    ...averagePopularities(input, window, known),
    exponentTest: exponentTest2,
    ...onPolicy && {
      ...{ onPolicy, leads: leadingNumbers(estimates.results, estimates.feedback, onPolicy) }
    },
    againstBaseline: baseline === null ? [] : againstBaseline(estimates.results, BASELINE_MODEL),
    ...referenceAway(options.reference, names)
  };
}
function referenceAway(reference, names) {
  const isAway = reference !== void 0 && !names.includes(reference);
  return isAway ? { referenceAway: reference } : {};
}
function* shownLists(parts, models, window) {
  const served = parts.map((part) => part.served ?? []);
  for (const [p, { served: _, ...rows2 }] of parts.entries()) parts[p] = rows2;
  return yield* onPolicyReport(served, models, window);
}
function averagePopularities({ counted: { observed }, models }, { ms }, { items, popularity }) {
  const recommended = byModel();
  for (const { name, id } of models) {
    const exposures = exposureCounts(observed, id, items, ms);
    recommended[name] = exposures.some((count) => count > 0) ? averagePopularity(exposures, popularity, items) : Number.NaN;
  }
  const interacted = widened(observed.popularity(ms).counts, items);
  return {
    averageRecommendationPopularity: recommended,
    averageInteractionPopularity: averagePopularity(interacted, popularity, items)
  };
}
function whyNoReach({ from, to }, partitions, attributionTtlMs) {
  if (to - from > attributionTtlMs) {
    return "lists are known for less than the window (attribution.ttl)";
  }
  if (partitions.every(({ knowsReach }) => knowsReach)) return void 0;
  return "several workers share the partitions, and each knows the lists of its own alone";
}
function* baselineRanking({ options: { baseline }, models }, counts, catalogue, catalogueSize) {
  if (baseline === "none" || models.some(({ name }) => name === BASELINE_MODEL)) return null;
  return yield* popularityRanking(counts, catalogue.has, catalogueSize);
}
function* addBaseline(names, parts, baseline) {
  const after2 = names.findIndex((name) => name > BASELINE_MODEL);
  const place3 = after2 < 0 ? names.length : after2;
  names.splice(place3, 0, BASELINE_MODEL);
  for (let p = 0; p < parts.length; p++) {
    parts[p] = yield* withRanking(parts[p], baseline, place3);
  }
}
function needsKeys({
  interval,
  draws
}) {
  return interval === "bootstrap" || (draws ?? 0) > 0;
}

// src/stream/tick/tick-input.ts
function tickWindows(pane, { tickMs, windows: windows2 }) {
  const to = (pane + 1) * tickMs;
  return windows2.map(({ name, ms }) => ({
    ...{ name, ms, from: to - ms, to },
    ...{ firstPane: pane + 1 - ms / tickMs, lastPane: pane }
  }));
}

// src/stream/monitor.ts
var Monitor = class {
  partitions;
  intake;
  watermarks;
  #options;
  /** @param count how many partitions the topics have, whoever reads them. */
  constructor(options, ids, count = 1) {
    this.#options = options;
    this.partitions = new Partitions(options, ids, count);
    this.intake = new Intake(this.partitions);
    this.watermarks = this.partitions.watermarks;
  }
  /** The pane that can close now, if any. `flush` closes up to the newest event's. */
  closable(flush = false) {
    const { isTickDue, isCatchingUp, closedThrough } = this.partitions;
    if (isTickDue && !isCatchingUp) return closedThrough;
    const watermark = flush ? this.watermarks.endOfNewestPane() : this.watermarks.value();
    if (watermark === Number.NEGATIVE_INFINITY) return void 0;
    const next = this.#nextPane();
    return (next + 1) * this.#options.tickMs <= watermark ? next : void 0;
  }
  /**
   * Closes the pane that `closable` named and ticks. To be run to its end before the next pane is
   * asked for.
   *
   * @returns undefined for a pane whose tick was made before the partition came back
   */
  *close(pane) {
    const settled2 = yield* this.settle(pane);
    if (this.partitions.isCatchingUp || pane < this.partitions.closedThrough) return void 0;
    this.partitions.isTickDue = false;
    return { snapshot: yield* this.#tick(pane, settled2), ...settled2 };
  }
  /** Brings a pane's events into rows, counts and lists, without a tick. */
  *settle(pane) {
    const { partitions } = this;
    const settled2 = [];
    const due = [...partitions.entries()].map(([, partition]) => partition).filter(({ closedThrough }) => closedThrough < pane);
    partitions.closedThrough = Math.max(partitions.closedThrough, pane);
    for (const partition of due) partition.closedThrough = pane;
    for (const partition of due) {
      const { counts } = yield* this.#closeIn(partition, pane);
      settled2.push(counts);
      partitions.noteModels(partition);
      yield;
    }
    return settledTogether(settled2);
  }
  /**
   * Closes a pane of one partition alone, where other workers hold the others: what it leaves
   * goes to the worker that ticks.
   */
  *closePartition(number, pane) {
    const partition = this.partitions.of(number);
    partition.closedThrough = pane;
    return yield* this.#closeIn(partition, pane);
  }
  *#closeIn({ state, share: share2 }, pane) {
    const paneEnd = (pane + 1) * this.#options.tickMs;
    const content = yield* state.close(pane);
    share2.addInteractions(content.counts, paneEnd);
    share2.addExposures(content.counts, paneEnd);
    share2.advance(paneEnd);
    dropPassedPanes(state.closed, pane, this.#options);
    return content;
  }
  #tick(pane, { listing }) {
    const { ids, models, popularity, learned } = this.partitions;
    return tick({
      windows: tickWindows(pane, this.#options),
      options: this.#options,
      ids,
      models: namedModels(models, ids.models),
      listing,
      partitions: [...this.partitions.entries()].map(
        ([number, { state }]) => closedPartition(pane, this.#options, closedSide(state, ids.users?.(number)))
      ),
      counted: { known: popularity, observed: popularity },
      learned
    });
  }
  /** Panes follow each other while a window holds rows; over an empty stretch they jump. */
  #nextPane() {
    const { closedThrough: newest2 } = this.partitions;
    let oldestOfAll = Number.POSITIVE_INFINITY;
    let behind = Number.POSITIVE_INFINITY;
    let hasRows = false;
    for (const [, { state, closedThrough }] of this.partitions.entries()) {
      const oldest = state.oldestOpenPane;
      if (closedThrough < newest2) behind = Math.min(behind, newest2, oldest);
      oldestOfAll = Math.min(oldestOfAll, oldest);
      hasRows ||= state.closed.rows.length > 0;
    }
    if (behind !== Number.POSITIVE_INFINITY) return behind;
    return hasRows ? newest2 + 1 : Math.max(oldestOfAll, newest2 + 1);
  }
};
function closedSide(state, users) {
  return {
    closed: state.closed,
    users,
    reach: (from, to, items, level) => state.reach(from, to, items, level)
  };
}

// src/stream/sliced.ts
function runAtOnce(work) {
  for (; ; ) {
    const step3 = work.next();
    if (step3.done) return step3.value;
  }
}

// src/config/kinds.ts
import { Type } from "typebox";

// src/config/units.ts
var MS_PER_UNIT = {
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 36e5,
  d: 864e5
};
var BYTES_PER_UNIT = {
  B: 1,
  KB: 1e3,
  KiB: 1024,
  MB: 1e6,
  MiB: 1048576,
  GB: 1e9,
  GiB: 1073741824
};
var DURATION_PATTERN = "^([0-9]+(\\.[0-9]+)?|\\.[0-9]+)(ms|s|m|h|d)$";
var SIZE_PATTERN = "^([0-9]+(\\.[0-9]+)?|\\.[0-9]+)(B|KB|KiB|MB|MiB|GB|GiB)$";
var DURATION_WORDS = "a duration such as 90s, 1h or 30d, or whole milliseconds";
var SIZE_WORDS = "a size such as 512KiB or 1MiB, or whole bytes";
function parseDuration(value) {
  return wholeUnits(value, MS_PER_UNIT, DURATION_WORDS, "milliseconds");
}
function parseSize(value) {
  return wholeUnits(value, BYTES_PER_UNIT, SIZE_WORDS, "bytes");
}
function formatDuration(ms) {
  if (ms === 0) return "0s";
  for (const unit of ["d", "h", "m", "s"]) {
    const size2 = MS_PER_UNIT[unit];
    if (ms % size2 === 0) return `${ms / size2}${unit}`;
  }
  return `${ms}ms`;
}
function wholeUnits(value, units, expected, unitWord) {
  const match = /^(\d+(?:\.\d+)?|\.\d+)([A-Za-z]+)$/.exec(typeof value === "number" ? "" : value);
  const size2 = match === null ? void 0 : units[match[2]];
  const exact = typeof value === "number" ? value : match && size2 ? Number(match[1]) * size2 : NaN;
  if (Number.isNaN(exact)) throw new RangeError(`expected ${expected}`);
  const whole2 = Math.round(exact);
  if (!Number.isSafeInteger(whole2) || Math.abs(exact - whole2) > 1e-6 || whole2 < 0) {
    throw new RangeError(`expected a whole number of ${unitWord}`);
  }
  return whole2;
}

// src/config/kinds.ts
function key(notes, shape) {
  return made(notes, shape);
}
function made(rest, shape) {
  const { default: fallback, derived } = rest;
  const presence = fallback !== void 0 ? "default" : derived !== void 0 ? "derived" : "optional";
  return { examples: [], ...shape, ...rest, presence };
}
var asWritten = (written) => written;
var DurationText = Type.Union([
  Type.String({ pattern: DURATION_PATTERN }),
  Type.Integer({ minimum: 0 })
]);
var DURATION_EXAMPLES = ["250ms", "90s", "1h", "30d"];
function duration(notes) {
  const { least: words, ...rest } = notes;
  const least = parseDuration(words);
  const atLeast = least === 1 ? "more than 0" : `at least ${formatDuration(least)}`;
  return made(rest, {
    schema: DurationText,
    expected: DURATION_WORDS,
    unit: "duration",
    range: atLeast,
    suffix: "Ms",
    argument: "<duration>",
    examples: DURATION_EXAMPLES,
    decode: (written) => {
      const ms = parseDuration(written);
      if (ms < least) throw new RangeError(`expected ${atLeast}`);
      return ms;
    }
  });
}
function windows(notes) {
  return made(notes, {
    schema: Type.Array(DurationText, { minItems: 1 }),
    expected: "a list of durations such as 1h, 24h",
    unit: "durations",
    range: "different multiples of time.tick",
    suffix: "",
    argument: "<durations>",
    examples: [["1h", "24h"]],
    decode: (written) => written.map((each) => ({
      name: typeof each === "number" ? formatDuration(each) : each,
      ms: parseDuration(each)
    }))
  });
}
function size(notes) {
  return made(notes, {
    schema: Type.Union([Type.String({ pattern: SIZE_PATTERN }), Type.Integer({ minimum: 1 })]),
    expected: SIZE_WORDS,
    unit: "size",
    range: "at least 1B",
    suffix: "Bytes",
    argument: "<size>",
    examples: ["512KiB", "1MiB"],
    decode: (written) => parseSize(written)
  });
}
function whole(notes) {
  const { from, to, unit, ...rest } = notes;
  const range = to === Number.MAX_SAFE_INTEGER ? `from ${from}` : `from ${from} to ${to}`;
  return made(rest, {
    schema: Type.Integer({ minimum: from, maximum: to }),
    expected: `a whole number ${range}`,
    unit,
    range,
    suffix: "",
    argument: "<number>",
    decode: asWritten
  });
}
function real(notes) {
  const { from, above, to, below, unit, expected, ...rest } = notes;
  const range = realRange({ from, above, to, below });
  return made(rest, {
    schema: Type.Number({
      ...from !== void 0 && { minimum: from },
      ...above !== void 0 && { exclusiveMinimum: above },
      ...to !== void 0 && { maximum: to },
      ...below !== void 0 && { exclusiveMaximum: below }
    }),
    expected: expected ?? (range === "any" ? "a number" : `a number ${range}`),
    unit,
    range: expected ?? range,
    suffix: "",
    argument: "<number>",
    decode: asWritten
  });
}
function realRange({ from, above, to, below }) {
  if (from !== void 0 && to !== void 0) return `from ${from} to ${to}`;
  if (above !== void 0 && to !== void 0) return `above ${above}, at most ${to}`;
  if (above !== void 0 && below !== void 0) return `between ${above} and ${below}`;
  return "any";
}
function limit(notes) {
  const { unit, serviceDefault, ...rest } = notes;
  return made(rest, {
    schema: Type.Union([Type.Integer({ minimum: 1, maximum: 1e12 }), Type.Literal("none")]),
    expected: "a whole number from 1 to 1e12, or 'none'",
    unit,
    range: "from 1 to 1e12, or none",
    suffix: "",
    argument: "<number|none>",
    serviceDefault,
    decode: (limit2) => limit2 === "none" ? Number.POSITIVE_INFINITY : limit2
  });
}
function text(notes) {
  const { expected, pattern, ...rest } = notes;
  return made(rest, {
    schema: Type.String(pattern === void 0 ? { minLength: 1 } : { pattern }),
    expected,
    unit: null,
    range: expected,
    suffix: "",
    argument: "<text>",
    decode: asWritten
  });
}
function yesOrNo(notes) {
  return made(notes, {
    schema: Type.Boolean(),
    expected: "true or false",
    unit: null,
    range: "true or false",
    suffix: "",
    argument: "",
    decode: asWritten
  });
}
function oneOf(names, notes) {
  return made(notes, {
    schema: Type.Enum([...names]),
    expected: `one of ${names.join(", ")}`,
    unit: null,
    range: names.join(", "),
    suffix: "",
    argument: names.length > 2 ? "<name>" : `<${names.join("|")}>`,
    decode: asWritten
  });
}
function someOf(names, notes) {
  return made(notes, {
    schema: Type.Array(Type.Enum([...names]), { uniqueItems: true }),
    expected: `a list of different ones of ${names.join(", ")}`,
    unit: null,
    range: `some of ${names.join(", ")}`,
    suffix: "",
    argument: "<names>",
    decode: asWritten
  });
}
function chosenOf(kind, names, choose, notes) {
  return made(notes, {
    schema: Type.Array(Type.String()),
    editorSchema: Type.Array(Type.Enum([...names]), { minItems: 1, uniqueItems: true }),
    expected: `a list of ${kind}: ${names.join(", ")}`,
    unit: null,
    range: `some of ${names.join(", ")}`,
    suffix: "",
    argument: "<names>",
    decode: (written) => choose(written)
  });
}

// src/config/words.ts
function listed(names, last) {
  return `${names.slice(0, -1).join(", ")} ${last} ${names[names.length - 1]}`;
}

// src/config/keys/drift.ts
var COMMANDS = ["serve", "replay"];
var DRIFT = {
  detectors: someOf(DETECTORS, {
    description: "Detectors of change. `vanished` watches whether each model still sends lists. An empty list in the file: none.",
    commands: COMMANDS,
    default: ["cusum", "psi", "vanished"]
  }),
  standardisation: oneOf(STANDARDISATIONS, {
    description: "How values become comparable. `levels`: as normal scores, weighed by 1/SE\xB2. `ranks`: by effective sample size, for `e-cusum` and `e-sr` by their ranks among the newest 400 panes (500 with a season), for `cusum` as scores within \xB12.5; a value of 0 counts as any other, and until its place in the season has three values a series is compared with all of them.",
    commands: COMMANDS,
    default: "ranks"
  }),
  window: duration({
    description: "The window whose disjoint stretches are the detectors\u2019 panes.",
    commands: COMMANDS,
    least: "1ms",
    derived: "the shortest window"
  }),
  metric: text({
    description: `The metric that models are watched by, such as \`recall@10\`. It has to be a mean over events: ${listed(ADDITIVE_METRICS, "or")}. \`none\`: models are not watched by their estimates.`,
    commands: COMMANDS,
    expected: "a metric such as recall@10, or none",
    derived: "the first such metric, at its largest k"
  }),
  estimators: someOf(ESTIMATORS, {
    description: "Estimators that are watched, with the gap of each to naive.",
    commands: COMMANDS,
    derived: "naive and snips, where they are computed"
  }),
  allowance: real({
    description: "k of CUSUM: half the change to be found soonest.",
    commands: COMMANDS,
    unit: "standard deviations",
    above: 0,
    to: 5,
    default: 0.5
  }),
  threshold: real({
    description: "h of CUSUM for one series. It grows with the number of series.",
    commands: COMMANDS,
    unit: "standard deviations",
    above: 0,
    to: 1e3,
    default: 5
  }),
  guarantee: whole({
    description: "Panes to a false alarm, in the mean and over all series, of the detectors other than CUSUM.",
    commands: COMMANDS,
    unit: "panes",
    from: 10,
    to: 1e9,
    default: 500
  }),
  learn: whole({
    description: "Panes from which a series is learned before it is judged.",
    commands: COMMANDS,
    unit: "panes",
    from: 3,
    to: 1e5,
    default: 24
  }),
  hold: whole({
    description: "Panes for which an alarm is shown.",
    commands: COMMANDS,
    unit: "panes",
    from: 1,
    to: 1e5,
    default: 24
  }),
  season: oneOf(["week", "day", "none"], {
    description: "Period of what is normal. `week`: normal is what is normal at that hour of the week.",
    commands: COMMANDS,
    default: "week"
  })
};
var NO_METRIC = "none";
var WATCHED = [UNCORRECTED, LEADING];
function completeDrift({ drift, time, estimates }) {
  const [first2 = NO_METRIC] = watchable(estimates.metrics, estimates.ks.slice(-1));
  return {
    ...drift,
    windowMs: drift.windowMs ?? Math.min(...time.windows.map(({ ms }) => ms)),
    metric: drift.metric ?? first2,
    estimators: drift.estimators ?? estimates.estimators.filter((name) => WATCHED.includes(name))
  };
}
function checkDrift({ drift, time, estimates }, complete, fault2, warn) {
  if (!time.windows.some(({ ms }) => ms === complete.windowMs)) {
    const windows2 = time.windows.map(({ name }) => name).join(", ");
    const found = formatDuration(complete.windowMs);
    fault2("drift.window", `expected one of time.windows (${windows2}), found ${found}`);
  }
  const metrics = [...watchable(estimates.metrics, estimates.ks), NO_METRIC];
  if (!metrics.includes(complete.metric)) {
    fault2("drift.metric", `expected one of ${metrics.join(", ")}, found ${complete.metric}`);
  }
  for (const name of drift.estimators ?? []) {
    if (estimates.estimators.includes(name)) continue;
    fault2("drift.estimators", `expected some of estimates.estimators, found ${name}`);
  }
  warnUnwatched({ drift, time, estimates }, complete, warn);
}
function warnUnwatched({ drift, estimates }, complete, warn) {
  const isWatching = LEVEL_DETECTORS.some((name) => drift.detectors.includes(name));
  if (!isWatching) return;
  const unwatched = "so no model is watched for changes of its estimates";
  if (drift.metric === void 0 && complete.metric === NO_METRIC) {
    const metrics = `none of estimates.metrics (${estimates.metrics.join(", ")})`;
    const watched = ADDITIVE_METRICS.join(", ");
    warn("drift.metric", `${metrics} is a mean over events, ${unwatched}; add one of ${watched}`);
  } else if (drift.estimators === void 0 && complete.estimators.length === 0) {
    const watched = WATCHED.join(" nor ");
    warn("drift.estimators", `neither ${watched} is computed, ${unwatched}; name some that are`);
  }
}
function watchable(metrics, ks) {
  return metrics.flatMap((metric) => {
    const entry = metricOf(metric);
    if (entry.kind === "set") return [];
    if (entry.kind === "list") return [metric];
    const cut = entry.isCut ? ks.map((k) => `${metric}@${k}`) : [];
    return entry.isUncut ? [...cut, metric] : cut;
  });
}

// src/config/keys/state.ts
var STATE = {
  store: oneOf(["none", "file", "redis"], {
    description: "Where checkpoints are kept.",
    commands: ["serve"],
    default: "none"
  }),
  dir: text({
    description: "Folder, where `store` is `file`. One for each consumer group.",
    commands: ["serve"],
    expected: "the path of a folder"
  }),
  redisUrl: text({
    description: "Redis with user and password, or its Sentinels, where `store` is `redis`; never printed.",
    commands: ["serve"],
    pattern: "^(rediss?://[^\\s]+|rediss?-sentinel://[^\\s/]+/[^\\s]+)$",
    expected: "redis://host:port, rediss://host:port for TLS, or redis-sentinel://host:port,host:port/name",
    secret: true
  }),
  every: duration({
    description: "How often checkpoints are made.",
    commands: ["serve"],
    least: "100ms",
    default: "30s"
  })
};
var WORKERS = {
  exchange: oneOf(["none", "redis"], {
    description: "Whether the workers of a group give the numbers of all together. `redis`: they do; `none`: each gives those of its own partitions.",
    commands: ["serve"],
    derived: "redis where state.store is redis, else none"
  })
};
var MODELS = {
  max: whole({
    description: "Models that are kept. Lists of later ones are dropped and counted.",
    commands: ["serve", "replay", "evaluate"],
    unit: "models",
    from: 1,
    to: 1e3,
    default: 16
  })
};
var SERVICE_LIMITS = {
  rows: 2e7,
  listEntries: 8e7,
  users: 5e6
};
var LIMITS = {
  rows: limit({
    description: "Interactions that are kept of the longest window. Above it users are sampled.",
    commands: ["serve", "replay", "evaluate"],
    unit: "interactions",
    serviceDefault: SERVICE_LIMITS.rows
  }),
  listEntries: limit({
    description: "Items of the lists that are kept within `attribution.ttl`.",
    commands: ["serve", "replay", "evaluate"],
    unit: "items of lists",
    serviceDefault: SERVICE_LIMITS.listEntries
  }),
  users: limit({
    description: "Users who are counted within `popularity.horizon`.",
    commands: ["serve", "replay", "evaluate"],
    unit: "users",
    serviceDefault: SERVICE_LIMITS.users
  }),
  items: limit({
    description: "Distinct items that the service keeps at most. Events that name another one are left out and counted.",
    commands: ["serve"],
    unit: "items",
    default: 1e6
  })
};
function exchangeFor({ store }) {
  return store === "redis" ? "redis" : "none";
}
function checkState({ state, workers }, fault2) {
  const { store, dir, redisUrl } = state;
  if (store === "file" && dir === void 0) {
    fault2("state.dir", "expected the path of a folder, as state.store is file");
  }
  if (store === "redis" && redisUrl === void 0) {
    fault2("state.redisUrl", "expected redis://host:port, as state.store is redis");
  }
  if (store !== "file" && dir !== void 0) {
    fault2("state.dir", `has no use as state.store is ${store}; leave it out or write file`);
  }
  if (store !== "redis" && redisUrl !== void 0) {
    fault2("state.redisUrl", `has no use as state.store is ${store}; leave it out or write redis`);
  }
  if (redisUrl !== void 0 && !redisUrl.includes("-sentinel://") && !URL.canParse(redisUrl)) {
    fault2("state.redisUrl", "expected redis://host:port");
  }
  if (workers.exchange === "redis" && store !== "redis") {
    fault2("workers.exchange", `expected none, as state.store is ${store} and not redis`);
  }
}

// src/events/mapping/metarank.ts
function metarankMapping(model = "metarank") {
  return {
    kind: {
      path: "/event",
      values: { ranking: "exposure", interaction: "interaction", item: "ignored", user: "ignored" }
    },
    tsUnit: "ms",
    exposure: {
      id: "/id",
      ts: "/timestamp",
      user: ["/user", "/session"],
      model: { constant: model },
      items: { path: "/items", each: "/id" }
    },
    interaction: {
      id: "/id",
      ts: "/timestamp",
      user: ["/user", "/session"],
      item: "/item",
      action: "/type",
      exposure: "/ranking"
    }
  };
}
var METARANK = metarankMapping();

// src/commands/service/monitor-options.ts
function monitorOptions(config) {
  return {
    tickMs: config.time.tickMs,
    windows: config.time.windows,
    latenessMs: config.time.latenessMs,
    dedupeTtlMs: config.dedupe.ttlMs,
    attributionTtlMs: config.attribution.ttlMs,
    popularity: config.popularity,
    positiveMinValue: config.positive.minValue,
    actions: config.events.actions,
    gamma: {
      use: config.gamma,
      fit: config.gammaFit,
      default: config.gammaDefault,
      periodMs: config.gammaPeriodMs
    },
    catalogueSize: config.catalogue.size,
    maxModels: config.models.max,
    ids: { maxItems: config.limits.items },
    baseline: config.baseline,
    limits: isLimited(config) ? sampleLimits(config, UNLIMITED) : void 0,
    estimates: { ...config.estimates, reference: config.estimates.reference },
    drift: config.drift.detectors.length === 0 ? void 0 : driftOptions(config)
  };
}
function isLimited({ limits: { rows: rows2, listEntries, users } }) {
  return rows2 !== void 0 || listEntries !== void 0 || users !== void 0;
}
function sampleLimits({ limits }, otherwise) {
  return {
    rows: limits.rows ?? otherwise.rows,
    listEntries: limits.listEntries ?? otherwise.listEntries,
    users: limits.users ?? otherwise.users
  };
}
var DAY_MS = 864e5;
var SEASONS = { week: 7 * DAY_MS, day: DAY_MS, none: null };
function driftOptions({ drift: { standardisation, ...drift } }) {
  return {
    ...{ ...drift, metric: watchedMetric(drift.metric), seasonMs: SEASONS[drift.season] },
    // What detectors have learned is kept with their options: state from before the key fits.
    ...standardisation === "levels" ? {} : { standardisation }
  };
}
function watchedMetric(name) {
  if (name === NO_METRIC) return void 0;
  const [metric, k] = name.split("@");
  return { metric, k: k === void 0 ? null : Number(k) };
}

// src/config.ts
import { Value as Value2 } from "typebox/value";

// src/config/key.ts
function isKey(node) {
  return typeof node["decode"] === "function";
}
function decodedName(name, suffix) {
  return suffix === "Bytes" && name.includes("Bytes") ? name : `${name}${suffix}`;
}

// src/config/key-index.ts
var KeyIndex = class {
  /** In their order. */
  byPath;
  byVariable;
  /** Names in each section (`kafka`, `kafka.topics`, …) by its path; '' is the whole. */
  sections;
  constructor(root) {
    const keys = [...placed("", root)];
    this.byPath = new Map(keys.map((key2) => [key2.path, key2]));
    this.byVariable = new Map(keys.map((key2) => [key2.variable, key2]));
    this.sections = new Map(sections("", root));
  }
};
function joined(prefix, name) {
  return prefix === "" ? name : `${prefix}.${name}`;
}
function* placed(prefix, section) {
  for (const [name, node] of Object.entries(section)) {
    const path = joined(prefix, name);
    if (isKey(node)) yield { ...node, path, variable: variableName(path) };
    else yield* placed(path, node);
  }
}
function* sections(prefix, section) {
  yield [prefix, Object.keys(section)];
  for (const [name, node] of Object.entries(section)) {
    if (!isKey(node)) yield* sections(joined(prefix, name), node);
  }
}
function variableName(path) {
  const words = path.replaceAll(".", "_").replace(/[A-Z]/g, (capital) => `_${capital}`);
  return `UNSKEW_${words.toUpperCase()}`;
}

// src/config/keys/estimates.ts
import { Type as Type2 } from "typebox";

// src/estimators/options.ts
var STRATA_SCHEMES = [
  "popularity-width",
  "propensity-width",
  "popularity-rank",
  "log"
];
var WEIGHTS_FROM = ["train", "all"];

// src/estimators/uncertainty/interval-method.ts
var INTERVAL_METHODS = ["t-logit", "bootstrap", "korn-graubard"];

// src/estimators/user-form.ts
var USER_FORMS = ["plain", "corrected"];

// src/config/spelling.ts
function closestName(typed, known) {
  const lower = typed.toLowerCase();
  const limit2 = Math.max(1, Math.floor(typed.length / 3));
  let best;
  let bestDistance = limit2 + 1;
  for (const name of known) {
    const distance2 = editDistance(lower, name.toLowerCase());
    if (distance2 < bestDistance) {
      best = name;
      bestDistance = distance2;
    }
  }
  return best;
}
function didYouMean(typed, known) {
  const name = closestName(typed, known);
  return name === void 0 ? "" : ` (did you mean ${name}?)`;
}
function editDistance(a, b) {
  let beforeLast = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        last[column] + 1,
        current[column - 1] + 1,
        last[column - 1] + (same ? 0 : 1)
      );
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (row > 1 && column > 1 && swapped) cost = Math.min(cost, beforeLast[column - 2] + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length];
}

// src/config/choices.ts
function chosenMetrics(names) {
  return chosen("metric", names, METRICS, REFUSED_METRICS);
}
function chosenEstimators(names) {
  return chosen("estimator", names, ESTIMATORS, REFUSED_ESTIMATORS);
}
function chosen(kind, names, known, refused) {
  const faults = [];
  if (names.length === 0) faults.push(`expected at least one ${kind}`);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) faults.push(`${kind} ${name} is given twice`);
    else if (known.includes(name)) continue;
    else if (Object.hasOwn(refused, name)) faults.push(`${kind} ${name} ${refused[name]}`);
    else {
      faults.push(
        `unknown ${kind} '${name}'${didYouMean(name, known)}; known are ${known.join(", ")}`
      );
    }
  }
  if (faults.length > 0) throw new RangeError(faults.join("; "));
  return names;
}

// src/config/keys/estimates.ts
var COMMANDS2 = ["serve", "replay", "evaluate"];
var ESTIMATES = {
  metrics: chosenOf("metrics", METRICS, chosenMetrics, {
    description: "Metrics.",
    commands: COMMANDS2,
    flag: "--metrics",
    default: DEFAULT_METRICS
  }),
  ks: key(
    {
      description: `Cut-offs of ${listed(CUT_METRICS, "and")}.`,
      commands: COMMANDS2,
      flag: "--k",
      default: [5, 10]
    },
    {
      schema: Type2.Array(Type2.Integer({ minimum: 1, maximum: 1e4 }), {
        minItems: 1,
        uniqueItems: true
      }),
      expected: "a list of different whole numbers from 1 to 10000",
      unit: "places in a list",
      range: "different, from 1 to 10000",
      suffix: "",
      argument: "<numbers>",
      examples: [[5, 10]],
      decode: (written) => written
    }
  ),
  estimators: chosenOf("estimators", ESTIMATORS, chosenEstimators, {
    description: "Estimators.",
    commands: COMMANDS2,
    flag: "--estimators",
    default: DEFAULT_ESTIMATORS
  }),
  interval: oneOf(INTERVAL_METHODS, {
    description: "How 95 % intervals are made. `t-logit`: jackknife errors; `bootstrap`: errors of a Poisson bootstrap over users; `korn-graubard`: jackknife errors as a number of binomial draws, which has a width at 0 and 1 and holds where hits are few.",
    commands: COMMANDS2,
    flag: "--interval",
    default: "korn-graubard"
  }),
  guarantees: someOf(GUARANTEES, {
    description: "Bounds beside the intervals. `ips-hoeffding` is of ips (Schnabel et al., Prop. 3.1), `gs-bernstein` of gs (its Theorem 4.1).",
    commands: COMMANDS2,
    flag: "--guarantees",
    default: []
  }),
  reference: text({
    description: "Model that the others are compared with. Without it: the first by name.",
    commands: COMMANDS2,
    flag: "--reference",
    argument: "<model>",
    expected: "the name of a model"
  }),
  userForm: oneOf(USER_FORMS, {
    description: "What the mean over users takes of a user, for snips. `plain`: the weighted mean of the gains; `corrected`: without the bias of a ratio of few rows, with the plain value beside (`uncorrected` in the JSON).",
    commands: COMMANDS2,
    flag: "--user-form",
    default: "corrected"
  }),
  strata: whole({
    description: "Strata of gs.",
    commands: COMMANDS2,
    flag: "--strata",
    unit: "strata",
    from: 1,
    to: 1e3,
    default: 5
  }),
  strataScheme: oneOf(STRATA_SCHEMES, {
    description: "How strata are cut.",
    commands: COMMANDS2,
    flag: "--strata-scheme",
    default: "log"
  }),
  weightsFrom: oneOf(WEIGHTS_FROM, {
    description: "Counts that snips and gs weigh by, where there are train events. `train`: theirs alone, as in the papers; `all`: those of the window too, as a service counts. skew and wtd_h keep the train counts.",
    commands: ["evaluate"],
    flag: "--weights-from",
    default: "all"
  }),
  cold: oneOf(["smooth", "drop"], {
    description: "What becomes of items without a count. `smooth`: one weighs as if counted `smoothing` times; `drop`: left out.",
    commands: COMMANDS2,
    flag: "--cold",
    default: "smooth"
  }),
  smoothing: real({
    description: "Count that cold items are given; also the \u03BA of skew and wtd_h. 0 leaves out what has no count.",
    commands: COMMANDS2,
    flag: "--smoothing",
    unit: "interactions",
    from: 0,
    to: 1e3,
    default: 0.5
  }),
  feedback: oneOf(FEEDBACK_MODES, {
    description: "What becomes of estimates that rest on interactions which shown lists caused. `withhold`: they are withheld above 10 %, with the reason, and what users found by themselves is given beside them; `caution`: they are given with a caution; `ignore`: causes are not followed.",
    commands: COMMANDS2,
    flag: "--feedback",
    default: "withhold"
  }),
  draws: whole({
    description: "Test sets to draw of each intervention. They stand beside the expectation (`drawn` in the JSON).",
    commands: COMMANDS2,
    flag: "--draws",
    unit: "test sets",
    from: 0,
    to: 1e4,
    default: 0
  }),
  seed: whole({
    description: "Seed of the first of the drawn test sets; the next has one more.",
    commands: COMMANDS2,
    flag: "--seed",
    unit: null,
    from: 0,
    to: 2 ** 52,
    default: 1
  }),
  sampleShare: real({
    description: "Share of the rows that skew and wtd_h keep.",
    commands: COMMANDS2,
    unit: "share of the rows",
    above: 0,
    to: 1,
    default: 0.5
  }),
  posteriorExponent: real({
    description: "Exponent p of the item side of wtd_h.",
    commands: COMMANDS2,
    unit: null,
    from: 0,
    to: 10,
    default: 2
  })
};
var BASELINE = oneOf(BASELINES, {
  description: "Built-in model that the others are held against. `popularity` ranks by popularity and is evaluated beside yours; `none`: it is not.",
  commands: COMMANDS2,
  flag: "--baseline",
  default: "popularity"
});

// src/config/keys/events.ts
import { Type as Type3 } from "typebox";

// src/events/decoding/found.ts
var LONGEST_FOUND = 60;
function describeFound(value) {
  if (typeof value === "string") {
    const isLong = value.length > LONGEST_FOUND;
    return `the string ${JSON.stringify(value.slice(0, LONGEST_FOUND))}${isLong ? "\u2026" : ""}`;
  }
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `${String(value)}`;
}

// src/events/mapping/mapping-fault.ts
function requireObject(value, at, expected = "an object") {
  if (typeof value !== "object" || value === null) throw fault(at, `expected ${expected}`, value);
}
function requireKeys(value, known, at) {
  requireObject(value, at);
  for (const key2 of Object.keys(value)) {
    if (!known.includes(key2)) {
      throw fault(`${at}.${key2}`, `unknown; known here: ${known.join(", ")}`);
    }
  }
}
function fault(at, text2, found) {
  const suffix = found === void 0 ? "" : `, found ${describeFound(found)}`;
  return new UnskewError("USAGE", `${at}: ${text2}${suffix}`);
}

// src/events/mapping/pointer.ts
function parsePointer(pointer) {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return null;
  return pointer.slice(1).split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}
function resolvePointer(value, tokens) {
  let at = value;
  for (const token of tokens) {
    if (typeof at !== "object" || at === null) return void 0;
    if (Array.isArray(at) && !/^(0|[1-9]\d*)$/.test(token)) return void 0;
    if (!Object.hasOwn(at, token)) return void 0;
    at = at[token];
  }
  return at;
}

// src/events/mapping/field-source.ts
var TS_UNITS = ["ms", "s", "us", "iso"];
var LISTS = /* @__PURE__ */ new Set(["items", "scores", "propensities"]);
var ID_FIELDS = /* @__PURE__ */ new Set(["id", "user", "item", "model", "exposure"]);
function compileSource(field, source, at) {
  if (typeof source === "string") {
    return sourceOf(field, { pointers: [pointerAt(source, at)], text: source });
  }
  if (Array.isArray(source)) {
    if (source.length === 0) throw fault(at, "expected at least one JSON Pointer");
    const pointers = source.map((pointer, i) => pointerAt(pointer, `${at}[${i}]`));
    return sourceOf(field, { pointers, text: source.join(" or ") });
  }
  requireObject(source, at, "a JSON Pointer, a list of them, or an object with constant");
  if ("constant" in source) {
    requireKeys(source, ["constant"], at);
    const { constant } = source;
    if (constant === null || typeof constant === "object") {
      throw fault(`${at}.constant`, "expected text, a number or a boolean", constant);
    }
    return sourceOf(field, { constant, text: "a constant" });
  }
  const { path, each } = source;
  if (!LISTS.has(field)) throw fault(at, `path and each are for lists, and ${field} is none`);
  requireKeys(source, ["path", "each"], at);
  return sourceOf(field, {
    pointers: [pointerAt(path, `${at}.path`)],
    each: pointerAt(each, `${at}.each`),
    text: `${path} ${each}`
  });
}
function sourceOf(field, source) {
  return { field, pointers: [], constant: void 0, each: void 0, ...source };
}
function pointerAt(pointer, at) {
  const tokens = typeof pointer === "string" ? parsePointer(pointer) : null;
  if (tokens === null) throw fault(at, "expected a JSON Pointer such as /user/id", pointer);
  return tokens;
}
function sourceValue(compiled, event, unit) {
  if (compiled.constant !== void 0) return compiled.constant;
  let found;
  for (const tokens of compiled.pointers) {
    found = resolvePointer(event, tokens);
    if (found !== void 0 && found !== null) break;
  }
  const { each, field } = compiled;
  if (Array.isArray(found)) {
    const list = each === void 0 ? found : found.map((entry) => resolvePointer(entry, each));
    return field === "items" ? list.map(idText) : list;
  }
  if (field === "ts") return timestampMs(found, unit);
  return ID_FIELDS.has(field) ? idText(found) : found;
}
function idText(id) {
  return Number.isSafeInteger(id) ? String(id) : id;
}
function timestampMs(found, unit) {
  const isNumeral = typeof found === "string" && /^-?\d{1,17}(\.\d{1,9})?$/.test(found);
  if (unit === "iso") return typeof found === "number" ? String(found) : found;
  if (typeof found !== "number" && !isNumeral) return found;
  const number = Number(found);
  if (unit === "us") return Math.floor(number / 1e3);
  return unit === "s" ? Math.floor(Math.round(number * 1e6) / 1e3) : number;
}

// src/events/mapping/mapping.ts
var EXPOSURE_FIELDS = [
  "id",
  "ts",
  "user",
  "model",
  "items",
  "shown",
  "randomized",
  "sampled",
  "candidates",
  "scores",
  "propensities",
  "firstRank"
];
var INTERACTION_FIELDS = [
  "id",
  "ts",
  "user",
  "item",
  "action",
  "value",
  "exposure",
  "randomized"
];
var REQUIRED = {
  exposure: ["id", "ts", "user", "model", "items"],
  interaction: ["id", "ts", "user", "item"]
};
var CompiledMapping = class {
  kindTokens;
  kindPath;
  kinds;
  fields;
  unit;
  /** Use `compileMapping`, which checks what it is given. */
  constructor(mapping, at) {
    this.unit = mapping.tsUnit ?? "ms";
    this.kindPath = mapping.kind?.path ?? "";
    this.kindTokens = mapping.kind && pointerAt(mapping.kind.path, `${at}.kind.path`);
    this.kinds = new Map(Object.entries(mapping.kind?.values ?? {}));
    this.fields = {
      exposure: compileKind(mapping.exposure, "exposure", EXPOSURE_FIELDS, at),
      interaction: compileKind(mapping.interaction, "interaction", INTERACTION_FIELDS, at)
    };
  }
  /** The kind of a foreign event; undefined where the mapping has no answer. */
  kindOf(event, byTopic) {
    let kind = byTopic ?? this.onlyKind();
    if (this.kindTokens !== void 0) {
      const found = resolvePointer(event, this.kindTokens);
      kind = typeof found === "object" ? void 0 : this.kinds.get(String(found));
    }
    if (kind === void 0 || kind === "ignored") return kind;
    return this.fields[kind] === void 0 ? void 0 : kind;
  }
  /** What was found where the kind stands, for a fault. */
  describeKind(event) {
    if (this.kindTokens === void 0)
      return "kind: the mapping does not tell the kind of this event";
    const found = resolvePointer(event, this.kindTokens);
    const known = [...this.kinds.keys()].map((kind) => JSON.stringify(kind)).join(", ");
    const text2 = found === void 0 ? "nothing" : describeFound(found);
    return `${this.kindPath}: expected one of ${known}, found ${text2}`;
  }
  /** The canonical fields of a foreign event, still to be checked. */
  fieldsOf(kind, event) {
    const fields = {};
    for (const compiled of this.fields[kind] ?? []) {
      fields[compiled.field] = sourceValue(compiled, event, this.unit);
    }
    return fields;
  }
  /** A canonical path with the place that it is mapped from. */
  nameOf(kind, path) {
    const [field] = path.split("/", 1);
    const compiled = this.fields[kind]?.find((candidate) => candidate.field === field);
    return compiled === void 0 ? path : `${path} (from ${compiled.text})`;
  }
  /** The one kind that is mapped; undefined where both are. */
  onlyKind() {
    if (this.fields.exposure === void 0) return "interaction";
    return this.fields.interaction === void 0 ? "exposure" : void 0;
  }
};
function compileMapping(mapping, at = "mapping") {
  requireKeys(mapping, ["kind", "tsUnit", "exposure", "interaction"], at);
  if (mapping.exposure === void 0 && mapping.interaction === void 0) {
    throw fault(at, "expected exposure or interaction or both");
  }
  if (mapping.tsUnit !== void 0 && !TS_UNITS.includes(mapping.tsUnit)) {
    throw fault(`${at}.tsUnit`, `expected one of ${TS_UNITS.join(", ")}`, mapping.tsUnit);
  }
  if (mapping.kind !== void 0) checkKind(mapping, mapping.kind, `${at}.kind`);
  return new CompiledMapping(mapping, at);
}
function checkKind(mapping, kind, at) {
  requireKeys(kind, ["path", "values"], at);
  requireObject(kind.values, `${at}.values`);
  for (const [value, name] of Object.entries(kind.values)) {
    const path = `${at}.values.${value}`;
    if (name !== "exposure" && name !== "interaction" && name !== "ignored") {
      throw fault(path, "expected exposure, interaction or ignored", name);
    }
    if (name !== "ignored" && mapping[name] === void 0) {
      throw fault(path, `there is no mapping for ${name}`);
    }
  }
}
function compileKind(sources, kind, known, at) {
  if (sources === void 0) return void 0;
  requireKeys(sources, known, `${at}.${kind}`);
  for (const field of REQUIRED[kind]) {
    if (!Object.hasOwn(sources, field)) throw fault(`${at}.${kind}.${field}`, "missing");
  }
  return Object.entries(sources).filter(([, source]) => source !== void 0).map(([field, source]) => compileSource(field, source, `${at}.${kind}.${field}`));
}

// src/config/keys/events.ts
var COMMANDS3 = ["serve", "replay", "evaluate", "export", "validate"];
var EVENTS = {
  maxBytes: size({
    description: "Largest event.",
    commands: COMMANDS3,
    flag: "--max-bytes",
    default: "1MiB"
  }),
  mapping: key(
    {
      description: "How foreign events are read. `metarank`, or an object that maps fields.",
      commands: COMMANDS3,
      flag: "--mapping"
    },
    {
      schema: Type3.Union([Type3.Literal("metarank"), Type3.Record(Type3.String(), Type3.Unknown())]),
      expected: "'metarank', or an object that maps fields",
      unit: null,
      range: "metarank, or an object",
      suffix: "",
      argument: "<metarank|JSON>",
      examples: [{ interaction: { id: "/id", ts: "/time", user: "/who", item: "/what" } }],
      decode: checkedMapping
    }
  ),
  actions: key(
    {
      description: "What an action is worth, by name. What is worth 0 is no positive; the reward of a shown list is the sum of what the best action on each of its items is worth. Without an action an event is a click; an action that is not named is worth 1, and so is a click where it is not named.",
      commands: ["serve", "replay", "evaluate", "export"],
      flag: "--actions",
      default: { view: 0, click: 1, purchase: 5 }
    },
    {
      schema: Type3.Record(Type3.String(), Type3.Number({ minimum: 0, maximum: 1e9 })),
      expected: "an object of numbers from 0 to 1e9 by action",
      unit: "reward of an interaction",
      range: `numbers from 0 to 1e9, at most ${MOST_WORTHS} different ones`,
      suffix: "",
      argument: "<JSON>",
      examples: [{ view: 0, click: 1, purchase: 5 }],
      decode: checkedActions
    }
  )
};
var DEAD_LETTERS = {
  to: oneOf(["topic", "file", "none"], {
    description: "Where refused events go. They are counted in any case.",
    commands: ["serve"],
    default: "topic"
  }),
  file: text({
    description: "Path, where `to` is `file`.",
    commands: ["serve"],
    expected: "the path of a file"
  }),
  memory: size({
    description: "Memory for refused events that wait to be written. Beyond it, or beyond 10,000 events, they are dropped and counted.",
    commands: ["serve"],
    default: "32MiB"
  })
};
function checkedMapping(written) {
  if (written === "metarank") return written;
  try {
    compileMapping(written, "mapping");
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    throw new RangeError(error.message);
  }
  return written;
}
function checkedActions(written) {
  const actions = written;
  const different = new Set(Object.values(actions)).size;
  if (different > MOST_WORTHS) throw new RangeError(`expected at most ${MOST_WORTHS} worths`);
  return actions;
}
function checkDeadLetters({ to, file }, fault2) {
  if (to === "file" && file === void 0) {
    fault2("deadLetters.file", "expected the path of a file, as deadLetters.to is file");
  }
  if (to !== "file" && file !== void 0) {
    fault2("deadLetters.file", `has no use as deadLetters.to is ${to}; leave it out or write file`);
  }
}

// src/config/keys/export.ts
import { Cron } from "croner";

// src/export/draw/set-plan.ts
var FORMATS = ["parquet", "csv", "ndjson"];
var PARTS = ["test", "train"];

// src/config/keys/export.ts
var SET = ["serve", "export"];
var NIGHTLY = ["serve"];
var EXPORT = {
  schedule: text({
    description: "When sets are due, as a cron expression.",
    commands: NIGHTLY,
    expected: "a cron expression such as '0 3 * * *'"
  }),
  timeZone: text({
    description: "Time zone of the schedule.",
    commands: NIGHTLY,
    expected: "some text",
    default: "UTC"
  }),
  out: text({
    description: "Where the service keeps sets. A folder, or `s3://bucket/prefix`.",
    commands: NIGHTLY,
    expected: "a folder, or s3://bucket and a prefix"
  }),
  range: duration({
    description: "How long the range of a scheduled set is.",
    commands: NIGHTLY,
    least: "1ms",
    default: "24h"
  }),
  settle: duration({
    description: "How long before the due time the range ends.",
    commands: NIGHTLY,
    least: "0s",
    default: "1h"
  }),
  strategy: oneOf(STRATEGIES, {
    description: "How the set is drawn.",
    commands: SET,
    flag: "--strategy",
    default: STRATEGIES[0]
  }),
  size: real({
    description: "Share of the part, or above 1 a number of rows.",
    commands: SET,
    flag: "--size",
    argument: "<share|rows>",
    unit: "share or rows",
    above: 0,
    to: 1e9,
    expected: "a share of at most 1, or a number of rows",
    default: 0.5
  }),
  seed: whole({
    description: "Seed of the set. The same seed and events give the same bytes.",
    commands: SET,
    flag: "--seed",
    unit: null,
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    default: 1
  }),
  split: real({
    description: "Share of the train part.",
    commands: SET,
    flag: "--split",
    argument: "<share>",
    unit: "share of the pairs",
    above: 0,
    below: 1,
    default: 0.6
  }),
  exponent: real({
    description: "Exponent of the item\u2019s weight.",
    commands: SET,
    flag: "--exponent",
    unit: null,
    from: 0,
    to: 10,
    default: 2
  }),
  smoothing: real({
    description: "Added to every count; 0 leaves zero counts out.",
    commands: SET,
    flag: "--smoothing",
    unit: "interactions",
    from: 0,
    to: 1e3,
    default: 0.5
  }),
  part: oneOf(PARTS, {
    description: "Part that the set is drawn from.",
    commands: SET,
    flag: "--part",
    default: "test"
  }),
  withTrain: yesOrNo({
    description: "Write all rows of the train part too.",
    commands: SET,
    flag: "--with-train",
    default: false
  }),
  format: oneOf(FORMATS, {
    description: "Format of the files.",
    commands: SET,
    flag: "--format",
    default: "parquet"
  }),
  memory: size({
    description: "Rows beyond so much memory go to the temporary folder meanwhile.",
    commands: SET,
    flag: "--memory",
    default: "256MiB"
  }),
  allowMissing: yesOrNo({
    description: "Take a range whose beginning Kafka has lost.",
    commands: SET,
    flag: "--allow-missing",
    default: false
  }),
  retain: whole({
    description: "Sets that are kept; 0 keeps all.",
    commands: NIGHTLY,
    unit: "sets",
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    default: 30
  }),
  retries: whole({
    description: "Attempts after the first.",
    commands: NIGHTLY,
    unit: "attempts",
    from: 0,
    to: 100,
    default: 3
  }),
  retryDelay: duration({
    description: "Time between two attempts.",
    commands: NIGHTLY,
    least: "1ms",
    default: "5m"
  }),
  catchUp: whole({
    description: "Missing sets that are made up for.",
    commands: NIGHTLY,
    unit: "sets",
    from: 0,
    to: 1e3,
    default: 7
  }),
  leaseTtl: duration({
    description: "For how long a worker that is silent keeps the making of a set.",
    commands: NIGHTLY,
    least: "3s",
    default: "60s"
  }),
  redis: text({
    description: "Redis where workers agree on who makes a set. Without it there should be one worker.",
    commands: NIGHTLY,
    pattern: "^rediss?(-sentinel)?://",
    expected: "a redis:// or redis-sentinel:// address",
    secret: true
  }),
  s3: {
    endpoint: text({
      description: "Address of an S3-compatible server. Credentials come from the environment, as for any AWS client.",
      commands: SET,
      pattern: "^https?://",
      expected: "an http address"
    }),
    region: text({
      description: "Region of the bucket.",
      commands: SET,
      expected: "some text",
      default: "us-east-1"
    }),
    pathStyle: yesOrNo({
      description: "Name the bucket in the path and not in the host.",
      commands: SET,
      default: false
    })
  }
};
function checkExport({ schedule, timeZone, out }, fault2) {
  if (schedule === void 0) return;
  if (out === void 0) fault2("export.out", "expected a place, as export.schedule is given");
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch {
    fault2("export.timeZone", `expected a time zone such as Europe/Berlin, found ${timeZone}`);
    return;
  }
  try {
    if (new Cron(schedule, { timezone: timeZone, paused: true }).nextRun() === null) {
      fault2("export.schedule", `is never due: ${schedule}`);
    }
  } catch (error) {
    fault2("export.schedule", `no cron expression: ${error.message}`);
  }
}

// src/config/keys/http.ts
import { isIP } from "node:net";
import { Type as Type4 } from "typebox";
var HOST_NAME = Type4.String({
  pattern: "^(\\*|(\\*\\.)?[A-Za-z0-9_]([A-Za-z0-9_.-]{0,251}[A-Za-z0-9_])?)$"
});
var HTTP = {
  host: text({
    description: "Address to listen on.",
    commands: ["serve"],
    expected: "some text",
    default: "127.0.0.1"
  }),
  port: whole({
    description: "Port to listen on; 0 takes a free one.",
    commands: ["serve"],
    unit: null,
    from: 0,
    to: 65535,
    default: 9464
  }),
  hosts: key(
    {
      description: "Host names of the service. IP addresses and localhost always work; requests to any other name are refused, against DNS rebinding.",
      commands: ["serve"],
      default: []
    },
    {
      schema: Type4.Array(HOST_NAME),
      expected: "a list of host names without ports; *. before one for all below it, * for any",
      unit: null,
      range: "host names without ports; `*.` before one for all below it, `*` for any",
      suffix: "",
      argument: "<names>",
      examples: [["unskew.example.com", "*.monitoring.svc"]],
      decode: (written) => written
    }
  ),
  auth: oneOf(["token", "none"], {
    description: "Who may read: clients with the token, or everyone who can reach the service. Beyond loopback it must be set, or `http.token` must be.",
    commands: ["serve"],
    derived: "token where `http.token` is set, none on loopback"
  }),
  token: text({
    description: "Bearer token. It is asked of everything but the health routes, and never printed.",
    commands: ["serve"],
    pattern: "^[A-Za-z0-9._~+/=-]{16,256}$",
    expected: "a token of 16 to 256 letters, digits and ._~+/=-",
    secret: true
  }),
  rateLimit: whole({
    description: "Requests from one address; 0: any number. The health routes are not counted.",
    commands: ["serve"],
    unit: "requests a minute",
    from: 0,
    to: 1e6,
    default: 1200
  }),
  streamsPerAddress: whole({
    description: "Streams of ticks that one address may hold open, of 1,000 in all. Behind a proxy all clients share its address.",
    commands: ["serve"],
    unit: "streams",
    from: 1,
    to: 1e3,
    default: 100
  })
};
var HISTORY = {
  keep: duration({
    description: "How much of the past the page and the API show. The newest tick always.",
    commands: ["serve"],
    least: "0s",
    default: "24h"
  }),
  dir: text({
    description: "Folder that keeps the past over a restart, of this process alone. Without one it is kept in memory.",
    commands: ["serve"],
    expected: "the path of a folder"
  })
};
var ESTIMATES_FILE = text({
  description: "File to which every window of every tick is appended as a line of JSON.",
  commands: ["serve"],
  expected: "the path of a file"
});
var LOG = {
  level: oneOf(["fatal", "error", "warn", "info", "debug", "trace", "silent"], {
    description: "The least severity that is logged.",
    commands: ["serve"],
    default: "info"
  })
};
function isLoopback(host) {
  return host === "localhost" || host === "::1" || isIP(host) === 4 && host.startsWith("127.");
}
function authOf({ auth, token }) {
  return auth ?? (token === void 0 ? "none" : "token");
}
function checkHttp({ auth, host, token }, fault2) {
  if (auth === "token" && token === void 0) {
    fault2("http.token", "expected a token, as http.auth is token");
  }
  if (auth === "none" && token !== void 0) {
    fault2("http.token", "has no use as http.auth is none; leave it out or write token");
  }
  if (auth === void 0 && token === void 0 && !isLoopback(host)) {
    const remedy = "set http.token, or http.auth to none if everyone there may read";
    fault2("http.host", `${host} is reached from other machines: ${remedy}`);
  }
}

// src/config/keys/kafka.ts
import { Type as Type5 } from "typebox";
var TOPIC = {
  pattern: "^[a-zA-Z0-9._-]{1,249}$",
  expected: "a topic name of letters, digits, dots, dashes and underscores"
};
var BROKER = Type5.String({
  pattern: "^[^\\s,:]+:[0-9]{1,5}$|^\\[[0-9a-fA-F:.]+\\]:[0-9]{1,5}$"
});
var SASL = {
  mechanism: oneOf(["plain", "scram-sha-256", "scram-sha-512"], {
    description: "How the broker asks who reads. All three SASL keys are given, or none.",
    commands: ["serve", "export"]
  }),
  username: text({
    description: "SASL user.",
    commands: ["serve", "export"],
    expected: "a user name"
  }),
  password: text({
    description: "SASL password; never printed.",
    commands: ["serve", "export"],
    expected: "a password",
    secret: true
  })
};
var KAFKA = {
  brokers: key(
    {
      description: "Brokers of the cluster, `host:port`.",
      commands: ["serve", "export"],
      default: ["127.0.0.1:9092"]
    },
    {
      schema: Type5.Array(BROKER, { minItems: 1 }),
      expected: "a list of host:port",
      unit: null,
      range: "host:port, at least one",
      suffix: "",
      argument: "<host:port>",
      examples: [["kafka-1:9092", "kafka-2:9092"]],
      decode: (written) => written
    }
  ),
  clientId: text({
    description: "Name of this client for the broker.",
    commands: ["serve", "export"],
    expected: "some text",
    default: "unskew"
  }),
  groupId: text({
    description: "Consumer group. Workers of one group divide the partitions.",
    commands: ["serve", "export"],
    expected: "some text",
    default: "unskew"
  }),
  topics: {
    exposures: text({
      description: "Topic of exposures. It must exist.",
      commands: ["serve"],
      ...TOPIC,
      default: "unskew.exposures"
    }),
    interactions: text({
      description: "Topic of interactions. It must exist, with as many partitions.",
      commands: ["serve", "export"],
      ...TOPIC,
      default: "unskew.interactions"
    }),
    deadLetter: text({
      description: "Topic for refused events.",
      commands: ["serve"],
      ...TOPIC,
      default: "unskew.dead-letter"
    })
  },
  start: oneOf(["earliest", "latest"], {
    description: "Where reading of a partition starts that has no checkpoint.",
    commands: ["serve"],
    default: "earliest"
  }),
  ssl: yesOrNo({
    description: "TLS to the broker.",
    commands: ["serve", "export"],
    default: false
  }),
  sasl: SASL,
  connectTimeout: duration({
    description: "How long the first connection is tried.",
    commands: ["serve", "export"],
    least: "1ms",
    default: "10s"
  }),
  sessionTimeout: duration({
    description: "A worker that is silent for longer is taken for dead. The broker has a least value, 6s by default.",
    commands: ["serve"],
    least: "1ms",
    default: "30s"
  }),
  maxBytesPerPartition: size({
    description: "Largest fetch for one partition.",
    commands: ["serve", "export"],
    default: "1MiB"
  }),
  maxUnpacked: size({
    description: "Most bytes that one compressed batch may unpack to. The records of a larger batch, or of one with more than 100,000 records, are refused and counted. One fetch response may unpack to twice as much; the rest waits.",
    commands: ["serve", "export"],
    default: "64MiB"
  })
};
function checkKafka({ topics, sasl }, fault2) {
  const { exposures, interactions, deadLetter } = topics;
  const different = "expected different topics, found";
  if (exposures === interactions) {
    fault2("kafka.topics.interactions", `${different} ${interactions} for exposures too`);
  }
  if (deadLetter === exposures || deadLetter === interactions) {
    fault2("kafka.topics.deadLetter", `${different} ${deadLetter} for events too`);
  }
  const { mechanism, username, password } = sasl;
  const given = Object.entries({ mechanism, username, password });
  const missing = given.filter(([, value]) => value === void 0).map(([name]) => name);
  if (missing.length === 0 || missing.length === given.length) return;
  for (const name of missing) {
    fault2(`kafka.sasl.${name}`, "expected, as the rest of kafka.sasl is given");
  }
}

// src/config/keys/popularity.ts
import { Type as Type6 } from "typebox";

// src/propensity/gamma.ts
var GAMMA_FITS = ["ols", "poisson"];

// src/config/keys/time.ts
var TIME = {
  tick: duration({
    description: "Length of a pane. Numbers appear once a pane, in event time.",
    commands: ["serve", "replay"],
    flag: "--tick",
    least: "1s",
    default: "1m"
  }),
  windows: windows({
    description: "Lengths of the windows. The text is the label in metrics and JSON.",
    commands: ["serve", "replay"],
    flag: "--windows",
    default: ["1h", "24h"]
  }),
  lateness: duration({
    description: "How much older than the newest event of its partition an event may be.",
    commands: ["serve", "replay"],
    flag: "--lateness",
    least: "0s",
    default: "30s"
  }),
  maxFuture: duration({
    description: "How far ahead of the clock an event may lie.",
    commands: ["serve", "replay", "evaluate", "export", "validate"],
    least: "0s",
    default: "5m"
  }),
  idle: duration({
    description: "A partition that is silent for so long no longer holds time back, as long as Kafka confirms that it is read to its end.",
    commands: ["serve"],
    least: "1ms",
    default: "60s"
  })
};
var DEDUPE = {
  ttl: duration({
    description: "A second event with the same id within so much event time is a duplicate. `evaluate` looks through all of its files.",
    commands: ["serve", "replay"],
    least: "1ms",
    default: "1h"
  })
};
var ATTRIBUTION = {
  ttl: duration({
    description: "How old a list may be to rank an interaction.",
    commands: ["serve", "replay", "evaluate"],
    flag: "--attribution-ttl",
    least: "1ms",
    default: "24h"
  })
};
function checkTime({ tickMs, windows: windows2 }, fault2) {
  windows2.forEach(({ name, ms }, index) => {
    const path = `time.windows[${index}]`;
    if (ms === 0 || ms % tickMs !== 0) {
      const tick2 = formatDuration(tickMs);
      fault2(path, `expected a multiple of time.tick (${tick2}), found ${name}`);
    }
    const same = windows2.findIndex((other) => other.ms === ms);
    if (same < index) {
      fault2(path, `expected different windows, found ${name} as long as time.windows[${same}]`);
    }
  });
}
function longestWindowMs(windows2) {
  return windows2.reduce((longest, { ms }) => Math.max(longest, ms), 0);
}

// src/config/keys/popularity.ts
var POPULARITY = {
  horizon: duration({
    description: "Trailing period that popularity is counted over. At least the longest window.",
    commands: ["serve", "replay"],
    least: "1ms",
    derived: "10 \xD7 the longest window"
  }),
  of: oneOf(["positive", "all"], {
    description: "Interactions that make an item popular.",
    commands: ["serve", "replay", "evaluate"],
    flag: "--popularity",
    default: "positive"
  }),
  randomized: oneOf(RANDOMIZED_POPULARITY, {
    description: "Whether interactions from randomised traffic make an item popular. Counted among the others they spoil any comparison of the two.",
    commands: ["serve", "replay", "evaluate"],
    flag: "--popularity-randomized",
    default: "ignore"
  }),
  caused: oneOf(CAUSED_POPULARITY, {
    description: "Whether interactions that name a shown list make an item popular. What lists led to is no measure of what users find by themselves.",
    commands: ["serve", "replay", "evaluate"],
    flag: "--popularity-caused",
    derived: "ignore; count with `estimates.feedback: ignore`"
  }),
  userCap: whole({
    description: "Interactions of one user that make items popular, at most, in each stretch of event time as long as the longest window (such as each day of UTC; in an evaluation each of its parts). 0 sets no limit. Those beyond it have rows like others, and are counted as `over_user_cap`.",
    commands: ["serve", "replay", "evaluate"],
    flag: "--user-cap",
    unit: "interactions",
    from: 0,
    to: 1e9,
    default: 200
  })
};
var POSITIVE2 = {
  minValue: real({
    description: "Least value of a positive interaction.",
    commands: ["serve", "replay", "evaluate", "export"],
    flag: "--positive",
    unit: "value of an interaction",
    default: 1
  })
};
var GAMMA_RANGE = { minimum: -1, maximum: 10 };
var GAMMA = {
  gamma: key(
    {
      description: "Exponent of presentation bias. `fit` takes the one that the exposures show; `auto` the one that randomised traffic calls for, else the one that the exposures show, else `gammaDefault`.",
      commands: ["serve", "replay", "evaluate"],
      flag: "--gamma",
      default: "auto"
    },
    {
      schema: Type6.Union([Type6.Number(GAMMA_RANGE), Type6.Literal("fit"), Type6.Literal("auto")]),
      expected: "a number from -1 to 10, 'fit' or 'auto'",
      unit: null,
      range: "from -1 to 10, fit or auto",
      suffix: "",
      argument: "<number|fit|auto>",
      decode: (written) => written
    }
  ),
  gammaFit: oneOf(GAMMA_FITS, {
    description: "Which fit of the exponent is used. With `gamma: fit`: the paper\u2019s line (`ols`) or the Poisson regression (`poisson`).",
    commands: ["serve", "replay", "evaluate"],
    flag: "--gamma-fit",
    default: "ols"
  }),
  gammaDefault: real({
    description: "Exponent that `gamma: fit` uses while no fit was ever `ok`, and `gamma: auto` where nothing tells it.",
    commands: ["serve", "replay", "evaluate"],
    unit: null,
    from: -1,
    to: 10,
    derived: "2; 0.5 with `gamma: auto`"
  }),
  gammaPeriod: duration({
    description: "Exposures of this trailing period are fitted to the popularity before it.",
    commands: ["serve", "replay"],
    least: "1ms",
    derived: "the longest window"
  })
};
function gammaDefaultOf(gamma) {
  return gamma === "auto" ? 0.5 : 2;
}
function causedPopularityOf(feedback) {
  return feedback === "ignore" ? "count" : "ignore";
}
var CATALOGUE = {
  size: whole({
    description: "Items in the catalogue. Without it: those named within `popularity.horizon`.",
    commands: ["serve", "replay", "evaluate"],
    flag: "--catalog-size",
    unit: "items",
    from: 1,
    to: 1e9
  })
};
function checkGamma({ gamma, popularity: { randomized } }, fault2) {
  if (gamma !== "auto" || randomized === "ignore") return;
  fault2("gamma", `auto needs popularity.randomized: ignore, found ${randomized}`);
}
function checkHorizon({ time, popularity: { horizonMs }, gammaPeriodMs }, fault2, warn) {
  const longest = longestWindowMs(time.windows);
  const found = `found ${formatDuration(horizonMs)}`;
  if (horizonMs < longest) {
    const floor = `the longest window (${formatDuration(longest)})`;
    fault2("popularity.horizon", `expected at least ${floor}, ${found}`);
  } else if (horizonMs < 10 * longest) {
    const advice = `10 times the longest window (${formatDuration(10 * longest)})`;
    warn("popularity.horizon", `at least ${advice} is recommended, ${found}`);
  }
  if (gammaPeriodMs >= horizonMs) {
    const ceiling = `popularity.horizon (${formatDuration(horizonMs)})`;
    fault2("gammaPeriod", `expected less than ${ceiling}, found ${formatDuration(gammaPeriodMs)}`);
  }
}

// src/config/presets.ts
var PRESETS = {
  default: {},
  papers: {
    "popularity.randomized": "count",
    "popularity.userCap": 0,
    gamma: 2,
    "events.actions": {},
    "estimates.interval": "t-logit",
    "estimates.userForm": "plain",
    "estimates.strataScheme": "popularity-width",
    "estimates.weightsFrom": "train",
    "estimates.feedback": "ignore",
    "drift.detectors": ["cusum", "psi"],
    "drift.standardisation": "levels"
  }
};
var PRESET_NAMES = Object.keys(PRESETS);
function isPreset(name) {
  return PRESET_NAMES.includes(name);
}

// src/config/keys/preset.ts
var PRESET = oneOf(PRESET_NAMES, {
  description: "Settings that go together, weaker than any that is given by itself. `papers` takes \u03B3 = 2, t intervals, plain means over users, strata by width, weights from the train part, all events as popularity, and follows no causes.",
  commands: ["serve", "replay", "evaluate"],
  flag: "--preset",
  default: "default"
});

// src/config/keys/stop-timeout.ts
var STOP_TIMEOUT = duration({
  description: "How long the service may take to stop, whatever does not answer. Keep it below the grace period of the orchestrator. What did not end in time is named, and the exit code is 1.",
  commands: ["serve"],
  least: "1s",
  default: "25s"
});

// src/config/layers.ts
import { Type as Type7 } from "typebox";
import { Value } from "typebox/value";

// src/config/yaml-file.ts
import { closeSync, openSync, readSync } from "node:fs";
import { LineCounter, parseDocument } from "yaml";
var MAX_BYTES = 256 * 1024;
var MAX_FAULTS = 10;
var MAX_DEPTH = 64;
var BEGUN_ENTRIES = new RegExp(`(?:[-?:][ \\t]+){${MAX_DEPTH}}`);
var BOMB = "its aliases stand for more than a configuration holds; write the values out";
function readYaml(file) {
  const text2 = readText(file);
  if (isDeep(text2)) throw refusal(file, "it is nested too deeply");
  const lines = new LineCounter();
  const document = parsing(
    file,
    () => parseDocument(text2, { lineCounter: lines, prettyErrors: false })
  );
  if (document.errors.length > 0) {
    const faults = document.errors.slice(0, MAX_FAULTS).map((error) => {
      const { line, col } = lines.linePos(error.pos[0]);
      return `${file}:${line}:${col}: ${error.message}`;
    });
    const more = document.errors.length - faults.length;
    if (more > 0) faults.push(`${file}: and ${more} more`);
    throw new UnskewError("USAGE", faults.join("\n"));
  }
  const tree = parsing(file, () => document.toJS());
  return {
    tree,
    originOf: (names) => {
      const node = document.getIn(names, true);
      return node?.range ? `${file}:${lines.linePos(node.range[0]).line}` : file;
    }
  };
}
function parsing(file, parse) {
  try {
    return parse();
  } catch (error) {
    const { message } = error;
    if (/excessive alias count/i.test(message)) throw refusal(file, BOMB, error);
    throw refusal(file, message.split("\n", 1)[0], error);
  }
}
function isDeep(text2) {
  let depth = 0;
  for (const [bracket] of text2.matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    if (depth > MAX_DEPTH) return true;
  }
  return BEGUN_ENTRIES.test(text2);
}
function readText(file) {
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  try {
    const handle = openSync(file, "r");
    try {
      for (let read = -1; read !== 0 && length <= MAX_BYTES; length += read) {
        read = readSync(handle, bytes, length, bytes.length - length, null);
      }
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    const { code, message } = error;
    throw refusal(file, code === "ENOENT" ? "no such file" : message, error);
  }
  if (length <= MAX_BYTES) return bytes.toString("utf8", 0, length);
  throw refusal(file, `more than ${MAX_BYTES / 1024} KiB, which no configuration needs`);
}
function refusal(file, why, cause) {
  return new UnskewError("USAGE", `configuration ${file}: ${why}`, { cause });
}

// src/config/layers.ts
function fileLayer(file, keys) {
  const { tree, originOf } = readYaml(file);
  const layer = { values: /* @__PURE__ */ new Map(), faults: [] };
  place({ layer, keys, originOf }, "", tree ?? {}, []);
  return layer;
}
function place(to, path, value, names) {
  const { layer, keys, originOf } = to;
  if (value === null) return;
  if (keys.byPath.has(path)) {
    layer.values.set(path, { value, origin: originOf(names) });
    return;
  }
  if (typeof value !== "object" || Array.isArray(value)) {
    const found = `expected a group of settings, found ${shown(value)}`;
    layer.faults.push(`${originOf(names)}: ${path === "" ? "the file" : path}: ${found}`);
    return;
  }
  const known = keys.sections.get(path);
  for (const [name, child] of Object.entries(value)) {
    const below = [...names, name];
    const childPath = joined(path, name);
    if (known.includes(name)) place(to, childPath, child, below);
    else {
      const hint = didYouMean(name, known);
      layer.faults.push(`${originOf(below)}: ${childPath}: unknown setting${hint}`);
    }
  }
}
var OTHER_VARIABLES = /* @__PURE__ */ new Set(["UNSKEW_CONFIG", "UNSKEW_DATA"]);
var SERVICE_LINK = /^UNSKEW_([A-Z0-9_]+_)?(SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$/;
function environmentLayer(env, keys) {
  const layer = { values: /* @__PURE__ */ new Map(), faults: [] };
  for (const [name, text2] of Object.entries(env)) {
    if (!name.startsWith("UNSKEW_") || text2 === void 0 || OTHER_VARIABLES.has(name)) continue;
    const key2 = keys.byVariable.get(name);
    if (key2 !== void 0) {
      layer.values.set(key2.path, { value: fromText(key2.schema, text2), origin: name });
    } else if (!SERVICE_LINK.test(name)) {
      const hint = didYouMean(name, keys.byVariable.keys());
      layer.faults.push(`${name}: unknown environment variable${hint}`);
    }
  }
  return layer;
}
function overrideLayer(overrides, origins, keys) {
  const layer = { values: /* @__PURE__ */ new Map(), faults: [] };
  for (const [path, given] of Object.entries(overrides)) {
    if (given === void 0) continue;
    const origin = origins[path] ?? "command line";
    const key2 = keys.byPath.get(path);
    if (key2 === void 0) {
      const hint = didYouMean(path, keys.byPath.keys());
      layer.faults.push(`${origin}: ${path}: unknown setting${hint}`);
    } else {
      const value = typeof given === "string" ? fromText(key2.schema, given) : given;
      layer.values.set(path, { value, origin });
    }
  }
  return layer;
}
function presetLayer(stronger) {
  const name = stronger.map(({ values }) => values.get("preset")).findLast((given) => given)?.value;
  const layer = { values: /* @__PURE__ */ new Map(), faults: [] };
  if (!isPreset(name)) return layer;
  for (const [path, value] of Object.entries(PRESETS[name])) {
    layer.values.set(path, { value, origin: `preset ${name}` });
  }
  return layer;
}
function fromText(schema, text2) {
  if (Type7.IsArray(schema)) {
    const parts = text2.trim() === "" ? [] : text2.split(",");
    return parts.map((part) => fromText(schema.items, part.trim()));
  }
  const trimmed = text2.trim();
  const parsed = NUMBER.test(trimmed) ? Number(trimmed) : parsedJson(trimmed);
  return parsed !== void 0 && Value.Check(schema, parsed) ? parsed : text2;
}
var NUMBER = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
function parsedJson(text2) {
  if (!/^(true|false|\{.*\})$/is.test(text2)) return void 0;
  try {
    return JSON.parse(text2);
  } catch {
    return void 0;
  }
}
function shown(value) {
  const text2 = JSON.stringify(value) ?? String(value);
  return text2.length > 80 ? `${text2.slice(0, 77)}...` : text2;
}

// src/config.ts
var KEYS = {
  preset: PRESET,
  kafka: KAFKA,
  time: TIME,
  dedupe: DEDUPE,
  attribution: ATTRIBUTION,
  popularity: POPULARITY,
  positive: POSITIVE2,
  ...GAMMA,
  estimates: ESTIMATES,
  baseline: BASELINE,
  drift: DRIFT,
  catalogue: CATALOGUE,
  state: STATE,
  workers: WORKERS,
  models: MODELS,
  limits: LIMITS,
  events: EVENTS,
  deadLetters: DEAD_LETTERS,
  http: HTTP,
  history: HISTORY,
  export: EXPORT,
  estimatesFile: ESTIMATES_FILE,
  stopTimeout: STOP_TIMEOUT,
  log: LOG
};
var KEY_INDEX = new KeyIndex(KEYS);
function readConfig(sources) {
  const file = sources.file ?? (sources.env["UNSKEW_CONFIG"] || void 0);
  const given = [
    ...file === void 0 ? [] : [fileLayer(file, KEY_INDEX)],
    environmentLayer(sources.env, KEY_INDEX),
    overrideLayer(sources.overrides ?? {}, sources.overrideOrigins ?? {}, KEY_INDEX)
  ];
  const layers = [presetLayer(given), ...given];
  const faults = layers.flatMap((layer) => layer.faults);
  const root = {};
  const entries = [...KEY_INDEX.byPath.values()].map((key2) => decode(key2, layers, root, faults));
  if (faults.length > 0) throw refusal2(faults);
  return finish2(root, entries, sources.command);
}
function decode(key2, layers, root, faults) {
  const given = layers.map((layer) => layer.values.get(key2.path)).findLast((entry) => entry);
  const { value, origin } = given ?? { value: key2.default, origin: "default" };
  if (value === void 0) set(root, key2, void 0);
  else if (Value2.Check(key2.schema, value)) {
    try {
      set(root, key2, key2.decode(value));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push(`${origin}: ${key2.path}: ${error.message}`);
    }
  } else {
    const found = key2.secret === true ? "(hidden)" : shown(value);
    faults.push(`${origin}: ${key2.path}: expected ${key2.expected}, found ${found}`);
  }
  return { key: key2, path: key2.path, value, origin };
}
function set(root, key2, value) {
  const names = key2.path.split(".");
  const last = names.pop();
  let section = root;
  for (const name of names) {
    section[name] ??= {};
    section = section[name];
  }
  if (value !== void 0) section[decodedName(last, key2.suffix)] = value;
}
function finish2(given, entries, command) {
  const complete = filled(given);
  const originOf = new Map(entries.map(({ path, origin }) => [path, origin]));
  const faults = [];
  const warnings = [];
  const line = (place3, message) => `${originOf.get(place3.replace(/\[\d+\]$/, "")) ?? "default"}: ${place3}: ${message}`;
  const fault2 = (path, message) => faults.push(line(path, message));
  const isUsed = (path) => command === void 0 || KEY_INDEX.byPath.get(path).commands.includes(command);
  const warn = (path, message) => {
    if (isUsed(path)) warnings.push(line(path, message));
  };
  checkKafka(complete.kafka, fault2);
  checkTime(complete.time, fault2);
  checkHorizon(complete, fault2, warn);
  checkGamma(complete, fault2);
  checkDrift(given, complete.drift, fault2, warn);
  checkState(complete, fault2);
  checkDeadLetters(complete.deadLetters, fault2);
  checkHttp(given.http, (path, message) => isUsed(path) && fault2(path, message));
  checkExport(complete.export, fault2);
  if (faults.length > 0) throw refusal2(faults);
  const { sasl, ...kafka } = complete.kafka;
  return {
    // The rules hold: either all of kafka.sasl is given or none of it.
    config: { ...complete, kafka: { ...kafka, ...sasl.mechanism ? { sasl } : {} } },
    entries: withDerived(entries, complete),
    warnings
  };
}
function filled(given) {
  const longestMs = longestWindowMs(given.time.windows);
  const { popularity, workers, state } = given;
  return {
    ...given,
    popularity: {
      ...popularity,
      horizonMs: popularity.horizonMs ?? 10 * longestMs,
      caused: popularity.caused ?? causedPopularityOf(given.estimates.feedback)
    },
    gammaPeriodMs: given.gammaPeriodMs ?? longestMs,
    gammaDefault: given.gammaDefault ?? gammaDefaultOf(given.gamma),
    drift: completeDrift(given),
    http: { ...given.http, auth: authOf(given.http) },
    workers: { exchange: workers.exchange ?? exchangeFor(state) }
  };
}
function withDerived(entries, complete) {
  return entries.map((entry) => {
    const { key: key2, value } = entry;
    if (value !== void 0 || key2.presence !== "derived") return entry;
    return { ...entry, value: derivedValue(key2, complete), origin: "derived" };
  });
}
function derivedValue({ path, suffix }, complete) {
  const names = path.split(".");
  const last = decodedName(names.pop(), suffix);
  let section = complete;
  for (const name of names) section = section[name];
  const value = section[last];
  return suffix === "Ms" ? formatDuration(value) : value;
}
function refusal2(faults) {
  const head = faults.length === 1 ? "configuration: " : `configuration: ${faults.length} faults
  `;
  return new UnskewError("USAGE", head + faults.join("\n  "));
}

// test/bench/default-options.ts
var ASKED = {
  ...{ "time.tick": "1m", "time.windows": "1h", "time.lateness": "0s", baseline: "none" },
  ...{ "estimates.metrics": "recall,dcg", "estimates.ks": "5,10", "drift.detectors": "" },
  "estimates.estimators": "naive,snips,gs,skew,wtd_h"
};
var optionsOf = (more) => monitorOptions(readConfig({ env: {}, overrides: { ...ASKED, ...more } }).config);
var PAPERS = optionsOf({ preset: "papers" });
var DEFAULTS = optionsOf({});

// src/state/ids/interner.ts
var SEGMENTS = 64;
var SEGMENT_SHIFT = 26;
var FIRST_SLOTS = 8;
var SLOT3 = 2;
var HEADER2 = 2;
var CHUNK_BITS = 14;
var CHUNK_WORDS = 1 << CHUNK_BITS;
var MAX_CHUNKS = 1 << 32 - CHUNK_BITS;
var NOBODY2 = HEADER2;
var NOBODY_CHUNK = new Int32Array(HEADER2);
var PAGE_BITS = 12;
var PAGE_SIZE = 1 << PAGE_BITS;
var Interner = class {
  most;
  count = 0;
  segments = [];
  segmentCounts = new Int32Array(SEGMENTS);
  /** The first one is that of nobody's numbers. */
  chunks = [NOBODY_CHUNK];
  freeChunks = [];
  chunk = 0;
  chunkUsed = CHUNK_WORDS;
  /** Numbers below `count` that are nobody's. */
  free = [];
  /** From `mark` to the end of `sweep`: 1 for a number that is kept. */
  marks;
  sweeps = 0;
  pages = [];
  /** An id may begin with what elsewhere is a byte order mark. */
  decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** @param most how many ids may be known for `intern` to take in a new one */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.most = most;
    for (let i = 0; i < SEGMENTS; i++) this.segments.push(new Int32Array(FIRST_SLOTS * SLOT3));
  }
  /**
   * Another one where numbers may have become those of other ids: it changes when forgetting begins
   * and when it ends. What is in use meanwhile is not forgotten.
   */
  get generation() {
    return this.sweeps;
  }
  /** All numbers are below it; some of them may be nobody's. */
  get size() {
    return this.count;
  }
  /** Number of distinct ids. */
  get known() {
    return this.count - this.free.length;
  }
  /** Bytes of memory that the arrays hold. */
  get byteLength() {
    let bytes = this.pages.length * PAGE_SIZE * 4;
    for (const chunk of this.chunks) bytes += chunk.byteLength;
    for (const segment of this.segments) bytes += segment.byteLength;
    return bytes + this.segmentCounts.byteLength;
  }
  /**
   * @param hash  `hashBytes(bytes, start, end)`
   * @returns the id's integer, a new one at first sight; −1 for a new one that there is no room for
   * @throws RangeError where the ids' bytes pass 16 GiB
   */
  intern(bytes, start, end, hash) {
    const segment = this.segments[hash >>> SEGMENT_SHIFT];
    const slot = this.slotOf(segment, bytes, start, end, hash);
    const known = segment[slot + 1];
    if (known !== 0) return this.marks === void 0 ? this.idAt(known) : this.keep(known);
    return this.known < this.most ? this.add(slot, bytes, start, end, hash) : -1;
  }
  /** As `intern`, but there is room for all. */
  take(bytes, start, end, hash) {
    const segment = this.segments[hash >>> SEGMENT_SHIFT];
    const slot = this.slotOf(segment, bytes, start, end, hash);
    const known = segment[slot + 1];
    return known === 0 ? this.add(slot, bytes, start, end, hash) : this.keep(known);
  }
  /** As `intern`, but −1 for an id that has not been seen. */
  find(bytes, start, end, hash) {
    const segment = this.segments[hash >>> SEGMENT_SHIFT];
    const known = segment[this.slotOf(segment, bytes, start, end, hash) + 1];
    return known === 0 ? -1 : this.idAt(known);
  }
  /** Leaves out the next number: it is nobody's, until `reuse` is told of it. */
  skip() {
    const id = this.count++;
    this.notePosition(id, NOBODY2);
    return id;
  }
  /** Numbers that were skipped are to be given again. */
  reuse(skipped) {
    for (const id of skipped) this.free.push(id);
  }
  /** Whether the number is that of an id. */
  isKnown(id) {
    return id >= 0 && id < this.count && this.positionOf(id) !== NOBODY2;
  }
  /**
   * Begins to forget.
   *
   * @returns a flag by number, to be set to 1 for all that are in use; those interned from now on
   *   are kept without
   */
  mark() {
    this.sweeps++;
    this.marks = new Uint8Array(this.count);
    return this.marks;
  }
  /**
   * Forgets the ids whose flags are not set, and moves the others together. One yield for a 64th of
   * the table; ids may be interned between two steps.
   *
   * @returns how many were forgotten
   */
  *sweep() {
    const { marks } = this;
    if (marks === void 0) throw new Error("nothing was marked");
    const emptied = [...this.chunks.keys()].filter((index) => this.chunks[index] !== NOBODY_CHUNK);
    this.chunkUsed = CHUNK_WORDS;
    let forgotten = 0;
    for (let index = 0; index < SEGMENTS; index++) {
      forgotten += this.sweepSegment(index, marks);
      yield;
    }
    for (const index of emptied) this.chunks[index] = NOBODY_CHUNK;
    this.freeChunks.push(...emptied);
    this.marks = void 0;
    this.sweeps++;
    return forgotten;
  }
  /** The id as text, empty for a number that is nobody's; @throws RangeError for one never given. */
  text(id) {
    const position = this.positionOf(id);
    const words = this.chunks[position >>> CHUNK_BITS];
    const at = position & CHUNK_WORDS - 1;
    const bytes = new Uint8Array(words[at - 1]);
    for (let i = 0; i < bytes.length; i++) bytes[i] = byteAt(words, at, i);
    return this.decoder.decode(bytes);
  }
  /** Length of the id in UTF-8 bytes. */
  byteLengthOf(id) {
    const position = this.positionOf(id);
    return this.chunks[position >>> CHUNK_BITS][(position & CHUNK_WORDS - 1) - 1];
  }
  /** Copies the id's bytes; @returns how many there are. */
  copyTo(id, into, from) {
    const position = this.positionOf(id);
    const words = this.chunks[position >>> CHUNK_BITS];
    const at = position & CHUNK_WORDS - 1;
    const length = words[at - 1];
    for (let i = 0; i < length; i++) into[from + i] = byteAt(words, at, i);
    return length;
  }
  /** A 32-bit hash of the id, the same in every table. */
  hash(id) {
    const position = this.positionOf(id);
    const words = this.chunks[position >>> CHUNK_BITS];
    const at = position & CHUNK_WORDS - 1;
    let hash = words[at - 1];
    for (let i = 0; i < words[at - 1]; i++) {
      hash = Math.imul(hash ^ byteAt(words, at, i), 16777619);
    }
    return hash;
  }
  /** Orders two ids by their UTF-8 bytes, which is the order of code points. */
  compare(a, b) {
    const positionA = this.positionOf(a);
    const positionB = this.positionOf(b);
    const wordsA = this.chunks[positionA >>> CHUNK_BITS];
    const wordsB = this.chunks[positionB >>> CHUNK_BITS];
    const atA = positionA & CHUNK_WORDS - 1;
    const atB = positionB & CHUNK_WORDS - 1;
    const shared = Math.min(wordsA[atA - 1], wordsB[atB - 1]);
    for (let i = 0; i < shared; i++) {
      const difference = byteAt(wordsA, atA, i) - byteAt(wordsB, atB, i);
      if (difference !== 0) return difference;
    }
    return wordsA[atA - 1] - wordsB[atB - 1];
  }
  add(slot, bytes, start, end, hash) {
    const id = this.free.length === 0 ? this.count++ : this.free.pop();
    const index = hash >>> SEGMENT_SHIFT;
    const segment = this.segments[index];
    const position = this.store(id, bytes, start, end);
    this.notePosition(id, position);
    segment[slot] = hash;
    segment[slot + 1] = position;
    if (this.marks !== void 0) this.marks[id] = 1;
    const filled2 = ++this.segmentCounts[index];
    if (filled2 * SLOT3 * 4 > segment.length * 3) this.segments[index] = doubled2(segment);
    return id;
  }
  /** The id at the position, which is not to be forgotten now. */
  keep(position) {
    const id = this.idAt(position);
    if (this.marks !== void 0) this.marks[id] = 1;
    return id;
  }
  /** Offset of the slot that holds the id, or of the empty one where it belongs. */
  slotOf(segment, bytes, start, end, hash) {
    const mask = segment.length - 1;
    let slot = hash << 1 & mask;
    for (let position = segment[slot + 1]; position !== 0; position = segment[slot + 1]) {
      if (segment[slot] === hash) {
        const words = this.chunks[position >>> CHUNK_BITS];
        if (holds(words, position & CHUNK_WORDS - 1, bytes, start, end)) return slot;
      }
      slot = slot + SLOT3 & mask;
    }
    return slot;
  }
  /** Copies the id with its header before it; @returns the position of its first word. */
  store(id, bytes, start, end) {
    const first2 = this.reserve(HEADER2 + (end - start + 3 >>> 2));
    const words = this.chunks[this.chunk];
    words[first2 - 2] = id;
    words[first2 - 1] = end - start;
    let at = start;
    let word = first2;
    for (; at + 4 <= end; at += 4) words[word++] = wordAt(bytes, at);
    if (at < end) words[word] = lastWord(bytes, at, end);
    return (this.chunk << CHUNK_BITS | first2) >>> 0;
  }
  /** Makes room for so many words; where in the chunk the id's bytes go, after their header. */
  reserve(size2) {
    if (this.chunkUsed + size2 > CHUNK_WORDS) {
      this.chunk = this.freeChunks.pop() ?? this.chunks.length;
      if (this.chunk === MAX_CHUNKS) throw new RangeError("More than 16 GiB of ids.");
      this.chunks[this.chunk] = new Int32Array(CHUNK_WORDS);
      this.chunkUsed = 0;
    }
    const first2 = this.chunkUsed + HEADER2;
    this.chunkUsed += size2;
    return first2;
  }
  /** Builds a segment anew of the ids that are kept; @returns how many are not. */
  sweepSegment(index, marks) {
    const old = this.segments[index];
    const kept = new Int32Array(this.segmentCounts[index] * SLOT3);
    let size2 = 0;
    for (let from = 0; from < old.length; from += SLOT3) {
      const position = old[from + 1];
      if (position === 0) continue;
      const id = this.idAt(position);
      if (id < marks.length && marks[id] === 0) {
        this.notePosition(id, NOBODY2);
        this.free.push(id);
        continue;
      }
      kept[size2] = old[from];
      kept[size2 + 1] = this.move(id, position);
      size2 += SLOT3;
    }
    const forgotten = this.segmentCounts[index] - size2 / SLOT3;
    this.segmentCounts[index] = size2 / SLOT3;
    let slots = FIRST_SLOTS;
    while (size2 * 4 > slots * SLOT3 * 3) slots *= 2;
    this.segments[index] = new Int32Array(slots * SLOT3);
    place2(kept.subarray(0, size2), this.segments[index]);
    return forgotten;
  }
  /** Copies an id to where there is room; @returns its new position. */
  move(id, from) {
    const words = this.chunks[from >>> CHUNK_BITS];
    const at = from & CHUNK_WORDS - 1;
    const length = words[at - 1] + 3 >>> 2;
    const first2 = this.reserve(HEADER2 + length);
    const to = this.chunks[this.chunk];
    for (let word = -HEADER2; word < length; word++) to[first2 + word] = words[at + word];
    const position = (this.chunk << CHUNK_BITS | first2) >>> 0;
    this.notePosition(id, position);
    return position;
  }
  idAt(position) {
    return this.chunks[position >>> CHUNK_BITS][(position & CHUNK_WORDS - 1) - 2];
  }
  notePosition(id, position) {
    if (id >>> PAGE_BITS === this.pages.length) this.pages.push(new Uint32Array(PAGE_SIZE));
    this.pages[id >>> PAGE_BITS][id & PAGE_SIZE - 1] = position;
  }
  positionOf(id) {
    if (!(id >= 0 && id < this.count)) throw new RangeError(`No id has the number ${id}.`);
    return this.pages[id >>> PAGE_BITS][id & PAGE_SIZE - 1];
  }
};
function byteAt(words, at, i) {
  return words[at + (i >>> 2)] >>> ((i & 3) << 3) & 255;
}
function holds(words, first2, bytes, start, end) {
  if (words[first2 - 1] !== end - start) return false;
  let at = start;
  let word = first2;
  for (; at + 4 <= end; at += 4) {
    if (wordAt(bytes, at) !== words[word++]) return false;
  }
  return at === end || lastWord(bytes, at, end) === words[word];
}
function doubled2(segment) {
  const grown3 = new Int32Array(segment.length * 2);
  place2(segment, grown3);
  return grown3;
}
function place2(slots, into) {
  const mask = into.length - 1;
  for (let from = 0; from < slots.length; from += SLOT3) {
    if (slots[from + 1] === 0) continue;
    let to = slots[from] << 1 & mask;
    while (into[to + 1] !== 0) to = to + SLOT3 & mask;
    into[to] = slots[from];
    into[to + 1] = slots[from + 1];
  }
}

// test/bench/synthetic-log.ts
var MODELS2 = ["blend", "personal", "popular"];
function mulberry32(seed) {
  let state = seed;
  return () => {
    state = state + 1831565813 | 0;
    let t = Math.imul(state ^ state >>> 15, 1 | state);
    t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
    return ((t ^ t >>> 14) >>> 0) / 4294967296;
  };
}
function powerLawItem(random, items) {
  return Math.floor(items * random() ** 3);
}
var CONCURRENT_SESSIONS = 500;
function syntheticLog(options, seed) {
  const { interactions, users, items } = options;
  const maker = new LogMaker(options, mulberry32(seed));
  const batches = [];
  for (let from = 0; from < interactions; from += 1e3) {
    batches.push(maker.batch(from, Math.min(from + 1e3, interactions)));
  }
  return {
    ids: { items: interned("item", items), models: interned("", 0, MODELS2) },
    userIds: interned("user", users),
    batches,
    interactions,
    exposures: maker.exposures
  };
}
var LogMaker = class {
  exposures = 0;
  #options;
  #random;
  #sessions;
  #users = 0;
  constructor(options, random) {
    this.#options = options;
    this.#random = random;
    this.#sessions = Array.from({ length: CONCURRENT_SESSIONS }, () => ({
      user: 0,
      left: 0,
      firsts: []
    }));
  }
  batch(from, to) {
    const { interactions, spanMs, listLength, items, evenly } = this.#options;
    const rows2 = new InteractionColumns(1e3);
    const lists = new ExposureColumns(256, 256 * listLength);
    for (let n = from; n < to; n++) {
      const ts = Math.floor(n / interactions * spanMs);
      const session = this.#sessions[n % CONCURRENT_SESSIONS];
      if (session.left-- === 0) this.#begin(session, lists, ts);
      const r = rows2.length++;
      rows2.ts[r] = ts;
      rows2.user[r] = session.user;
      rows2.item[r] = evenly ? n % items : this.#item(session);
      rows2.value[r] = 1;
      rows2.action[r] = -1;
      rows2.idHigh[r] = Math.imul(n, 2246822507);
      rows2.idLow[r] = Math.imul(n, 668265263);
    }
    return { interactions: rows2, exposures: lists };
  }
  #item({ firsts }) {
    const { items, listLength } = this.#options;
    if (this.#random() < 0.5) return powerLawItem(this.#random, items);
    const first2 = firsts[Math.floor(this.#random() * MODELS2.length)];
    return (first2 + powerLawItem(this.#random, listLength)) % items;
  }
  #begin(session, lists, ts) {
    const { users, items, interactionsPerSession, evenly } = this.#options;
    session.user = evenly ? this.#users++ % users : Math.floor(users * this.#random());
    session.left = interactionsPerSession - 1;
    session.firsts = MODELS2.map(() => powerLawItem(this.#random, items));
    for (let model = 0; model < MODELS2.length; model++) {
      this.#list(session.user, model, session.firsts[model], lists, ts);
    }
  }
  #list(user, model, first2, lists, ts) {
    const { items, listLength } = this.#options;
    lists.reserve(listLength);
    const r = lists.length++;
    lists.ts[r] = ts;
    lists.user[r] = user;
    lists.model[r] = model;
    lists.idHigh[r] = Math.imul(this.exposures, 2654435761);
    lists.idLow[r] = Math.imul(this.exposures++, 374761393);
    lists.flags[r] = SHOWN;
    lists.candidates[r] = -1;
    const start = lists.listStart[r];
    for (let k = 0; k < listLength; k++) lists.items[start + k] = (first2 + k) % items;
    lists.listStart[r + 1] = start + listLength;
  }
};
function interned(prefix, count, names = []) {
  const table = new Interner();
  const encoder = new TextEncoder();
  for (let i = 0; i < count + names.length; i++) {
    const bytes = encoder.encode(
      i < count ? `${prefix}${String(i).padStart(8, "0")}` : names[i - count]
    );
    table.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  }
  return table;
}

// test/bench/zz-prof.ts
var HOUR = 36e5;
var rows = Number(process.argv[2]);
var share = Number(process.argv[3]);
var R = Number(process.argv[4] ?? 9);
var log = syntheticLog(
  {
    interactions: 1.25 * rows,
    users: rows / 10,
    items: 2e4,
    interactionsPerSession: 15,
    listLength: 20,
    spanMs: 1.25 * HOUR
  },
  3
);
var only = process.argv[5];
var sides = [
  ["papers", PAPERS],
  ["defaults", DEFAULTS]
].filter(([n]) => !only || n === only).map(([n, o]) => ({
  n,
  monitor: new Monitor(o, log.ids),
  cpu: [],
  wall: []
}));
var newest = /* @__PURE__ */ new Map();
var every = Math.round(1 / share);
var turn = 0;
for (const { interactions, exposures } of log.batches) {
  if (share > 0) {
    for (let e = 0; e < exposures.length; e++)
      newest.set(exposures.user[e], [exposures.idHigh[e], exposures.idLow[e]]);
    for (let r = 0; r < interactions.length; r += every) {
      const [h, l] = newest.get(interactions.user[r]);
      interactions.flags[r] |= NAMES_EXPOSURE;
      interactions.exposureHigh[r] = h;
      interactions.exposureLow[r] = l;
    }
  }
  const order3 = turn++ % 2 ? [...sides].reverse() : sides;
  for (const s of order3) {
    const { monitor } = s;
    const o = new Outcomes();
    monitor.intake.acceptExposures(0, exposures, o);
    monitor.intake.acceptInteractions(0, interactions, o);
    for (let p = monitor.closable(); p !== void 0; p = monitor.closable()) {
      if (p < 59 || s.cpu.length === R) runAtOnce(monitor.settle(p));
      else {
        const c = process.cpuUsage();
        const w = performance.now();
        const pp = p;
        const snap = runAtOnce(monitor.close(pp)).snapshot;
        const { user, system } = process.cpuUsage(c);
        s.cpu.push((user + system) / 1e3);
        s.wall.push(performance.now() - w);
      }
    }
  }
  if (sides.every((s) => s.cpu.length === R)) break;
}
var med = (v) => {
  const s = [...v].sort((a, b) => a - b);
  return (s[s.length - 1 >> 1] + s[s.length >> 1]) / 2;
};
for (const s of sides)
  console.log(
    s.n,
    "min",
    Math.min(...s.cpu.slice(3)).toFixed(0),
    "cpu",
    med(s.cpu.slice(3)).toFixed(0),
    "wall",
    med(s.wall.slice(3)).toFixed(0),
    s.cpu.map((v) => v.toFixed(0)).join(" ")
  );
if (sides.length === 2) {
  const r = sides[1].cpu.map((v, i) => v / sides[0].cpu[i]).slice(3);
  console.log(
    "ratio of medians",
    (med(sides[1].cpu.slice(3)) / med(sides[0].cpu.slice(3))).toFixed(3),
    "wall",
    (med(sides[1].wall.slice(3)) / med(sides[0].wall.slice(3))).toFixed(3),
    "pairs",
    r.map((v) => v.toFixed(2)).sort().join(" ")
  );
}
