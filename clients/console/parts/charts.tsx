// Charts, each with the same figures as a table for screen readers and exact values.
import '@mantine/charts/styles.css'
import { AreaChart, BarChart } from '@mantine/charts'
import { words } from '../words/en.ts'
import { DataTable } from './data-table.tsx'

export interface Series {
  readonly name: string
  readonly color: string
  readonly values: readonly (number | null)[]
}

interface Props {
  readonly title: string
  /** What is counted, or over what. */
  readonly unit: string
  /** The label of each value. */
  readonly labels: readonly string[]
  readonly series: readonly Series[]
  readonly kind?: 'area' | 'bars'
  readonly valueText?: (value: number) => string
}

const height = 200
/** Room above, or the topmost label moves down and the one below it is left out. */
const margin = { top: 12 }
/** Wide enough for the longest label, so that none is clipped. */
const label_px = 8

export function TimeChart({ title, unit, labels, series, kind = 'area', valueText = String }: Props) {
  const rows = labels.map((label, index) => ({
    label,
    ...Object.fromEntries(series.map(({ name, values }) => [name, values[index] ?? 0])),
  }))
  const largest = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const is_whole = series.every(({ values }) => values.every((value) => Number.isInteger(value ?? 0)))
  const width = Math.max(36, valueText(largest).length * label_px + 14)
  const shown = {
    h: height,
    data: rows,
    dataKey: 'label',
    series: series.map(({ name, color }) => ({ name, color })),
    valueFormatter: valueText,
    yAxisProps: { width, allowDecimals: !is_whole },
    xAxisProps: { minTickGap: 40 },
    withLegend: series.length > 1,
    legendProps: { verticalAlign: 'bottom' as const },
  }
  return (
    <figure className="chart">
      <figcaption>
        {title} <span className="quiet">· {unit}</span>
      </figcaption>
      <div role="img" aria-label={`${title}, ${unit}`}>
        {largest === 0 ? (
          <p className="empty">{words.no_data}</p>
        ) : kind === 'area' ? (
          <AreaChart
            {...shown}
            areaChartProps={{ margin }}
            type="stacked"
            curveType="monotone"
            withDots={false}
          />
        ) : (
          <BarChart {...shown} barChartProps={{ margin }} type="stacked" />
        )}
      </div>
      <details>
        <summary>{words.as_table}</summary>
        <DataTable
          caption={`${title}, ${unit}`}
          rows={labels.map((label, index) => ({ label, index }))}
          keyOf={({ index }) => String(index)}
          empty={words.no_data}
          columns={[
            { head: words.time, cell: ({ label }) => label },
            ...series.map(({ name, values }) => ({
              head: name,
              is_number: true,
              cell: ({ index }: { index: number }) => valueText(values[index] ?? 0),
            })),
          ]}
        />
      </details>
    </figure>
  )
}
