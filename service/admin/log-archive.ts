// svc-engine admin log: where the pages of the audit logs are, and moving them by hand.
import { operatorTenant } from '@svc/adapters/access/operator-tenant'
import { openPageStore } from '@svc/adapters/log-archive/open-page-store'
import { archiveBatch, countLag } from '@svc/audit/archive/archive-pages'
import { logStates } from '@svc/audit/archive/archive-state'
import { checkLog, logsAfter } from '@svc/audit/archive/check-log'
import type { PageStore } from '@svc/audit/archive/page-store'
import {
  checkArchive,
  type PageSelection,
  restorePages,
  type WalkedBatch,
} from '@svc/audit/archive/restore-pages'
import { unmergedPages } from '@svc/audit/pages/unmerged-pages'
import { readArchiveSettings } from '../settings/archive-settings.ts'
import { ConfigError } from '../settings/config-error.ts'
import { positive } from '../settings/setting-types.ts'
import { type Noun, requireTenant, type Work } from './command.ts'
import { reasonOf } from './finding.ts'
import { recordChange } from './record.ts'
import type { Said } from './say.ts'
import { moreAfter } from './tenants.ts'

const day_ms = 86_400_000
const claim_s = 60
const mib = 1024 * 1024

export const log_archive: Noun = {
  '': {
    usage: 'log [--tenant T ...] [--after ID]',
    summary: 'where the pages of each audit log are: in PostgreSQL or in the archive, and what is late',
    takes: ['tenant', 'after'],
    async run(work) {
      const { store, target, operator, values } = work
      await requireTenants(work)
      const settings = readArchiveSettings(target.read)
      const hot_ms = (settings?.hot_days ?? Number.POSITIVE_INFINITY) * day_ms
      const older_than = new Date(Math.max(0, operator.clock.now_ms() - hot_ms))
      const { tenant: tenant_ids, after } = values
      const rows = await logStates(store.engine, older_than, { tenant_ids, after })
      const columns = ['tenant_id', 'pages', 'archived', 'tail_records', 'hot_bytes', 'oldest_hot', 'lag']
      const more = moreAfter(rows, 'tenant_id')
      const note = settings
        ? `Pages older than ${settings.hot_days} days go to the archive; lag counts those that have not.`
        : 'No archive is set (SVC_LOG_ARCHIVE), so all pages stay in PostgreSQL.'
      return { rows, columns, note, ...more }
    },
  },
  archive: {
    usage: 'log archive [--older-than DAYS] [--tenant T ...]',
    summary: 'moves pages into the archive now; without --older-than those older than SVC_LOG_HOT_DAYS',
    takes: ['older-than', 'tenant'],
    run: archive,
  },
  restore: {
    usage: 'log restore [--tenant T ...] [--from TIME] [--to TIME]',
    summary: 'brings pages back into PostgreSQL for SVC_LOG_HOT_DAYS; the archive keeps its copies',
    takes: ['tenant', 'from', 'to'],
    async run(work) {
      const { pages } = await openPages(work)
      const selection = readSelection(work)
      const { tenant_ids = null, from, to } = selection
      await recordMove(work, 'log restore', {
        tenants: tenant_ids,
        from: from?.toISOString() ?? null,
        to: to?.toISOString() ?? null,
      })
      const result = await walked(work, 'Restored', restorePages(work.store.engine, pages, selection))
      return resultOf(result, 'restored')
    },
  },
  check: {
    usage: 'log check [--tenant T ...] [--from TIME] [--to TIME]',
    summary:
      'recomputes every record, summary and tree of the logs, archived pages included; with a time, only reads archived pages. Exit code 1 where something is missing or altered',
    takes: ['tenant', 'from', 'to'],
    async run(work) {
      await requireTenants(work)
      const selection = readSelection(work)
      if (!selection.from && !selection.to) return await checkLogs(work)
      const { pages } = await openPages(work)
      const result = await walked(work, 'Checked', checkArchive(work.store.engine, pages, selection))
      return resultOf(result, 'checked')
    },
  },
  merge: {
    usage: 'log merge [--tenant T ...]',
    summary:
      'pages that stay unmerged: records that were changed before their page was full are kept as evidence',
    takes: ['tenant'],
    async run(work) {
      await requireTenants(work)
      work.terminal.progress?.('Looking for unmerged pages')
      const rows = await unmergedPages(work.store.engine, work.values.tenant, (looked_at, of) =>
        work.terminal.progress?.(`Looked at ${looked_at} of ${of} unmerged pages`),
      )
      const note = rows.length
        ? 'They are read and verified where they are; export the log and compare it with a checkpoint.'
        : 'Every full page is merged: engines do so when the last record of a page is written.'
      return {
        rows,
        columns: ['tenant_id', 'first_seq', 'last_seq', 'reason'],
        note,
        exit: rows.length ? 1 : 0,
      }
    },
  },
}

async function archive(work: Work): Promise<Said> {
  const { store, operator, values } = work
  const { pages, hot_days } = await openPages(work)
  const days = readDays(values['older-than']) ?? hot_days
  const { tenant: tenant_ids } = values
  await recordMove(work, 'log archive', { tenants: tenant_ids ?? null, older_than_days: days })
  const older_than = new Date(operator.clock.now_ms() - days * day_ms)
  const progress = progressOf(work, 'Archived')
  const altered: object[] = []
  for (;;) {
    const batch = await archiveBatch(store.engine, pages, { older_than, tenant_ids, claim_s })
    if (batch.claimed === 0) break
    altered.push(...batch.altered)
    progress.add(batch)
  }
  const left = tenant_ids ? undefined : await countLag(store.engine, older_than)
  const row = {
    archived: progress.pages,
    bytes: progress.bytes,
    altered,
    ...(left !== undefined && { left }),
  }
  const why = 'Those left were altered in PostgreSQL, or another engine is archiving them.'
  return { rows: [row], ...(left && { note: why }), exit: altered.length ? 1 : 0 }
}

interface Progress {
  pages: number
  bytes: number
  add(batch: { readonly pages: number; readonly bytes: number }): void
}

function progressOf({ terminal }: Work, verb: string): Progress {
  const progress: Progress = {
    pages: 0,
    bytes: 0,
    add({ pages, bytes }) {
      this.pages += pages
      this.bytes += bytes
      terminal.progress?.(`${verb} ${this.pages} pages, ${(this.bytes / mib).toFixed(1)} MiB`)
    },
  }
  // The first batch may take long.
  progress.add({ pages: 0, bytes: 0 })
  return progress
}

interface Walked extends Pick<Progress, 'pages' | 'bytes'> {
  readonly unreadable: WalkedBatch['unreadable']
}

async function walked(work: Work, verb: string, batches: AsyncIterable<WalkedBatch>): Promise<Walked> {
  const progress = progressOf(work, verb)
  const unreadable: WalkedBatch['unreadable'][number][] = []
  for await (const batch of batches) {
    unreadable.push(...batch.unreadable)
    progress.add(batch)
  }
  return { pages: progress.pages, bytes: progress.bytes, unreadable }
}

async function checkLogs(work: Work): Promise<Said> {
  const { store, target } = work
  const pages = readArchiveSettings(target.read) ? (await openPages(work)).pages : undefined
  const figures = { pages: 0, bytes: 0 }
  const unreadable: WalkedBatch['unreadable'][number][] = []
  const invalid: string[] = []
  let records = 0
  for await (const tenant_id of logsOf(work)) {
    work.terminal.progress?.(`Checking the log of ${tenant_id}; ${records} records of others are checked`)
    const log = await checkLog(store.engine, pages, tenant_id)
    records += log.records
    unreadable.push(...log.unreadable)
    if (log.first_bad_seq !== undefined) invalid.push(`${tenant_id} from record ${log.first_bad_seq} on`)
    figures.pages += log.pages
    figures.bytes += log.bytes
  }
  const result = resultOf({ ...figures, unreadable }, 'checked')
  const rows = [{ ...result.rows[0], records, invalid }]
  if (invalid.length === 0) return { ...result, rows }
  const advice =
    'Somebody changed these logs where they are stored. Change nothing, and compare them with a checkpoint.'
  return { note: advice, ...result, rows, exit: 1 }
}

async function* logsOf({ store, values }: Work): AsyncGenerator<string> {
  if (values.tenant) {
    yield* values.tenant
    return
  }
  for (let names = await logsAfter(store.engine, ''); names.length > 0; ) {
    yield* names
    names = await logsAfter(store.engine, names.at(-1)!)
  }
}

function resultOf({ pages, bytes, unreadable }: Walked, name: string): Said {
  const missing = unreadable.map(({ tenant_id, page, sha256 }) => `${tenant_id} page ${page} (${sha256})`)
  const advice =
    'Copy these objects back from a backup of the archive; until then their records are unreadable.'
  return {
    rows: [{ [name]: pages, bytes, unreadable: missing }],
    ...(missing.length > 0 && { note: advice }),
    exit: missing.length ? 1 : 0,
  }
}

/** What the archive refuses is a sentence for the operator, not a bug. */
async function openPages({ target, operator }: Work): Promise<{ pages: PageStore; hot_days: number }> {
  const settings = readArchiveSettings(target.read)
  if (!settings)
    throw new ConfigError('No archive is set; set SVC_LOG_ARCHIVE as the engine has it, and try again.')
  const pages = openPageStore(settings.place, operator.clock)
  const inWords = (error: unknown): never => {
    throw new ConfigError(
      `The archive ${pages.place} failed (${reasonOf(error)}); nothing was lost, so put it right and run the command again.`,
    )
  }
  const in_words: PageStore = {
    place: pages.place,
    isArchive: () => pages.isArchive().catch(inWords),
    prepare: (hasPages) => pages.prepare(hasPages).catch(inWords),
    put: (page, bytes) => pages.put(page, bytes).catch(inWords),
    get: (page) => pages.get(page).catch(inWords),
  }
  return { pages: in_words, hot_days: settings.hot_days }
}

async function requireTenants({ store, values }: Work): Promise<void> {
  for (const tenant_id of values.tenant ?? []) await requireTenant(store.engine, tenant_id)
}

/** Before the work: a command that is interrupted has moved pages too. */
async function recordMove(work: Work, command: string, meta: Record<string, unknown>): Promise<void> {
  const { store, operator, values } = work
  await requireTenants(work)
  await store.engine.transaction(async (trx) => {
    const operator_tenant = await operatorTenant(trx)
    if (operator_tenant === undefined)
      throw new ConfigError('No engine has run on this database yet; start it once.')
    for (const tenant_id of values.tenant ?? [operator_tenant])
      await recordChange(trx, operator, { tenant_id, command, meta })
  })
}

function readSelection({ values }: Work): PageSelection {
  return { tenant_ids: values.tenant, from: readTime('from', values.from), to: readTime('to', values.to) }
}

function readTime(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const moment = new Date(text)
  if (!Number.isNaN(moment.getTime())) return moment
  throw new ConfigError(`--${name} is ${text}; it must be a time such as 2026-11-15 or 2026-11-15T10:00:00Z.`)
}

function readDays(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const days = text === '0' ? 0 : positive.parse(text, '--older-than')
  if (days !== undefined) return days
  throw new ConfigError(`--older-than is ${text}; it must be a number of days.`)
}
