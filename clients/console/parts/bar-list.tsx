/** A bar chart in which each bar has a text label and value. */
export function BarList({
  title,
  unit,
  bars,
  empty,
}: {
  title: string
  unit: string
  bars: readonly { readonly name: string; readonly value: number }[]
  empty: string
}) {
  const largest = Math.max(...bars.map(({ value }) => value), 0)
  return (
    <figure className="bars">
      <figcaption>
        {title} <span className="quiet">in {unit}</span>
      </figcaption>
      {bars.length === 0 && <p className="empty">{empty}</p>}
      <ul className="bar-list">
        {bars.map(({ name, value }) => (
          <li key={name} className="bar">
            <span>{name}</span>
            <meter min={0} max={largest || 1} value={value} aria-label={name} />
            <span className="number">{value}</span>
          </li>
        ))}
      </ul>
    </figure>
  )
}
