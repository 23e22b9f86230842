import { Button, CopyButton } from '@mantine/core'
import { words } from '../words/en.ts'

/** Formatted JSON that can be copied. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  return <TextView text={JSON.stringify(value, null, 2) ?? 'nothing'} label={label} />
}

export function TextView({ text, label }: { text: string; label: string }) {
  return (
    <figure className="json">
      <figcaption>
        {label}{' '}
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button variant="subtle" size="compact-xs" onClick={copy}>
              {copied ? words.copied : words.copy}
            </Button>
          )}
        </CopyButton>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard. */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  )
}
