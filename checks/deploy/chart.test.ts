// The chart without a cluster: its values and rendered manifests, against the settings the engine reads and
// the limits of a pod.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readServeConfig } from '@svc/service/settings/config'
import { readConsoleSettings } from '@svc/service/settings/console-settings'
import { readGatewayConfig } from '@svc/service/settings/gateway-settings'
import type { Environment } from '@svc/service/settings/reader'
import { Compile } from 'typebox/compile'
import { parse } from 'yaml'
import {
  all_values,
  type Container,
  chart,
  first_line,
  type Manifest,
  manifestsOf,
  type PodSpec,
  plain_values,
  rendered_file,
} from './chart.ts'
import { makeSecrets, movedFiles, namesRead, root } from './deployment.ts'

const rendered = readFileSync(rendered_file, 'utf8')
const manifests = manifestsOf(rendered)
const secrets = makeSecrets()
after(() => secrets.remove())

const workloads = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
const podOf = ({ spec }: Manifest): PodSpec => spec.template.spec
const containerOf = (manifest: Manifest): Container => podOf(manifest).containers[0]!

function find(kind: string, name: string): Manifest {
  const match = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name)
  assert.ok(match, `no ${kind} ${name}`)
  return match
}

function readValues(file: string) {
  return parse(readFileSync(file, 'utf8'), { merge: true })
}

test('the committed manifests were rendered from the current chart', () => {
  const advice = 'the chart was changed; run: node checks/deploy/render-chart.ts'
  assert.equal(`${rendered.split('\n')[0]}\n`, first_line, advice)
})

test('the schema accepts the existing values, and no others', () => {
  const schema = Compile(JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')))
  const values = readValues(join(chart, 'values.yaml'))
  assert.deepEqual([...schema.Errors(values)], [])
  for (const wrong of [
    { ...values, agentDID: '' },
    { ...values, agentDid: 'did:web:example' },
    { ...values, publicUrl: 'http://svc.example' },
    { ...values, engine: { ...values.engine, replicas: 65 } },
    { ...values, environment: { PATH: '/bin' } },
  ])
    assert.ok(!schema.Check(wrong))
})

test('the chart names the version it was made for', () => {
  const { version, appVersion } = readValues(join(chart, 'Chart.yaml'))
  const { version: ours } = JSON.parse(readFileSync(join(root, 'service/package.json'), 'utf8'))
  assert.deepEqual([version, appVersion], [ours, ours])
})

/** Where a container finds the secrets of the documented command. */
const moves: Record<string, string> = {
  '/run/secrets/tls/tls.crt': join(secrets.folder, 'tls.crt'),
  '/run/secrets/tls/tls.key': join(secrets.folder, 'tls.key'),
}
for (const key of ['master-key', 'agent-key', 'gateway-key', 'db-url', 'redis-url'])
  moves[`/run/secrets/svc/${key}`] = join(secrets.folder, key.replace('-', '_'))

/** The example's DIDs belong to no key, so those of the generated keys replace them. */
function environmentOf(manifest: Manifest): Environment {
  const plain = readValues(plain_values)
  const { SVC_AGENT_DID: agent, SVC_GATEWAY_DID: gateway } = secrets.settings
  const dids: Record<string, string | undefined> = { [plain.agentDid]: agent, [plain.gatewayDid]: gateway }
  const entries = containerOf(manifest).env.map(({ name, value }) => [name, dids[value] ?? value])
  return movedFiles(Object.fromEntries(entries), moves)
}

test('engine, gateway and console read every setting of their pods, and miss none', () => {
  const readers: [Manifest, (env: Environment) => unknown][] = [
    [find('StatefulSet', 'svc-engine'), readServeConfig],
    [find('Deployment', 'svc-console'), readConsoleSettings],
  ]
  for (const [manifest, read] of readers) {
    const env = environmentOf(manifest)
    const names = namesRead(env, read)
    for (const name of Object.keys(env))
      assert.ok(names.has(name) || names.has(name.replace(/_FILE$/, '')), `${name} is never read`)
  }
  const engine = readServeConfig(environmentOf(find('StatefulSet', 'svc-engine')))
  const gateway = readGatewayConfig(environmentOf(find('Deployment', 'svc-gateway')))
  assert.deepEqual([engine.trusted_gateways, engine.require_gateway], [[gateway.signer.did], true])
  assert.equal(gateway.engine_did, engine.agent_did)
  assert.deepEqual(
    gateway.api_urls.map(({ host }) => host),
    ['svc-engine-0.svc-engine-pods:8080', 'svc-engine-1.svc-engine-pods:8080'],
  )
})

test('files that a container reads are mounted there, and only the keys it needs', () => {
  const keys: Record<string, string[]> = {}
  for (const manifest of workloads) {
    const { volumes } = podOf(manifest)
    const { env, volumeMounts, name } = containerOf(manifest)
    const mounted = volumes.find((volume) => volume.name === 'keys')?.secret?.items ?? []
    keys[name] = mounted.map(({ key }) => key)
    for (const { name: mount } of volumeMounts)
      assert.ok(mount === 'audit' || volumes.some((volume) => volume.name === mount), `${name}: ${mount}`)
    for (const { value } of env.filter(({ value: text }) => text.startsWith('/run/secrets/svc/')))
      assert.ok(keys[name].includes(value.slice('/run/secrets/svc/'.length)), `${name} reads ${value}`)
  }
  assert.deepEqual(keys, {
    console: [],
    gateway: ['gateway-key', 'db-url'],
    aegis: ['db-url'],
    arsenal: ['db-url'],
    oas: ['db-url'],
    engine: ['master-key', 'agent-key', 'db-url', 'redis-url'],
  })
})

test('no pod is root, has a token, a privilege or a writable image, or lacks limits and probes', () => {
  assert.equal(workloads.length, 6)
  for (const manifest of workloads) {
    const pod = podOf(manifest)
    const { name, securityContext, resources, ...container } = containerOf(manifest)
    assert.equal(pod.automountServiceAccountToken, false, name)
    const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext
    assert.deepEqual(
      [runAsNonRoot, runAsUser, seccompProfile],
      [true, 10001, { type: 'RuntimeDefault' }],
      name,
    )
    assert.deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    assert.ok(resources.requests.cpu && resources.limits.memory, name)
    assert.equal(pod.topologySpreadConstraints.length, 2, name)
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
      assert.ok(
        container.ports.some((port) => port.name === probe.httpGet.port),
        name,
      )
  }
})

test('an outage of a shared dependency removes no pod, and no migrating start is interrupted', () => {
  for (const manifest of workloads) {
    const { name, args, startupProbe, livenessProbe, readinessProbe } = containerOf(manifest)
    const own_page = name === 'console' ? '/' : '/health'
    for (const probe of [startupProbe, livenessProbe, readinessProbe])
      assert.equal(probe.httpGet.path, own_page, name)
    const start_s = startupProbe.periodSeconds * startupProbe.failureThreshold
    const migrates = ['serve', 'node'].includes(args[0]!)
    assert.ok(start_s >= (migrates ? 3600 : 120), `${name} has ${start_s} s to start`)
  }
})

test('keys given to the chart outlive the release, as the volumes do', () => {
  const [, secret = ''] = readFileSync(join(chart, 'templates/identity.yaml'), 'utf8').split('kind: Secret')
  assert.match(secret, /annotations: \{ helm\.sh\/resource-policy: keep \}/)
})

test('a pod has more time to stop than its calls and the steps around them need', () => {
  for (const manifest of [find('StatefulSet', 'svc-engine'), find('Deployment', 'svc-gateway')]) {
    const { env, lifecycle } = containerOf(manifest)
    const grace_s = Number(env.find(({ name }) => name === 'SVC_SHUTDOWN_GRACE_SECONDS')?.value)
    const needed_s = grace_s + lifecycle!.preStop.sleep.seconds + 10
    assert.ok(podOf(manifest).terminationGracePeriodSeconds >= needed_s, manifest.metadata.name)
  }
})

test("an engine's journal is on a volume that its next pod reuses", () => {
  const { spec } = find('StatefulSet', 'svc-engine')
  assert.deepEqual(spec.persistentVolumeClaimRetentionPolicy, { whenDeleted: 'Retain', whenScaled: 'Retain' })
  const [claim] = spec.volumeClaimTemplates
  const { volumeMounts, env } = containerOf(find('StatefulSet', 'svc-engine'))
  const mount = volumeMounts.find(({ name }) => name === claim.metadata.name)
  assert.equal(mount?.mountPath, env.find(({ name }) => name === 'SVC_AUDIT_BUFFER_DIR')?.value)
})

test('selectors match: services, budgets and policies name the labels that pods have', () => {
  const labels = workloads.map(({ spec }) => spec.template.metadata.labels as Record<string, string>)
  const selectors = manifests.flatMap(({ kind, spec, metadata }) => {
    if (kind === 'Service') return [[metadata.name, spec.selector] as const]
    if (kind === 'PodDisruptionBudget') return [[metadata.name, spec.selector.matchLabels] as const]
    return kind === 'NetworkPolicy' ? [[metadata.name, spec.podSelector.matchLabels] as const] : []
  })
  assert.equal(selectors.length, 7 + 3 + 7)
  for (const [name, selector] of selectors) {
    const selected = labels.filter((own) =>
      Object.entries(selector).every(([key, value]) => own[key] === value),
    )
    assert.equal(selected.length, name === 'svc-nothing' ? workloads.length : 1, name)
  }
})

test('no traffic is allowed by default, and engines accept calls from the gateway alone', () => {
  const nothing = find('NetworkPolicy', 'svc-nothing').spec
  assert.deepEqual([nothing.policyTypes, nothing.ingress], [['Ingress', 'Egress'], undefined])
  const [calls] = find('NetworkPolicy', 'svc-engine').spec.ingress
  assert.deepEqual(calls.ports, [{ protocol: 'TCP', port: 'calls' }])
  const [from] = calls.from
  assert.equal(from.podSelector.matchLabels['app.kubernetes.io/component'], 'gateway')
})

test('the full example has only values the chart knows', () => {
  const defaults = readValues(join(chart, 'values.yaml'))
  const open = new Set(['environment', 'annotations', 'podAnnotations', 'nodeSelector', 'labels'])
  const compare = (values: Record<string, unknown>, all: Record<string, unknown>, path: string) => {
    for (const [name, value] of Object.entries(values)) {
      assert.ok(name in all, `${path}${name} is no value of the chart`)
      const is_map = value !== null && typeof value === 'object' && !Array.isArray(value) && !open.has(name)
      if (is_map) compare(value as typeof values, all[name] as typeof all, `${path}${name}.`)
    }
  }
  for (const file of [all_values, plain_values]) compare(readValues(file), defaults, '')
})
