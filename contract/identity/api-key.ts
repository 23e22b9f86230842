// API keys: svc_<live|test>_<8 char id>_<43 char secret>. Only the sha256 of the secret is ever stored.
import { sha256Bytes } from '../signing/canonical-json.ts'

const key_form = /^svc_(live|test)_([a-z0-9]{8})_([A-Za-z0-9_-]{43})$/

export interface PresentedKey {
  readonly key_id: string
  readonly secret_hash: Buffer
}

export function parseApiKey(key: string): PresentedKey | undefined {
  const parts = key_form.exec(key)
  return parts ? { key_id: parts[2]!, secret_hash: hashSecret(parts[3]!) } : undefined
}

export function formatApiKey(mode: 'live' | 'test', key_id: string, secret: string): string {
  return `svc_${mode}_${key_id}_${secret}`
}

export function hashSecret(secret: string): Buffer {
  return sha256Bytes(secret)
}
