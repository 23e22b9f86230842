// What comes before the examples of MAVEN: a signed claim.
import type { SceneStep } from '@svc/contract/scene'

export const claim_ref = `maven://claim/${'c1'.repeat(32)}`

export const pump_runs = {
  claim: { subject: 'Pump 7', predicate: 'status', object: 'running' },
  evidence: [
    { content: 'Pressure 4.1 bar, 1450 rpm, 09:00.', media_type: 'text/plain', stance: 'supports' as const },
  ],
  confidence: 0.95,
  topic: 'pumps',
  valid_from: '2026-11-01T09:00:00Z',
  method: 'measurement' as const,
}

export const claim_attested: readonly SceneStep[] = [
  { call: 'MAVEN.attest', input: pump_runs, answer: { claim_ref } },
]
