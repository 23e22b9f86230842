// Real time decides no test: conditions are waited for with `eventually`, clocks are manual, and figures are
// printed but not judged.
import { isCallExpression, isImportDeclaration, isStringLiteral, type Node } from 'typescript/unstable/ast'
import { isMember, isNamed } from './calls.ts'
import { everyNode, type Finding, findingAt, type Source } from './source.ts'

/** Files of tests that read the clock or set a timer, each with its reason. An unnecessary entry is a finding. */
const real_time_exceptions: Readonly<Record<string, string>> = {
  'checks/suite/eventually.ts': 'has the one limit for what hangs',
  'checks/suite/real-time.ts': 'figures, and the spacing of load and faults',
  'checks/suite/test-files.ts': 'ends a test file that hangs',
  'checks/suite/test-process.ts': 'CPU time of a test file, as a figure',
  'checks/documents/reader.ts': 'ends a block of a page that hangs',
  'checks/fuzz/fuzz-thread.ts': 'stops looking for inputs when the time given for it is over',
  'checks/fuzz/run-targets.ts': 'ends a parser that hangs',
  'checks/mutation/mutate.ts': 'ends the tests of a mutant that hangs, many times longer than without it',
  'checks/mutation/run-mutants.ts': 'measures what that limit is a multiple of, and runs quick tests first',
  'adapters/accounts/accounts.test.ts': 'compares the CPU time of an unknown login with that of a known one',
  'contract/expressions/expression.test.ts': 'compares the CPU time of expressions of one cost',
  'checks/security/plugins/plugin-strain.slow.test.ts':
    'compares the CPU time of the main thread for two answers',
  'checks/security/worst/engine-process.ts':
    'one request has a budget of CPU time, measured beside fixed work',
  'checks/security/worst/measure.ts': 'leaves work in other threads, which is not part of that budget',
  'checks/security/worst/pattern-attack.ts':
    'a pattern has a budget of CPU time, and is compared with itself',
}

/** Their tests may import nothing of ours, so they wait with `t.waitFor`; benchmarks judge nothing. */
const waits_alone = 'clients/'
const benchmarks = 'checks/bench/'
/** In a simulated process every clock and timer is simulated. */
const simulation = 'checks/simulation/'

export function findRealTime(sources: readonly Source[], exceptions = real_time_exceptions): Finding[] {
  const needed = new Set<string>()
  const findings: Finding[] = []
  for (const source of sources) {
    if (!source.is_test && !source.path.startsWith('checks/')) continue
    if (source.path.startsWith(benchmarks) || source.path.startsWith(simulation)) continue
    everyNode(source, (node) => {
      if (!usesRealTime(node) && !waitsByItself(node, source)) return
      needed.add(source.path)
      const advice =
        'uses real time; wait with eventually, until or arrives, use a manual clock or mock timers, or count effort'
      if (!(source.path in exceptions)) findings.push(findingAt(source, node, advice))
    })
  }
  for (const path of Object.keys(exceptions)) {
    const advice = `${path} uses no real time any more; take it out of real_time_exceptions`
    if (!needed.has(path)) findings.push({ path: 'checks/tidy/real-time.ts', line: 1, advice })
  }
  return findings
}

function usesRealTime(node: Node): boolean {
  if (isImportDeclaration(node))
    return (
      isStringLiteral(node.moduleSpecifier) && /^(node:)?timers(\/promises)?$/.test(node.moduleSpecifier.text)
    )
  if (isCallExpression(node))
    return ['setTimeout', 'setInterval'].some((name) => isNamed(node.expression, name))
  return (
    isMember(node, 'Date', 'now') ||
    isMember(node, 'performance', 'now') ||
    isMember(node, 'AbortSignal', 'timeout') ||
    ['hrtime', 'cpuUsage', 'threadCpuUsage'].some((name) => isMember(node, 'process', name))
  )
}

function waitsByItself(node: Node, { path }: Source): boolean {
  return isMember(node, 't', 'waitFor') && !path.startsWith(waits_alone)
}
