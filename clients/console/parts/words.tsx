// Ids, states and reasons, shown the same way on every page.
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { words } from '../words/en.ts'
import { reasonText, shortened } from './shorten.ts'
import { toneOf } from './tone.ts'

interface IdProps {
  readonly text: string
  readonly chars?: number
  /** Where its thing is shown. */
  readonly href?: string | undefined
  /** Shown instead of the id, such as the name of an agent. */
  readonly name?: string | undefined
}

/** Short on screen; complete in the clipboard and on hover. With `href` it opens its thing. */
export function Id({ text, chars = 12, href, name }: IdProps) {
  const label = name ?? <code>{shortened(text, chars)}</code>
  return (
    <span className="id">
      {href ? (
        <a href={href} title={text}>
          {label}
        </a>
      ) : (
        <span title={text}>{label}</span>
      )}
      <CopyId text={text} />
    </span>
  )
}

/** A plain button: lists show hundreds, and each tooltip of its own would be work for every row. */
function CopyId({ text }: { text: string }) {
  const { copied, copy } = useClipboard()
  return (
    <button
      type="button"
      className="copy"
      onClick={() => copy(text)}
      title={copied ? words.copied : words.copy}
      aria-label={`${words.copy} ${text}`}
    >
      {copied ? <IconCheck size={12} /> : <IconCopy size={12} />}
    </button>
  )
}

/** The word carries the meaning; the colour only supports it. */
export function StateBadge({ state }: { state: string }) {
  return <span className={`tone tone-${toneOf(state)}`}>{state.replaceAll('_', ' ')}</span>
}

/** Why something was refused or failed: the rule's short name, with its sentence on hover. */
export function Reason({ meta }: { meta: Readonly<Record<string, unknown>> }) {
  const word = [meta.reason, meta.code].find((each) => typeof each === 'string' && each !== '')
  if (word === undefined) return <span className="quiet">{words.none}</span>
  const sentence = typeof meta.sentence === 'string' ? meta.sentence : undefined
  const text = word === 'schema' ? words.schema_reason : reasonText(String(word))
  return <span title={sentence}>{text}</span>
}
