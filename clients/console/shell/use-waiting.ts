// How many calls and requests for access wait for the signed-in person. Matters of the institutions are not among them:
// they are seven readings, which the figures of a small organization would be full of.
import { useOperation } from './use-operation.ts'
import { useSession } from './use-session.tsx'

export const counted_max = 100
const refresh = { refresh_ms: 30_000 }

export function useWaiting(): number {
  const { did } = useSession()
  const calls = useOperation('MAXIM', 'approvals', { state: 'PENDING', limit: counted_max }, refresh)
  const requests = useOperation('MACS', 'access_requests', { side: 'to_decide', state: 'OPEN' }, refresh)
  return (
    (calls.answer?.items.filter(({ may_decide }) => may_decide).length ?? 0) +
    (requests.answer?.items.filter(({ agent_did }) => agent_did !== did).length ?? 0)
  )
}
