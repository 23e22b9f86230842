/** What a protocol publishes of its own work; the tenant's audit key signs where the engine has no key of the caller. */
export interface RegistryEntry {
  readonly kind:
    | 'treaty'
    | 'policy'
    | 'asset'
    | 'plugin'
    | 'report'
    | 'verdict'
    | 'chain_seal'
    | 'schema'
    | 'model'
    | 'artifact'
  readonly subject: string
  readonly visibility: 'tenant' | 'treaty' | 'public'
  readonly content: Readonly<Record<string, unknown>>
}
