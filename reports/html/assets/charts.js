// SPDX-License-Identifier: Apache-2.0
// Reads values from the drawn charts: under the pointer, by arrow keys, as a table, and aloud.
// Without it the charts stand as they are, and each point still leads to its row.
(() => {
  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  const voice = document.createElement('div');
  voice.className = 'unseen';
  voice.setAttribute('aria-live', 'polite');
  document.body.append(tip, voice);

  // Bars and boxes stand below each other; points with names of their own are a cloud.
  const is_listed = svg => svg.querySelector('.bar, .box') !== null;
  const is_cloud = svg => !is_listed(svg) && svg.querySelector('[data-label][data-v]') !== null;
  const label_of = link => link.dataset.label || link.closest('g[data-label]')?.dataset.label || '';
  // Links by what they stand at, from left to right; read when a chart is first used.
  const known = new WeakMap();
  const places_of = svg => {
    if (!known.has(svg)) {
      const places = new Map();
      for (const link of svg.querySelectorAll('[data-v]')) {
        const box = link.getBBox(), x = box.x + box.width / 2;
        const key = is_cloud(svg) ? link.dataset.x + link.dataset.label : link.dataset.x;
        if (!places.has(key)) places.set(key, { at: link.dataset.x, x, y: box.y + box.height / 2, links: [] });
        places.get(key).links.push(link);
      }
      known.set(svg, [...places.values()].sort((a, b) => is_listed(svg) ? 0 : a.x - b.x));
    }
    return known.get(svg);
  };
  const axis_of = svg => [...svg.querySelectorAll('.quiet > text')].at(-1)?.textContent || '';
  const lines_of = place => place.links.map(link => [label_of(link), link.dataset.v]);

  let marked = [];
  const hide = () => {
    tip.hidden = true;
    marked.forEach(link => link.classList.remove('here'));
    marked = [];
  };
  const show = (svg, place, x, y) => {
    hide();
    tip.replaceChildren();
    const head = document.createElement('b');
    head.textContent = is_listed(svg) ? place.at : `${axis_of(svg)} ${place.at}`;
    tip.append(head);
    for (const [label, value] of lines_of(place)) {
      const line = document.createElement('div');
      line.textContent = `${label}: ${value}`;
      tip.append(line);
    }
    marked = place.links;
    marked.forEach(link => link.classList.add('here'));
    tip.hidden = false;
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${Math.max(4, y + 18 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 10 : y + 18)}px`;
  };
  const nearest = (svg, event) => {
    const link = event.target.closest('[data-v]'), places = places_of(svg);
    if (link) return places.find(place => place.links.includes(link));
    if (is_listed(svg)) return null;
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    const far = place => is_cloud(svg) ? Math.hypot(place.x - x, place.y - y) : Math.abs(place.x - x);
    return places.reduce((best, place) => !best || far(place) < far(best) ? place : best, null);
  };

  for (const svg of document.querySelectorAll('figure.chart svg.chart')) {
    svg.tabIndex = 0;
    let current = -1;
    svg.addEventListener('pointermove', event => {
      const place = nearest(svg, event);
      place ? show(svg, place, event.clientX, event.clientY) : hide();
    });
    svg.addEventListener('pointerleave', hide);
    svg.addEventListener('blur', hide);
    svg.addEventListener('keydown', event => {
      const places = places_of(svg);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === 'Escape') return hide();
      const row = event.key === 'Enter' && places[current]?.links[0].getAttribute('href');
      if (row) location.hash = row;
      if (!step || !places.length) return;
      event.preventDefault();
      current = Math.min(places.length - 1, Math.max(0, current + step));
      const place = places[current], box = place.links[0].getBoundingClientRect();
      show(svg, place, box.left, box.top);
      voice.textContent = tip.innerText;
    });
  }

  // The same values as a table, made when it is asked for.
  for (const figure of document.querySelectorAll('figure.chart')) {
    const svg = figure.querySelector('svg.chart');
    if (!svg.querySelector('[data-v]')) continue;
    const fold = document.createElement('details'), summary = document.createElement('summary');
    summary.textContent = 'Values';
    fold.className = 'values';
    fold.append(summary);
    fold.addEventListener('toggle', () => {
      if (fold.childElementCount > 1) return;
      const scroll = document.createElement('div'), table = document.createElement('table');
      scroll.className = 'scroll';
      for (const place of places_of(svg)) {
        for (const [label, value] of lines_of(place)) {
          const row = table.insertRow();
          for (const text of [place.at, label, value]) row.insertCell().textContent = text;
        }
      }
      scroll.append(table);
      fold.append(scroll);
    });
    figure.append(fold);
  }

  // Where the reader is.
  const links = new Map([...document.querySelectorAll('nav a')].map(link => [link.hash.slice(1), link]));
  const parts = [...links.keys()].map(id => document.getElementById(id));
  const follow = () => {
    const here = parts.filter(part => part.getBoundingClientRect().top < innerHeight / 3).at(-1) || parts[0];
    for (const [id, link] of links) {
      if (here && id === here.id) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  let asked = false;
  addEventListener('scroll', () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; follow(); });
  }, { passive: true });
  follow();
})();
