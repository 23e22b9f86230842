// The configuration file of svc-engine apply. Every field is optional but the version and what names a thing.
import { role_form } from '@svc/contract/authority/role'
import { tiers } from '@svc/contract/authority/tier'
import { Closed, Did, ListOf, OneOf, TenantId, Text, Timestamp } from '@svc/contract/schema'
import { PolicyId } from '@svc/protocols/governance/maxim/api'
import { PolicyVersionName } from '@svc/protocols/governance/policies/api'
import { type Static, type TSchema, Type } from 'typebox'

const tenants_max = 1_000
const people_max = 5_000
const entries_max = 1_000
const text_chars_max = 500
const policy_chars_max = 65_536

function Maybe<T extends TSchema>(schema: T) {
  return Type.Optional(schema)
}

const RoleName = Type.String({ pattern: role_form.source, description: 'the name of a role, such as buyer' })
/** As `svc-engine admin` takes it: more than callers may delegate, so its meaning is checked with the database. */
const Capability = Type.String({
  pattern: '^[a-z][a-z0-9_.*-]{0,127}$',
  description: 'svc.<protocol>.<operation>, or svc.<protocol>.* for the whole protocol',
})
const Capabilities = ListOf(Capability, 0, 128)
const Path = Text(text_chars_max, { description: 'a file, seen from the folder of the configuration' })
const Issuer = Text(text_chars_max, { description: 'the address of an issuer' })
const ClaimText = Text(text_chars_max, { description: 'a text of 1 to 500 characters' })
const ClaimName = Type.String({
  pattern: '^[A-Za-z/][A-Za-z0-9_./:-]{0,199}$',
  description: 'the name of a claim',
})

const RoleShape = Closed({ add: Maybe(Capabilities), remove: Maybe(Capabilities) })

const Person = Closed({
  login: Text(128, { description: 'a login of 1 to 128 characters, such as an email address' }),
  name: Maybe(Text(128, { description: 'a name of 1 to 128 characters' })),
  roles: Maybe(ListOf(RoleName, 0, 64)),
})

const RoleClaim = Closed({ role: RoleName, issuer: Issuer, claim: ClaimName, value: ClaimText })

const Key = Closed({
  label: Text(200, { description: 'a text of 1 to 200 characters that is no other key’s' }),
  did: Maybe(Did),
  capabilities: Maybe(Capabilities),
  expires_at: Maybe(Timestamp),
})

const Workload = Closed({
  did: Did,
  issuer: Issuer,
  audience: ClaimText,
  claims: Type.Record(ClaimName, ListOf(ClaimText, 1, 16), {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 16,
    description: 'lists of accepted texts by claim, such as sub: [repo:acme/app:ref:refs/heads/main]',
  }),
  jwks: Maybe(Path),
})

const Policy = Closed({
  id: PolicyId,
  version: PolicyVersionName,
  file: Maybe(Path),
  body: Maybe(Text(policy_chars_max, { description: 'a policy in Cedar' })),
})

const Tenant = Closed({
  id: TenantId,
  name: Maybe(Text(200, { description: 'a name of 1 to 200 characters' })),
  tier: Maybe(OneOf(...(Object.keys(tiers) as (keyof typeof tiers)[]))),
  root: Maybe(
    Type.String({ pattern: '^(new|did:oas:.{1,200})$', description: 'new, or a DID of the tenant' }),
  ),
  budget: Maybe(
    Closed({
      credit_line_usd: Maybe(
        Type.Union([Type.String({ maxLength: 32 }), Type.Number({ minimum: 0 })], {
          description: 'dollars with at most six decimal places, such as 25.50, or tier',
        }),
      ),
    }),
  ),
  roles: Maybe(
    Type.Record(RoleName, RoleShape, {
      additionalProperties: false,
      maxProperties: 64,
      description: 'roles by name',
    }),
  ),
  people: Maybe(ListOf(Person, 0, people_max)),
  role_claims: Maybe(ListOf(RoleClaim, 0, entries_max)),
  keys: Maybe(ListOf(Key, 0, entries_max)),
  workloads: Maybe(ListOf(Workload, 0, entries_max)),
  policies: Maybe(ListOf(Policy, 0, entries_max)),
})

const Service = Closed({
  version: Text(160, { pattern: '^v[0-9A-Za-z.+-]+$', description: 'a version such as v1.0.0' }),
  endpoint: Text(512, { pattern: '^https?://', description: 'an address such as https://weather.example' }),
  did: Maybe(Did),
  treaty: Maybe(Text(128, { description: 'the id of a treaty' })),
  answers: Maybe(OneOf('signed', 'unsigned')),
  timeout: Maybe(Text(16, { description: 'a time such as 500ms, 30s or 2m' })),
  weight: Maybe(Type.Integer({ minimum: 1, maximum: 1_000, description: 'a whole number from 1 to 1000' })),
  operations: Maybe(ListOf(Text(64, { description: 'the name of an operation' }), 1, 256)),
  enabled: Maybe(Type.Boolean({ description: 'true or false' })),
})

const ExternalProtocol = Closed({
  name: Type.String({ pattern: '^[A-Za-z]{1,32}$', description: '1 to 32 letters, such as WEATHER' }),
  balance: Maybe(OneOf('round-robin', 'least-request', 'tenant-hash')),
  canary: Maybe(
    Text(text_chars_max, { pattern: '^(off$|v)', description: 'shares such as v1.1.0=10%, or off' }),
  ),
  services: Maybe(ListOf(Service, 0, entries_max)),
})

const Witness = Closed({
  key: Text(text_chars_max, {
    pattern: '^[^-\\s]\\S*$',
    description: 'the key line of a witness: name+id+key',
  }),
  url: Text(text_chars_max, { pattern: '^https?://', description: 'the address of a witness' }),
  tenants: Maybe(ListOf(TenantId, 1, entries_max)),
})

const TrustedLog = Closed({
  origin: Text(200, { pattern: '^[^-\\s+][^\\s+]*$', description: 'the origin of a log, such as svc/acme' }),
  public_key: Type.String({
    pattern: '^[A-Za-z0-9+/_-]{43}=?$',
    description: '32 bytes in base64',
  }),
})

export const Configuration = Closed({
  version: Type.Literal(1, { description: '1, the version of this format' }),
  tenants: Maybe(ListOf(Tenant, 0, tenants_max)),
  protocols: Maybe(ListOf(ExternalProtocol, 0, entries_max)),
  witnesses: Maybe(ListOf(Witness, 0, 16)),
  trusted_logs: Maybe(ListOf(TrustedLog, 0, entries_max)),
})

export type Configuration = Static<typeof Configuration>
export type TenantConfig = Static<typeof Tenant>
export type ProtocolConfig = Static<typeof ExternalProtocol>
