// Steps that fill, archive, restore and read pages, and the faults of the archive.
import { page_records } from '../../../audit/pages/page.ts'
import type { Random } from '../random.ts'
import type { Step } from '../scenario.ts'
import { type AuditLogState, openEngine, record } from './state.ts'

const day_ms = 86_400_000
/** A move takes more of them than a step of its own gets. */
const moving_tasks_max = 80

export const move_steps: readonly Step<AuditLogState>[] = [
  { name: 'append many', weight: 16, run: appendMany },
  { name: 'archive old pages', weight: 6, run: archiveOld },
  { name: 'archive all pages', weight: 7, run: archiveAll },
  { name: 'restore pages', weight: 6, run: restore },
  { name: 'check archive', weight: 1, run: ({ moves }) => void moves.checkAll() },
  { name: 'read log', weight: 5, run: readLog },
  { name: 'archive in trouble', weight: 4, run: ({ moves }, random) => moves.trouble(random) },
  { name: 'disk fault of the archive', weight: 3, run: ({ moves }, random) => moves.faultDisk(random) },
  { name: 'damage archive', weight: 2, run: ({ moves }, random) => moves.archive.damage(random) },
  { name: 'lose marker', weight: 1, run: ({ moves }) => moves.archive.loseMarker() },
  { name: 'repair archive', weight: 4, run: ({ moves }) => moves.repair() },
  { name: 'link fault in a move', weight: 3, run: faultMove },
  { name: 'kill in a move', weight: 2, run: ({ moves }, random) => moves.killOne(random) },
  {
    name: 'days pass',
    weight: 3,
    run: ({ world }, random) => world.advance(random.between(1, 40) * day_ms),
  },
]

/** Enough to fill a page, to come near its end, or to go past several. */
async function appendMany(state: AuditLogState, random: Random): Promise<void> {
  const engine = openEngine(state, random)
  if (!engine) return
  const tenant_id = random.pick(state.tenant_ids)
  const to_page_end = page_records - (state.model.seqOf(tenant_id) % page_records)
  const count = Math.max(1, to_page_end + random.pick([-2, -1, 0, 1, 2, random.below(page_records)]))
  engine.process!.run(() => record(state, engine, tenant_id, count))
  await state.world.run(random.below(moving_tasks_max))
}

async function archiveOld({ world, engines, moves }: AuditLogState, random: Random): Promise<void> {
  const running = engines.filter(({ is_running }) => is_running)
  const chosen = random.chance(0.3) ? running : running.slice(0, 1)
  for (const { process } of chosen) moves.archiveOld(process!)
  await world.run(random.below(moving_tasks_max))
}

async function archiveAll({ world, tenant_ids, moves }: AuditLogState, random: Random): Promise<void> {
  moves.archiveAll(random.chance(0.7) ? undefined : [random.pick(tenant_ids)])
  if (random.chance(0.2)) moves.archiveAll()
  if (random.chance(0.3)) moves.restoreAll()
  await world.run(random.below(moving_tasks_max))
}

async function restore({ world, tenant_ids, moves }: AuditLogState, random: Random): Promise<void> {
  moves.restoreAll(random.chance(0.5) ? undefined : [random.pick(tenant_ids)])
  if (random.chance(0.2)) moves.restoreAll()
  await world.run(random.below(moving_tasks_max))
}

function readLog(state: AuditLogState, random: Random): void {
  const engine = openEngine(state, random)
  const tenant_id = random.pick(state.tenant_ids)
  const seq = state.model.seqOf(tenant_id)
  if (engine && seq > 0) state.moves.read(engine.process!, tenant_id, seq)
}

function faultMove({ engines, moves }: AuditLogState, random: Random): void {
  moves.faultLink(
    engines.flatMap(({ process }) => process ?? []),
    random,
  )
}
