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
  {
    name: 'bytes leave PostgreSQL before the archive was read back',
    part,
    file: 'audit/archive/archive-pages.ts',
    old_text: '  const stored = await store.get(page)\n  if (!stored?.equals(bytes))\n',
    new_text: '  if (bytes.length === 0)\n',
  },
  {
    name: 'what the archive returns is not compared with its hash',
    part,
    file: 'audit/archive/page-store.ts',
    old_text: "return bytes && hash('sha256', bytes) === sha256 ? bytes : undefined",
    new_text: 'return bytes',
  },
  {
    name: 'a page is filled without the last record of the tail',
    part,
    file: 'audit/pages/open-pages.ts',
    old_text: 'completePage([...open.records, ...of_page], open.latest_before_ms)',
    new_text:
      'completePage([...open.records.slice(0, -1), ...of_page, of_page.at(-1)!].slice(0, 256), open.latest_before_ms)',
  },
  {
    name: 'an archived object is not synced',
    part,
    file: 'adapters/log-archive/file-store.ts',
    old_text: '    await file.sync()\n',
    new_text: '',
  },
  {
    name: 'an archive that is not mounted counts as one without the page',
    part,
    file: 'audit/archive/page-store.ts',
    old_text: 'if (bytes === undefined && !(await isArchive())) throw noArchive(objects)',
    new_text: '',
  },
  {
    name: 'a page that is back is restored again',
    part,
    file: 'audit/archive/restore-pages.ts',
    old_text: ' AND bytes IS NULL`.execute(db)',
    new_text: '`.execute(db)',
  },
  {
    name: 'the folder of an archived object is not synced where it is new',
    part,
    file: 'adapters/log-archive/file-store.ts',
    old_text: 'await syncNames(path, folder)',
    new_text: 'await syncFolder(dirname(path))',
  },
]
