/* The labels: what somebody decided about each pair. They live in this browser, under a key of this very page, until they are exported. */

const LETTERS = 'dvxu';
const labels = {
  key: `txtfp-review:${page.key}`,
  verdicts: pairs.map((pair) => pair.given),
  touched: new Array(pairs.length).fill(false), // in this browser; otherwise the label came with the page
  variants_go: false,
  history: [],
  stored: true,

  of(pair) {
    return this.verdicts[pair.index];
  },

  set(pair, verdict) {
    this.history.push([pair.index, this.verdicts[pair.index], this.touched[pair.index]]);
    this.verdicts[pair.index] = verdict;
    this.touched[pair.index] = true;
    this.save();
  },

  /* Takes the last label back; returns its pair. */
  undo() {
    const last = this.history.pop();
    if (last === undefined) return null;
    [, this.verdicts[last[0]], this.touched[last[0]]] = last;
    this.save();
    return pairs[last[0]];
  },

  count(verdict) {
    return this.verdicts.filter((given) => given === verdict).length;
  },

  decided() {
    return pairs.length - this.count(NONE);
  },

  /* One character for each pair: a letter, - for a label that was taken back, . for one that was never touched. */
  save() {
    const letters = this.verdicts.map((verdict, i) => (!this.touched[i] ? '.' : verdict === NONE ? '-' : LETTERS[verdict])).join('');
    try {
      localStorage.setItem(this.key, JSON.stringify({ letters, variants_go: this.variants_go }));
      this.stored = true;
    } catch {
      this.stored = false;
    }
  },

  load() {
    try {
      const saved = JSON.parse(localStorage.getItem(this.key) || 'null');
      if (saved === null || typeof saved.letters !== 'string' || saved.letters.length !== pairs.length) return;
      this.variants_go = saved.variants_go === true;
      for (let i = 0; i < pairs.length; ++i) {
        const letter = saved.letters[i];
        if (letter === '.') continue;
        this.touched[i] = true;
        this.verdicts[i] = letter === '-' ? NONE : LETTERS.indexOf(letter);
      }
    } catch {
      this.stored = false;
    }
  },

  forget() {
    this.verdicts = pairs.map((pair) => pair.given);
    this.touched.fill(false);
    this.history = [];
    this.save();
  },
};
labels.load();

/* ---- export */

const decided_pairs = () => pairs.filter((pair) => labels.of(pair) !== NONE);
const stratum_name = (pair) => (pair.outcome === REMOVE && pair.stratum >= 0 ? page.strata[pair.stratum] : null);

const copy_escapes = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\b': '\\b', '\f': '\\f', '\v': '\\v' };
const copy_field = (text) => (text === null ? '\\N' : text.replace(/[\\\t\n\r\b\f\v]/g, (c) => copy_escapes[c]));
const copy_label = (label) => (label === null ? null : label ? 't' : 'f');

function labels_as_tsv() {
  const rows = decided_pairs().map((pair) => {
    const verdict = labels.of(pair);
    return [stratum_name(pair), pair.id, pair.kept, page.verdicts[verdict], copy_label(label_of(verdict))].map(copy_field).join('\t');
  });
  return ['stratum\tid\tkept\tverdict\tlabel', ...rows].join('\n') + '\n';
}

function labels_as_jsonl() {
  return decided_pairs()
    .map((pair) => {
      const verdict = labels.of(pair);
      return (
        JSON.stringify({
          stratum: stratum_name(pair),
          id: pair.id,
          kept: pair.kept,
          verdict: page.verdicts[verdict],
          label: label_of(verdict),
        }) + '\n'
      );
    })
    .join('');
}

/* Escape strings mean the same whatever standard_conforming_strings says. */
const sql_string = (text) => (text === null ? 'NULL' : `E'${text.replace(/\\/g, '\\\\').replace(/'/g, "''")}'`);
const sql_signals = (pair) => `'(${[page.signals_version, ...pair.signals].map((x) => (x < 0 ? '' : x)).join(',')})'`;

function labels_as_sql() {
  const type = /^[a-z ]+$/.test(page.id_type) ? page.id_type : 'text';
  const title = page.title.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200);
  const rows = decided_pairs().map((pair) => {
    const verdict = labels.of(pair),
      label = label_of(verdict);
    return (
      `  (${sql_string(pair.id)}, ${sql_string(pair.kept)}, ${sql_string(stratum_name(pair))}, '${page.verdicts[verdict]}', ` +
      `${label === null ? 'NULL' : label}, ${sql_signals(pair)})`
    );
  });
  const table = `-- Labels of the review page ${title}
CREATE TABLE IF NOT EXISTS review_labels (
  id ${type}, kept ${type}, stratum text, verdict text NOT NULL, label boolean, signals difference_signals,
  labelled_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (id, kept)
);
`;
  if (rows.length === 0) return table;
  return `${table}INSERT INTO review_labels (id, kept, stratum, verdict, label, signals) VALUES
${rows.join(',\n')}
ON CONFLICT (id, kept) DO UPDATE SET stratum = excluded.stratum, verdict = excluded.verdict, label = excluded.label,
  signals = excluded.signals, labelled_at = excluded.labelled_at;
-- What share of all removals is right:
--   SELECT * FROM removal_precision('SELECT stratum, label FROM review_labels WHERE stratum IS NOT NULL');
-- A rule that decides like you:
--   SELECT decision_rule('SELECT label, signals, kept FROM review_labels');
`;
}

const exports_of = {
  tsv: { name: 'labels.tsv', type: 'text/tab-separated-values', make: labels_as_tsv },
  jsonl: { name: 'labels.jsonl', type: 'application/jsonl', make: labels_as_jsonl },
  sql: { name: 'labels.sql', type: 'application/sql', make: labels_as_sql },
};

function download(kind) {
  const { name, type, make } = exports_of[kind];
  const url = URL.createObjectURL(new Blob([make()], { type: `${type};charset=utf-8` }));
  const link = el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}
