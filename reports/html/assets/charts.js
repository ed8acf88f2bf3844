// SPDX-License-Identifier: Apache-2.0
// Draws the charts of the page with Chart.js; does nothing where there is no Chart.js.
(() => {
  if (!window.Chart) return;
  const charts = JSON.parse(document.getElementById('chart-data').textContent);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const narrow = matchMedia('(max-width: 40rem)');
  // Okabe and Ito's colours, which people with colour blindness can tell apart.
  const palette = () => dark.matches
    ? ['#56b4e9', '#e69f00', '#2fc498', '#e58bbd', '#f0e442', '#ff8552', '#9aa7ff', '#bbbbbb']
    : ['#0072b2', '#d55e00', '#009e73', '#b0578d', '#8a6d00', '#56a0d3', '#5a4fcf', '#555555'];
  const variable = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const dashes = { solid: [], dashed: [7, 4], dotted: [2, 3] };

  const digits = value => Number(value.toPrecision(3)).toString();
  const scaled = (value, step, prefixes, start) => {
    let i = start;
    while (i + 1 < prefixes.length && Math.abs(value) >= step * 0.9995) { value /= step; ++i; }
    while (i > 0 && value !== 0 && Math.abs(value) < 0.9995) { value *= step; --i; }
    return digits(value) + ' ' + prefixes[i];
  };
  const shown = (value, unit) => {
    if (unit === 's') return scaled(value, 1000, ['ps', 'ns', 'µs', 'ms', 's'], 4);
    if (unit === 'B') return scaled(value, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB'], 0);
    if (unit) return scaled(value, 1000, ['', 'k', 'M', 'G', 'T', 'P'], 0) + unit;
    return Number.isInteger(value) && value < 1e6 ? String(value)
      : value >= 1e6 ? value.toExponential(1) : digits(value);
  };

  const ticks = (axis, base) => ({
    color: variable('--quiet'), maxRotation: 0, autoSkipPadding: narrow.matches ? 18 : 10,
    callback(value) {
      if (axis.scale === 'linear') return shown(value, axis.unit);
      const steps = Math.log(value) / Math.log(base);
      return Math.abs(steps - Math.round(steps)) < 1e-6 ? shown(value, axis.unit) : undefined;
    },
  });
  const scale = (axis, base) => ({
    type: axis.scale === 'linear' ? 'linear' : 'logarithmic',
    title: { display: Boolean(axis.label), text: axis.label, color: variable('--quiet') },
    grid: { color: variable('--line') }, ticks: ticks(axis, base),
  });
  // Chart.js puts the marks of a logarithmic axis at powers of ten; sizes are powers of two.
  const powers_of_two = chart_scale => {
    const { min, max } = chart_scale;
    const first = Math.ceil(Math.log2(min) - 1e-9), last = Math.floor(Math.log2(max) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first + 1) / 12));
    chart_scale.ticks = [];
    for (let i = first; i <= last; i += step) chart_scale.ticks.push({ value: 2 ** i });
  };

  const band = (series, range) => ({
    label: series.label, showLine: true, fill: 'start', pointRadius: 0, borderWidth: 1,
    borderColor: variable('--warn'), backgroundColor: variable('--warn') + '30', order: 1,
    data: [{ x: series.points[0].x, y: range.max }, { x: series.points[1].x, y: range.max }],
  });
  const line = (series, colours) => {
    const colour = colours[series.colour % colours.length];
    return {
      label: series.label, data: series.points, showLine: true, order: 0,
      borderColor: colour, backgroundColor: colour, borderWidth: 2, borderDash: dashes[series.line],
      pointRadius: series.points[0].row ? 3 : 0, pointHoverRadius: series.points[0].row ? 6 : 0,
    };
  };
  const limits_of = (chart, key) => {
    const values = chart.series.filter(s => s.line !== 'band').flatMap(s => s.points.map(p => p[key]));
    return { low: Math.min(...values), high: Math.max(...values) };
  };
  const decades = limits => ({
    min: 10 ** Math.floor(Math.log10(limits.low) - 0.01), max: 10 ** Math.ceil(Math.log10(limits.high)),
  });

  const tooltip = chart => ({
    callbacks: {
      title: items => chart.categories.length ? chart.categories[items[0].dataIndex]
        : `${chart.x.label} ${shown(items[0].parsed.x, chart.x.unit)}`,
      label(item) {
        const point = item.raw;
        const interval = point.low < point.high
          ? ` [${shown(point.low, chart.y.unit)}, ${shown(point.high, chart.y.unit)}]` : '';
        return `${item.dataset.label}: ${shown(point.y, chart.y.unit)}${interval}`;
      },
    },
    filter: item => Boolean(item.raw.row),
  });

  const configuration = chart => {
    const colours = palette(), bars = chart.categories.length > 0, limits = limits_of(chart, 'y'),
      width = limits_of(chart, 'x');
    const y_range = { min: limits.low / 1.3, max: limits.high * 1.3 };
    const datasets = bars
      ? chart.series.map(series => ({
        label: series.label, backgroundColor: colours[series.colour % colours.length],
        data: chart.categories.map((_, i) => series.points.find(p => p.x === i) || { x: i, y: null }),
        parsing: { xAxisKey: 'x', yAxisKey: 'y' },
      }))
      : chart.series.map(s => s.line === 'band' ? band(s, y_range) : line(s, colours));
    const x = bars
      ? { type: 'category', labels: chart.categories, grid: { display: false },
        ticks: { color: variable('--text'), autoSkip: false, maxRotation: 60 } }
      : { ...scale(chart.x, 2), afterBuildTicks: powers_of_two, min: width.low, max: width.high };
    const y = { ...scale(chart.y, 10) };
    if (chart.y.scale !== 'linear') Object.assign(y, bars ? decades(limits) : y_range);
    else Object.assign(y, { min: 0 });
    return {
      type: bars ? 'bar' : 'scatter', data: { datasets },
      options: {
        animation: false, maintainAspectRatio: false, responsive: true, normalized: true,
        interaction: { mode: 'nearest', intersect: false },
        scales: { x, y },
        plugins: {
          tooltip: tooltip(chart),
          legend: { position: 'bottom', labels: { filter: item => item.text !== '',
            color: variable('--text'), boxWidth: 22,
            boxHeight: 2, font: { size: narrow.matches ? 11 : 12 } } },
        },
        onClick(event, hits) {
          const point = hits.length && event.chart.data.datasets[hits[0].datasetIndex].data[hits[0].index];
          if (point && point.row) location.hash = point.row;
        },
      },
    };
  };

  // Each chart when it comes near the screen: a page of many opens at once.
  const drawn = new Map();
  const draw = canvas => {
    drawn.get(canvas)?.destroy();
    drawn.set(canvas, new Chart(canvas, configuration(charts[canvas.dataset.chart])));
  };
  const canvases = document.querySelectorAll('canvas[data-chart]');
  const near = new IntersectionObserver(entries => {
    for (const entry of entries) {
      if (entry.isIntersecting) { near.unobserve(entry.target); draw(entry.target); }
    }
  }, { rootMargin: '400px' });
  canvases.forEach(canvas => near.observe(canvas));
  dark.addEventListener('change', () => [...drawn.keys()].forEach(draw));
  addEventListener('beforeprint', () => canvases.forEach(canvas => drawn.has(canvas) || draw(canvas)));
})();
