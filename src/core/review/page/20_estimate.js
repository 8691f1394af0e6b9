/* What share of all removals is right, by the rule of removal_precision: strata are weighed, what was not read follows a beta-binomial
   distribution, with a cautious prior for each end of the interval, and the distribution of the sum is simulated with the same random numbers. */

class Random {
  constructor(high, low) {
    this.high = high;
    this.low = low;
  }

  /* SplitMix64, on two halves: the upper 53 bits, and a half, as a number between 0 and 1. */
  uniform() {
    const low = (this.low >>> 0) + 0x7f4a7c15;
    this.low = low | 0;
    this.high = (this.high + 0x9e3779b9 + (low > 0xffffffff ? 1 : 0)) | 0;
    let h = this.high,
      l = this.low;
    [h, l] = Random.mix(h, l, 30, 0xbf58476d, 0x1ce4e5b9);
    [h, l] = Random.mix(h, l, 27, 0x94d049bb, 0x133111eb);
    const x = l ^ ((l >>> 31) | (h << 1)),
      y = h ^ (h >>> 31);
    return ((y >>> 0) * 0x200000 + (x >>> 11) + 0.5) / 0x20000000000000;
  }

  static mix(h, l, shift, times_h, times_l) {
    const low = l ^ ((l >>> shift) | (h << (32 - shift))),
      high = h ^ (h >>> shift);
    const a = low & 0xffff,
      b = low >>> 16,
      c = times_l & 0xffff,
      d = times_l >>> 16;
    const ad = a * d,
      bc = b * c,
      ac = a * c;
    const middle = (ac >>> 16) + (ad & 0xffff) + (bc & 0xffff);
    const carry = b * d + Math.floor(ad / 65536) + Math.floor(bc / 65536) + (middle >>> 16);
    return [(Math.imul(high, times_l) + Math.imul(low, times_h) + carry) | 0, (middle << 16) | (ac & 0xffff) | 0];
  }

  normal() {
    const radius = Math.sqrt(-2 * Math.log(this.uniform()));
    return radius * Math.cos(6.283185307179586 * this.uniform());
  }

  gamma(shape) {
    if (shape < 1) {
      const larger = this.gamma(shape + 1);
      return larger * Math.pow(this.uniform(), 1 / shape);
    }
    const d = shape - 1 / 3,
      c = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal(),
        v = Math.pow(1 + c * x, 3);
      if (v > 0 && Math.log(this.uniform()) < (x * x) / 2 + d - d * v + d * Math.log(v)) return d * v;
    }
  }

  beta(a, b) {
    const x = this.gamma(a),
      y = this.gamma(b);
    return x / (x + y);
  }

  binomial(n, p) {
    if (n > 50) {
      const mean = n * p;
      return Math.min(n, Math.max(0, Math.round(mean + Math.sqrt(mean * (1 - p)) * this.normal())));
    }
    let found = 0;
    for (let i = 0; i < n; ++i) found += this.uniform() < p ? 1 : 0;
    return found;
  }
}

/* strata: [{rows, labels, right}], labels at least 1 */
function stratified_share(strata) {
  const ROUNDS = 20000,
    TAIL = 500;
  let all = 0,
    right = 0;
  for (const stratum of strata) {
    all += stratum.rows;
    right += (stratum.rows * stratum.right) / stratum.labels;
  }
  const random = new Random(0x73757265, 0x20656e6f),
    lows = new Float64Array(ROUNDS),
    highs = new Float64Array(ROUNDS);
  const drawn = (stratum, right_prior, wrong_prior) => {
    const p = random.beta(stratum.right + right_prior, stratum.labels - stratum.right + wrong_prior);
    return stratum.right + random.binomial(stratum.rows - stratum.labels, p);
  };
  for (let i = 0; i < ROUNDS; ++i) {
    let low = 0,
      high = 0;
    for (const stratum of strata) {
      low += drawn(stratum, 1 / 30, 2 / 3);
      high += drawn(stratum, 2 / 3, 1 / 30);
    }
    lows[i] = low / all;
    highs[i] = high / all;
  }
  lows.sort();
  highs.sort();
  const precision = right / all;
  return { precision, low: Math.min(precision, lows[TAIL]), high: Math.max(precision, highs[ROUNDS - 1 - TAIL]) };
}

const stratum_rows = page.strata.map((name) => Number((/: (\d+) rows$/.exec(name) || [0, 0])[1]));
/* The pairs of each stratum in the order in which they were drawn. */
const stratum_pairs = page.strata.map((_, i) => pairs.filter((pair) => pair.stratum === i));

/* A label as removal_precision reads it: true, false, or null for what was not decided. */
function label_of(verdict) {
  if (verdict === DUPLICATE) return true;
  if (verdict === VARIANT) return labels.variants_go;
  return verdict === DISTINCT ? false : null;
}

function estimate() {
  const strata = [];
  let labelled = 0,
    chosen = false;
  for (let i = 0; i < page.strata.length; ++i) {
    const stratum = { rows: stratum_rows[i], labels: 0, right: 0 };
    let gap = false;
    for (const pair of stratum_pairs[i]) {
      const verdict = labels.of(pair);
      if (verdict === NONE) gap = true;
      else if (gap) chosen = true;
      const label = label_of(verdict);
      if (label === null) continue;
      ++stratum.labels;
      stratum.right += label ? 1 : 0;
    }
    labelled += stratum.labels;
    strata.push(stratum);
  }
  const missing = strata.filter((stratum) => stratum.labels === 0).length;
  if (strata.length === 0 || missing > 0) return { labels: labelled, missing, strata };
  return { ...stratified_share(strata), labels: labelled, missing, chosen, strata };
}
