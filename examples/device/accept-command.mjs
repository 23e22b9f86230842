import { createPublicKey, verify } from 'node:crypto'

const canonical = (value) =>
  Object(value) === value && !Array.isArray(value)
    ? `{${Object.keys(value)
        .sort()
        .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)
        .join()}}`
    : JSON.stringify(value)

/** The command, or undefined where the device must not execute it. `keys`: public keys by key_id. */
export function acceptCommand(topic, payload, { keys, version, now_ms }) {
  try {
    const { sig, ...command } = JSON.parse(payload)
    if (!Object.hasOwn(keys, command.key_id)) return undefined
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: keys[command.key_id] }
    const key = createPublicKey({ key: jwk, format: 'jwk' })
    const text = `svc-command-v1\n${canonical({ ...command, topic })}`
    const is_late = command.expires_at !== undefined && !(Date.parse(command.expires_at) > now_ms)
    if (!verify(null, Buffer.from(text), key, Buffer.from(sig, 'base64url'))) return undefined
    return is_late || !(command.version > version) ? undefined : command
  } catch {
    return undefined
  }
}
