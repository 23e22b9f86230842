// A compliance report as sections of rows, for people: what it says, and what proves it without this service.
import type { Static } from 'typebox'
import type { ComplianceReport } from '../compliance-report.ts'

/** What the attestation signs. */
export interface SignedReport extends Omit<Static<typeof ComplianceReport>, 'attestation' | 'mars_ref'> {
  readonly tenant_id: string
  readonly period: { readonly from: string; readonly to: string }
  readonly framework: string
  readonly issued_at: string
}

export interface IssuedReport {
  readonly attestation: string
  /** Of the organization's audit log, base64url; undefined where it is not known any more. */
  readonly public_key: string | undefined
}

export interface Row {
  readonly name: string
  readonly value: string
  readonly detail?: string
}

export interface Section {
  readonly title: string
  readonly rows: readonly Row[]
}

/** The content of a compact JWS; its signature is for the reader to check. */
export function signedReport(attestation: string): SignedReport {
  const [, payload = ''] = attestation.split('.')
  return JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
}

export function sectionsOf({ attestation, public_key }: IssuedReport): Section[] {
  const report = signedReport(attestation)
  const { counts } = report
  return [
    { title: 'Report', rows: headRows(report) },
    { title: 'Result', rows: resultRows(report) },
    {
      title: 'Outcomes',
      rows: (['success', 'refused', 'error'] as const).map((name) => ({ name, value: String(counts[name]) })),
    },
    {
      title: 'Events',
      rows: Object.entries(counts.by_event).map(([name, count]) => ({ name, value: String(count) })),
    },
    { title: 'Controls', rows: report.controls.flatMap(controlRows) },
    {
      title: 'Authorities',
      rows: report.authorities.map(({ source, ref, calls }) => ({
        name: source,
        value: `${calls} calls`,
        detail: ref,
      })),
    },
    { title: 'Proof', rows: proofRows(report, attestation, public_key) },
  ]
}

function headRows({
  tenant_id,
  period,
  framework,
  framework_about,
  issued_at,
  report_id,
}: SignedReport): Row[] {
  return [
    { name: 'Organization', value: tenant_id },
    { name: 'From', value: period.from },
    { name: 'To (not included)', value: period.to },
    { name: 'Framework', value: framework, ...(framework_about && { detail: framework_about }) },
    { name: 'Issued', value: issued_at },
    { name: 'Report', value: report_id },
  ]
}

function resultRows(report: SignedReport): Row[] {
  const { chain_verified, first_bad_seq, gaps, record_count, first_seq, last_seq } = report
  return [
    { name: 'Audit log verified', value: chain_verified ? 'yes' : 'NO' },
    ...(first_bad_seq === undefined
      ? []
      : [{ name: 'First record that does not verify', value: String(first_bad_seq) }]),
    ...(gaps.length === 0 ? [] : [{ name: 'Missing records', value: gaps.join(' ') }]),
    { name: 'Records', value: String(record_count) },
    { name: 'First record', value: String(first_seq) },
    { name: 'Last record', value: String(last_seq) },
  ]
}

const statuses = {
  evidence: 'evidence',
  no_evidence: 'no evidence in this period',
  not_shown: 'not shown by this log',
} as const

/** Reports of earlier releases judged each control in one sentence. */
interface EarlierControl {
  readonly id: string
  readonly statement: string
  readonly status: string
  readonly evidence: readonly string[]
}

function controlRows(control: SignedReport['controls'][number] | EarlierControl): Row[] {
  if ('statement' in control) {
    const { id, statement, status, evidence } = control
    return [{ name: id, value: status, detail: [statement, ...evidence].join(' ') }]
  }
  const { id, title, question, status, evidence, gap } = control
  return [
    { name: `${id} ${title}`, value: statuses[status], detail: question },
    ...evidence.map((row) => ({
      name: `${id} evidence`,
      value: countOf(row),
      detail: [`${row.counts}.`, ...conditions(row), ...places(row)].join(' '),
    })),
    { name: `${id} gap`, value: gap },
  ]
}

type EvidenceRow = SignedReport['controls'][number]['evidence'][number]

function countOf({ count, exceptions }: EvidenceRow): string {
  const records = count === 1 ? '1 record' : `${count} records`
  if (exceptions === 0) return records
  return `${records}, ${exceptions === 1 ? '1 exception' : `${exceptions} exceptions`}`
}

function conditions({ event_types, operations, outcomes, where, must }: EvidenceRow): string[] {
  const texts = [
    event_types.join(', '),
    operations.join(', '),
    outcomes.length > 0 ? `outcome ${outcomes.join(' or ')}` : '',
    where ? `${where.field} is ${where.one_of.join(' or ')}` : '',
    must ? `must have ${must.field}${must.equals === undefined ? '' : ` ${must.equals}`}` : '',
  ].filter((text) => text !== '')
  return texts.length > 0 ? [`Query: ${texts.join('; ')}.`] : []
}

function places({ first, last, exception_refs }: EvidenceRow): string[] {
  return [
    ...(first ? [`First: ${first.ref} (record ${first.seq}).`] : []),
    ...(last ? [`Last: ${last.ref} (record ${last.seq}).`] : []),
    ...(exception_refs.length > 0 ? [`Exceptions: ${exception_refs.join(' ')}`] : []),
  ]
}

function proofRows(
  { head, merkle_root, tree_size, authorities_truncated }: SignedReport,
  attestation: string,
  public_key = 'not known any more',
): Row[] {
  const how =
    'svc report verify checks this file offline: the attestation is a JWS (EdDSA) of the whole report, signed with ' +
    'the public key above. Compare that key with one you got from the organization itself. An export of the log ' +
    '(svc audit export) of this size has this root and head.'
  return [
    ...(authorities_truncated
      ? [{ name: 'Note', value: 'More authorities were used than are listed.' }]
      : []),
    { name: 'Head', value: head },
    { name: 'Merkle root', value: merkle_root },
    { name: 'Tree size', value: String(tree_size) },
    { name: 'Public key', value: public_key },
    { name: 'Attestation', value: attestation },
    { name: 'How to verify', value: how },
  ]
}
