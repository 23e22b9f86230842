// What the command menu finds: every word typed must begin a word of the text, whatever the order.
import { words } from '../words/en.ts'
import { hashOf } from './address.ts'

export function matching<Item>(
  items: readonly Item[],
  typed: string,
  textOf: (item: Item) => string,
): Item[] {
  const wanted_words = wordsOf(typed)
  return items.filter((item) => {
    const text_words = wordsOf(textOf(item))
    return wanted_words.every((word) => text_words.some((each) => each.startsWith(word)))
  })
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const did = /^did:oas:\S{1,200}$/
const seq = /^[1-9]\d{0,14}$/

/** Where an id may lead, by its form. */
export function idTargets(typed: string): { readonly label: string; readonly href: string }[] {
  const text = typed.trim()
  if (uuid.test(text))
    return [
      { label: words.menu.request, href: hashOf('requests', [text]) },
      { label: words.menu.everywhere, href: hashOf('audit-log', ['correlation', text]) },
    ]
  if (did.test(text)) return [{ label: words.menu.agent, href: hashOf('access', ['agents', text]) }]
  if (seq.test(text))
    return [{ label: words.menu.record(text), href: hashOf('audit-log', ['records', text]) }]
  return []
}
