// What the stages and the operations stand on besides rows: limits, money, law, news, devices, figures and faculties.
import { tenantTiers } from '@svc/adapters/access/tenant-tiers'
import { databaseNews } from '@svc/adapters/news/database-news'
import { databaseRoster } from '@svc/adapters/roster/database-roster'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Prometheus } from '@svc/adapters/telemetry/prometheus'
import type { Book } from '@svc/audit/book'
import type { Clock, Log } from '@svc/engine/ports'
import { openCognition } from '../background/cognition.ts'
import { openDevices } from '../background/devices.ts'
import { openGovernance } from '../background/governance.ts'
import { openMail } from '../background/mail.ts'
import { openVitals } from '../background/telemetry.ts'
import { openTreasury } from '../background/treasury.ts'
import type { Config } from '../settings/config.ts'
import { openFaculties } from './faculties.ts'
import { openLimiter } from './limiter.ts'

interface Parts {
  readonly store: PostgresStore
  readonly book: Book
  readonly meters: Prometheus
  readonly clock: Clock
  readonly log: Log
}

export async function openMeans(config: Config, parts: Parts, closing: (() => Promise<unknown>)[]) {
  const { store, book, meters, clock, log } = parts
  const db = store.engine
  const limiter = await openLimiter(config, { clock, log, db, meters }, closing)
  const tiers = tenantTiers(db, clock)
  const money = await openTreasury(config, { store, book, meters, log, clock, tiers }, closing)
  const governance = await openGovernance(config, { db, book, clock, log }, closing)
  const news = databaseNews(db, log)
  closing.push(() => news.close())
  const devices = await openDevices(config, { db, clock, news, log }, closing)
  const vitals = openVitals(config, { db, clock, meters, log }, closing)
  const roster = databaseRoster(db)
  const faculties = { ...openFaculties(config, clock, news, devices, closing), vitals, roster }
  openMail({ db, clock, log }, closing)
  openCognition(config, { db, clock, faculties, log }, closing)
  return { limiter, tiers, money, governance, news, devices, vitals, faculties }
}
