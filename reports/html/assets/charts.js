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
    if (value >= 1e6) return scaled(value, 1000, ['', 'k', 'M', 'G', 'T'], 0);
    return Number.isInteger(value) ? String(value) : digits(value);
  };

  const scale = axis => ({
    type: axis.scale === 'linear' ? 'linear' : 'logarithmic',
    title: { display: Boolean(axis.label), text: axis.label, color: variable('--quiet') },
    grid: { color: variable('--line') },
    ticks: {
      color: variable('--quiet'), maxRotation: 0, autoSkipPadding: narrow.matches ? 18 : 10,
      callback: value => shown(value, axis.unit),
    },
  });
  // Marks at powers of ten; over two decades or less also at 2 and 5.
  const powers_of_ten = chart_scale => {
    const { min, max } = chart_scale;
    const steps = max / min <= 100 ? [1, 2, 5] : [1];
    chart_scale.ticks = [];
    for (let i = Math.floor(Math.log10(min)); i <= Math.log10(max); ++i) {
      for (const step of steps) {
        const value = step * 10 ** i;
        if (value >= min * 0.999 && value <= max * 1.001) chart_scale.ticks.push({ value });
      }
    }
  };
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

  const is_bars = chart => chart.categories.length > 0;
  // A name of several parts, on lines that fit beside the bars.
  const wrapped = name => name.split(' · ').reduce((lines, part) => {
    const longer = lines.length ? `${lines.at(-1)} · ${part}` : part;
    if (lines.length && longer.length <= (narrow.matches ? 14 : 30)) lines[lines.length - 1] = longer;
    else lines.push(part);
    return lines;
  }, []);
  // As Chart.js makes it, with the dashes of the lines.
  const legend = chart => Chart.defaults.plugins.legend.labels.generateLabels(chart).map(item => {
    const { borderDash, fill } = chart.data.datasets[item.datasetIndex];
    const is_line = borderDash !== undefined && !fill;
    return { ...item, lineDash: borderDash, lineWidth: is_line ? 2 : 1, pointStyle: is_line ? 'line' : 'rect' };
  });

  const configuration = chart => {
    const colours = palette(), bars = is_bars(chart), limits = limits_of(chart, 'y'),
      width = limits_of(chart, 'x');
    const y_range = { min: limits.low / 1.3, max: limits.high * 1.3 };
    const datasets = bars
      ? chart.series.map(series => ({
        label: series.label, backgroundColor: colours[series.colour % colours.length],
        data: chart.categories.map((_, i) => series.points.find(p => p.x === i) || { x: i, y: null }),
        parsing: { xAxisKey: 'y', yAxisKey: 'x' },
      }))
      : chart.series.map(s => s.line === 'band' ? band(s, y_range) : line(s, colours));
    const sizes = bars
      ? { type: 'category', labels: chart.categories.map(wrapped), grid: { display: false },
        ticks: { color: variable('--text'), autoSkip: false } }
      : { ...scale(chart.x), afterBuildTicks: powers_of_two, min: width.low, max: width.high };
    const values = scale(chart.y);
    if (chart.y.scale === 'linear') values.min = 0;
    else Object.assign(values, bars ? decades(limits) : y_range, { afterBuildTicks: powers_of_ten });
    return {
      type: bars ? 'bar' : 'scatter', data: { datasets },
      options: {
        animation: false, maintainAspectRatio: false, responsive: true, normalized: true,
        indexAxis: bars ? 'y' : 'x', interaction: { mode: 'nearest', intersect: false },
        scales: bars ? { x: values, y: sizes } : { x: sizes, y: values },
        plugins: {
          tooltip: tooltip(chart),
          legend: { position: 'bottom', labels: {
            filter: item => item.text !== '', generateLabels: legend, usePointStyle: true, boxHeight: 9,
            pointStyleWidth: bars ? 12 : 28, color: variable('--text'), font: { size: narrow.matches ? 11 : 12 } } },
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
    const chart = charts[canvas.dataset.chart];
    if (is_bars(chart)) {
      const lines = Math.max(...chart.categories.map(name => wrapped(name).length));
      const height = Math.max(0.9 * (chart.series.length + 1), 1.1 * lines);
      canvas.parentElement.style.height = `${Math.max(12, 7 + chart.categories.length * height)}rem`;
    }
    drawn.set(canvas, new Chart(canvas, configuration(chart)));
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
