// The image as `npm run pack` builds it: its size and contents, and one container of it that is called, drained and
// restarted, read-only, unprivileged and within the limits of the chart.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { findBuilder, type Image, image_bytes_max, packImage } from '../../clients/packing/image.ts'
import { pack } from '../../clients/packing/pack.ts'
import { type Addresses, dispatch, freePorts } from '../engines/running-engine.ts'
import { watPlugin } from '../plugins/wat-plugin.ts'
import { publisher, writePlugin } from '../plugins/written-plugin.ts'
import { arrives, eventually, until } from '../suite/eventually.ts'
import { stopwatch } from '../suite/real-time.ts'
import { openComposedContainers } from './composed-containers.ts'
import { base_image, type Containers, confined, findContainersMissing, openContainers } from './containers.ts'
import { deploy, root } from './deployment.ts'
import { callThrough, emission } from './gateway-caller.ts'

const skip = findContainersMissing() ?? false
const in_flight = 200
/** Of processor time, so that a busy machine is no failure. */
const first_call_seconds_max = 60
const ticks_per_second = 100
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { engine: chart } = parse(readFileSync(join(deploy, 'helm/svc/values.yaml'), 'utf8'))
const memory = String(chart.resources.limits.memory).replace('Gi', 'g')

let folder: string
let containers: Containers
let image: Image
/** Every file of it, as `tar` lists them. */
let files: readonly string[]

before(async () => {
  if (skip) return
  folder = mkdtempSync(join(tmpdir(), 'svc-image-'))
  containers = openContainers()
  const dist = join(folder, 'dist')
  const [engine] = await pack(dist, ['svc-engine'])
  image = await packImage(engine!, dist, findBuilder()!, base_image)
  // From its archive, as users get it.
  containers.podman('rmi', '--force', image.tag)
  containers.podman('load', '--quiet', '--input', image.archive)
  const listing = inImage('find', '/', '-xdev', '-not', '-path', '/proc/*', '-not', '-type', 'd')
  files = listing.trim().split('\n')
})
after(() => {
  containers?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const inImage = (program: string, ...args: string[]) =>
  containers.run('--user=0', `--entrypoint=${program}`, image.tag, ...args)

test('a machine without the tools is told what is missing', () => {
  assert.ok(skip === false || /^[A-Z/a-z].*[.]$/.test(skip), String(skip))
})

test('it is small, and its labels and bill of materials agree with all other versions', { skip }, (t) => {
  t.diagnostic(`the image has ${(image.bytes / 1e6).toFixed(0)} MB`)
  assert.ok(image.bytes < image_bytes_max)
  assert.equal(image.tag, `svc:${version}`)
  const [{ Config, Architecture }] = JSON.parse(containers.podman('inspect', '--type=image', image.tag))
  assert.equal(Config.Labels['org.opencontainers.image.version'], version)
  assert.match(Config.Labels['org.opencontainers.image.revision'], /^[0-9a-f]{40}$/)
  assert.deepEqual([Config.User, Architecture], ['10001:10001', 'amd64'])
  const bill = image.bill as { components: { name: string; version: string; purl: string }[] }
  const purls = bill.components.map(({ purl }) => purl)
  const listed = inImage('dpkg-query', '--show').trim().split('\n')
  assert.equal(purls.filter((purl) => purl.startsWith('pkg:deb/debian/')).length, listed.length)
  for (const name of [
    'fastify',
    'node',
    '%40bytecodealliance/jco-transpile',
    '%40embedded-postgres/linux-x64',
  ])
    assert.ok(
      purls.some((purl) => purl.startsWith(`pkg:npm/${name}@`)),
      name,
    )
  const installed = new Set(
    files.flatMap(
      (path) => /^\/opt\/svc\/.*node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path)?.[1] ?? [],
    ),
  )
  const named = new Set(bill.components.map(({ name }) => name))
  assert.deepEqual(
    [...installed].filter((name) => !named.has(name)),
    [],
  )
})

test('it contains no test, source, secret, tool for development, or path of the machine that built it', {
  skip,
}, () => {
  const ours = files.filter((path) => path.startsWith('/opt/svc/'))
  assert.ok(ours.length > 1_000)
  const kit = /^\/opt\/svc\/clients\/plugin-typescript\/(template\/.*|[\w-]+\.d\.ts)$/
  const unwanted = /\.(tsx?|map|log|key|pem|tgz|npmrc)$|\.test\.|\/(\.git|\.env|checks|tests?)(\/|$)/
  assert.deepEqual(
    ours.filter((path) => unwanted.test(path) && !kit.test(path)),
    [],
  )
  const developers = [
    'binaryen',
    'typescript',
    'esbuild',
    'vite',
    '@biomejs/biome',
    '@bytecodealliance/componentize-js',
  ]
  for (const name of developers)
    assert.deepEqual(
      ours.filter((path) => path.includes(`/node_modules/${name}/`)),
      [],
    )
  assert.deepEqual(files.filter((path) => /\/(npm|npx|yarn|strip|gcc)$|^\/(root|tmp)\//.test(path)).sort(), [
    '/root/.bashrc',
    '/root/.profile',
  ])
  for (const words of [root, '_authToken'])
    assert.equal(inImage('sh', '-c', `grep -rlF '${words}' /opt/svc || true`), '', words)
  // Packages of others name the form of a key.
  const ours_only = '--exclude-dir=node_modules --exclude-dir=compiled'
  assert.equal(inImage('sh', '-c', `grep -rlF ${ours_only} 'BEGIN PRIVATE KEY' /opt/svc || true`), '')
  // Nothing that the program could change, but its volume.
  assert.equal(inImage('find', '/opt', '/usr', '/etc', '-xdev', '-uid', '10001'), '')
})

test('Node finds its code compiled, although it can write nothing', { skip }, () => {
  const shell = ['--entrypoint=sh', image.tag, '-c', 'svc-engine serve 2>&1 || true']
  const output = containers.run(...confined, '--env=NODE_DEBUG_NATIVE=COMPILE_CACHE', ...shell)
  const accepted = output.split('\n').filter((line) => /cache.*accepted/.test(line))
  assert.ok(accepted.length > 50, output.slice(0, 2_000))
  assert.match(output, /svc-engine serve needs /)
})

interface Started extends Addresses {
  readonly name: string
}

/** `svc-engine up` in a container as the README starts it, confined as the chart's engines are. */
async function startUp(name: string, port: number, ...more: string[]): Promise<Started> {
  const places = [
    `--publish=127.0.0.1:${port}:8080`,
    '--volume=data:/var/lib/svc',
    `--env=SVC_TRUSTED_PUBLISHERS=${publisher.did}`,
  ]
  containers.start(name, [
    ...confined,
    `--memory=${memory}`,
    ...places,
    ...more,
    image.tag,
    'up',
    '--host',
    '0.0.0.0',
    '--json',
  ])
  const line = await until('it is up', () => {
    const [{ State }] = JSON.parse(containers.podman('inspect', name))
    const output = containers.podman('logs', name)
    if (State.Status === 'exited') throw new Error(`it ended with ${State.ExitCode}: ${output}`)
    return /^\{"api_url".*$/m.exec(output)?.[0]
  })
  return { ...JSON.parse(line), api_url: `http://127.0.0.1:${port}`, name }
}

const entry = (from: string) => ({
  protocol: 'MAX',
  operation: 'audit_log_entry',
  input: { event_type: 'custom.image', meta: { from } },
})

test('up answers a first call after less than a minute of work, runs a plugin, drains, and goes on with its data', {
  skip,
}, async (t) => {
  const port = await freePorts()
  const elapsed_ms = stopwatch()
  const engine = await startUp('first', port)
  assert.equal((await dispatch(engine, entry('first'))).status, 200)
  const cpu_seconds = cpuSeconds('first')
  const elapsed_seconds = (elapsed_ms() / 1000).toFixed(1)
  t.diagnostic(`the first call is answered after ${elapsed_seconds} s, of which ${cpu_seconds} s are its own`)
  assert.ok(cpu_seconds < first_call_seconds_max)
  assert.equal(containers.podman('exec', 'first', 'id', '-u').trim(), '10001')
  assert.throws(() => containers.podman('exec', 'first', 'touch', '/opt/svc/x'), /Read-only file system/)
  await eventually(() => void containers.podman('healthcheck', 'run', 'first'))
  await runPlugin(engine)

  const { answers, exit_code } = await stopWithCalls(engine)
  assert.equal(exit_code, 0, containers.podman('logs', 'first'))
  assert.equal(answers.length, in_flight)
  for (const status of answers) assert.ok(status === 200 || status === 503, String(status))
  t.diagnostic(
    `${answers.filter((status) => status === 200).length} of ${in_flight} calls in flight succeeded`,
  )

  containers.podman('rm', 'first')
  const again = await startUp('second', port)
  assert.equal(again.api_key, engine.api_key)
  assert.equal((await dispatch(again, entry('second'))).status, 200)
  await verifies(answers.filter((status) => status === 200).length + 2)
  containers.podman('rm', '--force', 'second')
})

/** What all processes of a container have used, and those that ended in it. */
function cpuSeconds(name: string): number {
  const lines = containers.podman('exec', name, 'sh', '-c', 'cat /proc/[0-9]*/stat').trim().split('\n')
  // The fields after the program's name in brackets: user and system time, and those of children, are 11 to 14.
  const ticks = lines.map((line) =>
    line
      .slice(line.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15)
      .map(Number),
  )
  return Math.round(ticks.flat().reduce((sum, count) => sum + count, 0) / ticks_per_second)
}

/** The translator is in the image without what its package also brings. */
async function runPlugin(engine: Started): Promise<void> {
  const written = join(folder, 'plugins')
  mkdirSync(written)
  const component = await watPlugin({ answer: '{"packed":true}' })
  writePlugin(join(written, 'greeting'), { component })
  containers.podman('cp', join(written, 'greeting'), `${engine.name}:/var/lib/svc/.svc/plugins/`)
  const call = { protocol: 'GREET', operation: 'run', input: {} }
  await eventually(async () => assert.deepEqual((await dispatch(engine, call)).body.output, { packed: true }))
}

/** Calls on open connections, and the signal while they are in flight. */
async function stopWithCalls(engine: Started) {
  const agent = new Agent({ keepAlive: true, maxSockets: in_flight })
  const all = () => Array.from({ length: in_flight }, (_, i) => statusOf(engine, agent, entry(`call ${i}`)))
  await Promise.all(all().map(({ status }) => status))
  const calls = all()
  await Promise.all(calls.map(({ sent }) => sent))
  containers.podman('kill', '--signal=TERM', engine.name)
  const answers = await arrives('the answers', Promise.all(calls.map(({ status }) => status)))
  const exit_code = Number(containers.podman('wait', engine.name))
  agent.destroy()
  return { answers, exit_code }
}

function statusOf({ api_url, api_key, agent_did, tenant_id }: Started, agent: Agent, call: object) {
  const headers = {
    authorization: `Bearer ${api_key}`,
    'x-agent-did': agent_did,
    'content-type': 'application/json',
  }
  const asking = request(`${api_url}/v1/dispatch`, { method: 'POST', agent, headers })
  const sent = new Promise<void>((resolve) => asking.once('finish', resolve))
  const status = new Promise<number>((resolve, reject) => {
    asking.once('error', reject)
    asking.once('response', (response) => response.resume().once('end', () => resolve(response.statusCode!)))
  })
  asking.end(JSON.stringify({ version: 'v1', tenant_id, ...call }))
  return { sent, status }
}

/** The whole audit log, by the program of the image. */
async function verifies(records_min: number): Promise<void> {
  const shell = [
    'svc-engine admin export dev > /tmp/log.jsonl',
    'svc-engine verify /tmp/log.jsonl --json --key "$(svc-engine admin audit key dev)"',
  ].join(' && ')
  const verdict = JSON.parse(containers.podman('exec', 'second', 'sh', '-c', shell))
  assert.equal(verdict.verified, true, JSON.stringify(verdict))
  const count = Number(
    containers.podman('exec', 'second', 'sh', '-c', "grep -c 'custom.image' /tmp/log.jsonl"),
  )
  assert.ok(count >= records_min, `${count} records of ${records_min} answered calls`)
}

/** Without Kafka, Prometheus and Grafana, which Debian does not have or not in such an image. */
const services = [
  'postgres',
  'redis',
  'oas',
  'arsenal',
  'aegis',
  'engine-1',
  'engine-2',
  'gateway',
  'console',
]

test('compose: a call through the gateway is answered, also after each service was killed', {
  skip,
}, async (t) => {
  const composed = await openComposedContainers(containers, image.tag)
  t.after(() => composed.close())
  await composed.startAll(services)
  // The services have answered for themselves; the doctor asks whether they reach each other.
  await eventually(() => assert.ok(composed.admin('doctor').length > 5))
  const made = ['acme', '--name', 'Acme', '--tier', 'charter', '--root', 'new']
  await eventually(() => void composed.admin('tenant', 'create', ...made))
  const [issued] = composed.admin('key', 'issue', 'acme', '--capability', 'svc.motet.*')
  const ca = readFileSync(join(composed.secrets.folder, 'tls.crt'), 'utf8')
  const caller = { port: composed.gateway_port, ca, ...issued }
  const answered = () =>
    eventually(async () => {
      const { status, body } = await callThrough(caller, emission)
      assert.deepEqual([status, body.output?.accepted], [200, 1], JSON.stringify(body))
    })
  await answered()
  for (const service of services) {
    await composed.killProcess(service)
    await answered()
    await composed.healthy(service)
    t.diagnostic(`${service} was killed, and is back`)
  }
  assert.ok(composed.admin('doctor').length > 5)
})
