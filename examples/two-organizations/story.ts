// Two organizations sign a treaty, trade, litigate and part; one is dissolved.
import { meet } from './cast.ts'
import { decide } from './council.ts'
import { install } from './engines.ts'
import { chapter, dollars, soon, tell } from './telling.ts'
import { checkOffline, watch } from './watching.ts'

const installation = install()
const registry = { kind: 'agent' }
const since = new Date(Date.now() - 3_600_000).toISOString()
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

try {
  chapter('Two engines, two organizations, and a third that watches')
  const watcher = await installation.start('watcher')
  const north = await installation.start('north')
  const south = await installation.start('south', north)
  tell(`Northwind calls through ${north.api_url}, Southgate through ${south.api_url}.`)
  const { nora, niels, nina, nord, sami, sud, olga, ada } = await meet(installation, north, south)
  tell(
    'Northwind is governed by Nora, Niels and Nina, Southgate by Sami alone. Nord and Sud are their agents.',
  )
  const witness_key = await watch(installation, north, watcher, ['northwind', 'southgate'])
  tell(`${watcher.api_url}, with a database of its own, cosigns both audit logs from now on.`)

  chapter('Without a treaty nobody comes in')
  const no = await sud.refused('MARS.query_registry', registry, 'northwind')
  tell(`Sud asks for Northwind's registry: ${no.code}, ${no.reason}. What to do: ${no.details.appeal_path}.`)

  chapter('A treaty')
  const { treaty_id } = await nord.call('MOAT.propose', {
    counterparty_did: sud.did,
    capability_schedule: [
      { capability: 'svc.mars.query_registry', granted_to: 'counterparty' },
      { capability: 'svc.made.economic_contract_create', granted_to: 'both' },
    ],
    rate_limits: { per_hour: 3 },
    settlement_terms: { rail: 'internal', currency: 'usd', clearing_fee_bps: 25 },
    dispute_clause: { via: 'MOOT', venue: 'operator' },
    expires_at: inDays(365),
  })
  const early = await nora.refused('MOAT.sign', { treaty_id })
  tell(`Nord proposes ${treaty_id.slice(0, 15)}…. Nora alone may not sign it: ${early.reason}.`)
  const binds = [{ protocol: 'MOAT', operation: 'sign', subject: treaty_id }]
  const verdict = await decide(nora, 'Let Southgate search our registry', binds, [
    { member: nora, position: 'for', reasoning: 'They find our agents, and we sell more.' },
    { member: niels, position: 'for', reasoning: 'Three calls an hour cost us nothing.' },
    { member: nina, position: 'against', reasoning: 'We know too little of them.' },
  ])
  tell(
    `The council says ${verdict.outcome}; Nina's dissent stays with it: "${verdict.dissent[0]!.reasoning}"`,
  )
  await nora.call('MOAT.sign', { treaty_id })
  const { state } = await sami.call('MOAT.sign', { treaty_id })
  tell(`Nora and Sami have signed. The treaty is ${state}.`)

  chapter('Calls, and what they cost')
  for (let call = 0; call < 3; call++) await sud.call('MARS.query_registry', registry, 'northwind')
  const fourth = await sud.refused('MARS.query_registry', registry, 'northwind')
  tell(`The same call now answers, three times an hour. The fourth: ${fourth.reason}.`)
  const { totals } = await sami.call('MEAL.statement', {
    tenant_id: 'southgate',
    period: { from: since, to: inDays(1) },
  })
  tell(`Southgate has spent ${totals.amount_usd} USD so far.`)

  chapter('A debt')
  const funds = await olga.call('MADE.economic_contract_create', {
    counterparty_did: sud.did,
    obligations: [{ id: 'wire', from: 'proposer', asset_id: 'usd', amount: dollars(80) }],
  })
  await sud.call('MADE.economic_contract_create', { contract_id: funds.contract_id })
  const wire = { contract_id: funds.contract_id, rail_reference: 'wire-2026-11' }
  await olga.call('MADE.economic_contract_settle', wire)
  const fee = { id: 'fee', from: 'counterparty', asset_id: 'usd', amount: dollars(50), due_at: inDays(2) }
  const offer = { counterparty_did: sud.did, obligations: [fee], treaty_id }
  const { contract_id } = await nord.call('MADE.economic_contract_create', offer)
  await sud.call('MADE.economic_contract_create', { contract_id })
  tell('Southgate has 80 USD, and owes Northwind 50 USD by the day after tomorrow.')

  chapter('Three days later: a breach')
  await installation.wait(3)
  const period = { from: since, to: inDays(3) }
  const report = await nord.call('MOAT.enforce', { treaty_id, period })
  tell(
    `Northwind checks its own audit log: ${report.findings.map(({ kind }: { kind: string }) => kind).join(', ')}.`,
  )
  const why = 'The fee is overdue.'
  await nord.call('MOAT.enforce', { treaty_id, period, measure: 'suspend', reason: why })
  const suspended = await sud.refused('MARS.query_registry', registry, 'northwind')
  tell(`It suspends the treaty. Sud's next call: ${suspended.reason}.`)

  chapter('A case')
  const claim = { treaty_id, period, measure: 'claim', reason: why }
  const { case_id } = await nord.call('MOAT.enforce', claim)
  await sud.call('MOOT.plead', { case_id, plea: 'deny', argument: 'Nothing was delivered.' })
  await soon('the panel', async () => {
    const { docket } = await nord.call('MOOT.plead', { case_id, plea: 'view' })
    return docket.panel[0]
  })
  const heard = await ada.call('MOOT.hear', { case_id })
  const verified = Object.values(heard.chain_verified).every(Boolean)
  tell(
    `Ada replays both chains: ${heard.timeline.length} records, ${verified ? 'all verified' : 'not verified'}.`,
  )
  const { ruling } = await ada.call('MOOT.rule', {
    case_id,
    finding: 'for_claimant',
    reasoning: 'The contract is in both audit logs, signed by both, and nothing was paid.',
    remedy: { kind: 'specific_performance' },
  })
  tell(
    `She rules ${ruling.finding}: ${ruling.remedy.kind}, unless appealed until ${ruling.appeal_until.slice(0, 10)}.`,
  )

  chapter('Fifteen days later: the ruling is carried out')
  await installation.wait(15)
  const executed = { event_type: ['CaseRemedyExecuted'], after_seq: 0 }
  const paid = await soon(
    'the payment',
    async () => (await nord.call('MAX.audit_query', executed)).records[0],
  )
  const [line] = paid.meta.settled
  tell(
    `Northwind's audit log: ${paid.event_type}, ${paid.meta.state}: ${line.amount} millionths of a USD paid.`,
  )
  const also = await sud.call('MAX.audit_query', executed)
  tell(`Southgate's audit log says the same (${also.records.length} record).`)

  chapter('The end of the treaty')
  const ended = await sami.call('MOAT.terminate', { treaty_id, reason: 'We go our own way.' })
  const after = await sud.refused('MARS.query_registry', registry, 'northwind')
  tell(`Sami terminates it, alone: ${ended.state}. Sud's next call: ${after.reason}.`)

  chapter('The end of Southgate')
  const { dissolution_id } = await sami.call('MAUSOLEUM.initiate', {
    charter_authority: 'mace://sole-member',
    reason: 'Its purpose is fulfilled.',
    schedule: {
      asset_distribution: [{ asset_id: '*', to_did: nord.did, share_bps: 10_000 }],
      obligation_transfer: [],
      successor_did: nord.did,
    },
  })
  const bound = await sud.refused('MOAT.propose', {
    counterparty_did: nord.did,
    capability_schedule: [{ capability: 'svc.mars.query_registry', granted_to: 'both' }],
    expires_at: inDays(100),
  })
  tell(`Sami winds it up; nothing new is taken on: ${bound.reason}.`)
  await installation.wait(8)
  const sealed = await soon('the seal', () => sami.call('MAUSOLEUM.seal', { dissolution_id }))
  tell(
    `Eight days later creditors and heirs have what is theirs. ${sealed.state} at record ${sealed.final_seq}.`,
  )
  const silent = await soon('the silence', () => sud.refused('MARS.query_registry', registry))
  tell(`Sud calls once more: ${silent.reason}.`)
  const inherited = await nord.call('MAX.audit_query', { tenant_id: 'southgate', after_seq: 0, limit: 1000 })
  tell(`Its successor still reads all ${inherited.records.length} records.`)

  chapter('Anybody can check all of it')
  for (const tenant_id of ['northwind', 'southgate'])
    tell(await checkOffline(installation, north, watcher, tenant_id, witness_key))
} finally {
  await installation.stop()
}
