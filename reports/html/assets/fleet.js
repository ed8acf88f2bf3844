// SPDX-License-Identifier: Apache-2.0
// Draws a strip for each case, with a mark for each node at its ratio to its group, and tells all of the
// node that is clicked. A strip is drawn when it comes into sight.
(() => {
  const data = JSON.parse(document.getElementById('fleet-data').textContent);
  const bytes = Uint8Array.from(atob(data.ratios), c => c.charCodeAt(0));
  const ratios = new Int16Array(bytes.buffer);  // by case, then node; 10000 times the logarithm
  const none = -32768, nodes = data.nodes.length;
  const of = (index, node) => ratios[index * nodes + node];
  const text_of = value => '×' + Math.exp(value / 1e4).toFixed(3);
  const list = document.getElementById('strips'), panel = document.getElementById('node');
  const out = data.nodes.map(node => node.out);
  let selected = -1, pointed = -1;

  // One scale for all strips: nearly every mark is inside, the rest stands at the edge.
  const sorted = Int16Array.from(ratios.filter(value => value !== none)).sort();
  const at = share => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] || 0;
  const low = Math.max(-3000, Math.min(at(0.0005), -300)), high = Math.min(4000, Math.max(at(0.9995), 300));
  const place = (value, width) => 4 + (width - 8) * (Math.min(high, Math.max(low, value)) - low) / (high - low);

  const draw = canvas => {
    const width = canvas.clientWidth, height = canvas.clientHeight, scale = devicePixelRatio || 1;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const context = canvas.getContext('2d'), style = getComputedStyle(document.body);
    context.scale(scale, scale);
    const mark = (node, colour, alpha, top) => {
      const value = of(+canvas.dataset.index, node);
      if (value === none) return;
      context.globalAlpha = alpha;
      context.fillStyle = style.getPropertyValue(colour);
      context.fillRect(place(value, width) - 1, top, 2, height - 2 * top);
    };
    context.fillStyle = style.getPropertyValue('--line');
    context.fillRect(place(0, width), 0, 1, height);
    const alpha = Math.max(0.06, Math.min(0.7, 30 / nodes));
    for (let node = 0; node < nodes; ++node) if (!out[node]) mark(node, '--text', alpha, 6);
    for (let node = 0; node < nodes; ++node) if (out[node]) mark(node, '--bad', 0.9, 3);
    if (selected >= 0) mark(selected, '--link', 1, 0);
    if (pointed >= 0 && canvas === document.activeElement) mark(pointed, '--warn', 1, 0);
  };
  // Said aloud, and shown, for those who use no pointer.
  const voice = document.getElementById('voice');
  const seen = new Set();
  const watch = new IntersectionObserver(entries => entries.forEach(({ target, isIntersecting }) => {
    isIntersecting ? seen.add(target) : seen.delete(target);
    if (isIntersecting) draw(target);
  }), { rootMargin: '200px' });

  const nearest = (canvas, x) => {
    let best = -1, distance = Infinity;
    for (let node = 0; node < nodes; ++node) {
      const value = of(+canvas.dataset.index, node);
      const away = Math.abs(place(value, canvas.clientWidth) - x) - (out[node] ? 1.5 : 0);
      if (value !== none && away < distance) [best, distance] = [node, away];
    }
    return best;
  };
  data.cases.forEach((name, index) => {
    const item = document.createElement('li'), label = document.createElement('code');
    const canvas = document.createElement('canvas');
    label.textContent = name;
    canvas.dataset.index = index;
    canvas.tabIndex = 0;
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `${name}: ${nodes} nodes at their time over that of their group; arrow keys go from the fastest to the slowest, Enter tells all of one`);
    canvas.addEventListener('click', event => select(nearest(canvas, event.offsetX)));
    // From node to node, in the order of their times.
    let place_in_order = -1;
    canvas.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      const order = data.nodes.map((_, node) => node).filter(node => of(index, node) !== none)
        .sort((a, b) => of(index, a) - of(index, b));
      if (event.key === 'Enter' && order[place_in_order] !== undefined) select(order[place_in_order]);
      if (!step || !order.length) return;
      event.preventDefault();
      place_in_order = Math.min(order.length - 1, Math.max(0, place_in_order + step));
      pointed = order[place_in_order];
      voice.textContent = `${data.nodes[pointed].name} ${text_of(of(index, pointed))}`;
      draw(canvas);
    });
    canvas.addEventListener('blur', () => { pointed = -1; voice.textContent = ''; draw(canvas); });
    canvas.addEventListener('mousemove', event => {
      const node = nearest(canvas, event.offsetX);
      canvas.title = node < 0 ? '' : `${data.nodes[node].name} ${text_of(of(index, node))}`;
    });
    item.append(label, canvas);
    list.append(item);
    watch.observe(canvas);
  });
  addEventListener('resize', () => seen.forEach(draw));

  const line = (parent, tag, text) => {
    const element = document.createElement(tag);
    element.textContent = text;
    parent.append(element);
    return element;
  };
  const select = node => {
    selected = node;
    panel.replaceChildren();
    panel.hidden = node < 0;
    if (node >= 0) {
      const about = data.nodes[node];
      line(panel, 'h3', `${about.name} (group ${about.group}), ${about.word}`);
      const facts = line(panel, 'ul', '');
      (about.lines || ['as the others']).forEach(text => line(facts, 'li', text));
      line(panel, 'p', 'Where it is slowest beside its group:').className = 'quiet';
      const cases = data.cases.map((name, index) => [of(index, node), name])
        .filter(([value]) => value !== none).sort((a, b) => b[0] - a[0]).slice(0, 8);
      const slowest = line(panel, 'ul', '');
      cases.forEach(([value, name]) => line(slowest, 'li', `${text_of(value)} ${name}`));
      history.replaceState(null, '', '#node=' + encodeURIComponent(about.name));
    }
    seen.forEach(draw);
  };
  const select_named = name => {
    const node = data.nodes.findIndex(entry => entry.name === name);
    if (node >= 0) select(node);
  };
  const from_address = () => {
    if (location.hash.startsWith('#node=')) select_named(decodeURIComponent(location.hash.slice(6)));
  };
  addEventListener('hashchange', from_address);
  const form = document.getElementById('find-node');
  form.hidden = false;
  form.addEventListener('submit', event => {
    event.preventDefault();
    select_named(form.elements.name.value.trim());
  });
  from_address();
})();
