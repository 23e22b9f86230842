// A real Prometheus, of Debian, with the settings and rules of deploy/prometheus. Only durations are shortened, all by one factor.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { deploy } from '../deploy/deployment.ts'
import { shortenDurations } from '../deploy/shortened-rules.ts'
import { freePorts } from '../engines/running-engine.ts'
import { until } from '../suite/eventually.ts'
import { openPrograms, prometheus_programs, startProgram } from './debian-programs.ts'

const targets_file = 'targets.json'
const discovery_interval = '1s'

export interface FiringAlert {
  readonly state: 'pending' | 'firing'
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

export interface RuleState {
  readonly name: string
  readonly health: string
  readonly lastError?: string
}

export interface Sample {
  readonly metric: Readonly<Record<string, string>>
  /** When, and what, as text: it may be NaN. */
  readonly value: readonly [number, string]
}

export interface TestPrometheus {
  /** As service discovery would list them: host and port of each engine's metrics. */
  watch(targets: readonly string[]): void
  /** Pending and firing ones. */
  alerts(): Promise<FiringAlert[]>
  rules(): Promise<RuleState[]>
  /** Throws what Prometheus says against the expression. */
  query(expression: string): Promise<Sample[]>
  /** Why scrapes failed last, by target; empty if none did. */
  faults(): Promise<string[]>
  /** The values of a label, as variables of dashboards ask for them. */
  labelValues(label: string, selector: string): Promise<string[]>
  close(): Promise<void>
}

interface Target {
  readonly scrapeUrl: string
  readonly lastError: string
}

interface ScrapeConfig {
  job_name: string
  static_configs?: { targets: string[] }[]
  file_sd_configs?: object[]
}

/** All durations are those of deploy/prometheus divided by `factor`, so an alert needs as many samples as there. */
export async function startPrometheus(factor: number, targets: readonly string[]): Promise<TestPrometheus> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-prometheus-'))
  chmodSync(dir, 0o755)
  const port = await freePorts()
  writeFileSync(join(dir, 'prometheus.yaml'), settings(port, factor))
  const rules = readFileSync(join(deploy, 'prometheus/rules.yaml'), 'utf8')
  writeFileSync(join(dir, 'rules.yaml'), shortenDurations(rules, factor))
  writeTargets(dir, targets)
  openPrograms(dir, prometheus_programs)
  const child = startProgram(
    dir,
    'prometheus.log',
    [
      'prometheus',
      '--config.file=/srv/prometheus.yaml',
      '--storage.tsdb.path=/srv/data',
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    prometheus_programs,
  )
  const ask = askerOf(`http://127.0.0.1:${port}`)
  const close = () => end(child, dir)
  try {
    const isReady = async () => (await fetch(`http://127.0.0.1:${port}/-/ready`)).ok
    await until('Prometheus is ready', async () => child.exitCode !== null || (await isReady()))
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
  } catch (cause) {
    const last_words = readFileSync(join(dir, 'prometheus.log'), 'utf8').slice(-3_000)
    await close()
    throw new Error(`Prometheus did not start: ${last_words}`, { cause })
  }
  return {
    watch: (targets) => writeTargets(dir, targets),
    alerts: async () => (await ask('alerts')).alerts,
    rules: async () => (await ask('rules')).groups.flatMap(({ rules: own }: { rules: RuleState[] }) => own),
    query: async (query) => (await ask('query', { query })).result,
    async faults() {
      const { activeTargets } = (await ask('targets')) as { activeTargets: Target[] }
      return activeTargets.filter(({ lastError }) => lastError).map((t) => `${t.scrapeUrl}: ${t.lastError}`)
    },
    labelValues: (label, selector) => ask(`label/${label}/values`, { 'match[]': selector }),
    close,
  }
}

function settings(port: number, factor: number): string {
  const text = readFileSync(join(deploy, 'prometheus/prometheus.yaml'), 'utf8')
  const { scrape_configs, ...rest } = parse(shortenDurations(text, factor)) as {
    scrape_configs: ScrapeConfig[]
  }
  const discovery = { files: [`/srv/${targets_file}`], refresh_interval: discovery_interval }
  const replaced_configs = scrape_configs.map(({ static_configs: _, ...config }) =>
    config.job_name === 'prometheus'
      ? { ...config, static_configs: [{ targets: [`127.0.0.1:${port}`] }] }
      : { ...config, file_sd_configs: [discovery] },
  )
  return stringify({ ...rest, scrape_configs: replaced_configs })
}

/** Renamed into place: a half-written list would be one without engines. */
function writeTargets(dir: string, targets: readonly string[]): void {
  const partial = join(dir, `${targets_file}.new`)
  writeFileSync(partial, JSON.stringify(targets.length > 0 ? [{ targets }] : []))
  renameSync(partial, join(dir, targets_file))
}

function askerOf(url: string) {
  // biome-ignore lint/suspicious/noExplicitAny: each question has an answer of its own shape
  return async (question: string, parameters: Record<string, string> = {}): Promise<any> => {
    const response = await fetch(`${url}/api/v1/${question}?${new URLSearchParams(parameters)}`)
    const answer = (await response.json()) as { status: string; error?: string; data: unknown }
    if (answer.status !== 'success')
      throw new Error(`${JSON.stringify(parameters)}: ${answer.error ?? response.status}`)
    return answer.data
  }
}

async function end(child: ChildProcess, dir: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 })
}
