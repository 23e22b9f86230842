// Load from a separate process: wrk if installed, else autocannon. Both give the same report.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** Long enough to compile a whole engine; the echoes need far less, and get the same. */
export const warm_up_s = 8

export interface Load {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly seconds: number
  readonly connections: number
}

export interface Report {
  readonly requests_per_s: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly not_2xx: number
}

/** `--autocannon` selects it even if wrk is installed: the two load the machine very differently. */
export const generator =
  process.argv.includes('--autocannon') || spawnSync('wrk', ['--version']).error ? 'autocannon' : 'wrk'

export function runLoad(load: Load): Promise<Report> {
  return generator === 'wrk' ? runWrk(load) : runAutocannon(load)
}

async function runAutocannon({ url, headers, body, seconds, connections }: Load): Promise<Report> {
  const flags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const text = await capture(process.execPath, [
    join(root, 'node_modules/autocannon/autocannon.js'),
    '-j',
    '-c',
    String(connections),
    '-d',
    String(seconds),
    '-m',
    'POST',
    '-b',
    body,
    ...flags,
    url,
  ])
  const result = JSON.parse(text)
  return {
    requests_per_s: result.requests.average,
    p50_ms: result.latency.p50,
    p99_ms: result.latency.p99,
    not_2xx: result.non2xx + result.errors,
  }
}

async function runWrk({ url, headers, body, seconds, connections }: Load): Promise<Report> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-wrk-'))
  try {
    const script = join(dir, 'load.lua')
    const lines = Object.entries(headers).map(
      ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
    )
    const done = `function done(summary, latency, requests)
      io.write(string.format('RESULT %d %d %d %d %d', summary.requests, summary.duration, latency:percentile(50),
        latency:percentile(99), summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout))
    end`
    writeFileSync(script, ['wrk.method = "POST"', `wrk.body = [==[${body}]==]`, ...lines, done].join('\n'))
    const text = await capture('wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url])
    const [requests, duration_us, p50_us, p99_us, errors] = /RESULT (.*)/
      .exec(text)![1]!
      .split(' ')
      .map(Number)
    return {
      requests_per_s: (requests! / duration_us!) * 1e6,
      p50_ms: p50_us! / 1000,
      p99_ms: p99_us! / 1000,
      not_2xx: errors!,
    }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

function capture(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
    })
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 ? resolve(text) : reject(new Error(`${command} ended with ${code}`)),
    )
  })
}

export function medianOf(list: readonly Report[]): Report {
  const by = (pick: (report: Report) => number) =>
    list.map(pick).sort((a, b) => a - b)[Math.floor(list.length / 2)]!
  return {
    requests_per_s: by((report) => report.requests_per_s),
    p50_ms: by((report) => report.p50_ms),
    p99_ms: by((report) => report.p99_ms),
    not_2xx: list.reduce((sum, report) => sum + report.not_2xx, 0),
  }
}
