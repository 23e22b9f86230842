// Root keys that no database holds, for tests of what is sealed by them.
import { RootKeys } from './root-keys.ts'
import { deriveKey } from './seal.ts'

/** The same for the same seed. */
export function testRootKeys(seed: Uint8Array = Buffer.alloc(32, 7)): RootKeys {
  const keys = new Map([[1, deriveKey(seed, 'seal')]])
  return new RootKeys({ current: 1, keys, index_key: deriveKey(seed, 'index') })
}
