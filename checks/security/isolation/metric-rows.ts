// The rival's series, and a point of one.

const series_row = `INSERT INTO metric_series (tenant_id, key, name, labels, kind, own, seen_at)
  VALUES ('rival', decode(repeat('ab', 32), 'hex'), 'x', '{}', 'gauge', true, now()) ON CONFLICT DO NOTHING`

export const metric_rows: Readonly<Record<string, string>> = {
  metric_series: series_row,
  metric_point: `INSERT INTO metric_point VALUES ('rival', 1, 10, date_trunc('hour', now()), 1, 1, 1, 1, now())
    ON CONFLICT DO NOTHING`,
}
