// What comes before the examples of MACE: a council of its sole charter member.
import { type SceneStep, stand_ins } from '@svc/contract/scene'

export const motion_id = '7d4b3c1e-52a9-4f06-9e3b-1c8f6a2d5e70'

export const archive_motion = {
  motion: { title: 'Open the archive', text: 'Open the archive of 2026 to all our agents.' },
  quorum: 'supermajority' as const,
  deadline_ms: 86_400_000,
  composition_rules: { min_delegates: 1, must_include_did: stand_ins.did },
}

export const archive_vote = {
  motion_id,
  position: 'for' as const,
  reasoning: 'The archive contains only what we published already.',
}

export const council_convened: readonly SceneStep[] = [
  { call: 'MACE.convene', input: archive_motion, answer: { motion_id } },
]

export const council_voted: readonly SceneStep[] = [
  ...council_convened,
  { call: 'MACE.deliberate', input: archive_vote },
]
