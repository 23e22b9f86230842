// The interactive reference: reads the public directory, fills the page, sends calls to the dispatch endpoint. Data reaches the page only
// as text, never as markup, so a protocol's or answer's text cannot become code.

const field_rows_max = 400
const hits_max = 50
const answer_wait_ms_max = 120_000
const answer_characters_max = 200_000

const rate_headers = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after']
const shown_headers = ['x-correlation-id', 'traceparent', ...rate_headers]
const advice = {
  unauthenticated: 'Check the API key, and that the agent DID is the one this key is bound to.',
  capability_denied: 'Ask an administrator of the tenant for this capability, then try again.',
  missing_capability: 'Ask an administrator of the tenant for this capability, then try again.',
  approval_required: 'Ask those it names to approve it, then run exactly this call again.',
  invalid_payload: 'Fix the input as described, and run it again.',
  policy_denied: 'The input is well formed, but a rule forbids this now: change what the reason names.',
}

/** The request on the page, as it would be sent. */
let request
/** Running requests by kind: a newer one aborts the older, so that a late answer overwrites nothing. */
const under_way = {}

const el = (id) => document.getElementById(id)
// This script is at <prefix>/docs/docs.js: the service is mounted at the folder above.
const addressOf = (path) => new URL(`../${path.replace(/^\//, '')}`, import.meta.url).href

/** Strings among the children become text. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

const fill = (id, ...children) => el(id).replaceChildren(...children)
const link = (href, text) => make('a', { href }, text)
const code = (text) => make('code', {}, text)
const quiet = (text) => make('span', { class: 'quiet' }, text)

/** Names with their values; empty values are left out. */
function pairs(style, entries) {
  const given = entries.filter(([, value]) => value)
  const rows = given.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value)))
  return make('dl', { class: style }, ...rows)
}

function begin(kind) {
  under_way[kind]?.abort()
  under_way[kind] = new AbortController()
  return under_way[kind].signal
}

async function load(path, signal) {
  const response = await fetch(addressOf(path), { signal })
  const body = await response.json()
  if (!response.ok) throw new Error(body.error?.message ?? `${path} answered ${response.status}.`)
  return body
}

/** A schema as rows: a field, then what is inside it one step deeper. */
export function fieldRows(node, depth = 0) {
  const row = (name, field, form) => {
    const required = node.required?.includes(name) ?? false
    return [{ name, depth, required, form, note: noteOf(field) }, ...fieldRows(field, depth + 1)]
  }
  const fields = Object.entries(node.properties ?? {})
  const own = fields.flatMap(([name, field]) => row(name, field, formOf(field)))
  const inner = [node.items ?? [], node.allOf ?? [], Object.values(node.patternProperties ?? {})].flat()
  const shapes = variantsOf(node).filter((variant) => fieldRows(variant).length > 0)
  if (shapes.length === 1) inner.push(shapes.pop())
  const choices = shapes.flatMap((shape, i) => row(`shape ${i + 1} of ${shapes.length}`, shape, ''))
  return [...own, ...inner.flatMap((each) => fieldRows(each, depth)), ...choices]
}

const variantsOf = (node) => node.anyOf ?? node.oneOf ?? []
const itemsOf = (node) => `list of ${[node.items ?? {}].flat().map(formOf).join(', ')}`
const sentence = (text) => text.replace(/(?<![.!?])$/, '.')

function formOf(node) {
  if (node.const !== undefined) return JSON.stringify(node.const)
  const choices = node.enum?.map((word) => JSON.stringify(word)) ?? variantsOf(node).map(formOf)
  if (choices.length > 0) return [...new Set(choices)].join(' or ')
  if (node.type === 'array') return itemsOf(node) + bounds(node.minItems, node.maxItems, ' items')
  if (node.type === 'string') return `string${bounds(node.minLength, node.maxLength, ' characters')}`
  const values = Object.values(node.patternProperties ?? {})
  if (values.length > 0) return `map to ${values.map(formOf).join(' or ')}`
  const types = [node.type ?? node.$ref ?? 'any JSON value'].flat()
  return types.join(' or ') + bounds(node.minimum, node.maximum, '')
}

function bounds(min, max, unit) {
  // Lists and texts are never shorter than 0; a number may be negative.
  const from = unit && min === 0 ? undefined : min
  if (max === undefined) return from === undefined ? '' : `, at least ${from}${unit}`
  if (from === undefined) return `, up to ${max}${unit}`
  return from === max ? `, ${max}${unit}` : `, ${from} to ${max}${unit}`
}

function noteOf(node) {
  const said = node.description && sentence(node.description)
  const pattern = node.pattern && !said ? `Matches ${node.pattern}` : ''
  const fallback = node.default === undefined ? '' : `Default ${JSON.stringify(node.default)}.`
  return [said, pattern, fallback].filter(Boolean).join(' ')
}

const shellWord = (text) => `'${text.replaceAll("'", `'\\''`)}'`

/** The key is a variable, never written: a copied line must not carry it. */
export function curlLine(address, did, request) {
  const lines = [`curl -sS ${shellWord(address)}`, '-H "Authorization: Bearer $SVC_API_KEY"']
  lines.push(did ? `-H ${shellWord(`X-Agent-Did: ${did}`)}` : '-H "X-Agent-Did: $SVC_AGENT_DID"')
  lines.push("-H 'Content-Type: application/json'", `--data-binary ${shellWord(JSON.stringify(request))}`)
  return lines.join(' \\\n  ')
}

export function adviceFor({ code, retryable, retry_after_ms, correlation_id }) {
  if (retryable && retry_after_ms) return `Try again in ${Math.ceil(retry_after_ms / 1000)} s.`
  if (retryable) return 'Try again, with a longer pause each time.'
  if (Object.hasOwn(advice, code)) return advice[code]
  return `If the sentence does not help, give the operator this id: ${correlation_id}.`
}

function fieldTable(schema, required_word) {
  const rows = fieldRows(schema)
  if (rows.length === 0) return make('p', {}, schema.type === 'object' ? 'No fields.' : formOf(schema))
  const body = rows.slice(0, field_rows_max).map(({ name, depth, required, form, note }) => {
    const mark = required ? make('span', { class: 'required' }, required_word) : ''
    const label = make('th', { scope: 'row' }, code(name), ' ', mark)
    label.style.setProperty('--depth', depth)
    return make('tr', {}, label, make('td', {}, make('span', { class: 'form' }, form), ' ', note))
  })
  const head = ['Field', 'What it holds'].map((title) => make('th', { scope: 'col' }, title))
  const table = make('table', {}, make('thead', {}, make('tr', {}, ...head)), make('tbody', {}, ...body))
  const left = rows.length - body.length
  return left > 0 ? make('div', {}, table, `${left} more are in the schema.`) : table
}

function showDirectory(protocols) {
  const by_plane = Object.groupBy(protocols, ({ plane }) => plane)
  for (const plane of Object.keys(by_plane).sort()) {
    el('contents').append(make('h2', {}, plane), ...by_plane[plane].map(menuEntry))
    const entries = by_plane[plane].map(({ id, summary }) => [link(`#${id}`, id), summary])
    el('overview').append(make('h2', {}, plane), pairs('overview', entries))
  }
  const operations = protocols.flatMap((protocol) => protocol.operations)
  fill('counts', `${protocols.length} protocols, ${operations.length} operations`)
}

function menuEntry({ id, operations }) {
  const links = operations.map((name) => make('li', {}, link(`#${id}/${name}`, name)))
  const title = make('summary', {}, id, ' ', quiet(String(operations.length)))
  return make('details', {}, title, make('ul', {}, make('li', {}, link(`#${id}`, `About ${id}`)), ...links))
}

/** The address decides what is shown: nothing, `#MAX`, or `#MAX/audit_query`. */
async function followAddress(event) {
  const signal = begin('opening')
  try {
    const [id, name] = decodeURIComponent(location.hash.slice(1)).split('/')
    if (id) await openEntry(id, name, signal)
    document.title = [name, id, 'SVC reference'].filter(Boolean).join(' · ')
    showOnly(id ? 'entry' : 'welcome')
    // After a click the focus moves to the target; on arrival it stays at the start of the page.
    if (event) el(id ? 'name' : 'main').focus()
  } catch (error) {
    if (!signal.aborted) showProblem(error)
  }
}

function showProblem(error) {
  fill('problem', `This cannot be shown: ${sentence(error.message)} Choose another, or reload the page.`)
  showOnly('problem')
}

function showOnly(view) {
  for (const id of ['problem', 'welcome', 'entry']) el(id).hidden = id !== view
  el('menu').ariaExpanded = 'false'
  for (const entry of el('contents').querySelectorAll('a')) {
    const current = entry.getAttribute('href') === location.hash
    entry.ariaCurrent = current ? 'page' : null
    if (current) entry.closest('details').open = true
  }
  scrollTo(0, 0)
}

async function openEntry(id, name, signal) {
  const protocol = await load(`v1/protocols/${encodeURIComponent(id)}`, signal)
  const operation = protocol.operations.find((each) => each.name === name)
  if (name && !operation) throw new Error(`${protocol.id} has no operation ${name}.`)
  if (!operation) return showProtocol(protocol)
  const paths = [operation.request_schema, operation.response_schema]
  const [input, output] = await Promise.all(paths.map((path) => load(path, signal)))
  fill('input_fields', fieldTable(input, 'required'))
  fill('output_fields', fieldTable(output, 'always'))
  el('input_schema').href = addressOf(operation.request_schema)
  el('output_schema').href = addressOf(operation.response_schema)
  showOperation(protocol, operation)
}

function showHead({ id, version, plane }, name, summary, facts) {
  fill('where', `${plane} / `, link(`#${id}`, `${id} ${version}`))
  fill('name', name)
  fill('summary', summary)
  fill('facts', pairs('facts', Object.entries(facts)))
  el('operations').hidden = name !== id
  el('operation').hidden = name === id
}

function showProtocol(protocol) {
  const { id, summary, estate, rate_class, category, operations } = protocol
  showHead(protocol, id, summary, { Estate: estate, 'Rate class': rate_class, 'MCP category': category })
  const entries = operations.map((each) => [link(`#${id}/${each.name}`, each.name), each.summary])
  fill('operations', make('h2', {}, 'Operations'), pairs('overview', entries))
}

function showOperation(protocol, operation) {
  const { name, summary, effect, level, meters, multipliers, rate_cost, capability, mcp_tool } = operation
  const priced = multipliers.some((factor) => factor !== 1)
  showHead(protocol, name, summary, {
    Effect: effect === 'read' ? 'read, safe to repeat' : 'write, safe to repeat with an idempotency_key',
    Capability: code(capability),
    'MCP tool': code(mcp_tool),
    Level: level,
    Meters: meters.join(', ') || 'nothing',
    'Price factors': priced && `${multipliers.join(', ')} (tokens, seconds, watts)`,
    'Rate limit': operation.exempt ? 'exempt' : `${protocol.rate_class} class, ${rate_cost} a call`,
  })
  request = { protocol: protocol.id, version: protocol.version, operation: name, input: operation.example }
  el('answer').hidden = true
  fill('steps', ...sceneParts(operation))
  showExample(operation.example)
}

const example_callers = {
  partner: 'The call itself is made by the other organization.',
  operator: 'The call itself is made by the organization that runs the engine.',
}

/** The steps that make the example possible, each with its input and a link to its operation. */
function sceneParts({ scene, scene_text, example_by, example_needs }) {
  const steps = scene.map((step, i) => {
    const input = step.input && make('pre', {}, JSON.stringify(own(step.input), null, 2))
    const details = input ? make('details', {}, make('summary', {}, 'Input'), input) : ''
    return make('li', {}, ...codeParts(scene_text[i]), details)
  })
  const after = Object.hasOwn(example_callers, example_by) ? example_callers[example_by] : ''
  const notes = [example_needs, after].filter(Boolean)
  if (steps.length + notes.length === 0) return []
  const title = 'The example needs these steps first. Put the ids of your own answers into it.'
  return [
    make('p', {}, title),
    make('ol', {}, ...steps),
    ...notes.map((note) => make('p', {}, ...codeParts(note))),
  ]
}

/** Texts between backticks are code; the name of an operation is a link to it. */
function codeParts(text) {
  const place = (name) => `#${name.replace('.', '/')}`
  const shown = (part) => (/^[A-Z]+\.[a-z]/.test(part) ? link(place(part), part) : code(part))
  return text.split('`').map((part, i) => (i % 2 ? shown(part) : part))
}

/** Replaces the texts that stand for the reader's tenant and DID, where these are known, and for times from now. */
export function ownExample(example, stand_ins, tenant, did, now_ms) {
  const [tenant_text, did_text, asset_text, ...times] = stand_ins
  const asset = asset_text.replace(tenant_text, tenant || tenant_text)
  const timeOf = (text) => new Date(now_ms + Date.parse(text) - Date.parse(times[0])).toISOString()
  const ownText = (text) => {
    if (text === tenant_text) return tenant || text
    if (times.includes(text)) return timeOf(text)
    return text.replaceAll(did_text, did || did_text).replaceAll(asset_text, asset)
  }
  return JSON.parse(JSON.stringify(example), (_, value) =>
    typeof value === 'string' ? ownText(value) : value,
  )
}

function own(example) {
  const stand_ins = el('input').dataset.standIns.split(' ')
  return ownExample(example, stand_ins, typed('tenant'), typed('agent_did'), Date.now())
}

function showExample(example) {
  const text = JSON.stringify(own(example), null, 2)
  el('input').value = text
  el('reset').onclick = () => showExample(example)
  // An example that nobody changed follows the tenant and DID of the form.
  el('call').onchange = ({ target }) => {
    if (target !== el('input') && el('input').value === text) showExample(example)
  }
  readForm()
}

const typed = (id) => el(id).value.trim()

/** Keeps the request in sync with the form; invalid JSON is reported and not sent. */
function readForm() {
  const input = parse(el('input').value)
  const fault = input === undefined ? 'The input is not JSON yet, so it cannot be sent.' : ''
  el('input').setCustomValidity(fault)
  fill('input_fault', fault)
  fill('copied')
  if (fault) return
  request = { ...request, input, tenant_id: typed('tenant') }
  fill('curl', curlLine(addressOf('v1/dispatch'), typed('agent_did'), request))
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function sendCall(event) {
  event.preventDefault()
  const asked_from = location.hash
  el('buttons').disabled = true
  const outcome = await dispatch(event.submitter !== el('run'))
  el('buttons').disabled = false
  // A disabled button loses the focus: it is restored, unless the reader moved it.
  if (document.activeElement === document.body) event.submitter.focus()
  // After a change of operation this answer must not appear.
  if (asked_from === location.hash) showAnswer(outcome)
}

async function dispatch(dry_run) {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${typed('api_key')}` }
  headers['x-agent-did'] = typed('agent_did')
  if (dry_run) headers['x-svc-dry-run'] = 'true'
  const signal = AbortSignal.timeout(answer_wait_ms_max)
  const started = performance.now()
  try {
    const sent = { method: 'POST', headers, body: JSON.stringify(request), signal }
    const response = await fetch(addressOf('v1/dispatch'), sent)
    const text = await response.text()
    return { response, text, elapsed_ms: Math.round(performance.now() - started) }
  } catch (error) {
    return { failure: `No answer came: ${sentence(error.message)} See that the service can be reached.` }
  }
}

function showAnswer({ response, text = '', elapsed_ms, failure }) {
  const body = parse(text)
  const error = body?.error ?? body?.dry_run?.error
  const done = response?.ok ? 'done' : 'refused'
  const meant = body?.dry_run ? `dry run, the call would be ${body.dry_run.verdict}` : done
  el('answer').hidden = false
  el('answer').classList.toggle('refused', Boolean(error) || !response?.ok)
  fill('verdict', failure ?? `${response.status}: ${meant}, in ${elapsed_ms} ms`)
  fill('refusal', ...(error ? refusalParts(error) : []))
  fill('stages', ...(body?.dry_run?.stages ?? []).map(stageLine))
  const headers = shown_headers.map((name) => [name, response?.headers.get(name)])
  fill('headers', pairs('facts', headers))
  const pretty = body === undefined ? text : JSON.stringify(body, null, 2)
  const cut = pretty.length > answer_characters_max ? '\n… the rest is not shown' : ''
  fill('body', pretty.slice(0, answer_characters_max) + cut)
  el('answer').scrollIntoView({ block: 'nearest' })
}

function refusalParts(error) {
  const stages = el('stages').dataset.titles.split(',')
  const { faults = [], requested_capability, denying_policy, appeal_path } = error.details ?? {}
  const places = faults.map(({ pointer, message }) => make('li', {}, code(pointer || '/'), ` ${message}`))
  const facts = {
    'What to do': adviceFor(error),
    Code: code(error.code),
    Reason: error.reason,
    Stage: stages[error.stage]
      ? `${error.stage}, ${stages[error.stage]}`
      : 'none: refused before the first stage',
    Capability: requested_capability && code(requested_capability),
    Policy: denying_policy,
    Appeal: appeal_path,
  }
  const list = places.length > 0 ? make('ul', {}, ...places) : ''
  return [make('p', {}, error.message), list, pairs('facts', Object.entries(facts))]
}

function stageLine({ name, verdict, knew }) {
  const known = Object.entries(knew).map(([fact, value]) => `${fact} ${value}`)
  const style = { class: verdict.replace(' ', '-') }
  return make('li', style, make('b', {}, name), ` ${verdict} `, quiet(known.join(', ')))
}

async function copyCurl() {
  try {
    await navigator.clipboard.writeText(el('curl').textContent)
    fill('copied', 'Copied. Set SVC_API_KEY in that shell.')
  } catch {
    // Browsers allow the clipboard on secure origins only; a selection works everywhere.
    getSelection().selectAllChildren(el('curl'))
    fill('copied', 'Selected. Copy it with the keyboard.')
  }
}

async function search() {
  const signal = begin('search')
  const query = typed('search')
  el('contents').hidden = query !== ''
  try {
    const path = `v1/search?limit=${hits_max}&q=${encodeURIComponent(query)}`
    const { results } = query ? await load(path, signal) : { results: [] }
    fill('hits', ...results.map(hitLine))
    const found = results.length ? `${results.length} found` : 'Nothing found. Try a shorter word.'
    fill('found', query && found)
  } catch (error) {
    if (!signal.aborted) fill('found', error.message)
  }
}

function hitLine({ protocol, operation, summary }) {
  const names = [protocol, operation].filter(Boolean)
  return make('li', {}, link(`#${names.join('/')}`, names.join(' ')), quiet(summary))
}

function listen() {
  const on = (id, type, react) => el(id).addEventListener(type, react)
  on('search', 'input', search)
  on('search', 'keydown', ({ key }) => key === 'Enter' && el('hits').querySelector('a')?.click())
  on('skip', 'click', () => el('main').focus())
  on('menu', 'click', ({ target }) => {
    target.ariaExpanded = String(target.ariaExpanded !== 'true')
  })
  on('call', 'submit', sendCall)
  on('call', 'input', readForm)
  on('copy', 'click', copyCurl)
  addEventListener('hashchange', followAddress)
}

/** In this tab only: a key must not be stored beyond it. */
function rememberCredentials() {
  for (const id of ['api_key', 'agent_did', 'tenant']) {
    el(id).value = sessionStorage.getItem(`svc.${id}`) ?? ''
    el(id).addEventListener('input', () => sessionStorage.setItem(`svc.${id}`, el(id).value))
  }
}

async function start() {
  listen()
  rememberCredentials()
  showDirectory((await load('v1/protocols')).protocols)
  await followAddress()
}

// The pure parts are also tested without a page.
if (globalThis.document) await start().catch(showProblem)
