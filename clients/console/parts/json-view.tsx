import { useState } from 'react'

/** Formatted JSON that can be copied. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = JSON.stringify(value, null, 2) ?? 'nothing'
  return <TextView text={text} label={label} />
}

export function TextView({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(true)
  }
  return (
    <figure className="json">
      <figcaption>
        {label}{' '}
        <button type="button" className="copy" onClick={() => void copy()}>
          {copied ? 'copied' : 'copy'}
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}
