/* Filters, keys, dialogs, and what belongs to no view. */

const MANY_READY = 8; // blocks that are searched at a time
const filters = { outcome: '', reason: '', stratum: '', label: '', cluster: '', kind: '', text: '' };
const orders = {
  reading: ['as drawn', () => 0],
  similarity: [
    'most similar first',
    (a, b) => (measure(b, 'jaccard') ?? measure(b, 'similarity') ?? 0) - (measure(a, 'jaccard') ?? measure(a, 'similarity') ?? 0),
  ],
  different: [
    'least similar first',
    (a, b) => (measure(a, 'jaccard') ?? measure(a, 'similarity') ?? 0) - (measure(b, 'jaccard') ?? measure(b, 'similarity') ?? 0),
  ],
  score: ['least score first', (a, b) => (measure(a, 'score') ?? 0) - (measure(b, 'score') ?? 0)],
  clusters: ['by cluster', (a, b) => (a.cluster < 0 ? Infinity : a.cluster) - (b.cluster < 0 ? Infinity : b.cluster) || 0],
  longest: ['longest first', (a, b) => b.length - a.length],
};
let order = 'reading';

function passes(pair) {
  if (filters.outcome !== '' && pair.outcome !== Number(filters.outcome)) return false;
  if (filters.reason !== '' && pair.reason !== Number(filters.reason)) return false;
  if (filters.stratum !== '' && pair.stratum !== Number(filters.stratum)) return false;
  if (filters.cluster !== '' && pair.cluster !== Number(filters.cluster)) return false;
  if (filters.kind === 'equal' && pair.kinds.some((n) => n > 0)) return false;
  if (filters.kind !== '' && filters.kind !== 'equal' && pair.kinds[page.kinds.indexOf(filters.kind)] === 0) return false;
  if (filters.label === 'any') return labels.of(pair) !== NONE;
  return filters.label === '' || labels.of(pair) === Number(filters.label);
}

const folded = (text) => text.normalize('NFKC').toLowerCase();
function text_of(pair) {
  let a = '',
    b = '';
  for (const run of runs_of(pair)) {
    if (typeof run === 'string' || typeof run[0] === 'string') {
      a += plain(run);
      b += plain(run);
    } else if (run[0] >= 0) {
      a += plain(run[1]);
      b += plain(run[2]);
    }
  }
  return `${a}\n${b}`;
}

/* Finds the pairs that pass. A search looks through some blocks at a time, so that the page stays alive. */
let search_number = 0;
function find_pairs(done) {
  const mine = ++search_number,
    wanted = folded(filters.text.trim()),
    passing = pairs.filter(passes),
    found = [];
  const finish = () => {
    if (order !== 'reading') found.sort((a, b) => orders[order][1](a, b) || a.index - b.index);
    done(found);
  };
  if (wanted === '') {
    found.push(...passing);
    finish();
    return;
  }
  const step = (from) => {
    if (mine !== search_number) return;
    let at = from;
    for (let block = -1, blocks_read = 0; at < passing.length; ++at) {
      const pair = passing[at],
        next = Math.floor(pair.index / page.block);
      if (next !== block && ++blocks_read > MANY_READY) break;
      block = next;
      if (folded(`${pair.id}\n${pair.kept}\n${pair.more.join('\n')}`).includes(wanted) || folded(text_of(pair)).includes(wanted))
        found.push(pair);
    }
    if (at < passing.length) {
      $('found').textContent = `${Math.round((100 * at) / passing.length)} % searched \u2026`;
      setTimeout(step, 0, at);
    } else {
      finish();
    }
  };
  step(0);
}

function apply_filters(keep) {
  const before = keep ? current() : undefined;
  find_pairs((found) => {
    view.found = found;
    view.at = Math.max(0, before === undefined ? 0 : found.indexOf(before));
    $('found').textContent =
      found.length === pairs.length ? some(pairs.length, 'pair') : `${count(found.length)} of ${some(pairs.length, 'pair')}`;
    draw();
  });
}

function show_filters() {
  for (const name of ['outcome', 'reason', 'stratum', 'label']) $(`filter-${name}`).value = filters[name];
  const button = $('filter-cluster'),
    only = filters.cluster !== '' ? `cluster ${Number(filters.cluster) + 1}` : filters.kind !== '' ? `differs: ${filters.kind}` : '';
  button.hidden = only === '';
  button.textContent = `${only} \u00d7`;
  button.setAttribute('aria-label', `Show not only ${only}`);
}

/* Shows the pairs that have all of this, and nothing else. */
function filter_by(wanted) {
  Object.assign(filters, { outcome: '', reason: '', stratum: '', label: '', cluster: '', kind: '', text: '' }, wanted);
  $('search').value = filters.text;
  show_filters();
  view.name = 'list';
  apply_filters(false);
}
const show_cluster = (number) => filter_by({ cluster: String(number) });

function fill_select(id, first, values) {
  $(id).replaceChildren(
    el('option', { value: '' }, first),
    ...values.map(([value, text]) => el('option', { value }, visible_text(String(text)))),
  );
  $(id).parentElement.hidden = values.length < 2;
}

function fill_filters() {
  const used = (of) => new Set(pairs.map(of));
  const outcomes = used((pair) => pair.outcome),
    reasons = used((pair) => pair.reason);
  fill_select(
    'filter-outcome',
    'all',
    outcome_words.map((word, i) => [i, word]).filter(([i]) => outcomes.has(i)),
  );
  fill_select(
    'filter-reason',
    'all',
    page.reasons.map((word, i) => [i, word]).filter(([i]) => reasons.has(i)),
  );
  fill_select(
    'filter-stratum',
    'all',
    page.strata.map((word, i) => [i, word]),
  );
  fill_select('filter-label', 'all', [[NONE, 'none yet'], ['any', 'any'], ...page.verdicts.map((word, i) => [i, word])]);
  const has_score = pairs.some((pair) => measure(pair, 'score') !== null);
  $('sort').replaceChildren(
    ...Object.entries(orders)
      .filter(([name]) => name !== 'score' || has_score)
      .map(([name, [text]]) => el('option', { value: name }, text)),
  );
}

/* ---- views */

function draw() {
  for (const name of ['overview', 'read', 'list']) $(name).hidden = view.name !== name;
  for (const tab of document.querySelectorAll('.tabs button')) {
    if (tab.dataset.view === view.name) tab.setAttribute('aria-current', 'page');
    else tab.removeAttribute('aria-current');
  }
  $('filters').hidden = view.name === 'overview';
  document.body.dataset.view = view.name;
  ({ overview: draw_overview, read: draw_read, list: draw_list })[view.name]();
}

function show(name) {
  view.name = name;
  draw();
  window.scrollTo({ top: 0 });
  if (name === 'read') say(describe_place());
}

/* The first pair without a label, in the order in which they were drawn. */
function start_reading() {
  Object.assign(filters, { outcome: '', reason: '', stratum: '', label: '', cluster: '', kind: '', text: '' });
  order = 'reading';
  $('sort').value = order;
  $('search').value = '';
  show_filters();
  view.name = 'read';
  find_pairs((found) => {
    view.found = found;
    $('found').textContent = some(pairs.length, 'pair');
    view.at = Math.max(
      0,
      found.findIndex((pair) => labels.of(pair) === NONE),
    );
    draw();
    $('main').focus();
  });
}

let estimate_timer = 0;
function refresh_figures() {
  const decided = labels.decided();
  $('progress').replaceChildren(el('strong', null, count(decided)), ` of ${count(pairs.length)} labelled`);
  clearTimeout(estimate_timer);
  estimate_timer = setTimeout(() => {
    const { precision, low, high, missing } = estimate();
    $('precision').replaceChildren(
      ...(precision === undefined
        ? [
            page.strata.length === 0
              ? ''
              : `precision after a label in ${missing === page.strata.length ? 'each stratum' : some(missing, 'more stratum', 'more strata')}`,
          ]
        : [el('strong', null, precision.toFixed(2)), ` right (${low.toFixed(2)}\u2013${high.toFixed(2)})`]),
    );
  }, 30);
}

function refresh() {
  refresh_figures();
  draw();
}

/* ---- dialogs */

const closing = () => el('form', { method: 'dialog' }, el('button.primary', null, 'Close'));

function draw_export() {
  const links = Object.entries({
    tsv: 'TSV: for COPY and spreadsheets',
    jsonl: 'JSON Lines: for programs',
    sql: 'SQL: fills a table that removal_precision and decision_rule read',
  }).map(([kind, text]) =>
    el(
      'li',
      null,
      el('button', { type: 'button', id: `export-${kind}`, onclick: () => download(kind) }, exports_of[kind].name),
      ` ${text}`,
    ),
  );
  const forget = el(
    'button.danger',
    {
      type: 'button',
      onclick: () => {
        if (forget.dataset.sure === undefined) {
          forget.dataset.sure = '';
          forget.textContent = 'Really forget them?';
          return;
        }
        labels.forget();
        $('export').close();
        refresh();
      },
    },
    'Forget all labels of this page',
  );
  $('export').replaceChildren(
    el('h2', { id: 'export-heading' }, 'Labels'),
    el(
      'p',
      null,
      `${some(labels.decided(), 'pair')} of ${count(pairs.length)} ${labels.decided() === 1 ? 'has' : 'have'} a label. With `,
      el('code', null, 'txtfp review --labels labels.tsv'),
      ' a new page has them, too.',
    ),
    el('ul.exports', null, ...links),
    el('p', null, forget),
    closing(),
  );
}

const help_keys = [
  ['D V X U', 'duplicate, variant, distinct, unsure; once more takes it back'],
  ['Z', 'undo'],
  ['N \u2192 J', 'next'],
  ['P \u2190 K', 'previous'],
  ['S', 'side by side, or both texts in one'],
  ['E', 'unfold what is equal'],
  ['O R L', 'overview, read, list'],
  ['/', 'search'],
  ['?', 'this help'],
];
let keys_on = true;

function draw_help() {
  const toggle = el('input', {
    type: 'checkbox',
    id: 'keys-on',
    onchange: (event) => {
      keys_on = event.target.checked;
    },
  });
  toggle.checked = keys_on;
  $('help').replaceChildren(
    el('h2', { id: 'help-heading' }, 'Keys'),
    el(
      'dl.keys',
      null,
      ...help_keys.map(([keys, text]) =>
        el('div', null, el('dt', null, ...keys.split(' ').map((key) => el('kbd', null, key))), el('dd', null, text)),
      ),
    ),
    el('label.check', null, toggle, ' Keys without Ctrl do this'),
    el('h2', null, 'Marks'),
    el(
      'ul.kinds',
      null,
      ...page.kinds.map((name) =>
        el(
          'li',
          { class: `kind-${name}` },
          kind_tags[name] ? el('i.tag', { 'aria-hidden': 'true' }, kind_tags[name]) : null,
          kind_words[name],
        ),
      ),
    ),
    el(
      'p',
      null,
      el('del.kind-word', null, 'struck out'),
      ' is only in the row to remove, ',
      el('ins.kind-word', null, 'underlined'),
      ' only in the kept one. ',
      el('span.hidden-character', null, 'RLO'),
      ' is a character that would be invisible.',
    ),
    el('p', null, 'This page loads nothing, sends nothing, and keeps your labels in this browser.'),
    closing(),
  );
}

/* ---- print: what passes the filters, as one text each */

const PRINTED = 200;
function draw_print() {
  const some_pairs = view.name === 'read' && current() ? [current()] : view.found.slice(0, PRINTED);
  $('print').replaceChildren(
    ...some_pairs.map((pair) =>
      el(
        'article',
        null,
        id_heading(pair, 'h3'),
        el(
          'p',
          null,
          ...pair_badges(pair),
          labels.of(pair) === NONE ? null : badge(page.verdicts[labels.of(pair)]),
          ' ',
          words_of_signals(pair)
            .map(([text]) => text)
            .join('; '),
        ),
        text_element(runs_of(pair), 'both', false),
      ),
    ),
    view.found.length > some_pairs.length && view.name !== 'read'
      ? el('p', null, `The first ${count(PRINTED)} of ${some(view.found.length, 'pair')}.`)
      : '',
  );
}
window.addEventListener('beforeprint', draw_print);

/* ---- keys */

const keys = {
  z: undo,
  n: () => move(1),
  j: () => move(1),
  ArrowRight: () => move(1),
  p: () => move(-1),
  k: () => move(-1),
  ArrowLeft: () => move(-1),
  o: () => show('overview'),
  r: () => show('read'),
  l: () => show('list'),
  '/': () => {
    if (view.name === 'overview') show('list');
    $('search').focus();
  },
  '?': () => open_dialog('help', draw_help),
};

/* On the overview they lead to the pairs. */
const reading_keys = new Set([...Object.keys(verdict_keys), 'n', 'j', 'ArrowRight', 'p', 'k', 'ArrowLeft']);

function open_dialog(id, fill) {
  fill();
  $(id).showModal();
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || document.querySelector('dialog[open]')) return;
  if (event.target.closest('input, select, textarea')) {
    if (event.key === 'Escape') event.target.blur();
    return;
  }
  if (!keys_on) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (view.name === 'overview' && reading_keys.has(key)) {
    start_reading(); // nobody has seen a pair yet
  } else if (key in verdict_keys) {
    decide(verdict_keys[key]);
  } else if (view.name === 'read' && key === 's') {
    toggle_columns();
  } else if (view.name === 'read' && key === 'e') {
    toggle_unfolded();
  } else if (key in keys) {
    keys[key]();
  } else {
    return;
  }
  event.preventDefault();
});

/* ---- begin */

for (const tab of document.querySelectorAll('.tabs button')) tab.addEventListener('click', () => show(tab.dataset.view));
for (const name of ['outcome', 'reason', 'stratum', 'label'])
  $(`filter-${name}`).addEventListener('change', (event) => {
    filters[name] = event.target.value;
    apply_filters(true);
  });
$('sort').addEventListener('change', (event) => {
  order = event.target.value;
  apply_filters(true);
});
let typing = 0;
$('search').addEventListener('input', (event) => {
  filters.text = event.target.value;
  clearTimeout(typing);
  typing = setTimeout(apply_filters, 200, true);
});
$('filters-open').addEventListener('click', (event) => {
  const open = $('filters').classList.toggle('open');
  event.target.setAttribute('aria-expanded', String(open));
});
$('filters').addEventListener('submit', (event) => event.preventDefault());
$('filter-cluster').addEventListener('click', () => {
  filters.cluster = filters.kind = '';
  show_filters();
  apply_filters(true);
  $('search').focus();
});
$('export-open').addEventListener('click', () => open_dialog('export', draw_export));
$('help-open').addEventListener('click', () => open_dialog('help', draw_help));
window.addEventListener('resize', () => {
  if (view.name === 'list' && $('rows') !== null) draw_rows();
});
window.addEventListener('storage', (event) => {
  if (event.key !== labels.key) return;
  labels.load();
  refresh();
});

$('title').replaceChildren(...visible(page.title));
document.title = visible_text(page.title);
fill_filters();
view.found = pairs.slice();
$('found').textContent = some(pairs.length, 'pair');
$('loading').remove();
refresh();
document.body.dataset.ready = 'yes';
