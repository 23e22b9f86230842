// plugin.toml once parsed, and the loader's settings: where to look and whom to trust.
import { type Static, Type } from 'typebox'
import { Closed, Did, ListOf, OneOf, PublicKey, Signature, Text, Timestamp } from '../schema.ts'

const SemanticVersion = Type.String({
  pattern: '^v?\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}(-[0-9A-Za-z.-]{1,64})?$',
  description: 'Semantic version.',
})

/** Relative and downward only: a manifest cannot name a file outside its own folder. */
const PathBelow = Type.String({
  pattern: '^(?!.*(^|/)\\.\\.?(/|$))[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$',
  maxLength: 255,
})

const Integration = Closed({
  kind: Text(64, {
    description:
      'A dependency: `capability` (endpoint: its name, which the plugin may then use), `wasi` (endpoint: `clocks` or `random`), or anything else, e.g. a model.',
  }),
  endpoint: Text(512),
})

export const PluginManifest = Closed(
  {
    plugin: Closed({
      name: Type.String({ pattern: '^[a-z][a-z0-9-]{0,62}$' }),
      version: SemanticVersion,
      description: Text(500),
      plugin_type: OneOf('Protocol', 'Gateway', 'Extension'),
      protocol: Type.Optional(
        Type.String({ pattern: '^[A-Za-z]{1,32}$', description: 'The slot it implements.' }),
      ),
      binary: Closed({ source_type: Type.Literal('wasm'), path: PathBelow }),
      metadata: Closed({ author: Did, license: Text(64), min_svc_version: SemanticVersion }),
      operations: Closed({
        operations: ListOf(
          Type.String({ pattern: '^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*$', maxLength: 128 }),
          1,
          256,
        ),
      }),
      integrations: Type.Optional(
        Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_-]{0,62}$' }), Integration, {
          additionalProperties: false,
          maxProperties: 16,
        }),
      ),
      signature: Type.Optional(
        Closed({
          signed_by: Did,
          // Not in the spec's shape; needed to check the signature offline.
          public_key: Type.Optional(PublicKey),
          signature: Signature,
          signed_at: Timestamp,
        }),
      ),
    }),
  },
  { description: 'plugin.toml: what a plugin is, what it implements, and who signed it.' },
)
export type PluginManifest = Static<typeof PluginManifest>

export const PluginLoaderConfig = Closed(
  {
    directory: Text(4096),
    auto_discover: Type.Boolean(),
    allowed_sources: ListOf(OneOf('wasm', 'builtin'), 0, 2),
    watch_interval_ms: Type.Integer({ minimum: 100, maximum: 3_600_000, default: 5000 }),
    require_signatures: Type.Boolean({ default: true }),
    trusted_publishers: ListOf(Did),
  },
  { description: 'Where to look for plugins, how often, and whose signatures count.' },
)
export type PluginLoaderConfig = Static<typeof PluginLoaderConfig>
