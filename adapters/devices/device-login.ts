// How a device authenticates to a broker: a short-lived token signed by its own key, so no secret of it is stored.
import { deviceName } from '@svc/contract/needs/devices'
import { verifyJws } from '@svc/contract/signing/jws'

const audience = 'svc-mqtt'
const lifetime_s_max = 86_400
const ahead_s_max = 60

/** The DID of the device if the password is its own valid token for one of our brokers. */
export function deviceOfLogin(name: string, password: string, now_ms: number): string | undefined {
  const verified = verifyJws(password)
  if (!verified || deviceName(verified.did) !== name) return undefined
  const { aud, iat, exp } = verified.payload
  if (aud !== audience || typeof iat !== 'number' || typeof exp !== 'number') return undefined
  const now_s = now_ms / 1000
  const is_now = iat <= now_s + ahead_s_max && exp > now_s && exp - iat <= lifetime_s_max
  return is_now ? verified.did : undefined
}
