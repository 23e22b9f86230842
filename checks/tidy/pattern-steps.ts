// The steps a backtracking matcher takes for a pattern on hostile texts: counted, so that no clock decides. Look-arounds and
// references back match nothing here; the timed search in checks/security/worst covers them.

type Node =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Node[] }
  | { readonly kind: 'times'; readonly part: Node; readonly least: number; readonly most: number }
  | { readonly kind: 'one'; readonly accepts: (character: string) => boolean }
  | { readonly kind: 'edge'; readonly text: string }

const short_length = 300
/** A bounded repetition costs its bound at each place, whatever the text: only growth beyond that counts. */
const steps_per_character_max = 60
const growth_max = 1.6
const hopeless = 1_200

/** The text on which it takes more than linear steps, or undefined. */
export function findSteepText({ source, flags }: RegExp): string | undefined {
  const pattern = readPattern(source, flags)
  const is_bound = source.startsWith('^') && !flags.includes('m')
  const steep = (write: (length: number) => string) => {
    const perCharacter = (length: number, most: number) =>
      countSteps(pattern, write(length), is_bound, most * length) / length
    const before = perCharacter(short_length, hopeless)
    if (before <= steps_per_character_max || before >= hopeless) return before >= hopeless
    return perCharacter(2 * short_length, before * growth_max) >= before * growth_max
  }
  const write = textsFor(source).find(steep)
  return write?.(20)
}

/** Each character the pattern names, and each pair, repeated up to an end that breaks the match. */
function textsFor(source: string): ((length: number) => string)[] {
  const named = source.replace(/\\[a-zA-Z]/g, '').replace(/[\\^$|()[\]{}+*?]/g, '')
  const pieces = [...new Set([...named, ...'a0_-./: \n"[({<\\'])]
  const neighbours = pieces.slice(1).map((piece, at) => pieces[at]! + piece)
  const beginning =
    /^\^((?:[\w/:@#"' -]|\\[^a-zA-Z\d])*)(?![*+?{])/.exec(source)?.[1]?.replaceAll('\\', '') ?? ''
  return [...pieces, ...neighbours].flatMap((piece) =>
    [...new Set(['', beginning])].map(
      (head) => (length: number) => head + piece.repeat(Math.ceil(length / piece.length)) + '\u0000',
    ),
  )
}

function countSteps(pattern: Node, text: string, is_bound: boolean, most: number): number {
  let steps = 0
  const match = (node: Node, at: number, next: (at: number) => boolean): boolean => {
    if (++steps > most) return true
    switch (node.kind) {
      case 'one':
        return at < text.length && node.accepts(text[at]!) && next(at + 1)
      case 'edge':
        return isEdge(node.text, text, at) && next(at)
      case 'any':
        return node.parts.some((part) => match(part, at, next))
      case 'all': {
        const from = (place: number, at: number): boolean =>
          place === node.parts.length
            ? next(at)
            : match(node.parts[place]!, at, (end) => from(place + 1, end))
        return from(0, at)
      }
      case 'times': {
        const again = (count: number, at: number): boolean =>
          (count < node.most &&
            match(node.part, at, (end) => (end > at || count < node.least) && again(count + 1, end))) ||
          (count >= node.least && next(at))
        return again(0, at)
      }
    }
  }
  for (let start = 0; start <= (is_bound ? 0 : text.length) && steps <= most; start++)
    if (match(pattern, start, () => true)) break
  return steps
}

function isEdge(edge: string, text: string, at: number): boolean {
  if (edge === '^') return at === 0
  if (edge === '$') return at === text.length
  const isWord = (place: number) => /\w/.test(text[place] ?? '')
  return (isWord(at - 1) !== isWord(at)) === (edge === '\\b')
}

const atom_form =
  /^(?:\[(?:[^\]\\]|\\.)*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-fA-F]{4}|\\x[\da-fA-F]{2}|\\c[a-zA-Z]|\\?.)/su
const times_form = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/

function readPattern(source: string, flags: string): Node {
  let at = 0
  const unicode = flags.replace(/[^uvi]/g, '')
  const any = (): Node => {
    const parts = [all()]
    while (source[at] === '|') {
      at++
      parts.push(all())
    }
    return { kind: 'any', parts }
  }
  const all = (): Node => {
    const parts: Node[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repeated())
    return { kind: 'all', parts }
  }
  const repeated = (): Node => {
    const part = source[at] === '(' ? group() : one()
    const [text, mark, least, range, most] = times_form.exec(source.slice(at)) ?? []
    if (text === undefined) return part
    at += text.length
    if (mark)
      return {
        kind: 'times',
        part,
        least: mark === '+' ? 1 : 0,
        most: mark === '?' ? 1 : Number.POSITIVE_INFINITY,
      }
    const upper = range === undefined ? Number(least) : most ? Number(most) : Number.POSITIVE_INFINITY
    return { kind: 'times', part, least: Number(least), most: upper }
  }
  const group = (): Node => {
    const [opening, look] = /^\((?:\?:|(\?<?[=!])|\?<[^>]*>)?/.exec(source.slice(at)) ?? ['(']
    at += opening.length
    const inner = any()
    at++
    return look ? { kind: 'all', parts: [] } : inner
  }
  const one = (): Node => {
    const [text] = atom_form.exec(source.slice(at)) ?? ['']
    at += text.length
    if (/^(?:\^|\$|\\[bB])$/.test(text)) return { kind: 'edge', text }
    if (/^\\(?:[1-9]|k)/.test(text)) return { kind: 'all', parts: [] }
    return { kind: 'one', accepts: accepting(text, unicode) }
  }
  return any()
}

function accepting(atom: string, flags: string): (character: string) => boolean {
  const single = new RegExp(`^(?:${atom})$`, `${flags}s`)
  const answers = new Map<string, boolean>()
  return (character) => {
    const answer = answers.get(character) ?? single.test(character)
    answers.set(character, answer)
    return answer
  }
}
