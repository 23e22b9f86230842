// The operations of MACS by which agents make, list and end keys.
import { operation } from '@svc/contract/protocol'
import {
  CreateKeyInput,
  CreateKeyOutput,
  createKey,
  ListKeysInput,
  ListKeysOutput,
  listKeys,
  RevokeKeyInput,
  RevokeKeyOutput,
  revokeKey,
} from './agent-keys.ts'
import { example_key_id, key_made } from './scenes.ts'

export const key_operations = {
  create_key: operation({
    summary: 'Make an API key for yourself or a descendant, that may never do more than its agent.',
    effect: 'write',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    keep_input: false,
    secret_output: true,
    hands_on: true,
    needs: ['authority', 'keys'],
    input: CreateKeyInput,
    output: CreateKeyOutput,
    example: {
      label: 'night shift',
      capabilities: ['svc.macs.list'],
      networks: ['10.0.0.0/8'],
      weekly_budget_usd: '5',
    },
    handle: createKey,
  }),

  list_keys: operation({
    summary: 'List the API keys and sessions of yourself or a descendant.',
    effect: 'read',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    needs: ['authority', 'budgets', 'keys'],
    input: ListKeysInput,
    output: ListKeysOutput,
    example: { limit: 10 },
    handle: listKeys,
  }),

  revoke_key: operation({
    summary: 'Revoke an API key or end a session, of yourself, a descendant, or one that you made.',
    effect: 'write',
    level: 'L0',
    meters: ['seconds'],
    essential: true,
    needs: ['authority', 'keys'],
    input: RevokeKeyInput,
    output: RevokeKeyOutput,
    example: { key_id: example_key_id, reason: 'not used any more' },
    scene: key_made,
    handle: revokeKey,
  }),
}
