// SPDX-License-Identifier: Apache-2.0
// Sorts and filters the table of all rows; without it the table is whole and in the report's order.
(() => {
  const table = document.getElementById('rows');
  if (!table) return;
  const body = table.tBodies[0], rows = [...body.rows];
  const form = document.getElementById('filter'), count = document.getElementById('count');
  form.hidden = false;

  // What is looked for and sorted by: the cells, without what opens below a name.
  const text_of = cell => (cell.querySelector('summary') || cell).textContent;
  const parts = rows.map(row => row.querySelector('summary').textContent.split('/', 2));
  [form.elements.case, form.elements.device].forEach((choice, i) => {
    for (const part of new Set(parts.map(names => names[i]))) choice.add(new Option(part));
  });
  let texts = null;
  const filter = () => {
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
  let waiting = 0;
  form.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
  form.addEventListener('submit', event => event.preventDefault());
  count.textContent = `${rows.length} rows`;

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
      const keyed = rows.map(row => [value(row, column), row]);
      keyed.sort((a, b) => order(a[0], b[0], direction));
      for (const [, row] of keyed) body.append(row);
    });
  });

  // A link from an answer or a point of a chart opens its row.
  const open = () => {
    const row = location.hash && document.getElementById(location.hash.slice(1));
    if (!row || !body.contains(row)) return;
    if (row.hidden) { form.reset(); filter(); }
    row.querySelector('details').open = true;
    row.scrollIntoView({ block: 'center' });
  };
  addEventListener('hashchange', open);
  open();
})();
