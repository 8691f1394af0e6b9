/* The overview: how much is planned, how sure it is, where to look first. */

function histogram(name, counts) {
  const WIDTH = 360,
    HEIGHT = 120,
    BOTTOM = 18,
    bins = counts[0].length;
  const sums = counts[0].map((_, i) => counts.reduce((sum, row) => sum + row[i], 0));
  const top = Math.max(...sums),
    first = sums.findIndex((n) => n > 0);
  const low = Math.min(first, bins - 10),
    shown = bins - low,
    step = WIDTH / shown;
  const picture = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT + BOTTOM}`,
    class: 'histogram',
    role: 'img',
    'aria-label': `How many pairs have which ${measure_words[name]}; the table below has the numbers`,
  });
  for (let i = low; i < bins; ++i) {
    let y = HEIGHT;
    counts.forEach((row, outcome) => {
      if (row[i] === 0) return;
      const height = Math.max(1, (row[i] / top) * (HEIGHT - 6));
      y -= height;
      picture.append(
        svg(
          'rect',
          { x: (i - low) * step + 1.5, y, width: step - 3, height, class: `outcome-${outcome_words[outcome]}` },
          svg('title', null, `${(i / bins).toFixed(2)} to ${((i + 1) / bins).toFixed(2)}: ${count(row[i])} ${outcome_words[outcome]}`),
        ),
      );
    });
  }
  for (let i = low; i <= bins; i += 2) {
    const anchor = i === low ? 'start' : i === bins ? 'end' : 'middle';
    picture.append(svg('text', { x: (i - low) * step, y: HEIGHT + 14, 'text-anchor': anchor }, (i / bins).toFixed(1)));
  }
  const rows = [];
  for (let i = first; i < bins; ++i)
    if (sums[i] > 0)
      rows.push(
        el(
          'tr',
          null,
          el('th', { scope: 'row' }, `${(i / bins).toFixed(2)} \u2013 ${((i + 1) / bins).toFixed(2)}`),
          ...counts.map((row) => el('td', null, count(row[i]))),
        ),
      );
  return el(
    'figure.card',
    null,
    el(
      'figcaption',
      null,
      el('h3', null, name === 'jaccard' ? 'Jaccard similarity' : measure_words[name][0].toUpperCase() + measure_words[name].slice(1)),
    ),
    picture,
    el(
      'details',
      null,
      el('summary', null, 'as a table'),
      table(['from, to', ...outcome_words], rows),
    ),
  );
}

/* A row of a list of counts, which filters when it is pressed. */
function bar(label, n, all, classes, action) {
  const fill = el('span.fill');
  fill.style.width = `${(100 * n) / Math.max(1, all)}%`;
  return el(
    'li',
    null,
    el(
      'button.bar',
      { type: 'button', class: `bar ${classes}`, onclick: action },
      el('span.bar-label', null, el('bdi', null, ...visible(label))),
      el('span.bar-count', null, count(n)),
      el('span.track', { 'aria-hidden': 'true' }, fill),
    ),
  );
}

function tally(of) {
  const found = new Map();
  for (const pair of pairs) {
    const value = of(pair);
    if (value >= 0) found.set(value, (found.get(value) || 0) + 1);
  }
  return [...found].sort((a, b) => b[1] - a[1]);
}

function big_figure(n, label, classes) {
  return el('div.big', { class: `big ${classes}` }, el('strong', null, count(n)), el('span', null, label));
}

function overview_numbers() {
  const [remove, review, keep] = page.planned;
  const figures = el(
    'div.bigs',
    null,
    big_figure(remove, 'to be removed', 'outcome-remove'),
    big_figure(review, 'to be reviewed', 'outcome-review'),
  );
  if (keep > 0) figures.append(big_figure(keep, 'to be kept', 'outcome-keep'));
  figures.append(big_figure(labels.decided(), 'labelled by you', 'outcome-labelled'));
  return figures;
}

function precision_card() {
  const { precision, low, high, labels: n, missing, chosen, strata } = estimate();
  const card = el(
    'section.card',
    { 'aria-labelledby': 'precision-heading' },
    el('h3', { id: 'precision-heading' }, 'How many removals are right?'),
  );
  if (precision === undefined) {
    card.append(
      el(
        'p',
        null,
        strata.length === 0
          ? 'The page has no planned removals.'
          : `Read from the beginning: after a label in each of ${some(strata.length, 'stratum', 'strata')} you see an estimate for all ${count(page.planned[REMOVE])} removals. ${count(missing)} ${missing === 1 ? 'has' : 'have'} none yet.`,
      ),
    );
  } else {
    const scale = el('div.scale', { 'aria-hidden': 'true' }),
      range = el('span.range'),
      point = el('span.point');
    range.style.left = `${100 * low}%`;
    range.style.width = `${100 * (high - low)}%`;
    point.style.left = `${100 * precision}%`;
    scale.append(range, point);
    card.append(
      el('p.estimate', null, el('strong', null, precision.toFixed(3)), ` between ${low.toFixed(3)} and ${high.toFixed(3)}`),
      scale,
      el(
        'p',
        null,
        `With ${some(n, 'label')}, and a confidence of 95 %. Of ${count(page.planned[REMOVE])} removals some ${count(Math.round((1 - precision) * page.planned[REMOVE]))} are wrong.`,
      ),
    );
    if (chosen)
      card.append(
        el('p.notice', null, 'Some labels were not made in reading order. The estimate holds if they were not chosen by what they say.'),
      );
  }
  const toggle = el('input', {
    type: 'checkbox',
    id: 'variants-go',
    onchange: (event) => {
      labels.variants_go = event.target.checked;
      labels.save();
      refresh();
    },
  });
  toggle.checked = labels.variants_go;
  card.append(el('label.check', null, toggle, ' A variant may be removed, too'));
  return card;
}

function strata_card() {
  if (page.strata.length < 2) return null;
  const rows = page.strata.map((name, i) => {
    const decided = stratum_pairs[i].filter((pair) => labels.of(pair) !== NONE).length;
    return el(
      'tr',
      null,
      el('th', { scope: 'row' }, name || `${i + 1}`),
      el('td', null, count(stratum_pairs[i].length)),
      el('td', null, count(decided)),
    );
  });
  return el(
    'section.card',
    { 'aria-labelledby': 'strata-heading' },
    el('h3', { id: 'strata-heading' }, 'Strata'),
    el(
      'p',
      null,
      page.ranked_by === ''
        ? 'Each is read in the order of a random draw.'
        : `By ${measure_words[page.ranked_by]}, the doubtful ones first. Each is read in the order of a random draw.`,
    ),
    table(['stratum', 'on this page', 'labelled'], rows),
  );
}

const PICTURES = 12;
function clusters_card() {
  if (clusters.length === 0) return null;
  const cards = clusters.slice(0, PICTURES).map((_, number) => {
    const cluster = cluster_of(number),
      [kind, sentence] = describe_cluster(cluster);
    return el(
      'li',
      null,
      el(
        'button.cluster-card',
        { type: 'button', onclick: () => show_cluster(number) },
        cluster_picture(cluster, 220, 130),
        el('span.cluster-kind', { class: `cluster-kind ${kind}` }, kind),
        el('strong', null, some(cluster.size, 'row')),
        el('span', null, sentence),
        cluster.size > cluster.ids.length ? el('span', null, ` The picture has ${count(cluster.ids.length)} of them.`) : null,
      ),
    );
  });
  return el(
    'section.card.wide',
    { 'aria-labelledby': 'clusters-heading' },
    el(
      'h3',
      { id: 'clusters-heading' },
      clusters.length > PICTURES ? `The largest of ${some(clusters.length, 'cluster')}` : some(clusters.length, 'cluster'),
    ),
    is_sample ? el('p', null, 'Of the pairs on this page; the whole plan may have larger ones.') : null,
    picture_legend(),
    el('ul.cluster-cards', null, ...cards),
  );
}

function reasons_card() {
  const reasons = tally((pair) => pair.reason);
  if (reasons.length === 0) return null;
  return el(
    'section.card',
    { 'aria-labelledby': 'reasons-heading' },
    el('h3', { id: 'reasons-heading' }, 'Reasons'),
    el(
      'ul.bars',
      null,
      ...reasons
        .slice(0, 12)
        .map(([reason, n]) => bar(page.reasons[reason], n, pairs.length, '', () => filter_by({ reason: String(reason) }))),
    ),
  );
}

function kinds_card() {
  const found = page.kinds.map((name, i) => [name, pairs.filter((pair) => pair.kinds[i] > 0).length]).filter(([, n]) => n > 0);
  found.sort((a, b) => b[1] - a[1]);
  const equal = pairs.filter((pair) => pair.kinds.every((n) => n === 0)).length;
  return el(
    'section.card',
    { 'aria-labelledby': 'kinds-heading' },
    el('h3', { id: 'kinds-heading' }, 'What differs'),
    el(
      'ul.bars',
      null,
      ...found.map(([name, n]) => bar(kind_words[name], n, pairs.length, `kind-${name}`, () => filter_by({ kind: name }))),
      equal > 0 ? bar('nothing: the texts are equal', equal, pairs.length, '', () => filter_by({ kind: 'equal' })) : null,
    ),
  );
}

function labels_card() {
  return el(
    'section.card',
    { 'aria-labelledby': 'labels-heading' },
    el('h3', { id: 'labels-heading' }, 'Your labels'),
    el(
      'ul.bars',
      null,
      ...page.verdicts.map((word, verdict) =>
        bar(word, labels.count(verdict), pairs.length, `verdict-${word}`, () => filter_by({ label: String(verdict) })),
      ),
    ),
    labels.stored
      ? el('p', null, 'They stay in this browser until you export them.')
      : el('p.notice', null, 'This browser does not store them: export them before you close the page.'),
  );
}

function draw_overview() {
  const section = $('overview');
  const measured = ['score', 'jaccard', 'similarity'].map((name) => page.histograms.find((h) => h[0] === name)).filter(Boolean);
  const sample = is_sample
    ? `The page has ${some(pairs.length, 'pair')} of ${count(page.planned.reduce((a, b) => a + b, 0))}: a random sample, with more of those that are doubtful. The figures above and the histograms are of all.`
    : null;
  section.replaceChildren(
    ...[
      el('h2.unseen', { id: 'overview-heading' }, 'Overview'),
      overview_numbers(),
      sample === null ? null : el('p.notice', null, sample),
      pairs.length === 0
        ? el('p.notice', null, 'No pair is planned.')
        : el(
            'p.start',
            null,
            el(
              'button.primary',
              { type: 'button', onclick: () => start_reading() },
              labels.decided() === 0 ? 'Read the first pair' : 'Go on reading',
            ),
            ' Or press N. There, D is duplicate, V variant, X distinct, U unsure, Z undo. A rule learns from 20 labels of each kind or more.',
          ),
      el(
        'div.cards',
        null,
        ...[
          precision_card(),
          labels_card(),
          ...measured.slice(0, 2).map(([name, counts]) => histogram(name, counts)),
          kinds_card(),
          reasons_card(),
          strata_card(),
          clusters_card(),
        ].filter(Boolean),
      ),
    ].filter(Boolean),
  );
}
