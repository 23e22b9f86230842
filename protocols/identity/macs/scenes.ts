// Scenes of MACS: what comes before a proof of identity.
import { type SceneStep, stand_ins } from '@svc/contract/scene'

export const session_id = '5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'
export const session_negotiated: readonly SceneStep[] = [
  {
    call: 'MACS.auth_negotiation',
    input: { profile: 'DidAuth', challenge_kind: 'Nonce' },
    answer: { session_id },
  },
]

export const courier_proof = {
  challenge_id: 'c41d6b0e-52f7-4a1b-8d0c-3f6a9e2b7d15',
  agent_did: `did:oas:acme:agent:${'d9'.repeat(32)}`,
  public_key: 'R7tq2Xw0Vb8mKc5Zn1Ls4Hd6Jf9Gp3Qy7Te0Au2Ix8w',
  signature: `${'yT5hJ8kN2vB4cX7zQ1wE6rU9iO3pA0sD5fG8'.repeat(2)}hJ2kL4mN6bV8cA`,
}
const courier = {
  entity_kind: 'Agent',
  label: 'courier',
  custody: 'client',
  child_public_key: courier_proof.public_key,
}
const document_text = 'The identity document of the courier, as it is to be signed.'
const document_proof = `${'qW3eR6tY9uI2oP5aS8dF1gH4jK7lZ0xC3vB6'.repeat(2)}nM9qW2eR5tY8uI`
const challenge_text = 'The challenge, as it is to be signed.'
/** A new agent whose key only its owner has: it signs its document, and then a challenge. */
export const challenge_signed: readonly SceneStep[] = [
  { new_key: courier_proof.public_key },
  {
    call: 'MACS.derive',
    input: courier,
    answer: { did: courier_proof.agent_did, document_signing_input: document_text },
  },
  { sign: document_text, key: courier_proof.public_key, signature: document_proof },
  { call: 'MACS.derive', input: { ...courier, document_proof } },
  {
    call: 'MACS.auth_negotiation',
    input: { profile: 'DidAuth', challenge_kind: 'Nonce', agent_did: courier_proof.agent_did },
    answer: { session_id },
  },
  {
    call: 'MACS.generate_challenge',
    input: { session_id },
    answer: { challenge_id: courier_proof.challenge_id, signing_input: challenge_text },
  },
  { sign: challenge_text, key: courier_proof.public_key, signature: courier_proof.signature },
]

export const example_key_id = 'k4m7p2qx'
export const key_made: readonly SceneStep[] = [
  { call: 'MACS.create_key', input: { label: 'old laptop' }, answer: { key_id: example_key_id } },
]

export const porter_did = `did:oas:acme:agent:${'b7'.repeat(32)}`
export const porter_derived: readonly SceneStep[] = [
  {
    call: 'MACS.derive',
    input: { entity_kind: 'Agent', label: 'porter', name: 'Porter' },
    answer: { did: porter_did },
  },
]

export const example_workload = {
  agent_did: stand_ins.did,
  issuer: 'https://token.actions.githubusercontent.com',
  audience: 'https://svc.acme.example',
  claims: { repository: ['acme/app'], ref: ['refs/heads/main'] },
}
export const example_workload_id = '4b7d0c92ae'
export const workload_added: readonly SceneStep[] = [
  { call: 'MACS.add_workload', input: example_workload, answer: { workload_id: example_workload_id } },
]

export const people_needed = 'You have the role administrator, and a colleague who signs in as ada.'
export const request_needed =
  'You have the role administrator, and a colleague who signs in as ada has asked for the role finance.'
export const example_request = '3b9d4a7e-0c52-4f6d-8a11-7e2c5d9f4b60'
export const access_requested: readonly SceneStep[] = [
  {
    call: 'MACS.access_requests',
    input: { side: 'to_decide', state: 'OPEN' },
    answer: { items: [{ request_id: example_request }] },
  },
]
export const colleague_login = 'ada'
export const example_invitation = '0d4a1c7e-6b1f-4f0a-9a37-2f6e8c1d5b90'
export const invited: readonly SceneStep[] = [
  {
    call: 'MACS.invite',
    input: { name: 'Ada Lovelace', roles: ['viewer'] },
    answer: { invitation_id: example_invitation },
  },
]
