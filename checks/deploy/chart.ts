// The chart as files, and as helm renders it. The rendering is committed with a digest of its files.
import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { deploy } from './deployment.ts'

export const chart = join(deploy, 'helm/svc')
export const rendered_file = join(deploy, 'helm/rendered.yaml')
/** Values to render with: the minimum, and everything. */
export const plain_values = join(deploy, 'helm/plain.yaml')
export const all_values = join(deploy, 'helm/everything.yaml')
export const kube_version = '1.34.0'

export interface Container {
  readonly name: string
  readonly args: readonly string[]
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly resources: Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
  readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } }
  readonly startupProbe: Probe
  readonly livenessProbe: Probe
  readonly readinessProbe: Probe
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
  readonly periodSeconds: number
  readonly failureThreshold: number
}

export interface PodSpec {
  readonly automountServiceAccountToken: boolean
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly terminationGracePeriodSeconds: number
  readonly topologySpreadConstraints: readonly unknown[]
  readonly containers: readonly Container[]
  readonly volumes: readonly {
    readonly name: string
    readonly secret?: { readonly items?: readonly { readonly key: string; readonly path: string }[] }
  }[]
}

export interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  // biome-ignore lint/suspicious/noExplicitAny: of every kind there is
  readonly spec: any
}

export function manifestsOf(text: string): readonly Manifest[] {
  const all = parseAllDocuments(text).map((document) => document.toJS() as Manifest | null)
  return all.filter((manifest) => manifest !== null)
}

/** Covers everything the plain rendering depends on. */
function chartDigest(): string {
  const files = ['Chart.yaml', 'values.yaml', ...globSync('templates/*', { cwd: chart }).sort()]
  const digest = createHash('sha256')
  for (const path of [...files.map((file) => join(chart, file)), plain_values])
    digest.update(readFileSync(path))
  return digest.digest('base64url')
}

export const first_line = `# Rendered by helm from the chart and plain.yaml; sha256 of both: ${chartDigest()}\n`
