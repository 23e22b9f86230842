import { Progress } from '@mantine/core'
import { countText } from './figures.ts'

interface Bar {
  readonly name: string
  readonly value: number
  readonly href?: string
}

interface Props {
  readonly title: string
  readonly unit: string
  readonly bars: readonly Bar[]
  readonly empty: string
  readonly color?: string
  readonly valueText?: (value: number) => string
}

/** Bars with their names and values as text; a bar may lead to what it counts. */
export function BarList({ title, unit, bars, empty, color = 'indigo', valueText = countText }: Props) {
  const largest = Math.max(...bars.map(({ value }) => value), 0)
  return (
    <figure className="chart">
      <figcaption>
        {title} <span className="quiet">· {unit}</span>
      </figcaption>
      {bars.length === 0 && <p className="empty">{empty}</p>}
      <ul className="bar-list">
        {bars.map(({ name, value, href }) => (
          <li key={name} className="bar">
            <span>{href ? <a href={href}>{name}</a> : name}</span>
            <Progress value={largest > 0 ? (value / largest) * 100 : 0} color={color} aria-label={name} />
            <span className="number figure" title={String(value)}>
              {valueText(value)}
            </span>
          </li>
        ))}
      </ul>
    </figure>
  )
}
