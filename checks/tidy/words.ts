// Private words that plain ones replaced, and vague names of locals: neither may return to code, comments or
// pages.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  isArrayBindingPattern,
  isBindingElement,
  isIdentifier,
  isParameterDeclaration,
  isVariableDeclaration,
  type Node,
} from 'typescript/unstable/ast'
import { everyNode, type Finding, findFiles, findingAt, type Source } from './source.ts'

interface OutWord {
  readonly word: RegExp
  readonly say: string
  /** Path prefixes where the word means something else. */
  readonly except?: readonly string[]
}

/** Here a door is a real door, with a sensor or a lock. */
const real_doors = [
  'protocols/execution/mote/',
  'protocols/execution/stop-latch/',
  'checks/neighbours/test-device.ts',
  'docs/devices.md',
  'docs/scaling.md',
]
/** Tests and orders of an estate that use order books. */
const order_books = [
  'protocols/economic/estate/',
  'checks/conformance/economic/market',
  'checks/bench/market.ts',
  'clients/console/pages/costs/market.tsx',
  'audit/audit-log-migrations.ts',
]
/** Some are ordinary English as well: then only the private use is matched. */
const out_words: readonly OutWord[] = [
  { word: /\baudit books?\b/, say: 'audit log' },
  // In a market it is an order book.
  { word: /\bbook\b/, say: 'audit log', except: ['protocols/economic/market/', ...order_books] },
  // Causal inference has a front-door and a back-door criterion.
  { word: /(?<!front[- ]|back[- ])\bdoors?\b/, say: 'dispatch endpoint', except: real_doors },
  { word: /\bdoorkeepers?\b/, say: 'refusal recorder' },
  { word: /\bpurses?\b/, say: 'budget counter', except: ['protocols/cognition/'] },
  {
    word: /\b(lent|lends?|lending|lenders?|loans?)\b/,
    say: 'delegate, delegation, delegator',
    // English words that the reasoner knows.
    except: ['protocols/cognition/reasoning/words.ts'],
  },
  { word: /\bcrossings?\b/, say: 'cross-tenant call' },
  { word: /\bfar (services?|side|place|end)\b/, say: 'remote service' },
  { word: /\bnews\b/, say: 'change notifications' },
  { word: /\brosters?\b/, say: 'membership' },
  { word: /\bvitals\b/, say: 'health' },
  { word: /\bdeeds?\b/, say: 'external effect, action' },
  { word: /\b(run hands|run sheet|hands of)\b/, say: 'executor, run progress' },
  {
    word: /(?<!front )\b(desk|desks|shelf|shelves)\b/,
    say: 'handler, registry',
    except: ['protocols/cognition/reasoning/words.ts'],
  },
  { word: /\b(left behind|linger\w*)\b/, say: 'orphaned, draining' },
  { word: /\bkept inputs?\b/, say: 'retained input' },
  { word: /\bmend(s|ed|ing)?\b/, say: 'fix' },
  { word: /(?<!back and |so |set )\bforth\b/, say: 'next' },
  { word: /\bwhat came of\b/, say: 'result' },
]

/** Existing database names and wire names stay; so do comments in SQL. */
const fixed_names =
  /\b(book_access\w*|svc_tell_books|(market_)?book_seq|CrossingRecorded|news_change)\b|order[-_ ]?book|follow_book|'\d{4}-\d\d-\d\d-[^']*'|^\s*--.*/gi
/** Wire values: signed with the tenant's audit key, revoked by the delegator, the kind of a change. */
const fixed_values = /\bbook:|'book'|'lender'|['`]news['`:]/g
const history = ['CHANGELOG.md', 'docs/decisions/', 'checks/tidy']

/** Sources and pages; `openDoor`, `open_door` and "the door" are one word. */
export function findOutWords(sources: readonly Source[], root: string): Finding[] {
  const pages = findFiles(root, '**/*.md').map(
    (path) => [path, readFileSync(join(root, path), 'utf8')] as const,
  )
  const texts = [...sources.map(({ path, tree }) => [path, tree.text] as const), ...pages]
  return texts
    .filter(([path]) => !history.some((prefix) => path.startsWith(prefix)))
    .flatMap(([path, text]) =>
      text.split('\n').flatMap((line, index) =>
        outWordsIn(path, line).map(({ found, say }) => ({
          path,
          line: index + 1,
          advice: `says "${found}"; write ${say} (words that are out: checks/tidy/words.ts)`,
        })),
      ),
    )
}

function outWordsIn(path: string, line: string): { found: string; say: string }[] {
  const spaced = line
    .replace(fixed_names, '')
    .replace(fixed_values, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
  return out_words.flatMap(({ word, say, except = [] }) => {
    const match = except.some((prefix) => path.startsWith(prefix)) ? null : word.exec(spaced)
    return match ? [{ found: match[0], say }] : []
  })
}

const empty_names = new Set('found known kept wanted said asked told seen given held'.split(' '))

/** A local is named after its value. A destructured property keeps its name. */
export function findEmptyNames(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) => {
    const findings: Finding[] = []
    everyNode(source, (node) => {
      const name = declaredBy(node)
      if (name && isIdentifier(name) && empty_names.has(name.text))
        findings.push(findingAt(source, node, `"${name.text}" names no thing; call it after what it holds`))
    })
    return findings
  })
}

function declaredBy(node: Node): Node | undefined {
  if (isVariableDeclaration(node) || isParameterDeclaration(node)) return node.name
  if (!isBindingElement(node)) return undefined
  return node.propertyName || isArrayBindingPattern(node.parent) ? node.name : undefined
}
