// The operations of MACS that change an identity: its keys, its document, its state.
import { operation } from '@svc/contract/protocol'
import { StateInput, StateOutput, setState } from './identity-state.ts'
import { RecoverInput, RecoverOutput, recoverKey } from './recover-key.ts'
import { RotateInput, RotateOutput, rotateKey } from './rotate-key.ts'
import { porter_derived, porter_did } from './scenes.ts'
import { UpdateInput, UpdateOutput, updateIdentity } from './update-identity.ts'

export const life_operations = {
  rotate_key: operation({
    summary: 'Change to the key that was committed to, and commit to the one after.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    essential: true,
    needs: ['custody', 'keys', 'publishIdentity', 'readIdentity'],
    input: RotateInput,
    output: RotateOutput,
    example: { agent_did: porter_did },
    scene: porter_derived,
    handle: rotateKey,
  }),

  recover_key: operation({
    summary: 'Give an identity a new key, as its parent or one of those it has named for that.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    essential: true,
    hands_on: true,
    needs: ['custody', 'keys', 'publishIdentity', 'readIdentity', 'workloads'],
    input: RecoverInput,
    output: RecoverOutput,
    example: { agent_did: porter_did },
    scene: porter_derived,
    handle: recoverKey,
  }),

  update_identity: operation({
    summary: 'Change name, capabilities or endpoints in the document of yourself or a descendant.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    essential: true,
    hands_on: true,
    needs: ['authority', 'custody', 'publishIdentity', 'readIdentity'],
    input: UpdateInput,
    output: UpdateOutput,
    example: { agent_did: porter_did, name: 'Porter of the east gate' },
    scene: porter_derived,
    handle: updateIdentity,
  }),

  set_state: operation({
    summary: 'Suspend, resume or revoke an identity with all its descendants.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    essential: true,
    needs: ['charter', 'identity_states'],
    input: StateInput,
    output: StateOutput,
    example: { agent_did: porter_did, state: 'suspended', reason: 'It answers strangers.' },
    scene: porter_derived,
    handle: setState,
  }),
}
