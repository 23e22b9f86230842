// npm run bench: what the audit log is to reach, in one table. `--only <part>` measures one part more closely, `--all` all of them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { dispatch } from '../engines/running-engine.ts'
import { measureAims } from './aims.ts'
import { measureAuditLog } from './audit-log.ts'
import { measureCausal } from './causal.ts'
import { measureColdStart, printColdStart } from './cold-start.ts'
import { cpuTimes, perCall, printCpu, type Spent } from './cpu-times.ts'
import { measureGrowth } from './growth.ts'
import { generator, medianOf, type Report, runLoad, warm_up_s } from './load.ts'
import { measureMail } from './mail.ts'
import { measureMarket } from './market.ts'
import { measureMemory } from './memory.ts'
import { measureNeighbours } from './neighbours.ts'
import { measurePlugins } from './plugin.ts'
import { measurePolicies } from './policy.ts'
import { measureProduction } from './production.ts'
import { profileDispatch } from './profile.ts'
import { measureProofs } from './proof.ts'
import { measureReasoning } from './reasoning.ts'
import { measureStatement } from './statement.ts'
import { measureStorage } from './storage.ts'
import { measureSustained } from './sustained.ts'
import { machine, openTargets, rssMib, type Target } from './targets.ts'
import { measureTenants } from './tenants-storage.ts'
import { measureWorkflows } from './workflow.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '64' },
    records: { type: 'string' },
    minutes: { type: 'string', default: '10' },
    only: { type: 'string' },
    all: { type: 'boolean' },
    autocannon: { type: 'boolean' },
  },
})
const [rounds, seconds, connections] = [
  Number(values.rounds),
  Number(values.seconds),
  Number(values.connections),
]

const records = Number(values.records ?? 1_000_000)
const settle_ms = 500

const data_dir = mkdtempSync(join(tmpdir(), 'svc-bench-'))
const result: Record<string, unknown> = { machine: machine(), generator, rounds, seconds, connections }
try {
  const wants = (part: string) => values.all || values.only === part
  if (!values.all && !values.only) result.aims = await measureAims(data_dir, connections)
  if (wants('http')) Object.assign(result, await compareEchoes())
  if (wants('production')) result.production = await measureProduction({ rounds, seconds, connections })
  if (wants('audit-log')) result.audit_log = await measureAuditLog(records)
  if (wants('mail')) result.mail = await measureMail()
  if (wants('proof')) result.proof = await measureProofs(records)
  if (wants('market')) result.market = await measureMarket()
  if (wants('workflow')) result.workflow = await measureWorkflows()
  if (wants('neighbours')) result.neighbours = await measureNeighbours(data_dir, rounds, seconds)
  if (wants('plugin')) result.plugin = await measurePlugins()
  if (wants('policy')) result.policy = await measurePolicies()
  if (wants('causal')) result.causal = await measureCausal()
  if (wants('reasoning')) result.reasoning = await measureReasoning()
  if (wants('memory')) result.memory = await measureMemory()
  if (wants('statement')) result.statement = await measureStatement(records)
  if (wants('storage')) {
    result.storage = await measureStorage({ seconds, connections })
    result.tenants = await measureTenants()
  }
  // These two only where they are named: ten million records, and ten minutes.
  if (values.only === 'growth') result.growth = await measureGrowth(Number(values.records ?? 10_000_000))
  if (values.only === 'sustained')
    result.sustained = await measureSustained(data_dir, Number(values.minutes) * 60, connections)
  if (wants('cold')) {
    const cold = await measureColdStart()
    printColdStart(cold)
    result.cold_start = cold
  }
} finally {
  rmSync(data_dir, { recursive: true, force: true })
}
const out = join(import.meta.dirname, 'results')
mkdirSync(out, { recursive: true })
writeFileSync(join(out, 'bench.json'), `${JSON.stringify(result, null, 2)}\n`)
console.log(`\nwritten: checks/bench/results/bench.json`)

async function compareEchoes() {
  const targets = await openTargets(data_dir)
  const reports = new Map<string, Report[]>(targets.map(({ name }) => [name, []]))
  const spent = new Map<string, Spent[]>(targets.map(({ name }) => [name, []]))
  let rss_mib_max = 0
  try {
    console.log(
      `load: ${generator}, ${connections} connections, ${rounds} interleaved rounds of ${seconds} s each`,
    )
    for (const target of targets) await load(target, warm_up_s)
    for (let round = 0; round < rounds; round++) {
      for (const target of targets) {
        const before = cpuTimes(target.pid)
        const running = load(target, seconds)
        const watch = setInterval(() => {
          if (target.name === 'dispatch') rss_mib_max = Math.max(rss_mib_max, rssMib(target.pid))
        }, 200)
        const report = await running
        clearInterval(watch)
        // The last answers are still being written to the database.
        await pause(settle_ms)
        const calls = report.requests_per_s * seconds
        spent.get(target.name)!.push({ calls, before, after: cpuTimes(target.pid) })
        reports.get(target.name)!.push(report)
      }
    }
    const summary = Object.fromEntries([...reports].map(([name, list]) => [name, medianOf(list)]))
    const ratios = {
      to_bare: summary.dispatch!.requests_per_s / summary.bare!.requests_per_s,
      to_fastify: summary.dispatch!.requests_per_s / summary.fastify!.requests_per_s,
    }
    printTable(summary, ratios, rss_mib_max)
    const cpu_per_call = Object.fromEntries([...spent].map(([name, list]) => [name, perCall(list)]))
    printCpu(cpu_per_call, cpus().length)
    await checkAudited(targets)
    const cpu_by_stage = await profileDispatch(data_dir, seconds, connections)
    return { summary, ratios, rss_mib_max, cpu_per_call, cpu_by_stage, reports: Object.fromEntries(reports) }
  } finally {
    for (const target of targets) await target.close()
  }
}

function load(target: Target, for_seconds: number): Promise<Report> {
  return runLoad({
    url: target.url,
    headers: target.headers,
    body: target.body,
    seconds: for_seconds,
    connections,
  })
}

/** The counted dispatches must be in the audit log; otherwise the figure measures something else. */
async function checkAudited(targets: readonly Target[]): Promise<void> {
  const { engine } = targets.find(({ name }) => name === 'dispatch')!
  const answer = await dispatch(engine!, {
    protocol: 'MAX',
    operation: 'audit_query',
    input: { protocol: 'MOTET', limit: 1, verify: true },
  })
  if (answer.body.output?.verified?.ok !== true)
    throw new Error(`the audit log does not verify: ${JSON.stringify(answer.body)}`)
  console.log('the dispatched calls are in the audit log, and it verifies')
}

function printTable(
  summary: Record<string, Report>,
  ratios: Record<string, number>,
  rss_mib_max: number,
): void {
  console.log('\n             requests/s    p50 ms    p99 ms   not 2xx')
  for (const [name, { requests_per_s, p50_ms, p99_ms, not_2xx }] of Object.entries(summary)) {
    const cells = [requests_per_s.toFixed(0), p50_ms.toFixed(2), p99_ms.toFixed(2), String(not_2xx)]
    console.log(`${name.padEnd(10)} ${cells.map((cell) => cell.padStart(10)).join('')}`)
  }
  console.log(`\ndispatch / bare echo    ${ratios.to_bare!.toFixed(3)}`)
  console.log(`dispatch / Fastify echo ${ratios.to_fastify!.toFixed(3)}`)
  console.log(`engine resident memory under load, at most: ${rss_mib_max.toFixed(0)} MiB`)
}
