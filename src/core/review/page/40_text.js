/* Texts with their differences. What is invisible is shown as a name; every other character stays as it is. */

const kind_tags = { space: '\u2423', case: 'Aa', punctuation: ',;', symbol: '\u00a7', number: '#', name: 'N', word: '', moved: '\u21c4' };
const kind_words = {
  space: 'space',
  case: 'case',
  punctuation: 'punctuation',
  symbol: 'symbol',
  number: 'number',
  name: 'name',
  word: 'word',
  moved: 'moved',
};

/* Controls but line ends and tabs, what changes the direction of writing or has no width, and tags. A joiner between two pictures makes one
   picture of them, so it stays. */
const hidden = new RegExp(
  '(?<!\\p{Extended_Pictographic}\\p{Emoji_Modifier}?\\uFE0F?)\\u200D|\\u200D(?!\\p{Extended_Pictographic})' +
    '|(?![\\n\\t\\u200D\\u0600-\\u0605\\u06DD\\u070F\\u0890\\u0891\\u08E2])[\\p{Cc}\\p{Cf}\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u2028\\u2029\\u3164\\uFFA0]',
  'gu',
);
const hidden_names = {
  0x00: 'NUL',
  0x07: 'BEL',
  0x08: 'BS',
  0x0b: 'VT',
  0x0c: 'FF',
  0x0d: 'CR',
  0x1b: 'ESC',
  0x7f: 'DEL',
  0x85: 'NEL',
  0xad: 'SHY',
  0x61c: 'ALM',
  0x200b: 'ZWSP',
  0x200c: 'ZWNJ',
  0x200d: 'ZWJ',
  0x200e: 'LRM',
  0x200f: 'RLM',
  0x2028: 'LS',
  0x2029: 'PS',
  0x202a: 'LRE',
  0x202b: 'RLE',
  0x202c: 'PDF',
  0x202d: 'LRO',
  0x202e: 'RLO',
  0x2060: 'WJ',
  0x2066: 'LRI',
  0x2067: 'RLI',
  0x2068: 'FSI',
  0x2069: 'PDI',
  0xfeff: 'BOM',
};

function hidden_mark(character) {
  const code = character.codePointAt(0),
    hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return el('span.hidden-character', { title: `an invisible character: ${hex}` }, hidden_names[code] || hex);
}

/* Nodes for a text. `spaces` also shows blanks and line ends, where these are what differs. */
function visible(text, spaces) {
  const nodes = [];
  let end = 0;
  const put = (part) => {
    if (part === '') return;
    if (!spaces) {
      nodes.push(part);
      return;
    }
    for (const piece of part.split(/([ \t\n\u00a0]+)/)) {
      if (piece === '') continue;
      if (!/^[ \t\n\u00a0]/.test(piece)) nodes.push(piece);
      else
        nodes.push(
          el(
            'span.space',
            null,
            piece
              .replace(/[ \u00a0]/g, '\u2423')
              .replace(/\t/g, '\u21e5')
              .replace(/\n/g, '\u21b5\n'),
          ),
        );
    }
  };
  for (const match of text.matchAll(hidden)) {
    put(text.slice(end, match.index));
    nodes.push(hidden_mark(match[0]));
    end = match.index + match[0].length;
  }
  put(text.slice(end));
  return nodes;
}

/* The same as plain text, for what cannot hold elements. */
const visible_text = (text) => text.replace(hidden, (c) => `[${hidden_names[c.codePointAt(0)] || 'hidden'}]`);

const left_out = (n) => el('span.left-out', null, `\u2026 ${some(n, 'character')} left out \u2026`);
const nodes_of = (text, spaces) =>
  typeof text === 'string' ? visible(text, spaces) : [...visible(text[0], spaces), left_out(text[1]), ...visible(text[2], spaces)];
const is_empty = (text) => text === '';
/* The part of a cut or whole text that is on the page. */
const plain = (text) => (typeof text === 'string' ? text : `${text[0]} \u2026 ${text[2]}`);

/* The first or last `n` characters, at a blank if there is one nearby; never within a surrogate pair. */
function cut_at(text, at, step) {
  for (let i = at; Math.abs(i - at) < 24 && i > 0 && i < text.length; i += step) if (/\s/.test(text[i])) return i;
  return /[\udc00-\udfff]/.test(text[at] || '') ? at + 1 : at;
}

const FOLD = 300,
  CONTEXT = 100;

/* An equal run. A long one is folded: its ends, and a button for the rest. */
function equal_run(text, is_first, is_last, unfolded) {
  if (typeof text !== 'string') return nodes_of(text);
  if (unfolded || text.length <= FOLD) return visible(text);
  const begin = is_first ? 0 : cut_at(text, CONTEXT, 1),
    end = is_last ? text.length : cut_at(text, text.length - CONTEXT, -1);
  const between = text.slice(begin, end);
  const button = el(
    'button.fold',
    { type: 'button', 'aria-expanded': 'false' },
    `\u2026 ${some(between.length, 'equal character')} \u2026`,
  );
  button.addEventListener('click', () => button.replaceWith(...visible(between)));
  return [...visible(text.slice(0, begin)), button, ...visible(text.slice(end))];
}

function marked(tag, kind, text) {
  const name = page.kinds[kind];
  const verb = tag === 'del' ? 'only in the row to remove' : 'only in the kept row';
  return el(
    `${tag}.kind-${name}`,
    { title: `${kind_words[name]}: ${verb}` },
    unseen(`[${tag === 'del' ? 'removed' : 'kept'} ${kind_words[name]}: `),
    kind_tags[name] === '' ? null : el('i.tag', { 'aria-hidden': 'true' }, kind_tags[name]),
    ...nodes_of(text, name === 'space' || name === 'punctuation'),
    unseen(']'),
  );
}

/* The place in one column where the other one has more. */
const nothing_here = (kind) => el(`span.gap.kind-${page.kinds[kind]}`, { 'aria-hidden': 'true' });

const more_differences = (n) => el('p.left-out', null, `\u2026 ${some(n, 'further difference')} and what is between them: left out \u2026`);

/* side: 'a', 'b', or 'both' for one text with both */
function text_element(runs, side, unfolded) {
  const element = el('div.text', { dir: 'auto' });
  runs.forEach((run, i) => {
    if (typeof run === 'string' || typeof run[0] === 'string') {
      element.append(...equal_run(run, i === 0, i === runs.length - 1, unfolded));
    } else if (run[0] < 0) {
      element.append(more_differences(run[1]));
    } else {
      const [kind, a, b] = run;
      if (side !== 'b' && !is_empty(a)) element.append(marked('del', kind, a));
      if (side !== 'a' && !is_empty(b)) element.append(marked('ins', kind, b));
      if ((side === 'a' && is_empty(a)) || (side === 'b' && is_empty(b))) element.append(nothing_here(kind));
    }
  });
  if (runs.length === 0) element.append(el('span.left-out', null, 'both texts are empty'));
  return element;
}

/* "-old +new" of the first differences, for the list. */
function snippet(pair) {
  const element = el('span.snippet', { dir: 'auto' });
  let shown = 0,
    before = '';
  const short = (text) => Array.from(plain(text).trim()).slice(0, 40).join('') || '\u2423';
  for (const run of runs_of(pair)) {
    if (typeof run === 'string' || typeof run[0] === 'string') before = plain(run);
    if (typeof run === 'string' || typeof run[0] === 'string' || run[0] < 0) continue;
    const name = page.kinds[run[0]];
    if (before !== '')
      element.append(
        ...visible(
          `${before.length > 28 ? '\u2026' : ''}${before.slice(cut_at(before, Math.max(0, before.length - 28), 1))}`.replace(/\s+/g, ' '),
        ),
        ' ',
      );
    before = '';
    if (!is_empty(run[1])) element.append(el(`del.kind-${name}`, null, ...visible(short(run[1]))), ' ');
    if (!is_empty(run[2])) element.append(el(`ins.kind-${name}`, null, ...visible(short(run[2]))), ' ');
    if (++shown === 4) break;
  }
  if (shown === 0) element.append('no difference');
  return element;
}

/* ---- signals in words */

function words_of_signals(pair) {
  const words = [],
    at = (name) => signal(pair, name);
  const add = (text, strong) => words.push([text, strong === true]);
  const differences = pair.kinds.reduce((a, b) => a + b, 0);
  if (differences === 0) add('the texts are equal');
  const neighbours = Math.max(at('neighbours'), at('kept_neighbours'));
  if (neighbours >= 0) add(some(neighbours, 'neighbour'), neighbours > 16);
  if (at('repeated') > 0) add(`the same replacement ${at('repeated') + 1} times`, true);
  if (at('numbers_both') > 0) add(at('numbers_both') === 1 ? 'a number differs' : `${count(at('numbers_both'))} numbers differ`, true);
  if (at('names_both') > 0) add(at('names_both') === 1 ? 'a name differs' : `${count(at('names_both'))} names differ`, true);
  if (at('edits') === 0 && at('symbols') > 0) add('only symbols differ', true);
  else if (at('symbols') > 0) add(some(at('symbols'), 'other symbol'));
  if (at('scope') > 0) add('words like \u201cnot\u201d or \u201conly\u201d differ', true);
  if (at('first_line_removed') > 0 && at('first_line_kept') > 0) add('the first line differs', true);
  if (at('new_both') > 0) add(`${some(at('new_both'), 'new word')} on both sides`, at('new_both') > 1);
  else if (at('new_removed') > 0) add(`${some(at('new_removed'), 'word')} only in the row to remove`);
  else if (at('new_kept') > 0) add(`${some(at('new_kept'), 'word')} only in the kept row`);
  if (at('whole') === 1 && differences > 0) add('the kept row has all of it');
  if (at('moved') > 0 && at('new_both') === 0) add('words stand elsewhere');
  return words;
}
