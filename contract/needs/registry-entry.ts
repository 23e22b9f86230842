/** What a protocol makes known of its own work; the tenant's audit key signs for it where the engine keeps no key of the caller. */
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
