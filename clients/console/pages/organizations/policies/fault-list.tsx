import { type Fault, placeInText } from './policy.ts'

/** Each fault with its line, column and the marked text. */
export function FaultList({ text, faults }: { text: string; faults: readonly Fault[] }) {
  const rows = faults.map((fault, index) => ({ ...fault, index }))
  return (
    <ul className="plain-list">
      {rows.map(({ message, from, to, index }) => {
        const place = from === undefined ? undefined : placeInText(text, from, to ?? from)
        return (
          <li key={index}>
            <p>
              {place && (
                <strong>
                  Line {place.line}, column {place.column}:{' '}
                </strong>
              )}
              {message}
            </p>
            {place && (
              <pre className="excerpt">
                {place.before}
                <mark>{place.marked || ' '}</mark>
                {place.after}
              </pre>
            )}
          </li>
        )
      })}
    </ul>
  )
}
