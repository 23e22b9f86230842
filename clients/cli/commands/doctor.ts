// svc doctor: checks everything a call needs, one line each, in the order it is needed.

import type { Command, Flags, Terminal } from '../command.ts'
import { checkCaller } from '../doctor/caller.ts'
import { checkEngine, checkWay, faultOf } from '../doctor/engine.ts'
import { type Finding, ok } from '../doctor/finding.ts'
import { checkAuthority, checkConfigFile, checkNode, checkSettings } from '../doctor/machine.ts'
import { openClient } from '../open-client.ts'
import { coloursOf } from '../output/colours.ts'
import { harmless } from '../output/harmless-text.ts'
import { formatOf, printValue } from '../output/output.ts'
import { wrapToWidth } from '../output/text-width.ts'
import package_json from '../package.json' with { type: 'json' }
import { refuseArguments } from '../profile.ts'

export const doctor: Command = {
  summary: 'Check settings, address, clock, key and permissions, and say what to fix',
  usage: 'doctor [flags]',
  help: `Checks, in this order: Node, the config file and its mode, every setting and where it came from, the
connection to the engine (DNS, TCP, TLS), its health and readiness, clock and versions, the key, its DID and
tenant, the permissions, one dry run, and the MCP port. Nothing is changed, and no secret is shown.

Each line is ok, warn or fail, followed by what to do. The exit code is 0 if nothing failed, else
that of the first failure.

Examples
  svc doctor
  svc doctor --profile work
  svc doctor --json`,
  flags: {},
  async run(args, flags, terminal) {
    refuseArguments(args, 'doctor')
    const format = formatOf(flags, 'human')
    const findings: Finding[] = []
    for await (const finding of examine(flags, terminal)) {
      findings.push(finding)
      if (format === 'human') printFinding(finding, terminal)
    }
    const first = findings.find(({ status }) => status === 'fail')
    if (format === 'human') terminal.out(`\n${verdictOf(findings)}\n`)
    else await printValue({ ok: first === undefined, checks: findings }, format, terminal)
    return first?.exit ?? 0
  },
}

async function* examine(flags: Flags, terminal: Terminal): AsyncGenerator<Finding> {
  yield checkNode(process.versions.node)
  yield* checkConfigFile(flags, terminal)
  const { findings, settings } = checkSettings(flags, terminal)
  yield* findings
  yield* checkAuthority(terminal)
  if (!settings) return
  let is_reached = true
  for await (const finding of checkWay(settings)) {
    yield finding
    is_reached &&= finding.status !== 'fail'
  }
  if (!is_reached) return
  try {
    for await (const finding of checkEngine(settings, terminal, package_json.version)) {
      yield finding
      // Something other than an engine answers: do not send it the key.
      if (finding.check === 'health' && finding.status === 'fail') return
    }
  } catch (error) {
    yield faultOf('health', error, 'check that the engine runs there.')
    return
  }
  yield* checkCaller(openClient(flags, terminal), settings, terminal)
  yield ok('completions', 'svc completions bash, zsh or fish prints them; its --help says where they go')
}

const status_width = 6
const name_width = 17
const line_width = 100

function printFinding({ check, status, said, todo }: Finding, terminal: Terminal): void {
  const { green, yellow, red } = coloursOf(terminal, 'stdout')
  const paint = { ok: green, warn: yellow, fail: red }[status]
  const indent = ' '.repeat(status_width + name_width)
  const [first = '', ...rest] = wrapToWidth(harmless(said), line_width - indent.length)
  const lines = [...rest, ...(todo ? wrapToWidth(`-> ${harmless(todo)}`, line_width - indent.length) : [])]
  terminal.out(`${paint(status)}${' '.repeat(status_width - status.length)}`)
  terminal.out(`${harmless(check).padEnd(name_width)}${first}\n`)
  for (const line of lines) terminal.out(`${indent}${line}\n`)
}

function verdictOf(findings: readonly Finding[]): string {
  const count = (counted_status: Finding['status']) =>
    findings.filter(({ status }) => status === counted_status).length
  const [failures, warnings] = [count('fail'), count('warn')]
  if (failures > 0) return `${failures} failed, ${warnings} warnings. Fix the first failure first.`
  return warnings > 0 ? `Nothing failed, ${warnings} warnings.` : 'All is well.'
}
