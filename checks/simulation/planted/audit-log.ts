// Planted bugs of journal and chain writer.
import type { PlantedBug } from './planted-bug.ts'

const part = 'audit-log'

export const audit_log_bugs: readonly PlantedBug[] = [
  {
    name: 'the position advances before the commit is known',
    part,
    file: 'audit/writer/chain-writer.ts',
    old_text:
      '    const commit = await commitBatch(this.#writer(client), this.#batchOf(read, take_outbox))\n',
    new_text: `    const batch = this.#batchOf(read, take_outbox)
    this.#advance()
    const commit = await commitBatch(this.#writer(client), batch)\n`,
  },
  {
    name: 'an unknown commit is repeated without looking',
    part,
    file: 'audit/writer/chain-writer.ts',
    old_text: `comparePositions(position, this.#target) === 0) {
      this.#advance()`,
    new_text: `comparePositions(position, this.#target) === 0) {
      this.#committed = position`,
  },
  {
    name: 'no sync before acknowledging in mode always',
    part,
    file: 'audit/journal/sync-schedule.ts',
    old_text: "if (this.#mode === 'always') return this.now()",
    new_text: "if (this.#mode === 'always') this.now().catch(() => {})",
  },
  {
    name: 'a writer whose journal another has moved on commits anyway',
    part,
    file: 'audit/writer/chain-writer.ts',
    old_text: `      throw new Fenced(\`another engine has written the audit journal in \${dir} on; this one must stop\`)
`,
    new_text: '      this.#committed = position\n',
  },
  {
    name: 'a torn tail is taken for damage',
    part,
    file: 'audit/journal/journal-reader.ts',
    old_text: '    if (hasFrameAfter(rest, 0)) throw',
    new_text: '    if (hasFrameAfter(rest, 0) || rest.length > 0) throw',
  },
  {
    name: 'a turn is acknowledged though its frame was not written',
    part,
    file: 'audit/journal/turn.ts',
    old_text: '      turn.error ??= error as Error\n',
    new_text: '      if (!(error instanceof Error)) turn.error ??= error as Error\n',
  },
  {
    name: 'the segment of the committed position is deleted',
    part,
    file: 'audit/journal/journal.ts',
    old_text: 'if (segment >= committed.segment || segment === this.#segment) continue',
    new_text: 'if (segment > committed.segment || segment === this.#segment) continue',
  },
  {
    name: "a journal's id is not synced",
    part,
    file: 'audit/journal/journal-directory.ts',
    old_text: '    syncPath(draft)\n',
    new_text: '',
  },
]
