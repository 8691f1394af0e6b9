/* One decision at a time. */

const view = { name: 'overview', found: [], at: 0, columns: window.matchMedia('(min-width: 900px)').matches, unfolded: false };

const verdict_keys = { d: DUPLICATE, v: VARIANT, x: DISTINCT, u: UNSURE };
const verdict_letters = ['D', 'V', 'X', 'U'];
const verdict_hints = ['the same content: remove it', 'another version of it', 'something else: keep it', 'cannot tell'];

const current = () => view.found[view.at];

function badge(text, classes, title) {
  return el('span.badge', { class: `badge ${classes || ''}`, title }, el('bdi', null, ...visible(text)));
}

function pair_badges(pair) {
  return [
    badge(outcome_words[pair.outcome], `outcome-${outcome_words[pair.outcome]}`),
    pair.reason >= 0 ? badge(page.reasons[pair.reason]) : null,
  ];
}

function pair_facts(pair) {
  const facts = el('dl.facts');
  page.measures.forEach((name, i) => {
    if (pair.measures[i] !== null)
      facts.append(el('div', null, el('dt', null, measure_words[name]), el('dd', null, share(pair.measures[i]))));
  });
  page.more.forEach((name, i) => {
    if (pair.more[i])
      facts.append(el('div', null, el('dt', null, el('bdi', null, ...visible(name))), el('dd', { dir: 'auto' }, ...visible(pair.more[i]))));
  });
  return facts;
}

function pair_signals(pair) {
  return el(
    'ul.signals',
    { 'aria-label': 'What differs' },
    ...words_of_signals(pair).map(([text, strong]) =>
      el('li', { class: strong ? 'strong' : '' }, strong ? el('span', { 'aria-hidden': 'true' }, '\u25b2 ') : null, text),
    ),
  );
}

function kind_legend(pair) {
  const kinds = page.kinds.map((name, i) => [name, pair.kinds[i]]).filter(([, n]) => n > 0);
  if (kinds.length === 0) return null;
  return el(
    'ul.kinds',
    { 'aria-label': 'Kinds of difference' },
    ...kinds.map(([name, n]) =>
      el(
        'li',
        { class: `kind-${name}` },
        kind_tags[name] ? el('i.tag', { 'aria-hidden': 'true' }, kind_tags[name]) : null,
        `${kind_words[name]} \u00d7${count(n)}`,
      ),
    ),
  );
}

function id_heading(pair, level) {
  return el(
    level,
    { id: level === 'h2' ? 'read-heading' : null, class: 'ids' },
    pair.outcome === KEEP ? 'Keep ' : 'Remove ',
    el('bdi.id', null, ...visible(pair.id)),
    pair.outcome === KEEP ? ' beside ' : ', keep ',
    el('bdi.id', null, ...visible(pair.kept)),
    '?',
  );
}

function texts_element(pair, columns, unfolded) {
  const runs = runs_of(pair);
  if (!columns)
    return el('div.texts.one', { tabindex: '0', role: 'group', 'aria-label': 'Both texts in one' }, text_element(runs, 'both', unfolded));
  const column = (side, label, id, length) =>
    el(
      'section.column',
      { 'aria-label': label, tabindex: '0' },
      el('h3', null, `${label} `, el('bdi.id', null, ...visible(id)), el('small', null, some(length, 'character'))),
      text_element(runs, side, unfolded),
    );
  return el('div.texts.two', null, column('a', 'To be removed', pair.id, pair.length), column('b', 'Kept', pair.kept, pair.kept_length));
}

function decision_bar(pair) {
  const given = labels.of(pair);
  const buttons = page.verdicts.map((word, verdict) =>
    el(
      'button.verdict',
      {
        type: 'button',
        class: `verdict verdict-${word}`,
        'aria-pressed': String(given === verdict),
        title: verdict_hints[verdict],
        'aria-keyshortcuts': verdict_letters[verdict],
        onclick: () => decide(verdict),
      },
      el('kbd', { 'aria-hidden': 'true' }, verdict_letters[verdict]),
      word,
    ),
  );
  const step = (text, key, action, disabled) =>
    el(
      'button.step',
      { type: 'button', 'aria-keyshortcuts': key, onclick: action, disabled },
      el('kbd', { 'aria-hidden': 'true' }, key),
      text,
    );
  return el(
    'div.decision',
    { role: 'group', 'aria-label': 'Your decision' },
    ...buttons,
    el('span.space-between'),
    step('undo', 'Z', undo, labels.history.length === 0),
    step('previous', 'P', () => move(-1), view.at === 0),
    step('next', 'N', () => move(1), view.at + 1 >= view.found.length),
  );
}

function cluster_aside(pair) {
  if (pair.cluster < 0) return null;
  const cluster = cluster_of(pair.cluster),
    [kind, sentence] = describe_cluster(cluster);
  return el(
    'aside.card.cluster-aside',
    { 'aria-label': 'Its cluster' },
    cluster_picture(cluster, 240, 150, [pair.id, pair.kept]),
    el('p', null, el('span.cluster-kind', { class: `cluster-kind ${kind}` }, kind), ` ${some(cluster.size, 'row')}. ${sentence}`),
    picture_legend(),
    el('button', { type: 'button', onclick: () => show_cluster(pair.cluster) }, `Its ${some(cluster.pairs.length, 'pair')}`),
  );
}

function draw_read() {
  const section = $('read'),
    pair = current();
  if (pair === undefined) {
    section.replaceChildren(
      el('h2', { id: 'read-heading' }, 'No pair'),
      el('p.notice', null, pairs.length === 0 ? 'No pair is planned.' : 'No pair has all of this.'),
    );
    return;
  }
  const given = labels.of(pair);
  const toggle = (id, label, key, on, action) =>
    el(
      'button',
      { type: 'button', id, 'aria-pressed': String(on), 'aria-keyshortcuts': key, onclick: action },
      el('kbd', { 'aria-hidden': 'true' }, key),
      label,
    );
  section.replaceChildren(
    el(
      'div.pair-head',
      null,
      el(
        'p.place',
        null,
        `${count(view.at + 1)} of ${count(view.found.length)} `,
        ...pair_badges(pair),
        pair.stratum >= 0 ? badge(`stratum ${page.strata[pair.stratum]}`) : null,
        given === NONE ? null : badge(page.verdicts[given], `verdict-${page.verdicts[given]}`, 'your label'),
      ),
      id_heading(pair, 'h2'),
      pair_signals(pair),
      pair_facts(pair),
    ),
    el(
      'div.text-tools',
      null,
      kind_legend(pair),
      el('span.space-between'),
      toggle('columns', 'side by side', 'S', view.columns, toggle_columns),
      toggle('unfold', 'unfold', 'E', view.unfolded, toggle_unfolded),
    ),
    el('div.pair-body', null, texts_element(pair, view.columns, view.unfolded), cluster_aside(pair)),
    decision_bar(pair),
  );
}

function toggle_columns() {
  view.columns = !view.columns;
  draw_read();
  $('columns').focus();
}

function toggle_unfolded() {
  view.unfolded = !view.unfolded;
  draw_read();
  $('unfold').focus();
}

function describe_place() {
  const pair = current();
  return pair === undefined
    ? 'No pair.'
    : `${view.at + 1} of ${view.found.length}: ${pair.id}, kept ${pair.kept}. ${words_of_signals(pair)
        .map(([text]) => text)
        .join('; ')}`;
}

function go_to(at) {
  view.at = Math.max(0, Math.min(at, view.found.length - 1));
  if (view.name === 'read') {
    draw_read();
    window.scrollTo({ top: 0 });
  } else if (view.name === 'list') {
    reveal_row(view.at);
  }
  say(describe_place());
}

const move = (steps) => go_to(view.at + steps);

/* Labels the pair and goes on to the next one. */
function decide(verdict) {
  const pair = current();
  if (pair === undefined) return;
  labels.set(pair, labels.of(pair) === verdict ? NONE : verdict);
  refresh_figures();
  const last = view.at + 1 >= view.found.length;
  if (labels.of(pair) === NONE || last) go_to(view.at);
  else move(1);
  say(
    `${pair.id}: ${labels.of(pair) === NONE ? 'no label' : page.verdicts[verdict]}. ${last ? 'That was the last one.' : describe_place()}`,
  );
}

function undo() {
  const pair = labels.undo();
  if (pair === null) {
    say('Nothing to undo.');
    return;
  }
  refresh_figures();
  const at = view.found.indexOf(pair);
  if (at >= 0) go_to(at);
  say(`Undone: ${pair.id}.`);
}
