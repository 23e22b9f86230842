// The routes that need no key, or not always, as OpenAPI path items.

type Json = Record<string, unknown>

function get(
  operationId: string,
  summary: string,
  tag: string,
  responses: Json,
  parameters: readonly Json[] = [],
): Json {
  return {
    get: {
      operationId,
      summary,
      tags: [tag],
      security: [],
      ...(parameters.length === 0 ? {} : { parameters }),
      responses,
    },
  }
}

function ok(description: string, media_type: string, schema: Json = { type: 'object' }): Json {
  return { 200: { description, content: { [media_type]: { schema } } } }
}

const missing: Json = {
  404: {
    description: 'There is no such thing.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } },
  },
}

function inPath(name: string, description: string): Json {
  return { name, in: 'path', required: true, description, schema: { type: 'string' } }
}

function inQuery(name: string, required: boolean, schema: Json): Json {
  return { name, in: 'query', required, schema }
}

const text: Json = { type: 'string' }
const bytes: Json = { type: 'string', contentMediaType: 'application/octet-stream' }

/** Public where the tenant's log is; otherwise a key of the tenant is needed. */
function getLog(operationId: string, summary: string, answer: Json, more: readonly Json[] = []): Json {
  const tenant = inPath('tenant', 'Whose log, e.g. acme.')
  const { get: shape } = get(operationId, summary, 'log', { ...answer, ...missing }, [tenant, ...more])
  return { get: { ...(shape as Json), security: [{}, { bearer: [] }] } }
}

const tile_index = inPath(
  'index',
  'Groups of three digits, e.g. 067 or x001/067; .p/<width> for a partial tile.',
)

export const public_paths: Json = {
  '/v1/protocols': get(
    'listProtocols',
    'Every protocol and its operations.',
    'directory',
    ok('The list.', 'application/json'),
  ),
  '/v1/protocols/{id}': get(
    'describeProtocol',
    'One protocol with the facts of each operation.',
    'directory',
    { ...ok('The protocol.', 'application/json'), ...missing },
    [
      inPath('id', 'Protocol id in any letter case, e.g. MAX.'),
      inQuery('version', false, text),
      inQuery('with', false, { type: 'string', enum: ['tools'] }),
    ],
  ),
  '/v1/search': get(
    'searchOperations',
    'Find operations by words of their names and summaries.',
    'directory',
    ok('Best first.', 'application/json'),
    [
      inQuery('q', true, { type: 'string', minLength: 1, maxLength: 200 }),
      inQuery('limit', false, { type: 'integer', minimum: 1, maximum: 50, default: 20 }),
    ],
  ),
  '/schemas/{protocol}/v1/{file}': get(
    'readOperationSchema',
    'The JSON Schema of a request or a response.',
    'directory',
    { ...ok('The schema.', 'application/schema+json'), ...missing },
    [
      inPath('protocol', 'Protocol id in lower case.'),
      inPath('file', 'operations.<protocol>.<operation>.request.json, or .response.json.'),
    ],
  ),
  '/schemas/resources/{file}': get(
    'readResourceSchema',
    'The JSON Schema of a published resource.',
    'directory',
    { ...ok('The schema.', 'application/schema+json'), ...missing },
    [inPath('file', 'The name of the resource, e.g. treaty.json.')],
  ),
  '/v1/log/{tenant}/checkpoint': getLog(
    'readCheckpoint',
    'The newest signed checkpoint of a log (C2SP tlog-checkpoint).',
    ok('A signed note.', 'text/plain', text),
  ),
  '/v1/log/{tenant}/tile/{level}/{index}': getLog(
    'readTile',
    'Hashes of the tree of a log (C2SP tlog-tiles).',
    ok('At most 256 hashes of 32 bytes.', 'application/octet-stream', bytes),
    [inPath('level', 'From 0, the leaves.'), tile_index],
  ),
  '/v1/log/{tenant}/tile/entries/{index}': getLog(
    'readEntries',
    'Entries of a log: the hashes of its records.',
    ok('At most 256 entries, each after its length.', 'application/octet-stream', bytes),
    [tile_index],
  ),
  '/openapi.json': get('readOpenApi', 'This document.', 'directory', ok('OpenAPI 3.1.', 'application/json')),
  '/docs': get(
    'readDocs',
    'The guides and the reference, for people.',
    'directory',
    ok('A page.', 'text/html', text),
  ),
  '/llms.txt': get(
    'readLlmsText',
    'The reference, for language models.',
    'directory',
    ok('Markdown.', 'text/plain', text),
  ),
  '/health': get(
    'health',
    'Whether the engine accepts requests.',
    'operation',
    ok('It does.', 'application/json'),
  ),
  '/ready': get('ready', 'Whether everything the engine needs is healthy.', 'operation', {
    ...ok('It is; `audit.state` is normal, buffering or overflow (writes are refused).', 'application/json'),
    503: {
      description: 'Starting, draining, or something it needs is unhealthy.',
      content: { 'application/json': { schema: { type: 'object' } } },
    },
  }),
}
