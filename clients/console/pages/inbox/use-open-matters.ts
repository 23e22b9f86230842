import { useMemo } from 'react'
import { useOperation } from '../../shell/use-operation.ts'
import { useSession } from '../../shell/use-session.tsx'
import { type OpenMatter, openMatters } from './open-matters.ts'

const limit = 100
/** They wait for days, and each reading is a call that is recorded. */
const refresh = { refresh_ms: 300_000 }

/** Only of what this person may list. */
export function useOpenMatters(): { readonly matters: readonly OpenMatter[]; readonly is_waiting: boolean } {
  const { tenant_id } = useSession()
  const convened = useOperation('MACE', 'list', { state: 'CONVENED', limit }, refresh)
  const open = useOperation('MACE', 'list', { state: 'OPEN', limit }, refresh)
  const proposed = useOperation('MOAT', 'list', { state: 'PROPOSED', limit }, refresh)
  const partly_signed = useOperation('MOAT', 'list', { state: 'PARTIALLY_SIGNED', limit }, refresh)
  const filed = useOperation('MOOT', 'list', { state: 'FILED', role: 'respondent', limit }, refresh)
  const heard = useOperation('MOOT', 'list', { state: 'HEARD', role: 'venue', limit }, refresh)
  const waiting = useOperation('MOON', 'list', { kind: 'runs', state: 'waiting', limit }, refresh)
  const matters = useMemo(
    () =>
      openMatters(
        {
          motions: [...(convened.answer?.items ?? []), ...(open.answer?.items ?? [])],
          treaties: [...(proposed.answer?.items ?? []), ...(partly_signed.answer?.items ?? [])],
          cases: [...(filed.answer?.items ?? []), ...(heard.answer?.items ?? [])],
          runs: waiting.answer?.runs ?? [],
        },
        tenant_id,
      ),
    [
      tenant_id,
      convened.answer,
      open.answer,
      proposed.answer,
      partly_signed.answer,
      filed.answer,
      heard.answer,
      waiting.answer,
    ],
  )
  const lists = [convened, open, proposed, partly_signed, filed, heard, waiting]
  return { matters, is_waiting: lists.some(({ is_waiting, answer }) => is_waiting && !answer) }
}
