// SPDX-License-Identifier: Apache-2.0
// Sorts and filters the table of all rows; without it the table is whole and in the report's order.
(() => {
  const table = document.getElementById('rows');
  if (!table) return;
  const body = table.tBodies[0], rows = [], parts = [];
  const form = document.getElementById('filter'), count = document.getElementById('count');
  form.hidden = false;

  // What is looked for and sorted by: the cells, without what opens below a name.
  const text_of = cell => (cell.querySelector('summary') || cell).textContent;
  const choices = [form.elements.case, form.elements.device], offered = [new Set(), new Set()];
  const note = () => {
    for (const row of [...body.rows].slice(rows.length)) {
      const names = row.querySelector('summary').textContent.split('/', 2);
      rows.push(row);
      parts.push(names);
      names.forEach((name, i) => {
        if (!offered[i].has(name)) choices[i].add(new Option(name));
        offered[i].add(name);
      });
    }
  };

  // A long table is text at first: a part of it becomes rows whenever nobody waits, all of it when it is asked for.
  const rest = document.getElementById('rest');
  const waiting = rest ? rest.textContent.match(/<tr [^]*?<\/tr>/g) : [];
  const take = number => {
    if (waiting.length) body.insertAdjacentHTML('beforeend', waiting.splice(0, number).join(''));
    note();
  };
  const all = () => take(waiting.length);
  const later = window.requestIdleCallback || (work => setTimeout(work, 20));
  const fill = () => { take(100); if (waiting.length) later(fill); };
  note();
  if (waiting.length) later(fill);

  let texts = null;
  const filter = () => {
    all();
    texts ||= rows.map(row => [...row.cells].map(text_of).join(' ').toLowerCase());
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = form.elements.kind.value, wanted = form.elements.case.value, device = form.elements.device.value;
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !(words.every(word => texts[i].includes(word))
        && (!wanted || parts[i][0] === wanted) && (!device || parts[i][1] === device)
        && (kind === 'all' || row.dataset.kind.split(' ').includes(kind)));
      shown += row.hidden ? 0 : 1;
    });
    count.textContent = `${shown} of ${rows.length} rows`;
  };
  let soon = 0;
  form.addEventListener('input', () => { clearTimeout(soon); soon = setTimeout(filter, 120); });
  form.addEventListener('submit', event => event.preventDefault());
  count.textContent = `${rows.length + waiting.length} rows`;

  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? text_of(cell) : Number(cell.dataset.value);
  };
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  // Numbers before words, and what is empty last, whichever way the rest goes.
  const order = (a, b, direction) => {
    if (a === '' || b === '') return (a === '') - (b === '');
    if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
    return direction * (typeof a === 'number' ? a - b : compare(a, b));
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const direction = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', direction > 0 ? 'ascending' : 'descending');
      all();
      const keyed = rows.map(row => [value(row, column), row]);
      keyed.sort((a, b) => order(a[0], b[0], direction));
      for (const [, row] of keyed) body.append(row);
    });
  });

  // A link from an answer or a point of a chart opens its row.
  const open = () => {
    if (!location.hash) return;
    if (!document.getElementById(location.hash.slice(1)) && waiting.length) {
      all();
      location.replace(location.hash);  // it is the target now
    }
    const row = document.getElementById(location.hash.slice(1));
    if (!row || !body.contains(row)) return;
    if (row.hidden) { form.reset(); filter(); }
    row.querySelector('details').open = true;
    row.scrollIntoView({ block: 'center' });
  };
  addEventListener('hashchange', open);
  open();
})();
