// How many calls and requests for access wait for the signed-in person. Matters of the institutions are not among them:
// they are seven readings, which the figures of a small organization would be full of.
import { counted_max } from '../parts/count-badge.tsx'
import { useOperation } from './use-operation.ts'
import { useSession } from './use-session.tsx'

const refresh = { refresh_ms: 30_000 }

export function useWaiting(): { readonly calls: number; readonly requests: number } {
  const { did } = useSession()
  const calls = useOperation('MAXIM', 'approvals', { state: 'PENDING', limit: counted_max }, refresh)
  const requests = useOperation('MACS', 'access_requests', { side: 'to_decide', state: 'OPEN' }, refresh)
  return {
    calls: calls.answer?.items.filter(({ may_decide }) => may_decide).length ?? 0,
    requests: requests.answer?.items.filter(({ agent_did }) => agent_did !== did).length ?? 0,
  }
}
