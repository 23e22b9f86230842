const good = new Set(['ACTIVE', 'PASSED', 'REMEDIED', 'SETTLED', 'EXECUTED', 'READY_TO_SEAL'])
const bad = new Set(['SUSPENDED', 'TERMINATED', 'FAILED', 'NO_QUORUM', 'BLOCKED', 'DEFAULTED', 'IMPOSSIBLE'])

/** The state of an institution, in words and colour. */
export function StandingMark({ state }: { state: string }) {
  const kind = good.has(state) ? 'good' : bad.has(state) ? 'bad' : 'neutral'
  return <span className={`mark ${kind}`}>{state}</span>
}
