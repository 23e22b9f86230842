// Plays the scene of an operation's example: the steps that make it possible on a fresh engine. An engine's
// directory has them beside each example.
import { stand_ins } from '../../generated/sdk-operations.ts'

/** Who calls: you, another organization, or the organization that runs the engine. */
export type SceneRole = 'you' | 'partner' | 'operator'

/** A step of a scene, as the directory of an engine has it. */
export type SceneStep =
  | {
      readonly as?: SceneRole
      /** The organization in which it is called; the caller's own where absent. */
      readonly tenant_id?: string
      readonly call: string
      readonly input: unknown
      /** Each text in it stands, from then on, for the real value at this place of the answer. */
      readonly answer?: unknown
      /** Repeated until the answer has these values. */
      readonly until?: unknown
    }
  | { readonly new_key: string }
  | { readonly sign: string; readonly key: string; readonly signature: string }

/** Who plays a scene, and how. */
export interface SceneCast {
  /** Calls an operation in this role, in its own organization unless another is named; returns its output. */
  call(
    role: SceneRole,
    protocol: string,
    operation: string,
    input: unknown,
    tenant_id?: string,
  ): Promise<unknown>
  /** Waits before a call is repeated; throws when it has waited long enough. */
  pause(): Promise<void>
  /** Texts of the scene, and what they stand for here: your own tenant, your DID. `standInsFor` makes them. */
  readonly stand_ins: Readonly<Record<string, string>>
  /** Told of each step when it is done. */
  done?(step: SceneStep): void
}

/** A role's organization, and the agent that calls for it. */
export interface SceneParty {
  readonly tenant_id: string
  readonly did: string
}

/** What the texts of scenes and examples stand for: the given parties, and times from now. */
export function standInsFor(
  parties: { readonly you: SceneParty } & Partial<Record<SceneRole, SceneParty>>,
  now_ms: number,
): Record<string, string> {
  const { you, partner, operator } = parties
  const { tenant, did, partner_tenant, partner_did, operator_tenant, operator_did, asset, ...times } =
    stand_ins
  const scene_now_ms = Date.parse(times.now)
  return {
    [tenant]: you.tenant_id,
    [did]: you.did,
    [asset]: asset.replace(tenant, you.tenant_id),
    ...(partner && { [partner_tenant]: partner.tenant_id, [partner_did]: partner.did }),
    ...(operator && { [operator_tenant]: operator.tenant_id, [operator_did]: operator.did }),
    ...Object.fromEntries(
      Object.values(times).map((time) => [
        time,
        new Date(now_ms + Date.parse(time) - scene_now_ms).toISOString(),
      ]),
    ),
  }
}

type KeyPair = { readonly publicKey: CryptoKey; readonly privateKey: CryptoKey }

/** Words such as a tenant's name are replaced only where they are the whole text. */
const id_length_min = 16

/** Plays all steps in order, and returns what fills an input in with the real values. */
export async function playScene(
  scene: readonly SceneStep[],
  cast: SceneCast,
): Promise<<Input>(input: Input) => Input> {
  const values = new Map(Object.entries(cast.stand_ins))
  const keys = new Map<string, CryptoKey>()
  const fill = <Input>(input: Input): Input => filled(input, values) as Input
  for (const step of scene) {
    if ('new_key' in step) {
      const pair = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as KeyPair
      keys.set(step.new_key, pair.privateKey)
      values.set(step.new_key, base64url(await crypto.subtle.exportKey('raw', pair.publicKey)))
    } else if ('sign' in step) {
      const key = keys.get(step.key)
      if (!key) throw new Error(`The scene signs with ${step.key}, but no earlier step makes this key.`)
      const text = new TextEncoder().encode(fill(step.sign))
      values.set(step.signature, base64url(await crypto.subtle.sign('Ed25519', key, text)))
    } else {
      const [, protocol, operation] = /^([^.]+)\.(.+)$/.exec(step.call) ?? []
      const { as: role = 'you' } = step
      const call = () => cast.call(role, protocol!, operation!, fill(step.input), fill(step.tenant_id))
      let output = await call()
      while (!has(output, fill(step.until ?? {}))) {
        await cast.pause()
        output = await call()
      }
      learn(step.answer, output, values)
    }
    cast.done?.(step)
  }
  return fill
}

function filled(value: unknown, values: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return filledText(value, values)
  if (Array.isArray(value)) return value.map((item) => filled(item, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [filledText(name, values), filled(item, values)]),
  )
}

function filledText(text: string, values: ReadonlyMap<string, string>): string {
  const whole = values.get(text)
  if (whole !== undefined) return whole
  let result = text
  for (const [stand_in, real] of values)
    if (stand_in.length >= id_length_min) result = result.replaceAll(stand_in, real)
  return result
}

/** Remembers the real value for each text of the expected answer. */
function learn(expected: unknown, real: unknown, values: Map<string, string>): void {
  if (typeof expected === 'string') {
    if (typeof real !== 'string') throw new Error(`The answer has no text where the scene has ${expected}.`)
    values.set(expected, real)
  } else if (typeof expected === 'object' && expected !== null)
    for (const [name, item] of Object.entries(expected)) learn(item, memberOf(real, name), values)
}

function has(real: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return real === expected
  return Object.entries(expected).every(([name, item]) => has(memberOf(real, name), item))
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}

function base64url(bytes: ArrayBuffer): string {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
