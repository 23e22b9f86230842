// Run as a separate process by a test: archives and restores pages for ever, and reports each step until it is killed.
import { system_clock } from '@svc/adapters/clock/system'
import { fileStore } from '@svc/adapters/log-archive/file-store'
import { openStore } from '@svc/adapters/store/postgres'
import { archiveBatch } from '@svc/audit/archive/archive-pages'
import { pageStore } from '@svc/audit/archive/page-store'
import { restorePages } from '@svc/audit/archive/restore-pages'

const [url, folder] = process.argv.slice(2)
if (!url || !folder) throw new Error('moving-pages.ts <database> <folder>')
const quiet = { debug() {}, info() {}, warn() {}, error() {} }
const { engine } = await openStore({ url, log: quiet, connect_ms_max: 60_000 })
const objects = fileStore(folder, system_clock)
const step = (name: string) => process.stdout.write(`${name}\n`)
const pages = pageStore({
  place: folder,
  async put(name, bytes) {
    step('put')
    await objects.put(name, bytes)
    step('stored')
  },
  async get(name, bytes_max) {
    step('get')
    return await objects.get(name, bytes_max)
  },
})
const older_than = new Date('2100-01-01T00:00:00Z')
for (;;) {
  const { claimed } = await archiveBatch(engine, pages, { older_than, claim_s: 0 })
  step(`archived ${claimed}`)
  for await (const batch of restorePages(engine, pages, {})) step(`restored ${batch.pages}`)
}
