'use strict';

/* What the page holds, and small things that all parts use. Texts of others only ever become text nodes. */

const read_json = (id) => JSON.parse(document.getElementById(id).textContent);
const page = read_json('page');
const clusters = read_json('clusters');

const REMOVE = 0,
  KEEP = 2;
const DUPLICATE = 0,
  VARIANT = 1,
  DISTINCT = 2,
  UNSURE = 3,
  NONE = -1;

const pairs = read_json('pairs').map((row, index) => {
  const [id, kept, outcome, reason, stratum, given, cluster, measures, signals, length, kept_length, kinds, more] = row;
  return { index, id, kept, outcome, reason, stratum, given, cluster, measures, signals, length, kept_length, kinds, more };
});

const signal = (pair, name) => pair.signals[page.signals.indexOf(name)];
const measure = (pair, name) => pair.measures[page.measures.indexOf(name)];

/* Each cluster's pairs, in the order of the page. */
const cluster_pairs = clusters.map(() => []);
for (const pair of pairs) if (pair.cluster >= 0) cluster_pairs[pair.cluster].push(pair);

/* The texts of a pair. Blocks are parsed when they are needed; the last few stay. */
const blocks = new Map();
const MOST_BLOCKS = 12;
function block_of(number) {
  let block = blocks.get(number);
  if (block === undefined) {
    block = read_json(`block-${number}`);
    if (blocks.size >= MOST_BLOCKS) blocks.delete(blocks.keys().next().value);
    blocks.set(number, block);
  }
  return block;
}
const runs_of = (pair) => block_of(Math.floor(pair.index / page.block))[pair.index % page.block];

const $ = (id) => document.getElementById(id);

/* el('p.note', { title: 'x', onclick: f }, 'text', node ...) */
function el(what, options, ...children) {
  const [tag, ...classes] = what.split('.');
  const element = document.createElement(tag);
  if (classes.length > 0) element.className = classes.join(' ');
  for (const [name, value] of Object.entries(options || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== ''));
  return element;
}

/* A table with a row of heads; `rows` are elements. */
const table = (heads, rows) =>
  el(
    'table',
    null,
    el('thead', null, el('tr', null, ...heads.map((head) => el('th', { scope: 'col' }, head)))),
    el('tbody', null, ...rows),
  );

function svg(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

const number_format = new Intl.NumberFormat('en');
const count = (n) => number_format.format(n);
const some = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
const share = (x) => (x === null || x === undefined ? '\u2013' : x.toFixed(2));
const unseen = (text) => el('span.unseen', null, text);
const say = (text) => {
  $('say').textContent = text;
};

const outcome_words = ['remove', 'review', 'keep'];
const measure_words = {
  similarity: 'similarity',
  jaccard: 'Jaccard',
  containment: 'contained',
  kept_containment: 'kept contained',
  score: 'score',
};
const is_sample = page.planned.some((n, i) => n > page.shown[i]);
