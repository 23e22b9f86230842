// A time series as a chart, and as a table for screen readers and exact values.
import { DataTable } from './data-table.tsx'
import { linePath, roundSteps } from './scale.ts'

export interface Series {
  readonly name: string
  readonly values: readonly (number | null)[]
}

interface Props {
  readonly title: string
  readonly unit: string
  /** The label of each value. */
  readonly labels: readonly string[]
  readonly series: readonly Series[]
}

const width = 640
const height = 160
const left = 56
const below = 24

export function LineChart({ title, unit, labels, series }: Props) {
  const largest = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const steps = roundSteps(largest)
  const top = steps.at(-1)!
  const rows = labels.map((label, index) => ({ label, index }))
  return (
    <figure className="chart">
      <figcaption>
        {title} <span className="quiet">in {unit}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${left + width + 8} ${height + below + 8}`}
        role="img"
        aria-label={`${title}, in ${unit}`}
      >
        <g transform={`translate(${left} 8)`}>
          {steps.map((step) => (
            <g key={step} transform={`translate(0 ${height - (step / top) * height})`}>
              <line x2={width} className="rule" />
              <text x={-8} dy="0.32em" textAnchor="end">
                {step}
              </text>
            </g>
          ))}
          {series.map(({ name, values }, index) => (
            <path key={name} d={linePath(values, width, height, top)} className={`line line-${index % 6}`} />
          ))}
          <text y={height + 18}>{labels[0]}</text>
          <text x={width} y={height + 18} textAnchor="end">
            {labels.at(-1)}
          </text>
        </g>
      </svg>
      <ul className="legend">
        {series.map(({ name, values }, index) => (
          <li key={name}>
            <i className={`swatch line-${index % 6}`} /> {name}: {values.at(-1) ?? 'nothing'}
          </li>
        ))}
      </ul>
      <details>
        <summary>As a table</summary>
        <DataTable
          caption={`${title}, in ${unit}`}
          rows={rows}
          keyOf={({ index }) => String(index)}
          empty="No data."
          columns={[
            { head: 'Time', cell: ({ label }) => label },
            ...series.map(({ name, values }) => ({
              head: name,
              is_number: true,
              cell: ({ index }: { index: number }) => values[index] ?? '–',
            })),
          ]}
        />
      </details>
    </figure>
  )
}
