// The names of this organization's agents, for lists that show who called.
import { useMemo } from 'react'
import { useOperation } from '../../shell/use-operation.ts'

export function useNames(): ReadonlyMap<string, string> {
  const { answer } = useOperation('MACS', 'list', { limit: 100 })
  return useMemo(
    () => new Map((answer?.items ?? []).flatMap(({ did, name }) => (name ? [[did, name] as const] : []))),
    [answer],
  )
}
