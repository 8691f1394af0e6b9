/* The list: only the rows in sight are in the document. */

const ROW = window.matchMedia('(max-width: 640px)').matches ? 104 : 76;
const list_rows = new Map(); // place in view.found -> element

function list_row(at) {
  const pair = view.found[at],
    given = labels.of(pair),
    open = () => {
      view.at = at;
      show('read');
    };
  const row = el(
    'div.row',
    { role: 'listitem', 'aria-setsize': view.found.length, 'aria-posinset': at + 1, 'data-at': at },
    el(
      'button.open',
      { type: 'button', onclick: open, 'aria-current': at === view.at ? 'true' : null },
      el(
        'span.row-head',
        null,
        el('bdi.id', null, ...visible(pair.id)),
        el('span', { 'aria-hidden': 'true' }, ' \u2192 '),
        unseen(' kept '),
        el('bdi.id', null, ...visible(pair.kept)),
        ' ',
        ...pair_badges(pair),
        given === NONE ? null : badge(page.verdicts[given], `verdict-${page.verdicts[given]}`),
      ),
      snippet(pair),
      el('span.row-measure', null, share(measure(pair, 'jaccard') ?? measure(pair, 'similarity'))),
    ),
  );
  row.style.top = `${at * ROW}px`;
  row.style.height = `${ROW}px`;
  return row;
}

function draw_rows() {
  const box = $('rows'),
    inner = $('rows-inner');
  const first = Math.max(0, Math.floor(box.scrollTop / ROW) - 4),
    last = Math.min(view.found.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + 4);
  for (const [at, row] of list_rows) {
    if (at >= first && at < last) continue;
    row.remove();
    list_rows.delete(at);
  }
  for (let at = first; at < last; ++at) {
    if (list_rows.has(at)) continue;
    const row = list_row(at);
    list_rows.set(at, row);
    const after = [...inner.children].find((other) => Number(other.dataset.at) > at);
    inner.insertBefore(row, after || null);
  }
}

function draw_list() {
  const section = $('list');
  list_rows.clear();
  if (view.found.length === 0) {
    section.replaceChildren(el('h2.unseen', { id: 'list-heading' }, 'List'), el('p.notice', null, 'No pair has all of this.'));
    return;
  }
  const inner = el('div', { id: 'rows-inner', role: 'list', 'aria-label': 'Pairs' });
  inner.style.height = `${view.found.length * ROW}px`;
  const box = el(
    'div',
    { id: 'rows', tabindex: '0', role: 'region', 'aria-label': `${some(view.found.length, 'pair')}, scrollable` },
    inner,
  );
  let waiting = false;
  box.addEventListener(
    'scroll',
    () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        draw_rows();
      });
    },
    { passive: true },
  );
  section.replaceChildren(el('h2.unseen', { id: 'list-heading' }, 'List'), box);
  reveal_row(view.at);
}

/* Makes a row current, and visible. */
function reveal_row(at) {
  const box = $('rows');
  if (box === null) return;
  const top = at * ROW;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = top + ROW - box.clientHeight;
  const focused = box.contains(document.activeElement) && document.activeElement !== box;
  for (const row of list_rows.values()) row.remove();
  list_rows.clear();
  draw_rows();
  if (focused && list_rows.has(at)) list_rows.get(at).querySelector('button').focus({ preventScroll: true });
}
