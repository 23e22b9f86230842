// Planted bugs of witnesses and checkpoints.
import type { PlantedBug } from './planted-bug.ts'

const part = 'witness'

export const witness_bugs: readonly PlantedBug[] = [
  {
    name: 'a witness does not check the proof',
    part,
    file: 'audit/witness/witness.ts',
    old_text: '  return is_proved ? undefined',
    new_text: '  return is_proved || cosigned.size > 0 ? undefined',
  },
  {
    name: 'two submissions to a witness are not one after the other',
    part,
    file: 'audit/witness/witness.ts',
    old_text: 'WHERE witness_name = $1 AND origin = $2 FOR UPDATE',
    new_text: 'WHERE witness_name = $1 AND origin = $2',
  },
  {
    name: 'a witness answers though its commit is unknown',
    part,
    file: 'database/pooled.ts',
    old_text: "await query('commit')",
    new_text: "await query('commit').catch(() => ({ command: 'COMMIT' }))",
  },
  {
    name: 'a turn is taken while the lease of another engine lasts',
    part,
    file: 'audit/witness/witness-store.ts',
    old_text: '(fed_by = $3 OR fed_until IS NULL OR fed_until < now())',
    new_text: '(fed_by = $3 OR fed_until IS NULL OR fed_until IS NOT NULL)',
  },
  {
    name: 'the checkpoint is signed for the tree before the batch',
    part,
    file: 'audit/writer/commit.ts',
    old_text: '  const root = rootOf(chain.frontier)\n',
    new_text: '  const root = rootOf(chain.frontier.slice(0, -1))\n',
  },
]
