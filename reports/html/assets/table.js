// SPDX-License-Identifier: Apache-2.0
// Sorts and filters the table of all rows; without it the table is whole and in the report's order.
(() => {
  const table = document.getElementById('rows');
  if (!table) return;
  const body = table.tBodies[0], rows = [...body.rows];
  const form = document.getElementById('filter'), count = document.getElementById('count');
  const texts = rows.map(row => row.dataset.text.toLowerCase());
  form.hidden = false;

  const filter = () => {
    const words = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = form.elements.kind.value;
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !(words.every(word => texts[i].includes(word))
        && (kind === 'all' || row.dataset.kind.split(' ').includes(kind)));
      shown += row.hidden ? 0 : 1;
    });
    count.textContent = `${shown} of ${rows.length} rows`;
  };
  let waiting = 0;
  form.addEventListener('input', () => { clearTimeout(waiting); waiting = setTimeout(filter, 120); });
  form.addEventListener('submit', event => event.preventDefault());
  filter();

  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const descending = head.getAttribute('aria-sort') === 'ascending';
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
      const keyed = rows.map(row => [value(row, column), row]);
      const order = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0)
        : typeof a === 'number' ? -1 : 1;
      keyed.sort((a, b) => descending ? order(b[0], a[0]) : order(a[0], b[0]));
      body.append(...keyed.map(pair => pair[1]));
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
