// The pages: Markdown files of this repository, each with its address below /docs. Read once, for the first request, so that they do not
// slow down the start.
import { readdirSync, readFileSync } from 'node:fs'
import { plainWords, sectionsOf } from './sections.ts'

export interface Page {
  /** Below /docs/. */
  readonly address: string
  /** Its file, as links of other pages name it. */
  readonly source: string
  readonly title: string
  readonly summary: string
  readonly text: string
}

export interface PageRegistry {
  readonly pages: readonly Page[]
  /** Below docs/, and below /docs/ too. */
  readonly pictures: readonly string[]
  /** Groups of pages in reading order. */
  readonly groups: readonly (readonly [title: string, pages: readonly Page[]])[]
  find(address: string): Page | undefined
  /** Where a file of the repository is shown, undefined where it is not. */
  addressOf(source: string): string | undefined
}

const summary_length_max = 200
const root_pages = ['README', 'ARCHITECTURE', 'SECURITY', 'LIMITATIONS', 'CONTRIBUTING', 'CHANGELOG']
const client_folders = [
  'sdk-typescript',
  'sdk-python',
  'sdk-rust',
  'mcp',
  'cli',
  'console',
  'plugin-typescript',
  'plugin-rust',
]

const list_of_decisions = 'decisions'

/**
 * Each page is of one kind: a tutorial teaches, a how-to leads to a goal, a reference is looked up, an explanation tells why. What stands
 * before the colon is the kind. A page in none of these lists is under "More", which a test refuses.
 */
const group_order: readonly (readonly [title: string, addresses: string])[] = [
  ['Tutorials', 'tour guides/'],
  [
    'How-to: call it',
    'console mcp frameworks a2a clients/sdk-typescript python clients/sdk-python rust clients/sdk-rust idempotency webhooks alerts reports',
  ],
  ['How-to: organizations', 'identity people login approvals governance policies disputes witness economy'],
  [
    'How-to: what agents do',
    'memory reasoning truth workflows planning artifacts tools devices mail measuring mesh workloads',
  ],
  [
    'How-to: add to it',
    'plugins plugins-rust clients/ external-protocols serving-other-engines contributing',
  ],
  [
    'How-to: run it',
    'deploy packages administration config-as-code gateway replicas telemetry audit-fan-out log-archive backup keys upgrade incidents',
  ],
  ['Reference', 'glossary cli settings limits sizing assurance-results changelog'],
  [
    'Explanation',
    'readme lifecycle architecture security limitations assurance overload breakers-and-balancers scaling',
  ],
  ['Explanation: decisions', 'decisions/'],
]

/** `root` is the folder that holds docs/: the checkout, or the installed package. */
export function readPages(root: URL): PageRegistry {
  const pages = [...sourcesIn(root)].flatMap(([address, source]) => {
    const text = readText(root, source)
    return text === undefined ? [] : [pageOf(address, source, text)]
  })
  const by_address = new Map(pages.map((page) => [page.address, page]))
  const by_source = new Map(pages.map((page) => [page.source, page.address]))
  by_source.set('docs/decisions', list_of_decisions)
  by_source.set('generated/reference', 'reference')
  const groups = groupsOf(pages)
  const pictures = filesBelow(new URL('docs/pictures/', root))
    .filter((name) => /\.(svg|png)$/.test(name))
    .map((name) => `pictures/${name}`)
  for (const picture of pictures) by_source.set(`docs/${picture}`, picture)
  const decisions = groups.find(([title]) => title === 'Explanation: decisions')?.[1] ?? []
  by_address.set(list_of_decisions, decisionList(decisions))
  return {
    groups,
    pages: [...by_address.values()],
    pictures,
    find: (address) => by_address.get(address),
    addressOf(source) {
      const reference = /^generated\/reference\/([\w-]+)\.md$/.exec(source)?.[1]
      if (reference === undefined) return by_source.get(source)
      return reference === 'README' ? 'reference' : `reference/${reference}`
    },
  }
}

/** Address -> file. */
function sourcesIn(root: URL): Map<string, string> {
  const titles = new Map<string, string>()
  for (const path of filesBelow(new URL('docs/', root)))
    if (path.endsWith('.md')) titles.set(path.slice(0, -'.md'.length), `docs/${path}`)
  for (const name of root_pages) titles.set(name.toLowerCase(), `${name}.md`)
  for (const name of client_folders) titles.set(`clients/${name}`, `clients/${name}/README.md`)
  return titles
}

function filesBelow(folder: URL): string[] {
  try {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return names.map((name) => name.replaceAll('\\', '/')).sort()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** A package may omit some: a missing file has no page. */
function readText(root: URL, source: string): string | undefined {
  try {
    return readFileSync(new URL(source, root), 'utf8')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

function pageOf(address: string, source: string, text: string): Page {
  const [first] = sectionsOf(text)
  const title = first?.heading || address
  return { address, source, title, summary: firstSentence(first?.text ?? ''), text }
}

function firstSentence(text: string): string {
  const paragraphs = text.split('\n\n').map((part) => part.trim())
  const prose = paragraphs.find((part) => /^(?!```)[\p{L}\p{N}`*[]/u.test(part)) ?? ''
  const words = plainWords(prose)
  const end = words.search(/[.:](?= |$)/)
  const sentence = end < 0 ? words : `${words.slice(0, end)}.`
  return sentence.length > summary_length_max ? `${sentence.slice(0, summary_length_max)}…` : sentence
}

function groupsOf(pages: readonly Page[]): [string, Page[]][] {
  const left = new Map(pages.map((page) => [page.address, page]))
  const take = (address: string): Page[] => {
    const pages_below = address.endsWith('/')
      ? [...left.values()].filter((page) => page.address.startsWith(address))
      : [left.get(address) ?? []].flat()
    for (const page of pages_below) left.delete(page.address)
    return pages_below
  }
  const groups = group_order.map(([title, addresses]): [string, Page[]] => [
    title,
    addresses.split(' ').flatMap(take),
  ])
  return [...groups, ['More', [...left.values()]] as [string, Page[]]].filter(([, list]) => list.length > 0)
}

function decisionList(decisions: readonly Page[]): Page {
  const lines = decisions.map(({ source, title }) => `- [${title}](${source.replace('docs/decisions/', '')})`)
  const text = `# Decisions\n\nWhat was chosen where the specification is silent, and why.\n\n${lines.join('\n')}\n`
  return pageOf(list_of_decisions, 'docs/decisions/README.md', text)
}
