// Time, randomness and environment come only through ports, context and service/settings, so that tests and
// simulation replay exactly.
import {
  isCallExpression,
  isExportAssignment,
  isIdentifier,
  isImportDeclaration,
  isNewExpression,
  isNumericLiteral,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { everyNode, type Finding, findingAt, lineOf, type Source } from './source.ts'

interface Ban {
  readonly advice: string
  /** Path prefixes where it is permitted. Tests are judged like any other file of their folder. */
  readonly allowed: readonly string[]
  isBroken(node: Node, source: Source): boolean
}

const world = ['adapters/', 'service/', 'checks/', 'clients/', 'examples/']

/** Files that may have a timer, each with its reason. An unnecessary entry is a finding. */
const timer_exceptions: Readonly<Record<string, string>> = {
  'audit/audit-log.ts': 'tends the journal while nobody calls',
  'audit/writer/chain-writer.ts': 'gathers a batch, and backs off while the database is away',
  'audit/writer/commit-waiters.ts':
    'a caller waits for its record only so long, also one that another engine writes',
  'audit/journal/journal-directory.ts': 'waits for a lock another process holds',
  'audit/journal/journal-position.ts': 'waits for a lock another process holds',
  'audit/journal/pace.ts': 'lets answers wait while the writer is behind',
  'audit/journal/sync-schedule.ts': 'syncs a group of writes at once',
  'audit/writer/writer-link.ts': 'restarts the writer thread with back-off, and stops it in time',
  'engine/limits/reservations.ts': 'bounds how long a call waits for a budget, and spaces its attempts',
  'engine/stages/7-invoke-module.ts': 'cuts a module off at its deadline',
  'gateway/a2a/pause.ts':
    'spaces looks at a task where no slot for waiting is free, and bounds the wait for a client that does not read',
  'gateway/dispatch/slow-down.ts': 'answers those late who are too fast',
  'gateway/dispatch/stream.ts': 'keeps an idle stream alive',
}

/** Here randomness and time come from the Clock port; exceptions have a reason, and must be necessary. */
const seeded = [
  ...['engine/', 'protocols/', 'gateway/', 'contract/', 'database/'],
  ...['audit/', 'adapters/', 'nodes/', 'service/'],
]
const chance_exceptions: Readonly<Record<string, string>> = {
  'adapters/access/api-keys.ts': 'secrets of API keys',
  'adapters/accounts/password.ts': 'salts of passwords',
  'adapters/clock/system.ts': 'is the clock',
  'adapters/custody/keystore.ts': 'keys of identities',
  'adapters/custody/vault.ts': 'salts of commitments: one that can be guessed tells what was redacted',
  'adapters/devices/embedded-broker.ts': 'the secret between the engine and its own broker',
  'adapters/plugins/sandbox/wasi.ts': 'a process of its own, to which no port can be handed',
  'audit/audit-log.ts':
    'measures how far the writer is behind, in real time, also where the clock of calls stands still',
  'audit/writer/commit-waiters.ts': 'waits for another engine in real time',
  'audit/chain/entry.ts': 'gives an entry that came without an id one, so that it is never dropped',
  'audit/sealing/seal.ts': 'nonces of AES-GCM: one that comes again under its key opens both boxes',
  'audit/journal/journal-directory.ts': 'names a journal when a process first opens its folder',
  'audit/writer/run-writer.ts': 'a thread of its own, to which no port can be handed; it hands a clock on',
  'audit/test-audit-log.ts': 'entries for tests',
  'service/assembly/identities.ts': 'private keys',
  'service/plugin/sign.ts': 'private keys of plugin publishers',
}

const bans: readonly Ban[] = [
  {
    advice: 'reads the clock; take now from the context or the Clock port',
    // A plugin's process has no ports: it uses its own clock if the manifest permits. An SDK signs and verifies by its machine's clock.
    allowed: [
      ...['adapters/clock/', 'adapters/plugins/sandbox/wasi.ts'],
      ...[
        'clients/sdk-typescript/session.ts',
        'clients/sdk-typescript/verify/webhook.ts',
        'checks/',
        'examples/',
      ],
    ],
    isBroken: (node) => isMember(node, 'Date', 'now') || isBareDate(node),
  },
  {
    advice: 'draws a random number; take it from the Clock port',
    allowed: ['adapters/clock/', 'checks/'],
    isBroken: (node) => isMember(node, 'Math', 'random'),
  },
  {
    advice: 'reads the environment; only service/main.ts does, and hands it to service/settings',
    // main.ts passes it on unread, so that service/settings can be tested with any environment.
    allowed: ['service/main.ts', 'checks/', 'clients/', 'examples/'],
    isBroken: (node) => isMember(node, 'process', 'env'),
  },
  {
    advice: 'waits for a second at most, which a busy machine needs for itself; say how patient it is',
    allowed: [],
    isBroken: (node) =>
      isCallExpression(node) && isMember(node.expression, 't', 'waitFor') && node.arguments.length < 2,
  },
  {
    advice: 'gives up within two minutes, which a busy machine may need; a limit is only for what hangs',
    allowed: [],
    isBroken: (node, source) => source.is_test && isHastyLimit(node),
  },
  {
    advice: 'prints; return or log what is to be said',
    allowed: ['service/', 'checks/', 'clients/', 'examples/', 'catalogue/generate.ts', 'catalogue/new.ts'],
    isBroken: (node) => isPropertyAccessExpression(node) && isNamed(node.expression, 'console'),
  },
  {
    advice: 'exports a default; give it its name',
    allowed: [],
    isBroken: (node) =>
      isExportAssignment(node) ||
      (node.kind === SyntaxKind.DefaultKeyword && node.parent?.kind !== SyntaxKind.DefaultClause),
  },
]

export function findBannedCalls(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) => {
    const applying = bans.filter(({ allowed }) => !allowed.some((prefix) => source.path.startsWith(prefix)))
    const findings: Finding[] = []
    everyNode(source, (node) => {
      for (const { advice, isBroken } of applying)
        if (isBroken(node, source)) findings.push(findingAt(source, node, advice))
    })
    return findings
  })
}

export function findTimers(sources: readonly Source[], exceptions = timer_exceptions): Finding[] {
  const needed = new Set<string>()
  const findings: Finding[] = []
  for (const source of sources) {
    if (source.is_test || world.some((prefix) => source.path.startsWith(prefix))) continue
    everyNode(source, (node) => {
      if (!isTimer(node)) return
      needed.add(source.path)
      if (!(source.path in exceptions))
        findings.push(
          findingAt(
            source,
            node,
            'sets a timer; take a deadline or a tick from a port, or list it in timer_exceptions with the reason',
          ),
        )
    })
  }
  for (const path of Object.keys(exceptions)) {
    if (!needed.has(path))
      findings.push({
        path: 'checks/tidy/calls.ts',
        line: 1,
        advice: `${path} sets no timer any more; take it out of timer_exceptions`,
      })
  }
  return findings
}

export function findChance(sources: readonly Source[], exceptions = chance_exceptions): Finding[] {
  const needed = new Set<string>()
  const findings: Finding[] = []
  for (const source of sources) {
    if (source.is_test || !seeded.some((prefix) => source.path.startsWith(prefix))) continue
    everyNode(source, (node) => {
      if (!isChance(node, source)) return
      needed.add(source.path)
      const advice = 'draws or measures by itself; take it from the context, a Tick or the Clock port'
      if (!(source.path in exceptions)) findings.push(findingAt(source, node, advice))
    })
  }
  for (const path of Object.keys(exceptions)) {
    const advice = `${path} draws nothing any more; take it out of chance_exceptions`
    if (!needed.has(path)) findings.push({ path: 'checks/tidy/calls.ts', line: 1, advice })
  }
  return findings
}

/** Split, or this file would find itself. */
const unfinished = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X'].join('|')})\\b`, 'g')

export function findUnfinished(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) =>
    [...source.tree.text.matchAll(unfinished)].map((match) => ({
      path: source.path,
      line: lineOf(source, match.index),
      advice: `says ${match[0]}; finish it, or open an issue and say there what is missing`,
    })),
  )
}

export function isNamed(node: Node, name: string): boolean {
  return isIdentifier(node) && node.text === name
}

/** Less than a second is not a test's limit but an input of what it tests. */
function isHastyLimit(node: Node): boolean {
  if (!isPropertyAssignment(node) || !isNamed(node.name, 'timeout')) return false
  if (!isNumericLiteral(node.initializer)) return false
  const limit_ms = Number(node.initializer.text.replaceAll('_', ''))
  return limit_ms >= 1_000 && limit_ms < 120_000
}

export function isMember(node: Node, object: string, member: string): boolean {
  return isPropertyAccessExpression(node) && isNamed(node.expression, object) && node.name.text === member
}

function isBareDate(node: Node): boolean {
  if (isNewExpression(node)) return isNamed(node.expression, 'Date') && (node.arguments?.length ?? 0) === 0
  return isCallExpression(node) && isNamed(node.expression, 'Date')
}

/** Imported from node:crypto by name, or a member of anything called crypto; and the clock of durations. */
function isChance(node: Node, { tree }: Source): boolean {
  if (isImportDeclaration(node))
    return (
      isStringLiteral(node.moduleSpecifier) &&
      /^(node:)?crypto$/.test(node.moduleSpecifier.text) &&
      /\brandom[A-Z]/.test(tree.text.slice(node.pos, node.end))
    )
  return (
    isMember(node, 'performance', 'now') ||
    isMember(node, 'process', 'hrtime') ||
    (isPropertyAccessExpression(node) &&
      /crypto$/i.test(tree.text.slice(node.expression.pos, node.expression.end)) &&
      /^(random|getRandom)/.test(node.name.text))
  )
}

function isTimer(node: Node): boolean {
  if (isImportDeclaration(node))
    return (
      isStringLiteral(node.moduleSpecifier) && /^(node:)?timers(\/promises)?$/.test(node.moduleSpecifier.text)
    )
  return (
    isCallExpression(node) && ['setTimeout', 'setInterval'].some((name) => isNamed(node.expression, name))
  )
}
