// The rival's series, calls and logs, and a point of each.

const series_row = `INSERT INTO metric_series (tenant_id, key, name, labels, kind, own, seen_at)
  VALUES ('rival', decode(repeat('ab', 32), 'hex'), 'x', '{}', 'gauge', true, now()) ON CONFLICT DO NOTHING`

export const metric_rows: Readonly<Record<string, string>> = {
  metric_series: series_row,
  call_names: `INSERT INTO call_names VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'x', 'x', 'x', '', 'success', 'ok', 'ok', now())
    ON CONFLICT DO NOTHING`,
  call_sums: `INSERT INTO call_sums VALUES ('rival', 60, date_trunc('hour', now()), '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 1, 1, '{}')
    ON CONFLICT DO NOTHING`,
  metric_point: `INSERT INTO metric_point VALUES ('rival', 1, 10, date_trunc('hour', now()), 1, 1, 1, 1, now())
    ON CONFLICT DO NOTHING`,
  signal_batches: `INSERT INTO signal_batches VALUES ('rival', '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10', 'log', 'x', now(), 1, 'x', 'x')`,
}
