// What the auditor pasted, stored only in this browser and never sent to the engine.
import { useMemo, useState } from 'react'
import { useSession } from '../../shell/use-session.tsx'
import { no_trust, readTrust, type Trust, type TrustTexts } from './trust.ts'

export interface StoredTrust {
  readonly texts: TrustTexts
  readonly trust: Trust
  keep(texts: TrustTexts): void
}

export function useTrust(): StoredTrust {
  const { tenant_id } = useSession()
  const place = `svc-trust:${tenant_id}`
  const [texts, setTexts] = useState(() => kept(place))
  const trust = useMemo(() => readTrust(texts), [texts])
  const keep = (changed: TrustTexts) => {
    localStorage.setItem(place, JSON.stringify(changed))
    setTexts(changed)
  }
  return { texts, trust, keep }
}

function kept(place: string): TrustTexts {
  try {
    const stored = Object(JSON.parse(localStorage.getItem(place) ?? '{}'))
    const texts = Object.entries(no_trust).map(([field, nothing]) => [
      field,
      typeof stored[field] === 'string' ? stored[field] : nothing,
    ])
    return Object.fromEntries(texts)
  } catch {
    return no_trust
  }
}
