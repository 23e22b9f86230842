// A page by sections: a heading, and the text up to the next one.

export interface Section {
  readonly heading: string
  /** The heading's anchor, as common Markdown viewers form it. */
  readonly anchor: string
  readonly text: string
  /** 1 for a title. */
  readonly depth: number
}

export function sectionsOf(text: string): Section[] {
  const sections: { heading: string; depth: number; lines: string[] }[] = []
  let is_code = false
  for (const line of text.split('\n')) {
    if (line.trimStart().startsWith('```')) is_code = !is_code
    const heading = is_code ? undefined : /^(#{1,6}) (.*)$/.exec(line)
    if (heading) sections.push({ heading: plainWords(heading[2]!), depth: heading[1]!.length, lines: [] })
    else sections.at(-1)?.lines.push(line)
  }
  const anchors = anchorNames()
  return sections.map(({ heading, depth, lines }) => ({
    heading,
    anchor: anchors(heading),
    text: lines.join('\n'),
    depth,
  }))
}

/** Headings of one page in order; the second of two equal ones gets a number. */
export function anchorNames(): (heading: string) => string {
  const counts = new Map<string, number>()
  return (heading) => {
    const name = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const before = counts.get(name) ?? 0
    counts.set(name, before + 1)
    return before === 0 ? name : `${name}-${before}`
  }
}

/** Plain text on one line, for titles, summaries and excerpts. */
export function plainWords(text: string): string {
  return text
    .replace(/\[([^[\]]{0,200})\]\([^()\s]{0,200}\)/g, '$1')
    .replace(/^ *```.*|[`*|]|^#+ |-{3,}/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
}
