// One protocol in the directory: the default version, or any other requested by name.
import { hash } from 'node:crypto'
import { describeProtocol } from '@svc/catalogue/derive/directory'
import { deriveSchemas, type PublishedSchema } from '@svc/catalogue/derive/json-schemas'
import { deriveMcpTools } from '@svc/catalogue/derive/mcp-tools'
import type { Declaration } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import type { Registered, Registry } from '@svc/engine/routing/routing'
import { shownVersions } from '@svc/engine/routing/shown-versions'
import { chooseVersion } from '@svc/engine/stages/1-resolve-version'

const version_length_max = 128

export interface Described {
  readonly text: string
  /** ETag of this text, for conditional requests. */
  readonly etag: string
}

export interface DescribedVersions {
  /** `with_tools` adds each operation as its MCP tool, with schemas. */
  describe(id: string, version: string | undefined, with_tools: boolean): Described
  /** Of exactly this version; the path without one has the schema of the best of its major. */
  schema(path: string, version: string): PublishedSchema | undefined
}

export function describedVersions(registry: Registry): DescribedVersions {
  const find = (id: string, requested: string | undefined) => {
    const versions = shownVersions(registry, id)
    if (versions.length === 0)
      throw refuse('unknown_protocol', `There is no protocol ${id}; GET /v1/protocols lists them.`)
    const registered = requested === undefined ? versions[0] : chooseFrom(versions, requested)
    if (registered) return { versions, found: registered }
    const installed = versions.map(({ version }) => version).join(', ')
    throw refuse('unknown_version', `${versions[0]!.facts.id} has no such version; there are ${installed}.`, {
      reason: 'unknown version',
      installed,
    })
  }
  // A few per registered version, until anything changes.
  let cache = { revision: -1, pages: new Map<string, Described>() }
  return {
    describe(id, requested, with_tools) {
      const { versions, found } = find(id, requested)
      const revision = registry.revision()
      if (cache.revision !== revision) cache = { revision, pages: new Map() }
      const key = JSON.stringify([found.facts.id, found.version, requested === undefined, with_tools])
      const page = cache.pages.get(key) ?? pageOf(found, versions, requested !== undefined, with_tools)
      cache.pages.set(key, page)
      return page
    },
    schema(path, requested) {
      const { found } = find(path.split('/', 1)[0]!, requested)
      return schemasOf(found.facts).get(`schemas/${path}`)
    },
  }
}

function pageOf(
  { facts, version }: Registered,
  versions: readonly Registered[],
  is_asked_for: boolean,
  with_tools: boolean,
): Described {
  const described = describeProtocol(facts)
  const text = JSON.stringify({
    ...(is_asked_for ? bySchemasOf(version, described) : described),
    versions: versions.map((one) => one.version),
    ...(with_tools ? { tools: deriveMcpTools([facts]) } : {}),
  })
  return { text, etag: `"${hash('sha256', text, 'base64url')}"` }
}

/** Pre-releases are no secret, only not the default. */
function chooseFrom(versions: readonly Registered[], requested: string): Registered | undefined {
  if (requested.length > version_length_max) return undefined
  const choose = (may_pre_release: boolean) =>
    chooseVersion(versions, requested, { may_pre_release, canary: [], tenant_id: '' })
  return choose(false) ?? choose(true)
}

function bySchemasOf(version: string, described: ReturnType<typeof describeProtocol>) {
  const at = (path: string) => `${path}?version=${encodeURIComponent(version)}`
  const operations = described.operations.map((operation) => ({
    ...operation,
    request_schema: at(operation.request_schema),
    response_schema: at(operation.response_schema),
  }))
  return { ...described, operations }
}

/** Cached while the declaration is registered. */
const schemas_of = new WeakMap<Declaration, ReturnType<typeof deriveSchemas>>()

function schemasOf(facts: Declaration): ReturnType<typeof deriveSchemas> {
  const derived = schemas_of.get(facts) ?? deriveSchemas([facts])
  schemas_of.set(facts, derived)
  return derived
}
