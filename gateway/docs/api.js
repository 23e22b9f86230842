// The API reference: Scalar shows the OpenAPI document of this engine. It asks nobody else: the page's policy allows no other host.

/** Values, not schemas: shown as they are. */
const literal_keys = ['example', 'examples', 'default', 'const', 'enum']

/** The document with the reader's DID and tenant in its examples, if the DID is known, and times from now. */
export function ownDocument(document, stand_ins, did, now_ms) {
  const [tenant_text, did_text, asset_text, ...times] = stand_ins
  const tenant = /^did:oas:([a-z0-9-]+):/.exec(did)?.[1] ?? tenant_text
  const ownText = (text) => {
    if (text === tenant_text) return tenant
    if (times.includes(text)) return new Date(now_ms + Date.parse(text) - Date.parse(times[0])).toISOString()
    return text
      .replaceAll(did_text, did || did_text)
      .replaceAll(asset_text, asset_text.replace(tenant_text, tenant))
  }
  const ownValue = (_, value) => (typeof value === 'string' ? ownText(value) : value)
  const walk = (node, key) => {
    if (literal_keys.includes(key)) return JSON.parse(JSON.stringify(node), ownValue)
    if (key === 'description' && typeof node === 'string') return plainText(node)
    if (Array.isArray(node)) return node.map((child) => walk(child))
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(Object.entries(node).map(([name, child]) => [name, walk(child, name)]))
  }
  return walk(document)
}

/** Scalar reads descriptions as Markdown: `<tenant>` would be gone, and a plugin could add links and pictures. */
function plainText(text) {
  return text.replaceAll(/[\\<[\]]/g, '\\$&')
}

async function start() {
  const holder = document.getElementById('reference')
  const did = new URLSearchParams(location.search).get('did')?.trim() ?? ''
  document.getElementById('did').value = did
  const response = await fetch(new URL('openapi.json', import.meta.url))
  if (!response.ok) throw new Error(`openapi.json answered ${response.status}.`)
  const stand_ins = holder.dataset.standIns.split(' ')
  const content = ownDocument(await response.json(), stand_ins, did, Date.now())
  if (did !== '') content.components.parameters.AgentDid.example = did
  globalThis.Scalar.createApiReference(holder, {
    content,
    // This script is at <prefix>/docs/api.js: the engine is at the folder above.
    servers: [{ url: new URL('..', import.meta.url).href.replace(/\/$/, '') }],
    generateTagSlug: ({ name }) => name,
    // `#tag/MAX/audit_query`
    generateOperationSlug: ({ path, operationId }) =>
      path.includes('#') ? path.slice(path.indexOf('.', path.indexOf('#')) + 1) : operationId,
    // The only way in: a reader has to paste a key, not to choose first.
    authentication: { preferredSecurityScheme: 'bearer' },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hideModels: true,
    // Nothing of other hosts: fonts, a proxy, a model, a client in the cloud, counting of readers.
    withDefaultFonts: false,
    proxyUrl: '',
    agent: { disabled: true, hideAddApi: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    telemetry: false,
    // A key must not be stored.
    persistAuth: false,
  })
}

function showProblem(error) {
  const place = document.getElementById('problem')
  place.textContent = `The API reference cannot be shown: ${error.message} Reload the page; /docs/reference has the same to read.`
  place.hidden = false
}

// The pure part is also tested without a page.
if (globalThis.document) await start().catch(showProblem)
