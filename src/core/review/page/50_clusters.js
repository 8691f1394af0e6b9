/* A cluster as a picture: rows are points, the nearer the more similar. A chain becomes a line, a template a knot. */

const NEAR = 60; // hundredths; edges from here on are drawn strong

function cluster_of(number) {
  const [ids, states, flat, size] = clusters[number];
  const edges = [];
  for (let i = 0; i < flat.length; i += 3) edges.push([flat[i], flat[i + 1], flat[i + 2]]);
  return { number, ids, states, edges, size, pairs: cluster_pairs[number] };
}

/* Wished distances: 1 - similarity for similar rows, through others for the rest. */
function wished_distances(cluster) {
  const n = cluster.ids.length;
  const wished = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => (i === j ? 0 : Infinity)));
  for (const [a, b, s] of cluster.edges) wished[a][b] = wished[b][a] = 0.25 + (1 - s / 100) * 1.5;
  const at = new Map(cluster.ids.map((id, i) => [id, i]));
  for (const pair of cluster.pairs) {
    const a = at.get(pair.id),
      b = at.get(pair.kept);
    if (a !== undefined && b !== undefined) wished[a][b] = wished[b][a] = Math.min(wished[a][b], 1);
  }
  for (let k = 0; k < n; ++k)
    for (let i = 0; i < n; ++i) for (let j = 0; j < n; ++j) wished[i][j] = Math.min(wished[i][j], wished[i][k] + wished[k][j]);
  return wished.map((row) => row.map((d) => Math.min(d, 6)));
}

/* Places with about these distances (stress majorization, E. Gansner, Y. Koren, S. North, 2004), from a circle on. */
function places_of(cluster) {
  const n = cluster.ids.length,
    wished = wished_distances(cluster);
  let places = cluster.ids.map((_, i) => [Math.cos((2 * Math.PI * i) / n) + i * 1e-3, Math.sin((2 * Math.PI * i) / n)]);
  for (let round = 0; round < 80; ++round) {
    places = places.map(([x, y], i) => {
      let sx = 0,
        sy = 0,
        weights = 0;
      places.forEach(([u, v], j) => {
        if (i === j) return;
        const d = wished[i][j],
          weight = 1 / (d * d),
          length = Math.hypot(x - u, y - v) || 1e-6;
        sx += weight * (u + (d * (x - u)) / length);
        sy += weight * (v + (d * (y - v)) / length);
        weights += weight;
      });
      return [sx / weights, sy / weights];
    });
  }
  return places;
}

/* The wider direction becomes the horizontal one, and everything fits the picture. */
function fit(places, width, height, margin) {
  const n = places.length;
  const [mx, my] = [0, 1].map((k) => places.reduce((sum, p) => sum + p[k], 0) / n);
  let xx = 0,
    xy = 0,
    yy = 0;
  for (const [x, y] of places) {
    xx += (x - mx) ** 2;
    xy += (x - mx) * (y - my);
    yy += (y - my) ** 2;
  }
  const angle = Math.atan2(2 * xy, xx - yy) / 2,
    cos = Math.cos(angle),
    sin = Math.sin(angle);
  const turned = places.map(([x, y]) => [cos * (x - mx) + sin * (y - my), cos * (y - my) - sin * (x - mx)]);
  const reach = [0, 1].map((k) => Math.max(...turned.map((p) => Math.abs(p[k])), 1e-3));
  const scale = Math.min((width / 2 - margin) / reach[0], (height / 2 - margin) / reach[1], 130);
  return turned.map(([x, y]) => [width / 2 + x * scale, height / 2 + y * scale]);
}

const template_pairs = (cluster) =>
  cluster.pairs.filter(
    (pair) =>
      signal(pair, 'repeated') > 0 || signal(pair, 'numbers_both') > 0 || signal(pair, 'names_both') > 0 || signal(pair, 'new_both') > 0,
  ).length;

/* What kind of cluster it is: [name, sentence]. */
function describe_cluster(cluster) {
  const n = cluster.ids.length,
    all = (n * (n - 1)) / 2;
  const near = near_edges(cluster).length;
  const template = template_pairs(cluster);
  if (near < 0.5 * all) {
    return longest_way(cluster) >= Math.min(3, n - 1)
      ? ['chain', `${count(near)} of ${some(all, 'pair')} of rows are similar: they hang together like a chain, and its ends differ.`]
      : ['loose', `${count(near)} of ${some(all, 'pair')} of rows are similar.`];
  }
  if (cluster.size >= 4 && template >= cluster.pairs.length / 2)
    return [
      'template',
      `Nearly all rows are similar, and ${count(template)} of ${some(cluster.pairs.length, 'pair')} replace a word, a name or a number: probably a template.`,
    ];
  return ['copies', `${near === all ? 'All' : `${count(near)} of ${count(all)} pairs of`} rows are similar to each other.`];
}

/* The edges between similar rows; the rows of a pair of this page are similar, whatever the estimate says. */
function near_edges(cluster) {
  const n = cluster.ids.length,
    at = new Map(cluster.ids.map((id, i) => [id, i])),
    found = new Map();
  const put = (a, b) => found.set(Math.min(a, b) * n + Math.max(a, b), [a, b]);
  for (const [a, b, s] of cluster.edges) if (s >= NEAR) put(a, b);
  for (const pair of cluster.pairs) {
    const a = at.get(pair.id),
      b = at.get(pair.kept);
    if (a !== undefined && b !== undefined) put(a, b);
  }
  return [...found.values()];
}

/* Edges on the longest shortest way between two rows, by strong edges. */
function longest_way(cluster) {
  const n = cluster.ids.length,
    next = cluster.ids.map(() => []);
  for (const [a, b] of near_edges(cluster)) {
    next[a].push(b);
    next[b].push(a);
  }
  let longest = 0;
  for (let start = 0; start < n; ++start) {
    const far = new Array(n).fill(-1),
      queue = [start];
    far[start] = 0;
    for (const row of queue) {
      for (const other of next[row]) {
        if (far[other] >= 0) continue;
        far[other] = far[row] + 1;
        queue.push(other);
      }
      longest = Math.max(longest, far[row]);
    }
  }
  return longest;
}

const state_words = ['stays', 'is to be removed', 'is to be reviewed'];

function cluster_picture(cluster, width, height, marked_ids) {
  const places = fit(places_of(cluster), width, height, 14);
  const [, sentence] = describe_cluster(cluster);
  const picture = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    role: 'img',
    class: 'cluster',
    'aria-label': `Cluster of ${some(cluster.size, 'row')}. ${sentence}`,
  });
  for (const [a, b, s] of cluster.edges)
    picture.append(
      svg('line', {
        x1: places[a][0],
        y1: places[a][1],
        x2: places[b][0],
        y2: places[b][1],
        class: s >= NEAR ? 'near' : 'far',
        'stroke-width': (0.4 + (s / 100) ** 3 * 2.2).toFixed(2),
      }),
    );
  const at = new Map(cluster.ids.map((id, i) => [id, i]));
  for (const pair of cluster.pairs) {
    const a = places[at.get(pair.id)],
      b = places[at.get(pair.kept)];
    if (a && b) picture.append(svg('line', { x1: a[0], y1: a[1], x2: b[0], y2: b[1], class: 'planned' }));
  }
  cluster.ids.forEach((id, i) => {
    const [x, y] = places[i],
      state = ['kept', 'removed', 'reviewed'][cluster.states[i]];
    const title = svg('title', null, `${id} ${state_words[cluster.states[i]]}`);
    const point =
      state === 'kept'
        ? svg('rect', { x: x - 6, y: y - 6, width: 12, height: 12, rx: 2, class: state }, title)
        : svg('circle', { cx: x, cy: y, r: 5, class: state }, title);
    if (marked_ids && marked_ids.includes(id)) picture.append(svg('circle', { cx: x, cy: y, r: 10, class: 'marked' }));
    picture.append(point);
  });
  return picture;
}

const picture_legend = () =>
  el(
    'p.legend',
    null,
    ...[
      ['point.kept', 'stays'],
      ['point.removed', 'to be removed'],
      ['point.reviewed', 'to be reviewed'],
      ['stroke.planned', 'a pair of this page'],
      ['stroke.near', 'similar; the nearer, the more'],
    ].map(([mark, text]) => el('span.item', null, el(`span.${mark}`, { 'aria-hidden': 'true' }), `${text} `)),
  );
